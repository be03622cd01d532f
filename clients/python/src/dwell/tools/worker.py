"""A worker: offers tools to all sessions of the owner, and runs their calls."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..connection import Connection
from ..errors import Conflict, ConnectionLost, DwellError, Refused
from .function import Tool
from .record import CallRecord
from .runner import CONCURRENCY, RETRY_S, TRANSIENT, Call, CallRunner

log = logging.getLogger("dwell.tools")


class Worker:
    """Serves tools while it is open: `async with client.worker([…])`.

    After each reconnection it offers its tools again; calls that still wait come again and are
    recognized by their keys.
    """

    def __init__(
        self,
        connection: Connection,
        tools: Mapping[str, Tool[..., Any]],
        *,
        name: str | None = None,
        record: str | os.PathLike[str] | None = None,
        concurrency: int = CONCURRENCY,
    ) -> None:
        """A worker that does not serve yet."""
        if not tools:
            raise ValueError("pass at least one tool to serve")
        self.name = name or _default_name(record)
        #: The tools that the server has accepted.
        self.serving: list[str] = []
        self._connection = connection
        self._tools = tools
        self._record = CallRecord(record) if record is not None else None
        self._runner = CallRunner(connection, tools, record=self._record, concurrency=concurrency)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._offering: asyncio.Task[None] | None = None
        self._is_started = False
        self._is_stopping = False

    async def start(self) -> None:
        """Offer the tools; raises what the server refuses."""
        self._is_started = True
        self.up()
        await asyncio.wait({self._ready, self._ended}, return_when=asyncio.FIRST_COMPLETED)
        if self._ended.done():
            self._ended.result()

    async def wait(self) -> None:
        """Wait until the client ends or the server refuses the tools; raises the reason."""
        await asyncio.shield(self._ended)

    async def stop(self) -> None:
        """Withdraw the tools and stop what runs."""
        self._is_stopping = True
        if self._offering is not None:
            self._offering.cancel()
        is_serving = self._is_started and self._connection.is_up and not self._ended.done()
        if is_serving:
            with contextlib.suppress(DwellError):
                await self._connection.request("tool.serve", self._offer([]), is_repeatable=False)
        await self._runner.close(answer=is_serving)
        if self._record is not None:
            self._record.close()
        if not self._ended.done():
            self._ended.set_result(None)

    def up(self) -> None:
        """Offer the tools on a new connection."""
        if self._offering is None or self._offering.done():
            self._offering = asyncio.get_running_loop().create_task(self._offer_all(), name="dwell-serve")

    def down(self) -> None:
        """The connection was lost: what runs goes on, and is answered on the next one."""
        if self._offering is not None:
            self._offering.cancel()
            self._offering = None

    def fail(self, error: Exception) -> None:
        """The client has ended."""
        if not self._ended.done():
            self._ended.set_exception(error)
            # It may be that no one waits for it.
            self._ended.exception()

    def take(self, message: Mapping[str, Any]) -> bool:
        """Handle a message of the server; returns whether it was for the worker."""
        data = message.get("data")
        kind = message.get("type")
        if kind not in ("tool.call", "tool.cancel", "tool.serving") or not isinstance(data, Mapping):
            return False
        try:
            if kind == "tool.call":
                self._runner.take(Call.from_wire(data))
            elif kind == "tool.cancel":
                self._runner.cancel(str(data["turn_id"]), str(data["call_id"]), data.get("reason"))
            elif not data["tools"] and self._ready.done() and not self._is_stopping:
                hint = "Give each worker a name of its own."
                self.fail(Conflict("name_conflict", f"another program serves as the worker {self.name} now", hint))
        except KeyError as error:
            log.warning("a %s of the server lacks %s", kind, error)
        return True

    async def __aenter__(self) -> Self:
        """Offer the tools."""
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Withdraw the tools."""
        await self.stop()

    def _offer(self, tools: list[dict[str, Any]]) -> dict[str, Any]:
        return {"tools": tools, "worker": self.name}

    async def _offer_all(self) -> None:
        tools = [{**tool.definition, "effect": _served_effect(tool)} for tool in self._tools.values()]
        while True:
            try:
                answer = await self._connection.request("tool.serve", self._offer(tools), is_repeatable=False)
            except ConnectionLost:
                # The next connection offers them again.
                return
            except Refused as error:
                if error.code not in TRANSIENT:
                    self.fail(error)
                    return
                await asyncio.sleep((error.retry_after_ms or 0) / 1000 + RETRY_S)
            else:
                names = answer.get("tools") if isinstance(answer, Mapping) else None
                self.serving = list(names) if names is not None else list(self._tools)
                if not self._ready.done():
                    self._ready.set_result(None)
                return


def _served_effect(tool: Tool[..., Any]) -> str:
    """A worker's tool may run twice or not; the server does not tell apart why."""
    return "at_most_once" if tool.effect == "at_most_once" else "idempotent"


def _default_name(record: str | os.PathLike[str] | None) -> str:
    """A name that two workers do not share; with a record, the same after a restart.

    The server hands a call that must not run twice to the worker of the same name again.
    """
    host = socket.gethostname()[:40]
    if record is None:
        return f"{host}-{os.getpid()}"
    return f"{host}-{hashlib.sha256(str(Path(record).resolve()).encode()).hexdigest()[:12]}"
