"""pydantic-ai: answers, streams, tools, output by a tool, native and prompted, and a conversation that goes on.

Usage: pydantic_ai_chat.py BASE_URL KEY
"""

import sys

from checks import ADA, HELLO, PERSON_QUESTION, WEATHER, WEATHER_QUESTION, Person, Report, is_report, run, same
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

URL, KEY = sys.argv[1:]


def agent(**options):
    # An agent for each check: its HTTP client belongs to one event loop.
    return Agent(OpenAIChatModel("dwell", provider=OpenAIProvider(base_url=URL, api_key=KEY)), **options)


async def chat():
    result = await agent().run(HELLO)
    same(result.output, "Hello there.", "the answer")
    same((result.usage.input_tokens, result.usage.output_tokens), (11, 6), "the usage")


async def stream():
    async with agent().run_stream(HELLO) as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    same("".join(pieces), "Hello there.", "the answer")
    assert len(pieces) > 1, pieces


def with_weather(**options):
    asked, able = [], agent(**options)

    @able.tool_plain
    def get_weather(city: str) -> str:
        """The weather in a city."""
        asked.append(city)
        return WEATHER[city]

    return asked, able


async def tools():
    asked, able = with_weather()
    is_report((await able.run(WEATHER_QUESTION)).output)
    same(sorted(asked), list(WEATHER), "the cities")


async def tools_and_output():
    asked, able = with_weather(output_type=Report)
    is_report((await able.run(WEATHER_QUESTION)).output.summary)
    same(sorted(asked), list(WEATHER), "the cities")


async def output_by_tool():
    same((await agent(output_type=ToolOutput(Person)).run(PERSON_QUESTION)).output, ADA, "the answer")


async def output_native():
    same((await agent(output_type=NativeOutput(Person)).run(PERSON_QUESTION)).output, ADA, "the answer")


async def output_prompted():
    same((await agent(output_type=PromptedOutput(Person)).run(PERSON_QUESTION)).output, ADA, "the answer")


async def output_stream():
    async with agent(output_type=NativeOutput(Person)).run_stream(PERSON_QUESTION) as result:
        same(await result.get_output(), ADA, "the answer")


async def history():
    able = agent(instructions="Be brief.")
    first = await able.run(HELLO)
    second = await able.run("And what did you say?", message_history=first.all_messages())
    same(second.output, "I said: Hello there.", "the answer")


run(chat, stream, tools, tools_and_output, output_by_tool, output_native, output_prompted, output_stream, history)
