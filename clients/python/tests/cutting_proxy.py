"""A proxy that cuts connections between WebSocket frames."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self


@dataclass
class Cut:
    """How many frames a connection carries each way before it is cut; None means any number."""

    down: int | None = None
    up: int | None = None


class CuttingProxy:
    """Listens on a free port; `plan` says when to cut each connection, by its number from 0."""

    def __init__(self, port: int, plan: Callable[[int], Cut]) -> None:
        self._to = port
        self._plan = plan
        self.connections = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        cut = self._plan(self.connections)
        self.connections += 1
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            # The server is down, so the connection is refused too.
            writer.transport.abort()
            return
        try:
            # The direction that ends first ends both.
            async with asyncio.TaskGroup() as ways:
                ways.create_task(_pass_on(up_reader, writer, cut.down))
                ways.create_task(_pass_on(reader, up_writer, cut.up))
        except* (_CutError, OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()
            up_writer.transport.abort()


class _CutError(Exception):
    pass


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, frames_max: int | None) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(head)
    await writer.drain()
    passed = 0
    while frames_max is None or passed < frames_max:
        writer.write(await _frame(reader))
        await writer.drain()
        passed += 1
    # The frames must be sent before the connection is torn down.
    with contextlib.suppress(OSError):
        await writer.drain()
    await asyncio.sleep(0.005)
    raise _CutError


async def _frame(reader: asyncio.StreamReader) -> bytes:
    start = await reader.readexactly(2)
    length, is_masked = start[1] & 0x7F, start[1] & 0x80
    extended = await reader.readexactly({126: 2, 127: 8}.get(length, 0))
    if extended:
        length = int.from_bytes(extended, "big")
    return start + extended + await reader.readexactly(length + (4 if is_masked else 0))
