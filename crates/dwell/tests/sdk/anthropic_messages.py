"""Anthropic's own client of Dwell: messages, streams, tools, structured output, counts, models and errors.

Usage: anthropic_messages.py BASE_URL KEY. Exit code 0 if all is well, else 1.

It expects a model that repeats a message after some reasoning, and that calls `get_weather` for Oslo and Rome where the
message is about the weather, and then answers with the results.
"""

import sys

import anthropic

WEATHER = {"Oslo": "snow", "Rome": "sun"}
TOOL = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def check(is_right, found):
    """Fails with what was found instead."""
    if not is_right:
        raise AssertionError(f"unexpected: {found!r}")


def messages(client):
    """A conversation of two messages, the second with the blocks of the first answer."""
    said = [{"role": "user", "content": "Good morning."}]
    first = client.messages.create(model="dwell", max_tokens=256, system="Be kind.", messages=said)
    check(first.content[0].text == "You said: Good morning.", first)
    check(first.stop_reason == "end_turn" and first.usage.output_tokens > 0, first)
    said += [first.to_param(), {"role": "user", "content": [{"type": "text", "text": "Good night."}]}]
    second = client.messages.create(model="dwell", max_tokens=256, system="Be kind.", messages=said)
    check("Good night." in second.content[0].text, second)


def streams(client):
    """The text and the reasoning of a stream, and the message that it adds up to."""
    said = [{"role": "user", "content": "Good evening."}]
    with client.messages.stream(
        model="dwell", max_tokens=2048, messages=said, thinking={"type": "adaptive"}
    ) as stream:
        text = "".join(stream.text_stream)
        whole = stream.get_final_message()
    check(text == "You said: Good evening.", text)
    check([block.type for block in whole.content] == ["thinking", "text"], whole)
    check(whole.content[0].thinking == "They greet." and whole.usage.input_tokens > 0, whole)


def tools(client):
    """A round trip: two calls in a stream, one result is an error, and the answer knows both."""
    said = [{"role": "user", "content": "Which weather do Oslo and Rome have?"}]
    with client.messages.stream(model="dwell", max_tokens=256, messages=said, tools=[TOOL]) as stream:
        asked = stream.get_final_message()
    calls = [block for block in asked.content if block.type == "tool_use"]
    check(asked.stop_reason == "tool_use" and [call.input["city"] for call in calls] == ["Oslo", "Rome"], asked)
    results = [
        {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": [{"type": "text", "text": WEATHER[call.input["city"]]}],
            "is_error": call.input["city"] == "Rome",
        }
        for call in calls
    ]
    said += [asked.to_param(), {"role": "user", "content": results}]
    answer = client.messages.create(model="dwell", max_tokens=256, messages=said, tools=[TOOL])
    check(answer.stop_reason == "end_turn" and "snow" in answer.content[0].text, answer)
    check("sun" in answer.content[0].text, answer)


def counts(client):
    """Tokens are counted without a model, and models are listed."""
    few = client.messages.count_tokens(model="dwell", messages=[{"role": "user", "content": "Hello"}])
    more = client.messages.count_tokens(
        model="dwell", system="Be kind.", messages=[{"role": "user", "content": "Hello"}], tools=[TOOL]
    )
    check(0 < few.input_tokens < more.input_tokens, (few, more))
    models = [model.id for model in client.models.list()]
    check(models[0] == "dwell" and client.models.retrieve("dwell").id == "dwell", models)


def errors(client, base_url):
    """Errors are those of the SDK, by type and with an id."""
    said = [{"role": "user", "content": "Hello"}]
    try:
        client.messages.create(model="anthropic/claude-9", max_tokens=5, messages=said)
        raise AssertionError("a model that is not there has answered")
    except anthropic.NotFoundError as error:
        check(error.type == "not_found_error" and error.request_id.startswith("req_"), error)
    try:
        search = {"type": "web_search_20250305", "name": "web_search"}
        client.messages.create(model="dwell", max_tokens=5, messages=said, tools=[search])
        raise AssertionError("a tool of another server was taken")
    except anthropic.BadRequestError as error:
        check("web_search_20250305" in error.api_message, error)
    try:
        stranger = anthropic.Anthropic(base_url=base_url, api_key="wrong", max_retries=0)
        stranger.messages.create(model="dwell", max_tokens=5, messages=said)
        raise AssertionError("a wrong key was taken")
    except anthropic.AuthenticationError as error:
        check(error.type == "authentication_error", error)


def main():
    """Tries everything."""
    base_url, key = sys.argv[1:]
    client = anthropic.Anthropic(base_url=base_url, api_key=key, max_retries=0)
    # Older clients send the key in a header of its own.
    old = anthropic.Anthropic(
        base_url=base_url, api_key=key, max_retries=0, default_headers={"x-api-key": key, "Authorization": anthropic.omit}
    )
    for one in (client, old):
        messages(one)
    streams(client)
    tools(client)
    counts(client)
    errors(client, base_url)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # Whatever it was, it is said, and the exit code tells.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
