"""A chat in which the model can call a Python function of this program."""

import asyncio
import os
import sys

import dwell

TOOLS = [
    {
        "name": "get_weather",
        "description": "The weather in a city.",
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    }
]


def get_weather(city: str) -> str:
    """Stands for a call to a weather service."""
    return {"Oslo": "snow, -4 °C", "Rome": "sun, 19 °C"}.get(city, f"no report for {city}")


async def answer(client: dwell.Dwell, turn_id: str, call: dict) -> None:
    """Runs one call and sends its result. Sending the same result twice does no harm."""
    result = {"call_id": call["call_id"]}
    try:
        result["content"] = get_weather(**call["arguments"])
    except TypeError as error:
        result |= {"content": str(error), "is_error": True}
    print(f"[{call['tool']} {call['arguments']} -> {result['content']}]")
    await client.request("tool.answer", {"turn_id": turn_id, "results": [result]}, is_repeatable=True)


async def say(client: dwell.Dwell, message: str) -> None:
    """Sends a message and prints the turn: text as it arrives, calls as they are answered."""
    async with client.stream(message, session="python-chat", tools=TOOLS) as stream:
        async for event in stream:
            match event:
                case dwell.Token():
                    print(event.text, end="", flush=True)
                case dwell.Step(type="tool_call", detail={"client_until": str()}):
                    # `client_until` marks a call that the server leaves to this client.
                    await answer(client, stream.turn_id, event.detail)
                case dwell.Final():
                    print(f"\n({event.status}, {event.model})")


async def main() -> None:
    """Sends the messages of the command line, or those that are typed."""
    async with dwell.connect(os.environ["DWELL_URL"], os.environ["DWELL_TOKEN"]) as client:
        for message in sys.argv[1:] or iter(lambda: input("> "), ""):
            await say(client, message)


asyncio.run(main())
