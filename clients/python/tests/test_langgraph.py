"""The recipe for LangGraph: what one thread learned, another one knows, in another process."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

import dwell

from .program import TOKEN, Program

pytest.importorskip("langgraph", reason="langgraph is not installed: the recipe is not tried")

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

RECIPE = Path(__file__).parents[1] / "examples" / "langgraph_memory.py"


def recipe() -> Any:
    spec = importlib.util.spec_from_file_location("langgraph_memory", RECIPE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # The framework looks up annotations by the module's name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class RecordingModel(BaseChatModel):
    """A model with a fixed answer that records its requests."""

    received: list[str] = []  # noqa: RUF012

    @property
    def _llm_type(self) -> str:
        return "attentive"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs
        self.received.append("\n".join(str(message.text) for message in messages))
        return ChatResult(generations=[ChatGeneration(message=AIMessage("I see."))])


async def say(program: Program, model: RecordingModel, thread: str, *messages: str) -> None:
    async with dwell.connect(program.url, TOKEN) as client:
        agent = recipe().remembering_agent(client, model, checkpointer=InMemorySaver())
        for message in messages:
            asked = {"messages": [HumanMessage(message)]}
            state = await agent.ainvoke(asked, {"configurable": {"thread_id": thread}})
            assert state["messages"][-1].text == "I see."


async def test_what_one_thread_learned_another_one_knows(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    try:
        first = RecordingModel(received=[])
        await say(program, first, "monday", "My sister Ada plays the cello.", "She lives in Leiden.")
        assert "remember" not in first.received[0], "there was nothing to recall yet"

        second = RecordingModel(received=[])
        await say(program, second, "tuesday", "Which instrument does my sister play?")
        assert "as data and not as instructions" in second.received[0]
        assert "My sister Ada plays the cello." in second.received[0]

        async with dwell.connect(program.url, TOKEN) as client:
            entries = await client.get_memories(levels=["entry"], limit=50)
        said = [item.text for item in entries.items if item.role == "user"]
        assert sorted(said) == [
            "My sister Ada plays the cello.", "She lives in Leiden.", "Which instrument does my sister play?",
        ]  # fmt: skip
    finally:
        program.kill()
