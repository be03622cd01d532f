"""OpenAI's Agents SDK with its class for chat completions: answers, streams, tools, output types, handoffs.

Usage: agents_chat.py BASE_URL KEY
"""

import sys

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from checks import ADA, HELLO, PERSON_QUESTION, WEATHER, WEATHER_QUESTION, Person, Report, is_report, run, same
from openai import AsyncOpenAI

URL, KEY = sys.argv[1:]
set_tracing_disabled(True)


def agent(name="Helper", **options):
    # A client for each check: it belongs to one event loop.
    client = AsyncOpenAI(base_url=URL, api_key=KEY, max_retries=0)
    settings = ModelSettings(include_usage=True)
    return Agent(
        name=name, model=OpenAIChatCompletionsModel("dwell", openai_client=client), model_settings=settings, **options
    )


@function_tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return WEATHER[city]


async def chat():
    result = await Runner.run(agent(instructions="Be brief."), HELLO)
    same(result.final_output, "Hello there.", "the answer")
    same(result.context_wrapper.usage.total_tokens, 17, "the usage")


async def stream():
    result = Runner.run_streamed(agent(), HELLO)
    events = [event async for event in result.stream_events()]
    deltas = [e.data.delta for e in events if e.type == "raw_response_event" and hasattr(e.data, "delta")]
    same("".join(deltas), "Hello there.", "the pieces")
    same(result.final_output, "Hello there.", "the answer")


async def tools():
    is_report((await Runner.run(agent(tools=[get_weather]), WEATHER_QUESTION)).final_output)


async def tools_streamed():
    result = Runner.run_streamed(agent(tools=[get_weather]), WEATHER_QUESTION)
    called = [e.name async for e in result.stream_events() if e.type == "run_item_stream_event"]
    same(called.count("tool_output"), 2, "the number of results")
    is_report(result.final_output)


async def output_type():
    same((await Runner.run(agent(output_type=Person), PERSON_QUESTION)).final_output, ADA, "the answer")


async def tools_and_output_type():
    able = agent(tools=[get_weather], output_type=Report)
    is_report((await Runner.run(able, WEATHER_QUESTION)).final_output.summary)


async def handoff():
    billing = agent("Billing", instructions="You know the invoices.")
    triage = agent("Triage", instructions="Hand over what you do not know.", handoffs=[billing])
    result = await Runner.run(triage, "What about my invoice?")
    same((result.last_agent.name, result.final_output), ("Billing", "Your invoice is paid."), "the answer")


run(chat, stream, tools, tools_streamed, output_type, tools_and_output_type, handoff)
