"""The client without `await`, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from .client import Dwell, connect
from .connection import Patience
from .sync_loop import LoopThread
from .sync_methods import (
    SyncAlerts,
    SyncArtifacts,
    SyncDesktop,
    SyncDwell,
    SyncHome,
    SyncLibrary,
    SyncMemoryMethods,
    SyncSchedules,
    SyncServer,
    SyncSessionMethods,
    SyncTurnMethods,
    SyncValues,
    SyncVaults,
)
from .tools import AnyTool, Worker
from .tools.runner import CONCURRENCY


class SyncClient(SyncTurnMethods, SyncSessionMethods, SyncMemoryMethods, SyncDwell):
    """A client of one server with the methods of `Dwell`, each of which waits for its result.

    It connects at once, and raises if it cannot. `with SyncClient(…) as client` closes it at the
    end; in a notebook, call `close`. Any thread may use it. Tools, and `on_approval`, run in
    threads.
    """

    _async: Dwell

    def __init__(self, url: str, token: str, *, patience: Patience | None = None) -> None:
        """Connect to a server."""
        client = connect(url, token, patience=patience)
        loop = LoopThread()
        super().__init__(loop, client)
        try:
            loop.run(client.__aenter__())
        except BaseException:
            loop.close()
            raise
        self.vaults = SyncVaults(loop, client.vaults)
        self.values = SyncValues(loop, client.values)
        self.artifacts = SyncArtifacts(loop, client.artifacts)
        self.library = SyncLibrary(loop, client.library)
        self.desktop = SyncDesktop(loop, client.desktop)
        self.home = SyncHome(loop, client.home)
        self.server = SyncServer(loop, client.server)
        self.schedules = SyncSchedules(loop, client.schedules)
        self.alerts = SyncAlerts(loop, client.alerts)

    def worker(
        self,
        tools: Sequence[AnyTool],
        *,
        name: str | None = None,
        record: str | os.PathLike[str] | None = None,
        concurrency: int = CONCURRENCY,
    ) -> SyncWorker:
        """A worker that serves tools in the background: `with client.worker([…])`.

        See `Dwell.worker`.
        """

        async def make() -> Worker:
            return self._async.worker(tools, name=name, record=record, concurrency=concurrency)

        return SyncWorker(self._loop, self._loop.run(make()))

    def close(self) -> None:
        """Close the connection and stop the thread. Turns continue on the server."""
        if self._loop.is_open:
            self._loop.run(self._async.close())
            self._loop.close()

    def __enter__(self) -> Self:
        """Return the client; it is closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self.close()


class SyncWorker:
    """Serves tools while it is open. See `Worker`."""

    def __init__(self, loop: LoopThread, worker: Worker) -> None:
        """The sync form of a worker."""
        self._loop = loop
        self._worker = worker

    @property
    def serving(self) -> list[str]:
        """The tools that the server has accepted."""
        return self._worker.serving

    def start(self) -> None:
        """Offer the tools; raises what the server refuses."""
        self._loop.run(self._worker.start())

    def wait(self) -> None:
        """Wait until the client ends or the server refuses the tools; raises the reason."""
        self._loop.run(self._worker.wait())

    def stop(self) -> None:
        """Withdraw the tools and stop what runs."""
        if self._loop.is_open:
            self._loop.run(self._worker.stop())

    def __enter__(self) -> Self:
        """Offer the tools."""
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Withdraw the tools."""
        self.stop()
