"""A small server that speaks the wire, for what a test wants to decide message by message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

#: A request's answer: its data, or an error with a code.
Handler = Callable[[dict[str, Any]], Any]


class FakeServer:
    """Answers requests by kind, and records them; the test pushes messages by `send`."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.handlers: dict[str, Handler] = {"tool.serve": serving, "tool.answer": lambda _: {"calls_waiting": []}}
        #: Kinds of requests that get no answer, as if the connection had broken before.
        self.silent: set[str] = set()
        self.connections = 0
        self._sockets: set[ServerConnection] = set()
        self._changed = asyncio.Condition()
        self._server: Server | None = None

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{next(iter(self._server.sockets)).getsockname()[1]}"

    async def send(self, kind: str, data: dict[str, Any]) -> None:
        """Push a message to all connections."""
        for socket in self._sockets:
            await socket.send(json.dumps({"type": kind, "data": data}))

    async def call(self, tool: str, arguments: Any = None, call_id: str = "c1", **more: Any) -> None:
        """Push a call of a tool."""
        call = {
            "session_id": "s1", "turn_id": "t1", "agent_id": "main", "call_id": call_id, "tool": tool,
            "arguments": {} if arguments is None else arguments, "until": "2030-01-01T00:00:00.000Z",
            "key": f"t1:{call_id}", "redelivered": False,
        }  # fmt: skip
        await self.send("tool.call", {**call, **more})

    async def cut(self) -> None:
        """Break all connections."""
        for socket in list(self._sockets):
            await socket.close()

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The data of all requests of a kind."""
        return [data for each, data in self.requests if each == kind]

    async def wait_for(self, kind: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait until a number of requests of a kind have come."""
        async with asyncio.timeout(20), self._changed:
            await self._changed.wait_for(lambda: len(self.of(kind)) >= count)
        return self.of(kind)

    async def results(self, count: int = 1) -> list[dict[str, Any]]:
        """Wait until a number of results have come."""
        return [answer["results"][0] for answer in await self.wait_for("tool.answer", count)]

    async def __aenter__(self) -> Self:
        self._server = await serve(self._talk, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _talk(self, socket: ServerConnection) -> None:
        self.connections += 1
        self._sockets.add(socket)
        try:
            async for text in socket:
                await self._take(socket, json.loads(text))
        except ConnectionClosed:
            pass
        finally:
            self._sockets.discard(socket)

    async def _take(self, socket: ServerConnection, message: dict[str, Any]) -> None:
        kind, data = message["type"], message.get("data", {})
        async with self._changed:
            self.requests.append((kind, data))
            self._changed.notify_all()
        if kind in self.silent:
            return
        handler = self.handlers.get(kind)
        answer = handler(data) if handler is not None else {}
        is_error = isinstance(answer, dict) and "code" in answer
        await socket.send(json.dumps({"type": "error" if is_error else "ok", "re": message["id"], "data": answer}))


def serving(data: dict[str, Any]) -> dict[str, Any]:
    return {"worker": data["worker"], "tools": [tool["name"] for tool in data["tools"]]}
