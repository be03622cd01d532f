"""LangChain's classes for OpenAI and Ollama: answers, streams, tools, structured output by each of its methods.

Usage: langchain_chat.py BASE_URL KEY OLLAMA_URL
"""

import sys

from checks import ADA, HELLO, PERSON_QUESTION, WEATHER, WEATHER_QUESTION, Person, is_report, run, same
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI

URL, KEY, OLLAMA = sys.argv[1:]
openai = ChatOpenAI(model="dwell", base_url=URL, api_key=KEY, max_retries=0, stream_usage=True)
ollama = ChatOllama(model="dwell", base_url=OLLAMA)


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return WEATHER[city]


def answers(model):
    answer = model.invoke(HELLO)
    same(answer.content, "Hello there.", "the answer")
    usage = answer.usage_metadata
    same((usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]), (11, 6, 17), "the usage")


def streams(model):
    whole, count = None, 0
    for chunk in model.stream(HELLO):
        whole, count = chunk if whole is None else whole + chunk, count + 1
    same(whole.content, "Hello there.", "the answer")
    assert count > 2, f"it came in {count} pieces"
    same(whole.usage_metadata["total_tokens"], 17, "the usage")


def calls_tools(model):
    able = model.bind_tools([get_weather])
    messages = [HumanMessage(WEATHER_QUESTION)]
    asked = able.invoke(messages)
    same([call["args"]["city"] for call in asked.tool_calls], list(WEATHER), "the cities")
    messages.append(asked)
    for call in asked.tool_calls:
        result = get_weather.invoke(call)
        assert isinstance(result, ToolMessage), result
        messages.append(result)
    is_report(able.invoke(messages).content)


def structures(model, method, **options):
    structured = model.with_structured_output(Person, method=method, include_raw=True, **options)
    answer = structured.invoke(PERSON_QUESTION)
    same(answer["parsed"], ADA, f"the answer (raw: {answer['raw']}, error: {answer['parsing_error']})")


def openai_chat():
    answers(openai)


def openai_stream():
    streams(openai)


def openai_tools():
    calls_tools(openai)


def openai_json_schema():
    structures(openai, "json_schema")


def openai_json_schema_strict():
    structures(openai, "json_schema", strict=True)


def openai_function_calling():
    structures(openai, "function_calling")


def openai_json_mode():
    structures(openai, "json_mode")


def openai_structured_stream():
    structured = openai.with_structured_output(Person.model_json_schema(), method="json_schema")
    same(list(structured.stream(PERSON_QUESTION))[-1], ADA.model_dump(), "the last piece")


def ollama_chat():
    answers(ollama)


def ollama_stream():
    streams(ollama)


def ollama_tools():
    calls_tools(ollama)


def ollama_json_schema():
    structures(ollama, "json_schema")


def ollama_function_calling():
    structures(ollama, "function_calling")


def ollama_json_mode():
    structures(ollama, "json_mode")


run(
    openai_chat,
    openai_stream,
    openai_tools,
    openai_json_schema,
    openai_json_schema_strict,
    openai_function_calling,
    openai_json_mode,
    openai_structured_stream,
    ollama_chat,
    ollama_stream,
    ollama_tools,
    ollama_json_schema,
    ollama_function_calling,
    ollama_json_mode,
)
