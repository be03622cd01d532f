"""Turns of LangGraph with one tool call, as `bench peers` asks for them: one line of JSON in, one out.

Each line has `messages`; the answer has the CPU time and the wall time of each turn. Or it has `conversations`, which are taken
at once; then the answer has the seconds that all of them took. The graph is the usual one: a model, a tool, and a checkpoint
after every step.
"""

import argparse
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

ANSWER = "word" * 100
SYSTEM = "You are a helpful assistant. Answer briefly and in the language of the user. " * 13


@tool
def calculator(expression: str) -> str:
    """Works out an expression."""
    return "391"


def local_model(messages: list) -> AIMessage:
    if messages[-1].type == "tool":
        return AIMessage(ANSWER)
    call = {"name": "calculator", "args": {"expression": "17 * 23"}, "id": f"call_{len(messages)}"}
    return AIMessage("", tool_calls=[call])


def make_model(address: str | None):
    if address is None:
        return local_model
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(base_url=address, api_key="sk-test", model="test", streaming=True).bind_tools([calculator])
    return model.invoke


def make_saver(kind: str, folder: str):
    if kind == "sqlite":
        import sqlite3

        from langgraph.checkpoint.sqlite import SqliteSaver

        return SqliteSaver(sqlite3.connect(f"{folder}/checkpoints.db", check_same_thread=False))
    from langgraph.checkpoint.postgres import PostgresSaver
    from psycopg import Connection
    from psycopg.rows import dict_row

    saver = PostgresSaver(Connection.connect(kind, autocommit=True, prepare_threshold=0, row_factory=dict_row))
    saver.setup()
    return saver


def main() -> None:
    flags = argparse.ArgumentParser()
    flags.add_argument("--saver", default="sqlite", help="`sqlite`, or the address of a PostgreSQL database")
    flags.add_argument("--model", help="the address of a model server; without it the model is a function")
    given = flags.parse_args()
    model = make_model(given.model)

    def think(state: MessagesState) -> dict:
        return {"messages": [model([SystemMessage(SYSTEM), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode([calculator]))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    with tempfile.TemporaryDirectory() as folder:
        agent = graph.compile(checkpointer=make_saver(given.saver, folder))
        thread = 0

        def talk(thread: int, messages: list[str]) -> list[float]:
            config, wall = {"configurable": {"thread_id": str(thread)}}, []
            for message in messages:
                begun = time.perf_counter()
                state = agent.invoke({"messages": [HumanMessage(message)]}, config)
                assert state["messages"][-1].content == ANSWER
                wall.append((time.perf_counter() - begun) * 1000)
            return wall

        for line in sys.stdin:
            asked = json.loads(line)
            if "conversations" in asked:
                conversations = asked["conversations"]
                threads = range(thread + 1, thread + 1 + len(conversations))
                begun = time.perf_counter()
                with ThreadPoolExecutor(len(conversations)) as pool:
                    list(pool.map(talk, threads, conversations))
                thread += len(conversations)
                print(json.dumps({"seconds": time.perf_counter() - begun}), flush=True)
                continue
            thread += 1
            cpu = time.process_time()
            wall = talk(thread, asked["messages"])
            spent = (time.process_time() - cpu) * 1000 / len(wall)
            print(json.dumps({"cpu_ms": spent, "wall_ms": wall}), flush=True)


main()
