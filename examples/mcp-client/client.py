"""An MCP client of Dwell: tools called directly, and a conversation that outlives the client."""

import asyncio
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def call(client: Client, tool: str, **arguments: object) -> dict:
    """Calls a tool and gives the structured part of its answer."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(f"{tool} failed: {result.content}")
    return result.structured_content


async def main() -> None:
    """Connects with the owner's token and goes through three things a client can do."""
    headers = {"authorization": f"Bearer {os.environ['DWELL_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{os.environ['DWELL_URL']}/mcp", http_client=http)
        async with Client(transport) as client:
            tools = (await client.list_tools()).tools
            print(f"{len(tools)} tools, among them {', '.join(tool.name for tool in tools[:5])}")

            # A tool of Dwell's agents, called without a model.
            result = await call(client, "calculator", expression="6 * 7")
            print(f"6 * 7 = {result['value']}")

            # A turn: it is on the disk before the id comes back, and goes on if this client leaves.
            session = (await call(client, "start_session", key="mcp-client"))["session_id"]
            sent = await call(client, "send_message", session_id=session, message="What is 12 * 12?")
            turn = await call(client, "await_continuation", continuation_id=sent["continuation_id"])
            print(f"{turn['status']}: {turn['response']['final_message']}")


asyncio.run(main())
