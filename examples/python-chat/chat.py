"""A chat in which the model can call a Python function of this program."""

import asyncio
import os
import sys

import dwell


@dwell.tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    # Stands for a call to a weather service.
    report = {"Oslo": "snow, -4 °C", "Rome": "sun, 19 °C"}.get(city, f"no report for {city}")
    print(f"[get_weather {city} -> {report}]")
    return report


async def say(client: dwell.Dwell, message: str) -> None:
    """Sends a message and prints the text as it arrives; the client runs the calls by itself."""
    async with client.stream(message, session="python-chat", tools=[get_weather]) as stream:
        async for event in stream:
            match event:
                case dwell.Token():
                    print(event.text, end="", flush=True)
                case dwell.Final():
                    print(f"\n({event.status}, {event.model})")


async def main() -> None:
    """Sends the messages of the command line, or those that are typed."""
    async with dwell.connect(os.environ["DWELL_URL"], os.environ["DWELL_TOKEN"]) as client:
        for message in sys.argv[1:] or iter(lambda: input("> "), ""):
            await say(client, message)


asyncio.run(main())
