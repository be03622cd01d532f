"""`DwellSaver`: LangGraph's own suite for checkpointers, and what it does not try."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest

import dwell

from .conftest import FAST_RETRY
from .program import TOKEN, Program

pytest.importorskip("langgraph", reason="langgraph is not installed: the checkpointer is not tried")

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from dwell.langgraph import DwellSaver


def saver_of(program: Program, **options: Any) -> DwellSaver:
    return DwellSaver(dwell.connect(program.url, TOKEN, patience=FAST_RETRY), **options)


def config_of(thread: str, namespace: str = "", **more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, **more}}


def checkpoint(**values: Any) -> Checkpoint:
    versions: dict[str, str | int | float] = dict.fromkeys(values, 1)
    return {**empty_checkpoint(), "channel_values": values, "channel_versions": versions}


async def test_langgraphs_own_suite_passes_whole(offline: Program) -> None:
    pytest.importorskip("langgraph.checkpoint.conformance", reason="LangGraph's suite is not installed")
    from langgraph.checkpoint.conformance import checkpointer_test, validate

    @checkpointer_test(name="DwellSaver")
    async def savers() -> AsyncGenerator[DwellSaver, None]:
        yield saver_of(offline, name=uuid4().hex)

    report = await validate(savers)
    assert {name: result.failures for name, result in report.results.items() if result.failures} == {}
    assert report.passed_all(), report.to_dict()
    assert all(result.detected and result.tests_passed for result in report.results.values()), report.to_dict()
    assert len(report.results) >= 8


def test_state_comes_back_exactly_after_the_server_was_killed(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    try:
        saver = saver_of(program)
        # Several megabytes, and what JSON or a database would change.
        large = bytes(range(256)) * 20_000
        values = {
            "large": large,
            "messages": [HumanMessage("Grüße 東京 😀 \x00", id="1"), AIMessage("", id="2")],
            "odd": {"": None, "floats": [2.5, -0.0], "set": {"a"}, "big": 2**62, "key sk-0123456789abcdef": uuid4()},
        }
        thread = "thread/..\x00 é" + "x" * 500
        stored = saver.put(config_of(thread, "sub|graph:1"), checkpoint(**values), {"source": "loop", "step": 1}, {})
        saver.put_writes(stored, [("large", large), ("__interrupt__", ["wait"])], "task", "~path")
        program.kill()
        # A request that meets no server waits for it.
        threading.Timer(0.3, program.start).start()
        found = saver.get_tuple(config_of(thread, "sub|graph:1"))
        assert found is not None
        assert found.checkpoint["channel_values"] == values
        assert found.pending_writes == [("task", "__interrupt__", ["wait"]), ("task", "large", large)]
        assert found.metadata["step"] == 1
        assert saver.get_tuple(config_of(thread)) is None, "another namespace"
        assert saver_of(program, name="other").get_tuple(config_of(thread, "sub|graph:1")) is None
    finally:
        program.kill()


async def test_a_writer_that_is_killed_in_between_leaves_whole_checkpoints_only(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    saver = saver_of(program)
    threads = [f"thread {n}" for n in range(6)]
    acknowledged: dict[str, list[int]] = {thread: [] for thread in threads}

    async def write(thread: str) -> None:
        config = config_of(thread)
        for step in range(12):
            body = checkpoint(step=step, filling=str(step) * 50_000)
            config = await saver.aput(config, body, {"source": "loop", "step": step}, {})
            acknowledged[thread].append(step)

    async def disturb() -> None:
        for _ in range(3):
            await asyncio.sleep(0.15)
            program.kill()
            program.start()

    try:
        await asyncio.gather(disturb(), *(write(thread) for thread in threads))
        for thread in threads:
            found = [each async for each in saver.alist(config_of(thread))]
            steps = [each.checkpoint["channel_values"]["step"] for each in found]
            assert steps == list(reversed(acknowledged[thread])) == list(reversed(range(12)))
            assert all(
                each.checkpoint["channel_values"]["filling"] == str(n) * 50_000
                for n, each in zip(steps, found, strict=True)
            )
            assert all(each.parent_config == later.config for each, later in itertools.pairwise(found))
        assert len({each.config["configurable"]["thread_id"] for each in saver.list(None, limit=70)}) == 6
        assert len(list(saver.list(None, limit=70))) == 70
    finally:
        program.kill()


class State(TypedDict):
    messages: Annotated[list[Any], add_messages]


def graph_of(saver: DwellSaver, runs: list[str]) -> Any:
    def think(state: State) -> dict[str, Any]:
        runs.append("think")
        return {"messages": [AIMessage(f"thought of {state['messages'][-1].text}")]}

    def ask(_: State) -> dict[str, Any]:
        answer = interrupt("really?")
        runs.append("ask")
        return {"messages": [HumanMessage(answer)]}

    graph: Any = StateGraph(State)
    graph.add_node("think", think)
    graph.add_node("ask", ask)
    graph.add_edge(START, "think")
    graph.add_edge("think", "ask")
    graph.add_edge("ask", END)
    return graph.compile(checkpointer=saver)


async def test_a_graph_goes_on_in_another_process_after_the_server_was_killed(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    try:
        runs: list[str] = []
        config: RunnableConfig = {"configurable": {"thread_id": "1"}}
        paused = await graph_of(saver_of(program), runs).ainvoke({"messages": [HumanMessage("tea")]}, config)
        assert paused["__interrupt__"][0].value == "really?"
        program.kill()
        program.start()
        # Nothing is left of the first graph but what the server has. The sync form goes on.
        ended = await asyncio.to_thread(graph_of(saver_of(program), runs).invoke, Command(resume="yes"), config)
        assert [each.text for each in ended["messages"]] == ["tea", "thought of tea", "yes"]
        assert runs == ["think", "ask"], "what was done is not done again"
        history = [each async for each in graph_of(saver_of(program), runs).aget_state_history(config)]
        assert [each.metadata["step"] for each in history] == [2, 1, 0, -1]
        async with dwell.connect(program.url, TOKEN) as client:
            assert (await client.get_memories(history=True)).items == []
            assert await client.profile() == []
            # Forgetting takes the checkpoints with the text, and the thread is at the one before.
            assert (await client.forget(text="thought of tea")).values > 0
        left = await graph_of(saver_of(program), runs).aget_state(config)
        assert [each.text for each in left.values["messages"]] == ["tea"]
    finally:
        program.kill()


def test_the_example_goes_on_from_process_to_process(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    example = Path(__file__).parents[1] / "examples" / "langgraph_state.py"
    environment = {**os.environ, "DWELL_URL": program.url, "DWELL_TOKEN": TOKEN}

    def say(thread: str, words: str) -> str:
        command = [sys.executable, str(example), thread, words]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    try:
        assert say("monday", "buy tea") == "Shall I buy tea? Answer with yes or no."
        program.kill()
        program.start()
        assert say("monday", "yes") == "Done: buy tea (errand 1)"
        assert say("tuesday", "buy bread") == "Shall I buy bread? Answer with yes or no."
        assert say("tuesday", "yes") == "Done: buy bread (errand 2)"
    finally:
        program.kill()
