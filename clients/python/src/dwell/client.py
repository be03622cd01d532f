"""The client: one server, over one WebSocket that reconnects by itself."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from .alerts import Alerts
from .artifacts import Artifacts
from .connection import Patience
from .core import Session
from .desktop import Desktop
from .home import Home
from .library import Library
from .memory import MemoryMethods
from .schedules import Schedules
from .server import Server
from .sessions import SessionMethods
from .tools import AnyTool, Worker, tools_by_name
from .tools.runner import CONCURRENCY
from .turns import ChatOptions, TurnMethods
from .values import Values
from .vaults import Vaults

__all__ = ["ChatOptions", "Dwell", "Session", "connect"]


class Dwell(TurnMethods, SessionMethods, MemoryMethods):
    """A client of one server, for any number of sessions and tasks. Create it with `connect`."""

    def __init__(self, url: str, token: str, patience: Patience) -> None:
        """A client that is not connected yet."""
        super().__init__(url, token, patience)
        self.vaults = Vaults(self)
        self.values = Values(self)
        self.artifacts = Artifacts(self)
        self.library = Library(self)
        self.desktop = Desktop(self)
        self.home = Home(self)
        self.server = Server(self)
        self.schedules = Schedules(self)
        self.alerts = Alerts(self)
        self._worker: Worker | None = None

    def worker(
        self,
        tools: Sequence[AnyTool],
        *,
        name: str | None = None,
        record: str | os.PathLike[str] | None = None,
        concurrency: int = CONCURRENCY,
    ) -> Worker:
        """A worker that serves tools to all sessions of the owner: `async with client.worker([…])`.

        Each call runs once. After a crash of this program it is unknown what ran, so that a call of
        an `at_most_once` tool which comes again is answered with an error; with `record`, a file
        that only this worker uses, started calls and their results outlive the program.
        """
        if any(isinstance(each, Mapping) for each in tools):
            raise ValueError("a worker serves functions: a definition alone cannot be run")
        return _ClientWorker(self, tools_by_name(tools), name=name, record=record, concurrency=concurrency)

    async def serve(
        self,
        tools: Sequence[AnyTool],
        *,
        name: str | None = None,
        record: str | os.PathLike[str] | None = None,
        concurrency: int = CONCURRENCY,
    ) -> None:
        """Serve tools to all sessions of the owner until it is cancelled; see `worker`."""
        async with self.worker(tools, name=name, record=record, concurrency=concurrency) as worker:
            await worker.wait()

    async def request(self, kind: str, data: Mapping[str, Any] | None = None, *, is_repeatable: bool = False) -> Any:
        """Send any request of the wire reference and return the data of its answer.

        Set `is_repeatable` only for idempotent requests: they are sent again after a reconnection.
        """
        return await self._follow(kind, data or {}, is_repeatable=is_repeatable)

    async def close(self) -> None:
        """Close the connection. Turns continue on the server."""
        if self._worker is not None:
            await self._worker.stop()
        await self._connection.close()

    async def __aenter__(self) -> Self:
        """Connect."""
        await self._connection.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.close()

    def __await__(self) -> Generator[Any, None, Self]:
        """Connect: `client = await connect(…)`; the caller has to call `close`."""
        return self.__aenter__().__await__()

    def _take(self, message: Mapping[str, Any]) -> bool:
        if self._worker is not None and self._worker.take(message):
            return False
        if self.home.take(message) or self.alerts.take(message):
            return False
        return super()._take(message)

    def _up(self) -> None:
        super()._up()
        self.home.up()
        self.alerts.up()
        if self._worker is not None:
            self._worker.up()

    def _down(self) -> None:
        super()._down()
        if self._worker is not None:
            self._worker.down()

    def _end(self, error: Exception) -> None:
        super()._end(error)
        self.home.end(error)
        self.alerts.end(error)
        if self._worker is not None:
            self._worker.fail(error)


class _ClientWorker(Worker):
    """The worker of a client, which can have another one afterwards."""

    def __init__(self, client: Dwell, tools: Mapping[str, Any], **options: Any) -> None:
        super().__init__(client._connection, tools, **options)
        self._client = client

    async def start(self) -> None:
        if self._client._worker is not None:
            raise RuntimeError("this client serves tools already: pass all of them at once, or connect another client")
        self._client._worker = self
        await super().start()

    async def stop(self) -> None:
        try:
            await super().stop()
        finally:
            if self._client._worker is self:
                self._client._worker = None


def connect(url: str, token: str, *, patience: Patience | None = None) -> Dwell:
    """A client: `async with connect(…) as client`, or `client = await connect(…)`."""
    return Dwell(url, token, patience or Patience())
