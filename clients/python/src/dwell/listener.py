"""A bounded buffer between the connection and one consumer; the connection never waits for it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

from .events import Event

T = TypeVar("T")

#: The default size of the buffer.
CAPACITY = 1024


class Offer(Enum):
    """The result of offering an event."""

    TAKEN = auto()
    #: It is known already.
    KNOWN = auto()
    #: Events before it are missing.
    GAP = auto()
    #: The buffer is full; the listener continues from the journal later.
    FULL = auto()


class Listener(Generic[T]):
    """Takes a session's events in order, each number once, and buffers the resulting items.

    When the buffer is full the listener falls behind: it takes no more events, and once the consumer
    has emptied the buffer it requests the events after its last number. The journal has them, so a
    slow consumer loses no events and memory stays bounded.
    """

    def __init__(
        self,
        after: int,
        read: Callable[[Event], list[T]],
        *,
        merge: Callable[[T, T], T | None] | None = None,
        capacity: int | None = None,
    ) -> None:
        """Start after an event number; `read` converts an event into items for the consumer."""
        self.cursor = after
        self.is_behind = False
        self.catch_up: Callable[[], None] = lambda: None
        self._read = read
        self._merge = merge
        self._capacity = CAPACITY if capacity is None else capacity
        self._buffer: deque[T] = deque()
        self._failure: Exception | None = None
        self._changed = asyncio.Event()

    @property
    def is_crowded(self) -> bool:
        """Whether the buffer is half full, and the consumer should get a chance to run."""
        return len(self._buffer) * 2 >= self._capacity

    def offer(self, event: Event) -> Offer:
        """Take an event unless it is known, out of order, or the buffer is full."""
        if self.is_behind:
            return Offer.FULL
        if event.seq is not None:
            if event.seq <= self.cursor:
                return Offer.KNOWN
            if event.seq != self.cursor + 1:
                return Offer.GAP
        if len(self._buffer) >= self._capacity:
            # Live text comes again with a number; numbered events come from the journal.
            self.is_behind = event.seq is not None
            return Offer.FULL
        self.cursor = event.seq if event.seq is not None else self.cursor
        self.put(self._read(event))
        return Offer.TAKEN

    def put(self, things: list[T]) -> None:
        """Add items to the buffer."""
        for thing in things:
            self._keep(thing)
        if things:
            self._changed.set()

    def fail(self, failure: Exception) -> None:
        """End the listener with an error; buffered items are still delivered."""
        self._failure = self._failure or failure
        self._changed.set()

    async def get(self) -> T:
        """The next item; raises the error that ended the listener."""
        while not self._buffer:
            if self._failure is not None:
                raise self._failure
            self._changed.clear()
            if self.is_behind:
                self.is_behind = False
                self.catch_up()
                continue
            await self._changed.wait()
        return self._buffer.popleft()

    def _keep(self, thing: T) -> None:
        if self._merge is not None and self._buffer and self.is_crowded:
            merged = self._merge(self._buffer[-1], thing)
            if merged is not None:
                self._buffer[-1] = merged
                return
        self._buffer.append(thing)
