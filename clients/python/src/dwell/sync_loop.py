"""An event loop in a thread, so that programs without one can use the client."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

from .errors import ConnectionLost
from .events import Final, TurnEvent
from .stream import TurnStream

T = TypeVar("T")
A = TypeVar("A")


class LoopThread:
    """A thread that runs an event loop until it is closed. It does not keep the program alive."""

    def __init__(self) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run, args=(self._loop,), name="dwell-sync", daemon=True)
        self._thread.start()
        # A client that is dropped without being closed does not leave its thread behind.
        self._finalizer = weakref.finalize(self, _stop, self._loop)

    @property
    def is_open(self) -> bool:
        """Whether the loop runs."""
        return self._thread.is_alive() and not self._loop.is_closed()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and wait for its result; Ctrl-C cancels it."""
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("a sync client cannot be used in its own event loop: use an async client there")
        if not self.is_open:
            coroutine.close()
            raise ConnectionLost("the client is closed")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, source: AsyncIterator[T]) -> Iterator[T]:
        """The items of an async iterator; leaving the loop closes it."""
        iterator = aiter(source)
        try:
            while True:
                items = self.run(_next(iterator))
                if not items:
                    return
                yield items[0]
        finally:
            close = getattr(iterator, "aclose", None)
            if close is not None and self.is_open:
                self.run(close())

    def callback(self, function: Callable[[A], T] | None) -> Callable[[A], Awaitable[T]] | None:
        """A function as an async one that runs in a thread, where it may use the client."""
        if function is None:
            return None

        async def call(argument: A) -> T:
            return await asyncio.to_thread(function, argument)

        return call

    def close(self) -> None:
        """Stop the loop and wait for the thread."""
        if self._finalizer.detach() is not None:
            _stop(self._loop)
        if threading.current_thread() is not self._thread:
            self._thread.join()


class SyncArea:
    """Methods that run those of an async object."""

    def __init__(self, loop: LoopThread, target: Any) -> None:
        """The sync form of an object."""
        self._loop = loop
        self._async = target


class SyncTurnStream:
    """The events of one turn: `for event in stream`. See `TurnStream`."""

    def __init__(self, loop: LoopThread, stream: TurnStream) -> None:
        """The sync form of a stream."""
        self._loop = loop
        self._stream = stream

    @property
    def turn_id(self) -> str | None:
        """The turn's id, once it is known."""
        return self._stream.turn_id

    @property
    def session_id(self) -> str | None:
        """The session's id, once it is known."""
        return self._stream.session_id

    @property
    def text(self) -> str:
        """The text so far."""
        return self._stream.text

    def result(self) -> Final:
        """Read to the end and return the final event."""
        return self._loop.run(self._stream.result())

    def close(self) -> None:
        """Unsubscribe. The turn continues."""
        if self._loop.is_open:
            self._loop.run(self._stream.close())

    def __iter__(self) -> Self:
        """The stream itself; it can be read once."""
        return self

    def __next__(self) -> TurnEvent:
        """The next event."""
        events = self._loop.run(_next(self._stream))
        if not events:
            raise StopIteration
        return events[0]

    def __enter__(self) -> Self:
        """Return the stream; it is closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unsubscribe."""
        self.close()


async def _next(iterator: AsyncIterator[T]) -> list[T]:
    """The next item in a list, or an empty list: a future cannot carry the end of an iteration."""
    try:
        return [await anext(iterator)]
    except StopAsyncIteration:
        return []


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
