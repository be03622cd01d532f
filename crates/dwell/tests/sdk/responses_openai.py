"""OpenAI's own client of Dwell's Responses API.

Usage: responses_openai.py BASE_URL KEY. Exit code 0 if all is well, else 1. What the model behind Dwell has to do is in
`crates/dwell/tests/it/responses/sdk.rs`.
"""

import json
import sys
import time

from openai import BadRequestError, NotFoundError, OpenAI
from pydantic import BaseModel

WEATHER = {"Oslo": "snow", "Rome": "sun"}
TOOL = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "strict": True,
}


class Capital(BaseModel):
    """A structured answer."""

    city: str
    country: str


def check(is_well, why):
    """Ends the script if something is wrong."""
    if not is_well:
        raise AssertionError(why)


def conversation(client):
    """Responses follow each other, and can be read again."""
    first = client.responses.create(model="dwell", input="My name is Ada.", instructions="Be brief.")
    check(first.status == "completed" and first.output_text == "You said: My name is Ada.", first)
    check(first.usage.total_tokens > 0 and first.usage.input_tokens_details.cached_tokens == 0, first.usage)
    second = client.responses.create(model="dwell", input="What is my name?", previous_response_id=first.id)
    check(second.output_text == "Ada.", second.output_text)
    check(client.responses.retrieve(first.id).output_text == first.output_text, "it is not found again")
    items = [item.content[0].text for item in client.responses.input_items.list(second.id)]
    check(items == ["What is my name?"], items)
    raw = client.responses.with_raw_response.create(model="dwell", input="hello", service_tier="auto")
    check(raw.headers["x-dwell-ignored"] == "service_tier" and raw.parse()._request_id.startswith("req_"), raw.headers)
    client.responses.delete(first.id)
    try:
        client.responses.retrieve(first.id)
        raise AssertionError("a deleted response is still there")
    except NotFoundError as error:
        check(first.id in error.message and error.type == "invalid_request_error", error)
    try:
        client.responses.create(model="dwell", input="hello", tools=[{"type": "code_interpreter", "container": "x"}])
        raise AssertionError("a tool that does not exist is taken")
    except BadRequestError as error:
        check(error.param == "tools" and "code_interpreter" in error.message, error)


def outputs(response):
    """The outputs of a response's calls."""
    calls = [item for item in response.output if item.type == "function_call"]
    check([json.loads(call.arguments)["city"] for call in calls] == ["Oslo", "Rome"], calls)
    return [
        {
            "type": "function_call_output",
            "call_id": call.call_id,
            "output": WEATHER[json.loads(call.arguments)["city"]],
        }
        for call in calls
    ]


def functions(client):
    """Calls go back with the previous response, or with the whole list; streamed and not."""
    question = [{"role": "user", "content": "Which weather do Oslo and Rome have?"}]
    asked = client.responses.create(model="dwell", input=question, tools=[TOOL])
    answer = client.responses.create(
        model="dwell", input=outputs(asked), tools=[TOOL], previous_response_id=asked.id
    )
    check(answer.output_text == "It is snow and sun.", answer.output_text)

    with client.responses.stream(model="dwell", input=question, tools=[TOOL], store=False) as stream:
        kinds = [event.type for event in stream]
        asked = stream.get_final_response()
    check(kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds)
    check("response.function_call_arguments.done" in kinds and "response.output_text.done" in kinds, kinds)
    whole = question + [item.to_dict() for item in asked.output] + outputs(asked)
    words = ""
    for event in client.responses.create(model="dwell", input=whole, tools=[TOOL], stream=True, store=False):
        words += event.delta if event.type == "response.output_text.delta" else ""
    check(words == "It is snow and sun.", words)


def structure(client):
    """Answers of a form."""
    parsed = client.responses.parse(model="dwell", input="What is the capital of Norway?", text_format=Capital)
    check(parsed.output_parsed == Capital(city="Oslo", country="Norway"), parsed.output_text)


def background(client):
    """A response that takes its time is followed, left, continued and cancelled."""
    begun = client.responses.create(model="dwell", input="Speak slowly.", background=True)
    check(begun.status in ("queued", "in_progress"), begun.status)
    stream = client.responses.retrieve(begun.id, stream=True)
    words, number = "", 0
    for event in stream:
        number = event.sequence_number
        if event.type == "response.output_text.delta":
            words += event.delta
            break
    stream.close()
    for event in client.responses.retrieve(begun.id, stream=True, starting_after=number):
        check(event.sequence_number > number, event)
        words += event.delta if event.type == "response.output_text.delta" else ""
    check(words == "One by one the words arrive.", words)
    for _ in range(300):
        done = client.responses.retrieve(begun.id)
        if done.status not in ("queued", "in_progress"):
            break
        time.sleep(0.05)
    check(done.output_text == words, done)
    hanging = client.responses.create(model="dwell", input="Please hang.", background=True)
    check(client.responses.cancel(hanging.id).status == "cancelled", "it is not cancelled")


def conversations(client):
    """A conversation of its own."""
    made = client.conversations.create(metadata={"topic": "names"})
    client.responses.create(model="dwell", input="My name is Ada.", conversation=made.id)
    answer = client.responses.create(model="dwell", input="What is my name?", conversation=made.id)
    check(answer.output_text == "Ada." and answer.conversation.id == made.id, answer)
    check(len(list(client.conversations.items.list(made.id, limit=2))) == 4, "not all items are listed")
    check(client.conversations.delete(made.id).deleted, "it is not deleted")


def main():
    """Runs all of it."""
    base_url, key = sys.argv[1:]
    client = OpenAI(base_url=base_url, api_key=key, max_retries=0)
    for part in [conversation, functions, structure, background, conversations]:
        part(client)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # Whatever it was, it is said, and the exit code tells.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
