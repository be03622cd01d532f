"""Ollama's Python library: answers, streams, tools, and `format` in both of its endpoints.

Usage: ollama_chat.py OLLAMA_URL
"""

import json
import sys

import ollama
from checks import ADA, HELLO, PERSON_QUESTION, WEATHER, WEATHER_QUESTION, Person, is_report, raises, run, same

client = ollama.Client(host=sys.argv[1])
SCHEMA = Person.model_json_schema()


def asks(text):
    return {"model": "dwell", "messages": [{"role": "user", "content": text}]}


def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The city.
    """
    return WEATHER[city]


def models():
    assert "dwell:latest" in [model.model for model in client.list().models]
    assert "tools" in client.show("dwell").capabilities


def chat():
    answer = client.chat(**asks(HELLO))
    same((answer.message.content, answer.done_reason), ("Hello there.", "stop"), "the answer")
    same((answer.prompt_eval_count, answer.eval_count), (11, 6), "the usage")


def stream():
    lines = list(client.chat(**asks(HELLO), stream=True))
    same("".join(line.message.content for line in lines), "Hello there.", "the answer")
    assert len(lines) > 2 and lines[-1].done, lines


def tools():
    messages = asks(WEATHER_QUESTION)["messages"]
    asked = client.chat(model="dwell", messages=messages, tools=[get_weather]).message
    same([call.function.arguments["city"] for call in asked.tool_calls], list(WEATHER), "the cities")
    messages.append(asked)
    for call in asked.tool_calls:
        content = get_weather(**call.function.arguments)
        messages.append({"role": "tool", "tool_name": call.function.name, "content": content})
    is_report(client.chat(model="dwell", messages=messages, tools=[get_weather]).message.content)


def chat_format_json():
    answer = client.chat(**asks(PERSON_QUESTION), format="json")
    same(json.loads(answer.message.content), ADA.model_dump(), "the answer")


def chat_format_schema():
    answer = client.chat(**asks(PERSON_QUESTION), format=SCHEMA)
    same(Person.model_validate_json(answer.message.content), ADA, "the answer")


def chat_format_stream():
    lines = client.chat(**asks(PERSON_QUESTION), format=SCHEMA, stream=True)
    same(Person.model_validate_json("".join(line.message.content for line in lines)), ADA, "the answer")


def generate():
    same(client.generate(model="dwell", prompt=HELLO).response, "Hello there.", "the answer")


def generate_format_json():
    answer = client.generate(model="dwell", prompt=PERSON_QUESTION, format="json")
    same(json.loads(answer.response), ADA.model_dump(), "the answer")


def generate_format_schema():
    answer = client.generate(model="dwell", prompt=PERSON_QUESTION, format=SCHEMA)
    same(Person.model_validate_json(answer.response), ADA, "the answer")


def length():
    same(client.chat(**asks("Tell me the long story.")).done_reason, "length", "the reason")


def unknown_model():
    error = raises(ollama.ResponseError, lambda: client.chat(**(asks(HELLO) | {"model": "anthropic/no-such"})))
    same(error.status_code, 404, "the status")


run(
    models,
    chat,
    stream,
    tools,
    chat_format_json,
    chat_format_schema,
    chat_format_stream,
    generate,
    generate_format_json,
    generate_format_schema,
    length,
    unknown_model,
)
