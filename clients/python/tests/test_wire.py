"""The client has a method for every message and route of the server, with all their fields."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dwell

from .wire_reference import messages, routes, sent

SCRIPTS = Path(__file__).parents[1] / "scripts"
SENT = sent()

#: Routes that do what a message does: the client sends the message.
SAME_AS_MESSAGE = {
    ("GET", "/api/v1/sessions"): "session.list",
    ("POST", "/api/v1/sessions"): "session.start",
    ("GET", "/api/v1/sessions/{session_id}"): "session.get",
    ("PATCH", "/api/v1/sessions/{session_id}"): "session.update",
    ("DELETE", "/api/v1/sessions/{session_id}"): "session.end",
    ("POST", "/api/v1/sessions/{session_id}/reset"): "session.reset",
    ("POST", "/api/v1/sessions/{session_id}/fork"): "session.fork",
    ("GET", "/api/v1/sessions/{session_id}/window"): "session.window",
    ("POST", "/api/v1/sessions/import"): "session.import",
    ("POST", "/api/v1/sessions/{session_id}/turns"): "chat.send",
    ("POST", "/api/v1/sessions/{session_id}/cancel"): "agent.cancel",
    ("POST", "/api/v1/turns/{turn_id}/cancel"): "agent.cancel",
    ("POST", "/api/v1/turns/{turn_id}/pause"): "turn.pause",
    ("GET", "/api/v1/background"): "background.list",
    ("POST", "/api/v1/turns/{turn_id}/resume"): "turn.resume",
    ("POST", "/api/v1/turns/{turn_id}/tool-results"): "tool.answer",
    ("POST", "/api/v1/turns/{turn_id}/retry"): "turn.retry",
    ("POST", "/api/v1/approvals/{approval_id}"): "approval.answer",
    ("GET", "/api/v1/sessions/{session_id}/desktop"): "desktop.get",
    ("POST", "/api/v1/sessions/{session_id}/windows/{window_id}/messages"): "window.message",
    ("POST", "/api/v1/sessions/{session_id}/windows/{window_id}/actions"): "window.action",
    ("POST", "/api/v1/sessions/{session_id}/interactions"): "user.interaction",
    ("POST", "/api/v1/sessions/{session_id}/dialogs/{dialog_id}"): "dialog.answer",
    ("POST", "/api/v1/sessions/{session_id}/restore"): "session.restore",
    ("PUT", "/api/v1/profile/{key}"): "memory.set",
    ("GET", "/api/v1/memories"): "memory.get",
    ("POST", "/api/v1/memories/search"): "memory.search",
    ("GET", "/api/v1/memory/graph"): "memory.graph",
    ("POST", "/api/v1/memories/forget"): "memory.forget",
    ("GET", "/api/v1/memories/export"): "memory.export",
    ("POST", "/api/v1/memories/import"): "memory.import",
    ("DELETE", "/api/v1/memories/{item_id}"): "memory.forget",
    ("POST", "/api/v1/memories/{item_id}/correct"): "memory.correct",
    ("PATCH", "/api/v1/vaults/{vault_id}"): "vault.update",
    ("PATCH", "/api/v1/vaults/{vault_id}/memories/{memory_id}"): "memory.update",
    ("GET", "/api/v1/schedules"): "schedule.list",
    ("POST", "/api/v1/schedules"): "schedule.create",
    ("POST", "/api/v1/schedules/preview"): "schedule.preview",
    ("GET", "/api/v1/schedules/{schedule_id}"): "schedule.get",
    ("PATCH", "/api/v1/schedules/{schedule_id}"): "schedule.update",
    ("DELETE", "/api/v1/schedules/{schedule_id}"): "schedule.do",
    ("POST", "/api/v1/schedules/{schedule_id}/do"): "schedule.do",
    ("GET", "/api/v1/alerts"): "alert.list",
    ("POST", "/api/v1/alerts/{alert_id}/seen"): "alert.seen",
}
#: Routes without a method, by an expression for how their path begins, and why.
WITHOUT_METHOD = {
    "/ws": "the connection itself",
    "/events/": "the events come over the WebSocket: `events` and `stream`",
    "/api/v1/entry": "a browser's cookie; a program has the token",
    "/assets/": "a file of the page",
    "/apps/": "a file of the page",
    "/service-worker.js": "a file of the page",
    "/manifest.webmanifest": "a file of the page",
    "/api/v1/push": "a browser's subscription to a push service; a program has none",
    "/v1/": "the APIs of OpenAI and Anthropic: their own libraries speak them",
    "/api/(?!v1/)": "Ollama's API",
    "/ollama/": "Ollama's API",
    "/hooks/": "for the senders of webhooks, who have no token",
    "/metrics": "for Prometheus",
    "/api/v1/logs": "the log, for the operator's command line",
    "/api/v1/tokens": "tokens are made by the command line and the page",
    "/mcp": "MCP: its own libraries speak it",
    "/[.]well-known/": "for MCP clients",
}
#: Fields with another form here, and why.
OTHER_FORM = {
    "session_id": "`session` takes ids and names",
    "conversation_id": "`session` takes ids and names",
    "user_id": "the server ignores it",
    "id": "called `item_id`, since `id` is a builtin",
    "monitors": "`subscribe_monitor` chooses monitors; `events` yields all",
}

#: Messages that the client makes by itself, so that their fields are not parameters.
BY_ITSELF = {"tool.serve": "`worker` and `serve`", "tool.progress": "`ToolContext.progress`"}


def is_left_out(path: str) -> bool:
    return path == "/" or any(re.match(start, path) for start in WITHOUT_METHOD)


@pytest.mark.parametrize("name", messages())
def test_a_message_has_a_method_with_all_its_fields(name: str) -> None:
    assert name in SENT.messages, f"no method of the client sends {name}"
    missing = messages()[name] - SENT.messages[name] - set(OTHER_FORM)
    assert not missing or name in BY_ITSELF, f"the method for {name} lacks {missing}"


@pytest.mark.parametrize("route", [each for each in routes() if not is_left_out(each[1])], ids=" ".join)
def test_a_route_has_a_method_with_all_its_fields(route: tuple[str, str]) -> None:
    if route in SENT.routes:
        missing = routes()[route] - SENT.routes[route] - set(OTHER_FORM)
        # A tool in code needs its turn's events, which one question over HTTP has none of.
        missing -= {"tools"} if route[1] == "/api/v1/ask" else set()
        assert not missing, f"the method for {route} lacks {missing}"
    else:
        assert SAME_AS_MESSAGE.get(route) in SENT.messages, f"no method of the client sends {route}"


def test_the_lists_of_exceptions_are_about_routes_that_exist() -> None:
    known = routes()
    assert [route for route in SAME_AS_MESSAGE if route not in known] == []
    assert [route for route in SENT.routes if route not in known] == []
    for start in WITHOUT_METHOD:
        assert any(re.match(start, path) for _, path in known) or start == "/[.]well-known/", f"{start} is no route"


@pytest.mark.parametrize("script", ["generate_types.py", "generate_sync.py"])
def test_generated_files_are_up_to_date(script: str) -> None:
    ran = subprocess.run([sys.executable, str(SCRIPTS / script), "--check"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def public(cls: type[Any]) -> set[str]:
    return {name for name, value in inspect.getmembers(cls) if not name.startswith("_") and callable(value)}


def test_the_sync_client_has_every_method() -> None:
    assert public(dwell.Dwell) - public(dwell.SyncClient) == set()
    client = dwell.connect("http://127.0.0.1:1", "token")
    from dwell import sync_methods

    areas: list[Any] = [client.vaults, client.values, client.artifacts, client.library, client.desktop, client.home]
    areas += [client.server, client.schedules, client.alerts]
    for area in areas:
        kind = type(area)
        # What the client itself calls, for messages and connections, has no sync form.
        inner = {"take", "up", "end"}
        assert public(kind) - inner - public(getattr(sync_methods, f"Sync{kind.__name__}")) == set()
