"""OpenAI's own client of Dwell: a streamed chat with tools, and memory across processes.

Usage: openai_tools.py BASE_URL KEY PHASE, where PHASE is `tools`, `tell` or `know`. Exit code 0 if all is well, else 1.

`tools` expects a model that calls `get_weather` for Oslo and Rome, and then answers with the results in its words. `tell` and
`know` are for two processes, one after the other: what is said in the first is known in another session in the second.
"""

import json
import sys

from openai import OpenAI

WEATHER = {"Oslo": "snow", "Rome": "sun"}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def stream(client, messages):
    """The words, the calls and the reason of a streamed answer."""
    words, calls, reason = "", {}, None
    pieces = client.chat.completions.create(
        model="dwell", messages=messages, tools=[TOOL], stream=True, stream_options={"include_usage": True}
    )
    for piece in pieces:
        for choice in piece.choices:
            words += choice.delta.content or ""
            reason = choice.finish_reason or reason
            for call in choice.delta.tool_calls or []:
                kept = calls.setdefault(call.index, {"id": call.id, "name": call.function.name, "arguments": ""})
                kept["arguments"] += call.function.arguments or ""
        if not piece.choices and not piece.usage.total_tokens:
            raise AssertionError("the last piece does not say what it took")
    return words, list(calls.values()), reason


def tools(client):
    """A round trip: the calls come in pieces, their results go back, and the answer knows them."""
    messages = [{"role": "user", "content": "Which weather do Oslo and Rome have?"}]
    words, calls, reason = stream(client, messages)
    if reason != "tool_calls" or [json.loads(call["arguments"])["city"] for call in calls] != ["Oslo", "Rome"]:
        raise AssertionError(f"two calls are expected, not {reason} {calls} {words!r}")
    asked = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls
    ]
    messages.append({"role": "assistant", "content": words or None, "tool_calls": asked})
    for call in calls:
        content = WEATHER[json.loads(call["arguments"])["city"]]
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    words, calls, reason = stream(client, messages)
    if reason != "stop" or calls or "snow" not in words or "sun" not in words:
        raise AssertionError(f"an answer with the results is expected, not {reason} {calls} {words!r}")


def tell(client):
    """Something is said that lasts, in the session of a user."""
    said = [{"role": "user", "content": "My boiler is serviced by Hartmann."}]
    client.chat.completions.create(model="dwell", messages=said, user="ada")


def know(client):
    """Another process asks for it, in another session."""
    asked = [{"role": "user", "content": "Who services my boiler?"}]
    answer = client.chat.completions.create(
        model="dwell", messages=asked, extra_headers={"x-dwell-session": "another"}
    )
    words = answer.choices[0].message.content
    if "Hartmann" not in words:
        raise AssertionError(f"what was said before is not known: {words!r}")


def main():
    """Runs one phase."""
    base_url, key, phase = sys.argv[1:]
    client = OpenAI(base_url=base_url, api_key=key, max_retries=0)
    models = [model.id for model in client.models.list()]
    if client.models.retrieve(models[-1]).id != models[-1]:
        raise AssertionError(f"the model {models[-1]} is not found by its name")
    {"tools": tools, "tell": tell, "know": know}[phase](client)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # Whatever it was, it is said, and the exit code tells.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
