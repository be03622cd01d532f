"""Tools in code and structured answers, against the real server with a scripted model."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import dwell
from dwell import Dwell, ToolContext, tool

from .conftest import FAST_RETRY
from .program import TOKEN, Program
from .scripted_model import Reply, ScriptedModel, words


def calls_then_repeats(*calls: tuple[str, dict[str, Any]]) -> Callable[[list[dict[str, Any]]], Reply]:
    """A model that makes these calls, then repeats what they returned."""

    def rule(messages: list[dict[str, Any]]) -> Reply:
        results = [str(message["content"]) for message in messages if message["role"] == "tool"]
        return words(" ".join(results)) if results else Reply(calls=calls)

    return rule


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
async def shout(text: str) -> str:
    """Write a text in capitals."""
    await asyncio.sleep(0)
    return text.upper()


def plain(text: str) -> str:
    """A function without a decorator."""
    raise ValueError(f"no {text}")


async def test_chat_runs_the_calls_of_its_tools(connect: Callable[[], Dwell], model: ScriptedModel) -> None:
    model.rule = calls_then_repeats(
        ("add", {"a": 2, "b": 3}), ("shout", {"text": "ok"}), ("plain", {"text": "luck"}), ("add", {"a": "x", "b": 1})
    )
    async with connect() as client:
        final = await client.chat("do it all", session="tools", tools=[add, shout, plain])
        assert "5" in final.message
        assert "OK" in final.message
        assert "ValueError: no luck" in final.message
        assert "bad arguments: a should be an integer" in final.message
        view = await client.turn(final.turn_id)
        results = [step["detail"] for step in view.steps if step["type"] == "tool_result"]
        assert sorted(each["status"] for each in results) == ["error", "error", "ok", "ok"]
        # The model was given the descriptions.
        with pytest.raises(ValueError, match="chat cannot run 'bare'"):
            await client.chat("x", session="tools", tools=[{"name": "bare"}])
        # A turn with several rounds of calls.
        model.rule = lambda messages: (
            words("That is all.")
            if sum(message["role"] == "tool" for message in messages[-4:]) >= 2
            else Reply(call=("add", {"a": len(messages), "b": 1}))
        )
        final = await client.chat("again and again", session="rounds", tools=[add])
        assert final.message.split() == ["That", "is", "all."]


async def test_calls_run_once_though_the_server_dies(
    scripted: Program, connect: Callable[[], Dwell], model: ScriptedModel
) -> None:
    model.rule = calls_then_repeats(("work", {}))
    started, go = asyncio.Event(), asyncio.Event()
    runs: list[str] = []

    @tool
    async def work(context: ToolContext) -> str:
        runs.append(context.key)
        context.progress("at it", 0.5)
        started.set()
        await go.wait()
        return "worked"

    async with connect() as client:
        stream = client.stream("work please", session="dying", tools=[work])
        progress: list[str] = []

        async def watch() -> dwell.Final:
            async for event in stream:
                if isinstance(event, dwell.Progress):
                    progress.append(event.message)
            return await stream.result()

        chat = asyncio.create_task(watch())
        await started.wait()
        scripted.kill()
        scripted.start()
        await client.sessions()
        go.set()
        assert (await chat).message.split() == ["worked"]
    assert len(runs) == 1
    assert progress == ["at it"]


async def test_a_cancelled_turn_cancels_its_functions(connect: Callable[[], Dwell], model: ScriptedModel) -> None:
    model.rule = calls_then_repeats(("wait_long", {}))
    started, cancelled = asyncio.Event(), asyncio.Event()

    @tool
    async def wait_long() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with connect() as client:
        chat = asyncio.create_task(client.chat("wait for it", session="c", tools=[wait_long]))
        await started.wait()
        await client.cancel(session="c", reason="enough")
        with pytest.raises(dwell.TurnCancelled):
            await chat
        assert cancelled.is_set()


async def test_calls_of_another_program_are_taken_over_with_care(
    connect: Callable[[], Dwell], model: ScriptedModel
) -> None:
    model.rule = calls_then_repeats(("add", {"a": 1, "b": 1}), ("again", {}))
    again = tool(name="again", effect="idempotent")(lambda: "ran again")
    definitions = [add.definition, again.definition]
    async with connect() as first, connect() as second:
        async with first.stream("hand over", session="over", tools=definitions, idempotency_key="k") as stream:
            async for event in stream:
                if isinstance(event, dwell.Status) and event.status == "waiting":
                    break
        assert stream.turn_id is not None
        waiting = (await second.turn(stream.turn_id)).calls_waiting
        assert [call.tool for call in waiting] == ["add", "again"]
        # The first program may have run them: only what may run twice does.
        final = await second.attach(stream.turn_id, tools=[add, again]).result()
        assert "not known whether this call took effect" in final.message
        assert "ran again" in final.message
        # The same message with the same key, after the turn has ended.
        final_again = await second.stream("hand over", session="over", tools=definitions, idempotency_key="k").result()
        assert final_again.message == final.message


async def test_the_caller_can_answer_calls_itself(connect: Callable[[], Dwell], model: ScriptedModel) -> None:
    model.rule = calls_then_repeats(("bare", {"x": 1}))
    async with connect() as client:
        stream = client.stream("call it", session="bare", tools=[{"name": "bare", "description": "Does something."}])
        async for event in stream:
            if isinstance(event, dwell.Status) and event.status == "waiting":
                assert stream.turn_id is not None
                (call,) = (await client.turn(stream.turn_id)).calls_waiting
                answered = await client.answer_calls(stream.turn_id, [{"call_id": call.call_id, "content": "by hand"}])
                assert answered["calls_waiting"] == []
        assert (await stream.result()).message.split() == ["by", "hand"]


@dataclass
class Town:
    """A town."""

    name: str
    people: int


async def test_an_answer_is_read_into_its_type(connect: Callable[[], Dwell], model: ScriptedModel) -> None:
    model.rule = lambda _: Reply(pieces=(json.dumps({"name": "Leiden", "people": 127_000}),))
    async with connect() as client:
        final = await client.chat("name a town", session="typed", response_schema=Town)
        assert final.parsed == Town("Leiden", 127_000)
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        async with client.stream("name a town", session="typed", response_schema=schema) as stream:
            assert (await stream.result()).parsed == {"name": "Leiden", "people": 127_000}
        assert (await client.chat("name a town", session="typed")).parsed is None
        model.rule = lambda _: words("Certainly! It is Leiden.")
        with pytest.raises(dwell.InvalidAnswer, match="not JSON") as failed:
            await client.chat("name a town", session="typed", response_schema=Town)
        assert "Leiden" in failed.value.text


def test_a_script_without_a_loop_does_the_same(scripted: Program, model: ScriptedModel) -> None:
    model.rule = calls_then_repeats(("look", {}), ("add", {"a": 1, "b": 2}))
    with dwell.SyncClient(scripted.url, TOKEN, patience=FAST_RETRY) as client:

        @tool
        def look() -> str:
            # A sync tool may use the client that it runs for.
            return f"sessions: {len(client.sessions().data)}"

        final = client.chat("look around", session="sync", tools=[look, add])
        assert "sessions: 1" in final.message
        assert "3" in final.message
        with client.stream("look again", session="sync") as stream:
            events = list(stream)
        assert isinstance(events[-1], dwell.Final)
        assert stream.text == events[-1].message
        assert next(event.type for event in client.events("sync", follow=False)) == "session.started"
        for event in client.events("sync"):
            if event.type == "chat.final":
                break
        model.rule = calls_then_repeats(("calculator", {"expression": "6 * 7"}))
        client.start_session("careful", policy={"confirm": ["*"]})
        asked: list[str] = []

        def approve(approval: dwell.Approval) -> dwell.views.Decision:
            asked.append(client.approvals()[0]["approval_id"])
            return "once" if approval.tool == "calculator" else "deny"

        assert "42" in client.chat("reckon", session="careful", on_approval=approve).message
        assert len(asked) == 1
    with pytest.raises(dwell.ConnectionLost, match="closed"):
        client.sessions()
    client.close()
    assert not any(thread.name == "dwell-sync" for thread in threading.enumerate())
    with pytest.raises(dwell.Unauthorized):
        dwell.SyncClient(scripted.url, "wrong")


def test_a_sync_client_refuses_its_own_loop(offline: Program) -> None:
    with dwell.SyncClient(offline.url, TOKEN) as client:

        async def inside() -> None:
            client.sessions()

        with pytest.raises(RuntimeError, match="its own event loop"):
            client._loop.run(inside())

        async def elsewhere() -> str:
            # In a notebook there is a loop already; it is another one.
            return client.chat("What is 2 + 3?", session="notebook").message

        assert asyncio.run(elsewhere()) == "2 + 3 is 5."
