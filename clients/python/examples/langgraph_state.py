"""A LangGraph graph that keeps its state and what its threads share in Dwell.

It plans an errand, asks whether to go, and notes what was done. Each call of this program is a
process of its own, and the graph goes on where it stopped, also after a crash of either side:

    pip install './clients/python[langgraph]'
    export DWELL_URL=http://127.0.0.1:7437 DWELL_TOKEN=…
    python langgraph_state.py monday "buy tea"     # … Shall I buy tea? Answer with yes or no.
    python langgraph_state.py monday yes           # … Done: buy tea (errand 1)
    python langgraph_state.py tuesday "buy bread"  # another thread, which sees the same notes
"""

from __future__ import annotations

import os
import sys
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

import dwell
from dwell.langgraph import DwellSaver, DwellStore

#: Where the errands of all threads are noted.
ERRANDS = ("errands",)


class State(TypedDict, total=False):
    """One errand."""

    wish: str
    answer: str


def approve(state: State) -> State:
    """Stop until there is an answer: LangGraph stores the question with the state."""
    return {"answer": interrupt(f"Shall I {state['wish']}? Answer with yes or no.")}


def carry_out(state: State, runtime: Runtime) -> State:
    """Note what was done, for all threads."""
    if runtime.store is None or state["answer"] != "yes":
        return {"answer": f"Not done: {state['wish']}"}
    number = len(runtime.store.search(ERRANDS, limit=1000)) + 1
    runtime.store.put(ERRANDS, str(number), {"wish": state["wish"]})
    return {"answer": f"Done: {state['wish']} (errand {number})"}


def errands(client: dwell.Dwell | dwell.SyncClient) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph, with Dwell behind it."""
    graph = StateGraph(State)
    graph.add_node("approve", approve)
    graph.add_node("carry_out", carry_out)
    graph.add_edge(START, "approve")
    graph.add_edge("approve", "carry_out")
    graph.add_edge("carry_out", END)
    return graph.compile(checkpointer=DwellSaver(client), store=DwellStore(client))


def main(thread: str, words: str) -> None:
    """Start an errand, or answer the question about it."""
    graph = errands(dwell.connect(os.environ["DWELL_URL"], os.environ["DWELL_TOKEN"]))
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    is_waiting = bool(graph.get_state(config).next)
    state = graph.invoke(Command(resume=words) if is_waiting else {"wish": words}, config)
    questions = state.get("__interrupt__")
    print(questions[0].value if questions else state["answer"])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
