"""FastMCP's client: tools, a conversation, resources and prompts.

Usage: fastmcp_client.py URL TOKEN
"""

import sys

from checks import HELLO, run, same
from fastmcp import Client

URL, TOKEN = sys.argv[1:]


def connect():
    return Client(f"{URL}/mcp", auth=TOKEN, timeout=60)


async def tools():
    async with connect() as client:
        names = {tool.name for tool in await client.list_tools()}
        assert {"ask", "start_session", "send_message", "search_memories"} <= names, names


async def ask():
    async with connect() as client:
        result = await client.call_tool("ask", {"message": HELLO})
        same(result.structured_content["response"]["final_message"], "Hello there.", "the answer")


async def conversation():
    async with connect() as client:
        session = (await client.call_tool("start_session", {})).structured_content["session_id"]
        for message, answer in [(HELLO, "Hello there."), ("And what did you say?", "I said: Hello there.")]:
            sent = await client.call_tool("send_message", {"session_id": session, "message": message})
            turn = {"continuation_id": sent.structured_content["continuation_id"]}
            ended = (await client.call_tool("await_continuation", turn)).structured_content
            same(ended["response"]["final_message"], answer, "the answer")
        content = await client.read_resource(f"session://{session}")
        assert session in content[0].text, content


async def progress():
    told = []

    async def listen(step, _total, message):
        told.append((step, message))

    async with connect() as client:
        await client.call_tool("ask", {"message": HELLO}, progress_handler=listen)
    assert told, "no progress was reported"


async def prompts():
    async with connect() as client:
        assert "summary" in {prompt.name for prompt in await client.list_prompts()}


async def errors():
    async with connect() as client:
        result = await client.call_tool("get_session", {"session_id": "no-such"}, raise_on_error=False)
        assert result.is_error, result


run(tools, ask, conversation, progress, prompts, errors)
