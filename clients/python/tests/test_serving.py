"""Workers against the real server; skipped while its reference has no `tool.serve`."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dwell
from dwell import Dwell, ToolContext, tool

from .program import TOKEN, Program, until
from .scripted_model import ScriptedModel
from .test_tools import calls_then_repeats
from .wire_reference import messages

Connect = Callable[[], Dwell]


pytestmark = pytest.mark.skipif("tool.serve" not in messages(), reason="the server has no workers yet")


async def test_any_session_can_call_a_served_tool(connect: Connect, model: ScriptedModel) -> None:
    seen: list[ToolContext] = []

    @tool(effect="idempotent")
    async def stock(item: str, context: ToolContext) -> dict[str, Any]:
        """Look up how many there are."""
        seen.append(context)
        context.progress("looking", 0.5)
        if item == "ghosts":
            raise LookupError("no such item")
        return {"item": item, "count": 12}

    model.rule = calls_then_repeats(("stock", {"item": "beans"}), ("stock", {"item": "ghosts"}), ("stock", {"n": 1}))
    async with connect() as worker_client, connect() as user:
        async with worker_client.worker([stock]) as worker:
            assert worker.serving == ["stock"]
            assert "stock" in [each["name"] for each in (await user.server.tools())["data"]]
            final = await user.chat("how many beans?", session="shop")
            assert '"count": 12' in final.message
            assert "LookupError: no such item" in final.message
            assert "missing" in final.message or "item" in final.message
            assert {context.session_id for context in seen} == {final.session_id}
            assert len({context.key for context in seen}) == len(seen)
        # Without a worker the tool is gone again.
        assert "stock" not in [each["name"] for each in (await user.server.tools())["data"]]


async def test_a_call_runs_once_though_the_server_dies(
    scripted: Program, connect: Connect, model: ScriptedModel
) -> None:
    runs: list[str] = []
    started, go = asyncio.Event(), asyncio.Event()

    @tool
    async def slow(context: ToolContext) -> str:
        """Takes its time."""
        runs.append(context.key)
        started.set()
        await go.wait()
        return "slow but done"

    model.rule = calls_then_repeats(("slow", {}))
    async with connect() as client, client.worker([slow]):
        chat = asyncio.create_task(client.chat("go slowly", session="slow"))
        await started.wait()
        scripted.kill()
        scripted.start()
        await client.sessions()
        go.set()
        assert "slow but done" in (await chat).message
    assert len(runs) == 1


async def test_a_call_goes_to_the_next_worker_if_it_may_run_again(connect: Connect, model: ScriptedModel) -> None:
    started = asyncio.Event()
    runs: list[bool] = []

    @tool(effect="idempotent")
    async def lookup(context: ToolContext) -> str:
        """Look something up."""
        runs.append(context.redelivered)
        started.set()
        if not context.redelivered:
            await asyncio.Event().wait()
        return "found by the second"

    model.rule = calls_then_repeats(("lookup", {}))
    async with connect() as user:
        first = await connect()
        async with first.worker([lookup]):
            chat = asyncio.create_task(user.chat("look it up", session="moved"))
            await started.wait()
        await first.close()
        async with connect() as second, second.worker([lookup]):
            assert "found by the second" in (await chat).message
    assert runs == [False, True]


WORKER = """
import asyncio, os, pathlib, sys
import dwell

@dwell.tool
async def pay(amount: int) -> str:
    "Pay an amount."
    with pathlib.Path("paid").open("a") as file:
        file.write(f"{amount}\\n")
    if sys.argv[1] == "first":
        await asyncio.Event().wait()
    return "paid"

async def main():
    async with dwell.connect(os.environ["DWELL_URL"], os.environ["DWELL_TOKEN"]) as client:
        await client.serve([pay], record="calls")

asyncio.run(main())
"""


async def test_a_killed_worker_does_not_pay_twice(
    scripted: Program, connect: Connect, model: ScriptedModel, tmp_path: Path
) -> None:
    def start(which: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "DWELL_URL": scripted.url, "DWELL_TOKEN": TOKEN}
        return subprocess.Popen([sys.executable, "-c", WORKER, which], cwd=tmp_path, env=environment)

    async def serves() -> bool:
        return "pay" in [each["name"] for each in (await client.server.tools())["data"]]

    async def has_paid() -> bool:
        return (tmp_path / "paid").exists()

    model.rule = calls_then_repeats(("pay", {"amount": 5}))
    async with connect() as client:
        first = start("first")
        await until(serves)
        chat = asyncio.create_task(client.chat("pay, please", session="shop"))
        await until(has_paid)
        first.kill()
        first.wait()
        second = start("second")
        try:
            assert "not known whether this call took effect" in (await chat).message
            assert (tmp_path / "paid").read_text() == "5\n"
            # The second worker serves what comes after.
            assert "paid" in (await client.chat("pay again", session="another shop")).message
            assert (tmp_path / "paid").read_text() == "5\n5\n"
        finally:
            second.kill()
            second.wait()


async def test_cancelling_the_turn_cancels_the_function(connect: Connect, model: ScriptedModel) -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    @tool
    async def forever() -> None:
        """Never ends."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    model.rule = calls_then_repeats(("forever", {}))
    async with connect() as client, client.worker([forever]):
        chat = asyncio.create_task(client.chat("wait forever", session="forever"))
        await started.wait()
        await client.cancel(session="forever")
        with pytest.raises(dwell.TurnCancelled):
            await chat
        await asyncio.wait_for(cancelled.wait(), 20)
