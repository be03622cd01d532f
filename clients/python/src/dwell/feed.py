"""One followed session: its listeners, and the last things that were told, for listeners that come a moment later."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from .events import Event
from .listener import Listener, Offer

#: Messages kept for listeners that come a moment later.
RECENT = 256


class Feed:
    """A session on the current connection.

    Its floor is the number after which everything is among the recent messages or still to come; None while that is
    not known.
    """

    def __init__(self, session_id: str) -> None:
        """A session that the connection does not follow yet."""
        self.session_id = session_id
        self.is_joined = False
        self.is_joining = False
        self.wants_join = False
        self.head = 0
        self._floor: int | None = None
        self._next_floor: int | None = None
        self._recent: deque[Event] = deque()
        # A consumer that is dropped without being closed takes its listener along.
        self._listeners: weakref.WeakSet[Listener[Any]] = weakref.WeakSet()

    @property
    def listeners(self) -> list[Listener[Any]]:
        """Who listens."""
        return list(self._listeners)

    def add(self, listener: Listener[Any]) -> None:
        """One more listens."""
        self._listeners.add(listener)

    def remove(self, listener: Listener[Any]) -> None:
        """One less listens."""
        self._listeners.discard(listener)

    def resume_point(self) -> int | None:
        """The number after which all that is wanted lies; None if nobody waits for anything."""
        return min((listener.cursor for listener in self._listeners if not listener.is_behind), default=None)

    def will_begin_after(self, number: int) -> None:
        """The server was asked for everything after a number."""
        self._next_floor = number

    def begin(self, head: int) -> None:
        """The connection follows the session from now on; `head` is its newest number."""
        self.is_joined = True
        self.head = max(self.head, head)
        self._recent.clear()
        self._floor, self._next_floor = self._next_floor, None

    def was_asked_after(self, number: int) -> None:
        """Says after which number a following by name began, unless an event has told it already."""
        if self.is_joined and self._floor is None:
            self._floor = number

    def lose(self) -> None:
        """The connection is gone."""
        self.is_joined = False
        self._recent.clear()
        self._floor = self._next_floor = None

    def take(self, event: Event) -> bool:
        """Passes an event on; says whether somebody lacks what came before it."""
        if event.seq is not None:
            self.head = max(self.head, event.seq)
            if self._floor is None:
                self._floor = event.seq - 1
        self._remember(event)
        offers = [listener.offer(event) for listener in self._listeners]
        return Offer.GAP in offers

    def serve(self, listener: Listener[Any], *, is_fresh: bool) -> bool:
        """Gives a listener what it wants of the recent past; False if that does not reach back far enough.

        `is_fresh`: what it wants came after the connection began to follow the session.
        """
        if not self.is_joined:
            return False
        if self._floor is None:
            if not is_fresh:
                return False
        elif self._floor > listener.cursor:
            return False
        for event in list(self._recent):
            listener.offer(event)
        return True

    def _remember(self, event: Event) -> None:
        self._recent.append(event)
        while len(self._recent) > RECENT:
            oldest = self._recent.popleft()
            if oldest.seq is not None:
                self._floor = oldest.seq
