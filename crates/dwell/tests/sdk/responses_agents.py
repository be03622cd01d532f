"""The OpenAI Agents SDK as a client of Dwell, with its default model class, which speaks the Responses API.

Usage: responses_agents.py BASE_URL KEY. Exit code 0 if all is well, else 1. What the model behind Dwell has to do is in
`crates/dwell/tests/it/responses/sdk.rs`.
"""

import asyncio
import sys

from agents import (
    Agent,
    Runner,
    SQLiteSession,
    function_tool,
    set_default_openai_client,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from pydantic import BaseModel

CITIES = []


class Capital(BaseModel):
    """A structured answer."""

    city: str
    country: str


@function_tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    CITIES.append(city)
    return {"Oslo": "snow", "Rome": "sun"}[city]


def check(is_well, why):
    """Ends the script if something is wrong."""
    if not is_well:
        raise AssertionError(why)


async def tools():
    """Tools that the SDK runs, with the whole list and with the previous response."""
    agent = Agent(name="Weather", instructions="Answer in one sentence.", model="dwell", tools=[get_weather])
    question = "Which weather do Oslo and Rome have?"
    result = await Runner.run(agent, question)
    check(result.final_output == "It is snow and sun." and sorted(CITIES) == ["Oslo", "Rome"], result.final_output)
    result = await Runner.run(agent, question, auto_previous_response_id=True)
    check(result.final_output == "It is snow and sun." and len(CITIES) == 4, result.final_output)
    streamed = Runner.run_streamed(agent, question)
    kinds = [event.type async for event in streamed.stream_events()]
    check(streamed.final_output == "It is snow and sun." and "raw_response_event" in kinds, streamed.final_output)


async def output_type():
    """An answer of a form."""
    agent = Agent(name="Capitals", instructions="Name it.", model="dwell", output_type=Capital)
    result = await Runner.run(agent, "What is the capital of Norway?")
    check(result.final_output == Capital(city="Oslo", country="Norway"), result.final_output)


async def handoff():
    """One agent hands over to another, which has instructions of its own."""
    spanish = Agent(name="Spanish agent", instructions="You only speak Spanish.", model="dwell")
    triage = Agent(name="Triage", instructions="Hand over.", model="dwell", handoffs=[spanish])
    result = await Runner.run(triage, "Hola.")
    check(result.last_agent.name == "Spanish agent", result.last_agent.name)
    check(result.final_output == "¡Buenos días!", result.final_output)


async def session():
    """The SDK's own memory, and Dwell's."""
    agent = Agent(name="Names", instructions="Be brief.", model="dwell")
    kept = SQLiteSession("names")
    await Runner.run(agent, "My name is Ada.", session=kept)
    result = await Runner.run(agent, "What is my name?", session=kept)
    check(result.final_output == "Ada.", result.final_output)
    first = await Runner.run(agent, "My name is Ada.")
    result = await Runner.run(agent, "What is my name?", previous_response_id=first.last_response_id)
    check(result.final_output == "Ada.", result.final_output)
    await Runner.run(agent, "My name is Ada.", conversation_id="agents")
    result = await Runner.run(agent, "What is my name?", conversation_id="agents")
    check(result.final_output == "Ada.", result.final_output)


async def main():
    """Runs all of it."""
    base_url, key = sys.argv[1:]
    set_tracing_disabled(True)
    set_default_openai_client(AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0), use_for_tracing=False)
    for part in [tools, output_type, handoff, session]:
        await part()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Exception as error:  # Whatever it was, it is said, and the exit code tells.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
