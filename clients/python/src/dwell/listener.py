"""What stands between the one reader and a consumer: a bounded buffer that the reader never waits for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

from .events import Event

T = TypeVar("T")

#: Things that wait for one consumer at most.
ROOM = 1024


class Offer(Enum):
    """What became of an event that was offered."""

    TAKEN = auto()
    #: It was seen before, or is not needed.
    KNOWN = auto()
    #: Events before it are missing.
    GAP = auto()
    #: There is no room; the listener goes on from the journal once it has caught up.
    FULL = auto()


class Listener(Generic[T]):
    """Takes a session's events in order, each number once, and keeps what they mean until it is asked for.

    When the buffer is full the listener falls behind: it takes nothing more, and once its consumer has emptied the
    buffer it asks for what came after its last number. The journal has it, so a slow consumer costs neither memory nor
    events.
    """

    def __init__(
        self,
        after: int,
        read: Callable[[Event], list[T]],
        *,
        merge: Callable[[T, T], T | None] | None = None,
        room: int | None = None,
    ) -> None:
        """Wants every event after a number; `read` says what each means to the consumer."""
        self.cursor = after
        self.is_behind = False
        self.catch_up: Callable[[], None] = lambda: None
        self._read = read
        self._merge = merge
        self._room = ROOM if room is None else room
        self._buffer: deque[T] = deque()
        self._failure: Exception | None = None
        self._changed = asyncio.Event()

    @property
    def is_crowded(self) -> bool:
        """Whether the consumer should be given a chance to run."""
        return len(self._buffer) * 2 >= self._room

    def offer(self, event: Event) -> Offer:
        """Takes an event, unless it is known, out of order, or there is no room."""
        if self.is_behind:
            return Offer.FULL
        if event.seq is not None:
            if event.seq <= self.cursor:
                return Offer.KNOWN
            if event.seq != self.cursor + 1:
                return Offer.GAP
        if len(self._buffer) >= self._room:
            # Live text comes again with a number; what has a number comes from the journal.
            self.is_behind = event.seq is not None
            return Offer.FULL
        self.cursor = event.seq if event.seq is not None else self.cursor
        self.put(self._read(event))
        return Offer.TAKEN

    def put(self, things: list[T]) -> None:
        """Keeps things for the consumer."""
        for thing in things:
            self._keep(thing)
        if things:
            self._changed.set()

    def fail(self, failure: Exception) -> None:
        """Nothing more will come; what is in the buffer is still given."""
        self._failure = self._failure or failure
        self._changed.set()

    async def get(self) -> T:
        """The next thing, or the failure that ended it."""
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
