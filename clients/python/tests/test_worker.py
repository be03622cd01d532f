"""Workers: calls run once, across reconnections and restarts of either side."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import dwell
from dwell import Dwell, ToolContext, tool

from .conftest import FAST_RETRY
from .fake_server import FakeServer


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with FakeServer() as server:
        yield server


@pytest.fixture
async def client(server: FakeServer) -> AsyncIterator[Dwell]:
    async with dwell.connect(server.url, "token", patience=FAST_RETRY) as client:
        yield client


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def test_a_worker_offers_its_tools_and_answers_calls(client: Dwell, server: FakeServer) -> None:
    @tool(effect="idempotent")
    async def greet(name: str) -> str:
        if name == "ghost":
            raise dwell.ToolError("there are no ghosts")
        return f"Hello, {name}!"

    @tool
    def broken() -> None:
        raise KeyError("drawer")

    async with client.worker([add, greet, broken], name="shop") as worker:
        assert worker.serving == ["add", "greet", "broken"]
        (offer,) = server.of("tool.serve")
        assert offer["worker"] == "shop"
        described = {"name": "add", "description": "Add two numbers.", "input_schema": add.input_schema}
        assert offer["tools"][0] == {**described, "effect": "at_most_once"}
        assert [each["effect"] for each in offer["tools"]] == ["at_most_once", "idempotent", "at_most_once"]
        await server.call("add", {"a": 2, "b": 3}, "c1")
        await server.call("greet", {"name": "Ada"}, "c2")
        await server.call("greet", {"name": "ghost"}, "c3")
        await server.call("broken", {}, "c4")
        await server.call("add", {"a": "two"}, "c5")
        await server.call("missing", {}, "c6")
        results = {each["call_id"]: (each["content"], each["is_error"]) for each in await server.results(6)}
        assert results == {
            "c1": ("5", False),
            "c2": ("Hello, Ada!", False),
            "c3": ("there are no ghosts", True),
            "c4": ("KeyError: 'drawer'", True),
            "c5": ("bad arguments: a should be an integer, not a string", True),
            "c6": ("there is no tool missing here; there are: add, greet, broken", True),
        }
        assert all(answer["turn_id"] == "t1" for answer in server.of("tool.answer"))
    assert (await server.wait_for("tool.serve", 2))[-1] == {"worker": "shop", "tools": []}


async def test_a_call_that_runs_or_has_run_is_not_run_again(client: Dwell, server: FakeServer) -> None:
    ran: list[str] = []
    started, go = asyncio.Event(), asyncio.Event()

    @tool
    async def slow(name: str) -> str:
        ran.append(name)
        started.set()
        await go.wait()
        return f"done {name}"

    async with client.worker([slow]):
        await server.call("slow", {"name": "a"}, "c1")
        await started.wait()
        await server.cut()
        # The worker offers its tools again, and the call comes again while it runs.
        await server.wait_for("tool.serve", 2)
        await server.call("slow", {"name": "a"}, "c1", redelivered=True)
        go.set()
        assert [each["content"] for each in await server.results(1)] == ["done a"]
        # And once more after its result was taken: the same result is sent again.
        await client.server.ping()
        await server.call("slow", {"name": "a"}, "c1", redelivered=True)
        assert [each["content"] for each in await server.results(2)] == ["done a", "done a"]
    assert ran == ["a"]
    assert server.connections == 2


async def test_a_result_that_was_not_acknowledged_is_sent_again(client: Dwell, server: FakeServer) -> None:
    server.silent.add("tool.answer")
    async with client.worker([add]):
        await server.call("add", {"a": 1})
        await server.results(1)
        server.silent.clear()
        await server.cut()
        assert [each["content"] for each in await server.results(2)] == ["2", "2"]


async def test_an_unknown_call_that_comes_again_runs_only_if_it_may(client: Dwell, server: FakeServer) -> None:
    ran: list[str] = []

    @tool
    def once() -> None:
        ran.append("once")

    @tool(effect="idempotent")
    def twice() -> str:
        ran.append("twice")
        return "ok"

    async with client.worker([once, twice]):
        await server.call("once", {}, "c1", redelivered=True)
        (first,) = await server.results(1)
        await server.call("twice", {}, "c2", redelivered=True)
        second = (await server.results(2))[1]
    assert first["is_error"]
    assert "not known whether this call took effect" in first["content"]
    assert (second["content"], second["is_error"]) == ("ok", False)
    assert ran == ["twice"]


async def test_a_record_lets_a_restarted_worker_answer_for_itself(
    client: Dwell, server: FakeServer, tmp_path: Path
) -> None:
    record = tmp_path / "calls"
    ran: list[str] = []
    stuck = asyncio.Event()

    @tool
    async def work(name: str) -> str:
        ran.append(name)
        if name == "stuck":
            stuck.set()
            await asyncio.Event().wait()
        return f"done {name}"

    async with client.worker([work], record=record):
        await server.call("work", {"name": "a"}, "c1")
        await server.results(1)
        await server.call("work", {"name": "stuck"}, "c2")
        await stuck.wait()
        with pytest.raises(BlockingIOError):
            client.worker([work], record=record)
        # A crash leaves no time for more: neither a result nor a whole line.
        kept = record.read_bytes()
    record.write_bytes(kept + b'{"key": "t1:c9", "con')
    server.requests.clear()
    async with client.worker([work], record=record):
        await server.call("work", {"name": "a"}, "c1", redelivered=True)
        await server.call("work", {"name": "stuck"}, "c2", redelivered=True)
        await server.call("work", {"name": "b"}, "c3", redelivered=True)
        results = {each["call_id"]: each for each in await server.results(3)}
    assert results["c1"]["content"] == "done a", "its result is known"
    assert results["c2"]["is_error"], "it was started, and nothing is known of its end"
    assert results["c3"]["content"] == "done b", "it was never started"
    assert ran == ["a", "stuck", "b"]


async def test_cancelling_a_call_cancels_its_function(client: Dwell, server: FakeServer) -> None:
    cancelled = asyncio.Event()
    thread_ended = threading.Event()

    @tool
    async def wait_long() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    @tool
    def work_long(context: ToolContext) -> None:
        context.progress("at it")
        while not context.is_cancelled:
            thread_ended.wait(0.01)
        thread_ended.set()

    async with client.worker([wait_long, work_long]):
        await server.call("wait_long", {}, "c1")
        await server.call("work_long", {}, "c2")
        await server.wait_for("tool.progress")
        await server.send("tool.cancel", {"turn_id": "t1", "call_id": "c1", "reason": "the turn was cancelled"})
        await server.send("tool.cancel", {"turn_id": "t1", "call_id": "c2", "reason": "the turn was cancelled"})
        await asyncio.wait_for(cancelled.wait(), 20)
        assert await asyncio.to_thread(thread_ended.wait, 20)
        await client.server.ping()
        assert server.of("tool.answer") == []


async def test_progress_is_sent_and_never_stands_in_the_way(client: Dwell, server: FakeServer) -> None:
    server.handlers["tool.progress"] = lambda _: {"code": "not_found", "message": "the turn has ended"}

    @tool
    def count(context: ToolContext) -> str:
        for number in range(100):
            context.progress(f"step {number}", number / 50)
        return context.key

    async with client.worker([count]):
        await server.call("count")
        (result,) = await server.results(1)
    assert (result["content"], result["is_error"]) == ("t1:c1", False)
    reports = server.of("tool.progress")
    assert {"turn_id", "call_id", "message"} <= set(reports[0])
    assert len(reports) < 100, "only the newest of those that wait is sent"
    assert all(0 <= report["progress"] <= 1 for report in reports)


async def test_stopping_tells_the_turns_of_calls_that_may_not_run_again(client: Dwell, server: FakeServer) -> None:
    both = asyncio.Barrier(3)

    @tool
    async def once() -> None:
        await both.wait()
        await asyncio.Event().wait()

    @tool(effect="idempotent")
    async def twice() -> None:
        await both.wait()
        await asyncio.Event().wait()

    serving = asyncio.create_task(client.serve([once, twice]))
    await server.wait_for("tool.serve")
    await server.call("once", {}, "c1")
    await server.call("twice", {}, "c2")
    await both.wait()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    (result,) = await server.results(1)
    assert (result["call_id"], result["is_error"]) == ("c1", True)
    assert "stopped while it ran" in result["content"]


async def test_a_server_that_refuses_ends_the_worker(client: Dwell, server: FakeServer) -> None:
    server.handlers["tool.serve"] = lambda _: {"code": "invalid_request", "message": "no such message"}
    with pytest.raises(dwell.InvalidRequest, match="no such message"):
        await client.serve([add])
    server.handlers["tool.serve"] = lambda _: {"worker": "w", "tools": ["add"]}
    async with client.worker([add]):
        with pytest.raises(RuntimeError, match="serves tools already"):
            await client.serve([add])
    with pytest.raises(ValueError, match="at least one tool"):
        client.worker([])
    with pytest.raises(ValueError, match="two tools are called"):
        client.worker([add, add])
    with pytest.raises(ValueError, match="a definition alone"):
        client.worker([{"name": "x"}])


async def test_a_worker_whose_name_another_takes_says_so(client: Dwell, server: FakeServer) -> None:
    serving = asyncio.create_task(client.serve([add], name="shop"))
    await server.wait_for("tool.serve")
    await client.server.ping()
    await server.send("tool.serving", {"worker": "shop", "tools": []})
    with pytest.raises(dwell.Conflict, match="another program serves as the worker shop"):
        await serving


async def test_names_are_kept_with_their_record(client: Dwell, tmp_path: Path) -> None:
    names = []
    for _ in range(2):
        worker = client.worker([add], record=tmp_path / "calls")
        names.append(worker.name)
        await worker.stop()
    assert names[0] == names[1] != client.worker([add]).name


async def test_a_client_that_ends_ends_its_worker(server: FakeServer) -> None:
    client = await dwell.connect(server.url, "token", patience=FAST_RETRY)
    serving = asyncio.create_task(client.serve([add]))
    await server.wait_for("tool.serve")
    await client.close()
    # Closing withdraws the tools first, so that serving ends without an error.
    await asyncio.wait_for(serving, 20)


def test_a_sync_client_serves_in_the_background() -> None:
    async def main() -> list[str]:
        async with FakeServer() as server:
            url = server.url

            def work() -> None:
                with dwell.SyncClient(url, "token") as client, client.worker([add], name="w") as worker:
                    assert worker.serving == ["add"]
                    done.wait(20)

            done = threading.Event()
            working = asyncio.create_task(asyncio.to_thread(work))
            await server.wait_for("tool.serve")
            await server.call("add", {"a": 40, "b": 2})
            results = await server.results(1)
            done.set()
            await working
            return [each["content"] for each in results]

    assert asyncio.run(main()) == ["42"]
