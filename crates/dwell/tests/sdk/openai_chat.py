"""OpenAI's SDK and chat completions: answers, streams, tools, structured output, errors, request ids.

Usage: openai_chat.py BASE_URL KEY
"""

import json
import sys

import openai
from checks import ADA, HELLO, PERSON_QUESTION, WEATHER, WEATHER_QUESTION, Person, is_report, raises, run, same
from openai import OpenAI
from pydantic import BaseModel

URL, KEY = sys.argv[1:]
client = OpenAI(base_url=URL, api_key=KEY, max_retries=0)
completions = client.chat.completions


class GetWeather(BaseModel):
    """The weather in a city."""

    city: str


def asks(text):
    return {"model": "dwell", "messages": [{"role": "user", "content": text}]}


def chat():
    answer = completions.create(**asks(HELLO))
    same(answer.choices[0].message.content, "Hello there.", "the answer")
    same(answer.choices[0].finish_reason, "stop", "the finish reason")
    same((answer.usage.prompt_tokens, answer.usage.completion_tokens), (11, 6), "the usage")


def stream():
    chunks = list(completions.create(**asks(HELLO), stream=True, stream_options={"include_usage": True}))
    words = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert len(words) > 1, f"it came in one piece: {words}"
    same("".join(words), "Hello there.", "the answer")
    same(chunks[-1].usage.total_tokens, 17, "the usage")


def tools():
    tool = openai.pydantic_function_tool(GetWeather, name="get_weather")
    messages = asks(WEATHER_QUESTION)["messages"]
    # `parse` reads the arguments of the calls by the class.
    asked = completions.parse(model="dwell", messages=messages, tools=[tool]).choices[0]
    same(asked.finish_reason, "tool_calls", "the finish reason")
    calls = asked.message.tool_calls
    same([call.function.parsed_arguments for call in calls], [GetWeather(city=city) for city in WEATHER], "the calls")
    messages.append(asked.message)
    for call in calls:
        content = WEATHER[call.function.parsed_arguments.city]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    is_report(completions.create(model="dwell", messages=messages, tools=[tool]).choices[0].message.content)


def parse():
    answer = completions.parse(**asks(PERSON_QUESTION), response_format=Person)
    same(answer.choices[0].message.parsed, ADA, "the answer")


def parse_stream():
    with completions.stream(**asks(PERSON_QUESTION), response_format=Person) as events:
        pieces = [event.delta for event in events if event.type == "content.delta"]
        answer = events.get_final_completion()
    same(answer.choices[0].message.parsed, ADA, "the answer")
    same(Person.model_validate_json("".join(pieces)), ADA, "the pieces")


def json_object():
    answer = completions.create(**asks(PERSON_QUESTION), response_format={"type": "json_object"})
    same(json.loads(answer.choices[0].message.content), ADA.model_dump(), "the answer")


def length():
    answer = completions.create(**asks("Tell me the long story."))
    same(answer.choices[0].finish_reason, "length", "the finish reason")


def unknown_model():
    error = raises(openai.NotFoundError, lambda: completions.create(**(asks(HELLO) | {"model": "anthropic/no-such"})))
    same((error.status_code, error.code, error.type), (404, "model_not_found", "invalid_request_error"), "the error")


def unknown_path():
    error = raises(openai.NotFoundError, lambda: client.files.list())
    same(error.type, "invalid_request_error", "the type of the error")


def wrong_key():
    stranger = OpenAI(base_url=URL, api_key="wrong", max_retries=0)
    error = raises(openai.AuthenticationError, lambda: stranger.chat.completions.create(**asks(HELLO)))
    same(error.type, "authentication_error", "the type of the error")


def unsupported_field():
    error = raises(openai.BadRequestError, lambda: completions.create(**asks(HELLO), n=2))
    same((error.param, error.type), ("n", "invalid_request_error"), "the error")


def ignored_field():
    raw = completions.with_raw_response.create(**asks(HELLO), store=False, service_tier="auto")
    names = [name.strip() for name in raw.headers["x-dwell-ignored"].split(",")]
    same(sorted(names), ["service_tier", "store"], "the header")


def upstream_rate_limit():
    # With retries: the header `x-should-retry` keeps the SDK from sending it again.
    patient = OpenAI(base_url=URL, api_key=KEY, max_retries=2)
    asked = asks("The provider has had enough.")
    error = raises(openai.RateLimitError, lambda: patient.chat.completions.create(**asked))
    same((error.code, error.response.headers["retry-after"]), ("rate_limit_exceeded", "3600"), "the error")


def request_id():
    first, second = completions.create(**asks(HELLO)), completions.create(**asks(HELLO))
    assert first._request_id and first._request_id != second._request_id, (first._request_id, second._request_id)
    error = raises(openai.BadRequestError, lambda: completions.create(**asks(HELLO), n=2))
    assert error.request_id.startswith("req_"), error.request_id


def own_rate_limit():
    """The last check: it uses up what this owner may send."""
    for _ in range(400):
        try:
            client.models.list()
        except openai.RateLimitError as error:
            same(error.code, "rate_limited", "the code")
            assert int(error.response.headers["retry-after"]) > 0, error.response.headers
            return
    raise AssertionError("400 requests are no reason to slow down")


run(
    chat,
    stream,
    tools,
    parse,
    parse_stream,
    json_object,
    length,
    unknown_model,
    unknown_path,
    wrong_key,
    unsupported_field,
    ignored_field,
    upstream_rate_limit,
    request_id,
    own_rate_limit,
)
