"""A whole conversation through the Python SDK of the Model Context Protocol.

usage: mcp_conversation.py stdio|http WIRE DWELL FOLDER URL

WIRE is what the SDK calls a mode. When a line `kill` is printed, the server is killed and started again; the line that comes
then on standard input is where it is. Nothing of this script survives in the server but what it has said.
"""

import asyncio
import os
import sys
from contextlib import AsyncExitStack

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

DOOR, WIRE, DWELL, FOLDER, URL = sys.argv[1:6]
TOKEN = os.environ["DWELL_TOKEN"]
asked = []


async def allow(_context, params):
    asked.append(params.message)
    return ElicitResult(action="accept", content={"confirm": True})


async def connect(stack, url):
    if DOOR == "stdio":
        server = StdioServerParameters(command=DWELL, args=["mcp", "--data", FOLDER], env={"DWELL_TOKEN": TOKEN})
        transport = stdio_client(server)
    else:
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}, timeout=60, trust_env=False)
        await stack.enter_async_context(http)
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
    client = Client(transport, mode=WIRE, elicitation_callback=allow, read_timeout_seconds=60)
    return await stack.enter_async_context(client)


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


async def main():
    async with AsyncExitStack() as stack:
        client = await connect(stack, URL)
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"start_session", "send_message", "await_continuation", "cancel", "calculator"} <= names, names

        session = (await call(client, "start_session"))["session_id"]
        sent = await call(client, "send_message", session_id=session, message="Tell me about the moon.")
        answered = await call(client, "await_continuation", continuation_id=sent["continuation_id"])
        assert answered["response"]["final_message"] == "You said: Tell me about the moon.", answered

        told = []

        async def progress(step, _total, message):
            told.append((step, message))

        result = await client.call_tool("ask", {"message": "Tell me about the sun."}, progress_callback=progress)
        assert result.structured_content["status"] == "completed", result
        assert told, "no progress was reported"

        slow = await call(client, "send_message", session_id=session, message="Never mind this one.")
        assert (await call(client, "cancel", continuation_id=slow["continuation_id"]))["status"] == "cancelled"
        ended = await call(client, "await_continuation", continuation_id=slow["continuation_id"])
        assert ended["status"] == "cancelled", ended

        booked = await client.call_tool("book_table", {"note": "for two"})
        assert not booked.is_error and len(asked) == 1 and "for two" in asked[0], (booked, asked)

        left = await call(client, "send_message", session_id=session, message="Think this over.")
        print("kill", flush=True)
        url = (await asyncio.to_thread(sys.stdin.readline)).strip()
        assert url, "the server is back"
        if DOOR == "stdio":
            # The bridge has found the server again by itself.
            again = client
        else:
            again = await connect(stack, url)
        answered = await call(again, "await_continuation", continuation_id=left["continuation_id"])
        # The model is told of the message that was cancelled too.
        assert answered["response"]["final_message"].endswith("Think this over."), answered
        looked = (await call(again, "get_session", session_id=session))["session"]
        assert looked["stats"]["turns"] == 3, looked
        sent = await call(again, "send_message", session_id=session, message="Tell me more.", timeout_ms=30000)
        assert sent["response"]["final_message"] == "You said: Tell me more.", sent
        assert (await call(again, "end_session", session_id=session))["status"] == "ended"
        print("done", flush=True)
        if DOOR == "http":
            # What is closed in order would say goodbye to a server that is not there any more.
            os._exit(0)


asyncio.run(main())
