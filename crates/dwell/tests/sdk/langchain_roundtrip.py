"""Conversations between Dwell and LangChain, both ways, with the libraries themselves.

Arguments: the server's address and a token. Ends with 0 if all is well, with 1 and a sentence if not.
Needs langchain-core; what LangGraph takes is checked where langgraph is installed.
"""

import json
import sys
import urllib.request

from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
    messages_from_dict,
    messages_to_dict,
)

URL, TOKEN = sys.argv[1].rstrip("/"), sys.argv[2]


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/api/v1{path}", data=data, headers=headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def check(holds, sentence):
    if not holds:
        print(f"failed: {sentence}")
        sys.exit(1)


MESSAGES = [
    SystemMessage("Be brief."),
    HumanMessage("What is two and three?"),
    AIMessage(
        content="Let me reckon.",
        tool_calls=[{"name": "add", "args": {"a": 2, "b": 3}, "id": "call_1"}],
        response_metadata={"model_name": "some-model"},
        usage_metadata={"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
    ),
    ToolMessage("5", tool_call_id="call_1", name="add", status="success"),
    AIMessage(
        "Five.",
        usage_metadata={
            "input_tokens": 11,
            "output_tokens": 2,
            "total_tokens": 13,
            "input_token_details": {"cache_read": 4},
        },
    ),
    HumanMessage("And a thing that fails?"),
    AIMessage(content="", tool_calls=[{"name": "fail", "args": {}, "id": "call_2"}]),
    ToolMessage("It failed.", tool_call_id="call_2", name="fail", status="error"),
    AIMessage("It did."),
]


def essence(message):
    calls = [(c["name"], c["args"], c["id"]) for c in getattr(message, "tool_calls", [])]
    answers = (getattr(message, "tool_call_id", None), getattr(message, "status", None))
    return message.type, message.content, calls, answers


def langchain():
    session = call("POST", "/sessions/import?format=langchain", messages_to_dict(MESSAGES))["session_id"]
    given = call("GET", f"/sessions/{session}/export?format=langchain")
    read = messages_from_dict(given)
    check([essence(m) for m in read] == [essence(m) for m in MESSAGES], f"LangChain reads something else: {read}")
    check(messages_to_dict(read) == given, "what LangChain writes again differs from what Dwell wrote")
    for index, message in enumerate(MESSAGES):
        usage = getattr(message, "usage_metadata", None)
        if usage is not None:
            expected = {"input_token_details": {"cache_read": 0}, **usage}
            check(read[index].usage_metadata == expected, f"the usage of message {index} is another: {read[index]}")
    check(all("dwell" in m.additional_kwargs for m in read[1:]), "the times are lost")
    again = call("POST", "/sessions/import?format=langchain", messages_to_dict(read))["session_id"]
    third = messages_from_dict(call("GET", f"/sessions/{again}/export?format=langchain"))
    times = lambda messages: [m.additional_kwargs.get("dwell", {}).get("at") for m in messages]
    check([essence(m) for m in third] == [essence(m) for m in read], "the second round differs from the first")
    check(times(third) == times(read), "the times differ after the second round")
    return session


def lived():
    """A turn that took place here carries what its model has used."""
    session = call("POST", "/sessions", {})["session_id"]
    turn = call("POST", f"/sessions/{session}/turns", {"message": "Who likes tea?"})["turn_id"]
    used = call("GET", f"/turns/{turn}?wait_ms=60000")["stats"]["usage"]
    answer = messages_from_dict(call("GET", f"/sessions/{session}/export?format=langchain"))[-1]
    expected = (used["input_tokens"], used["output_tokens"], used["input_tokens"] + used["output_tokens"])
    usage = answer.usage_metadata
    check(usage is not None, f"an answer has no usage: {answer}")
    check((usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == expected, f"{usage}, {used}")
    check(usage["input_token_details"]["cache_read"] == used.get("cached_tokens", 0), f"{usage}, {used}")
    state = call("GET", f"/sessions/{session}/export?format=langgraph")
    check(state["messages"][-1]["usage_metadata"] == usage, f"LangGraph's state has another usage: {state}")


def openai(session):
    given = call("GET", f"/sessions/{session}/export?format=openai")
    expected = convert_to_openai_messages(MESSAGES)
    plain = lambda m: (
        m["role"],
        m.get("content") or "",
        [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in m.get("tool_calls", [])],
        m.get("tool_call_id"),
    )
    check([plain(m) for m in given] == [plain(m) for m in expected], f"OpenAI's messages differ: {given}")
    taken = call("POST", "/sessions/import?format=openai", expected)["session_id"]
    again = call("GET", f"/sessions/{taken}/export?format=openai")
    check(again == given, "OpenAI's messages differ after a round")


def langgraph(session):
    try:
        from langgraph.checkpoint.memory import MemorySaver
        from langgraph.graph import END, START, MessagesState, StateGraph
    except ImportError:
        print("langgraph is not installed: not checked")
        return
    seen = []

    def answer(state):
        seen.extend(state["messages"])
        return {"messages": [AIMessage("From the graph.")]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    graph = graph.compile(checkpointer=MemorySaver())
    state = call("GET", f"/sessions/{session}/export?format=langgraph")
    config = {"configurable": {"thread_id": state["conversation_id"]}}
    graph.invoke({"messages": state["messages"]}, config)
    check([essence(m) for m in seen] == [essence(m) for m in MESSAGES], f"the graph was told something else: {seen}")
    # The same again adds nothing: every message has an id.
    graph.update_state(config, {"messages": state["messages"]})
    values = graph.get_state(config).values
    check(len(values["messages"]) == len(MESSAGES) + 1, "the same messages were added twice")
    dumped = {"messages": messages_to_dict(values["messages"])}
    for body in (dumped, {"values": dumped}):
        taken = call("POST", "/sessions/import?format=langgraph", body)["session_id"]
        again = messages_from_dict(call("GET", f"/sessions/{taken}/export?format=langchain"))
        check(again[-1].content == "It did.\n\nFrom the graph.", f"the graph's answer is lost: {again[-1]}")


SESSION = langchain()
lived()
openai(SESSION)
langgraph(SESSION)
print("all is well")
