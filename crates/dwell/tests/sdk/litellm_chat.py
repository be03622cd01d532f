"""LiteLLM: answers, streams, tools, JSON mode, a schema, errors; by OpenAI's API and by Ollama's.

Usage: litellm_chat.py BASE_URL KEY OLLAMA_URL
"""

import json
import os
import sys

# Its list of prices is part of the package; without this it asks for a newer one on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from checks import ADA, HELLO, PERSON_QUESTION, WEATHER, WEATHER_QUESTION, Person, is_report, raises, run, same

URL, KEY, OLLAMA = sys.argv[1:]
OPENAI = {"model": "openai/dwell", "api_base": URL, "api_key": KEY, "num_retries": 0, "max_retries": 0}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def complete(text, **options):
    return litellm.completion(**(OPENAI | {"messages": [{"role": "user", "content": text}]} | options))


def chat():
    answer = complete(HELLO)
    same(answer.choices[0].message.content, "Hello there.", "the answer")
    same((answer.usage.prompt_tokens, answer.usage.completion_tokens), (11, 6), "the usage")


def stream():
    chunks = list(complete(HELLO, stream=True, stream_options={"include_usage": True}))
    same("".join(chunk.choices[0].delta.content or "" for chunk in chunks), "Hello there.", "the answer")
    same(chunks[-1].usage.total_tokens, 17, "the usage")


def tools():
    messages = [{"role": "user", "content": WEATHER_QUESTION}]
    asked = complete("", messages=messages, tools=[TOOL]).choices[0]
    same(asked.finish_reason, "tool_calls", "the finish reason")
    messages.append(asked.message.model_dump())
    for call in asked.message.tool_calls:
        content = WEATHER[json.loads(call.function.arguments)["city"]]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    is_report(complete("", messages=messages, tools=[TOOL]).choices[0].message.content)


def json_mode():
    answer = complete(PERSON_QUESTION, response_format={"type": "json_object"})
    same(json.loads(answer.choices[0].message.content), ADA.model_dump(), "the answer")


def json_schema():
    answer = complete(PERSON_QUESTION, response_format=Person)
    same(Person.model_validate_json(answer.choices[0].message.content), ADA, "the answer")


def errors():
    error = raises(litellm.NotFoundError, lambda: complete(HELLO, model="openai/anthropic/no-such"))
    same(error.status_code, 404, "the status")
    raises(litellm.RateLimitError, lambda: complete("The provider has had enough."))
    raises(litellm.AuthenticationError, lambda: complete(HELLO, api_key="wrong"))


def ollama_chat():
    answer = complete(HELLO, model="ollama_chat/dwell", api_base=OLLAMA)
    same(answer.choices[0].message.content, "Hello there.", "the answer")


def ollama_json_schema():
    answer = complete(PERSON_QUESTION, model="ollama_chat/dwell", api_base=OLLAMA, response_format=Person)
    same(Person.model_validate_json(answer.choices[0].message.content), ADA, "the answer")


run(chat, stream, tools, json_mode, json_schema, errors, ollama_chat, ollama_json_schema)
