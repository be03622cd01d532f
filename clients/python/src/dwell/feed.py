"""One followed session: its listeners, and recent events for listeners that attach later."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from .events import Event
from .listener import Listener, Offer

#: The number of recent events to keep.
RECENT = 256


class Feed:
    """A session on the current connection.

    Its floor is the number after which all events are either among the recent ones or still to come;
    None while that is unknown.
    """

    def __init__(self, session_id: str) -> None:
        """Create the feed of a session that is not followed yet."""
        self.session_id = session_id
        self.is_joined = False
        self.is_joining = False
        self.wants_join = False
        self.head = 0
        self._floor: int | None = None
        self._next_floor: int | None = None
        self._recent: deque[Event] = deque()
        # Weak, so that a consumer that is dropped without being closed loses its listener.
        self._listeners: weakref.WeakSet[Listener[Any]] = weakref.WeakSet()

    @property
    def listeners(self) -> list[Listener[Any]]:
        """The current listeners."""
        return list(self._listeners)

    def add(self, listener: Listener[Any]) -> None:
        """Add a listener."""
        self._listeners.add(listener)

    def remove(self, listener: Listener[Any]) -> None:
        """Remove a listener."""
        self._listeners.discard(listener)

    def resume_point(self) -> int | None:
        """The lowest cursor of the waiting listeners; None if none waits."""
        return min((listener.cursor for listener in self._listeners if not listener.is_behind), default=None)

    def expect_after(self, number: int) -> None:
        """Note that events after a number were requested."""
        self._next_floor = number

    def begin(self, head: int) -> None:
        """Note that the connection now follows the session; `head` is its newest number."""
        self.is_joined = True
        self.head = max(self.head, head)
        self._recent.clear()
        self._floor, self._next_floor = self._next_floor, None

    def set_requested_after(self, number: int) -> None:
        """Set the start of a subscription by name, unless an event has set it already."""
        if self.is_joined and self._floor is None:
            self._floor = number

    def lose(self) -> None:
        """Reset after the connection was lost."""
        self.is_joined = False
        self._recent.clear()
        self._floor = self._next_floor = None

    def take(self, event: Event) -> bool:
        """Pass an event to the listeners; return whether one of them has a gap before it."""
        if event.seq is not None:
            self.head = max(self.head, event.seq)
            if self._floor is None:
                self._floor = event.seq - 1
        self._keep_recent(event)
        offers = [listener.offer(event) for listener in self._listeners]
        return Offer.GAP in offers

    def serve(self, listener: Listener[Any], *, is_fresh: bool) -> bool:
        """Give a listener the recent events it lacks; False if they do not reach back far enough.

        `is_fresh`: all events it wants came after the connection started to follow the session.
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

    def _keep_recent(self, event: Event) -> None:
        self._recent.append(event)
        while len(self._recent) > RECENT:
            oldest = self._recent.popleft()
            if oldest.seq is not None:
                self._floor = oldest.seq
