"""The followed sessions: subscribes again after reconnections, passes events to listeners."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from .connection import Connection
from .decoding import DecodeError, decode
from .errors import ConnectionLost, NotFound, Refused, error_from
from .events import Event
from .feed import Feed
from .listener import Listener

log = logging.getLogger("dwell")

#: Error codes that are worth a retry.
_TRANSIENT = frozenset({"rate_limited", "unavailable", "internal"})
#: Messages to the connection that are not events of a session.
_NOTICES = frozenset({"connection.status", "desktop.snapshot", "memory.snapshot", "pong"})
#: Seconds until a refused subscription is retried.
_RETRY_S = 0.5


class Subscriptions:
    """All sessions with listeners. After a reconnection each resumes after its last number."""

    def __init__(self) -> None:
        """Create an empty set; the client sets `connection` afterwards."""
        self.connection: Connection
        self._feeds: dict[str, Feed] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._end: Exception | None = None

    def attach(self, session_id: str, listener: Listener[Any], *, is_fresh: bool = False) -> None:
        """Subscribe a listener to every event after its cursor."""
        feed = self._feed(session_id)
        feed.add(listener)
        if self._end is not None:
            # A listener that attaches after the end would wait forever.
            listener.fail(self._end)
        listener.catch_up = lambda: self._serve(feed, listener, is_fresh=False)
        self._serve(feed, listener, is_fresh=is_fresh)

    def detach(self, session_id: str, listener: Listener[Any]) -> None:
        """Unsubscribe a listener."""
        feed = self._feeds.get(session_id)
        if feed is not None:
            feed.remove(listener)

    async def follow_again(self, session_id: str, head: int) -> None:
        """Follow all monitors of a session, from where its listeners are or from its newest event."""
        feed = self._feed(session_id)
        after = feed.resume_point()
        await self._ask(feed, max(feed.head, head) if after is None else after)

    def set_requested_after(self, session_id: str, number: int) -> None:
        """Set after which number a session was followed by its name."""
        self._feed(session_id).set_requested_after(number)

    def head(self, session_id: str) -> int:
        """The newest known event number of a session."""
        return self._feed(session_id).head

    def forget_idle(self) -> bool:
        """Drop sessions without listeners; return whether there were any."""
        idle = [id_ for id_, feed in self._feeds.items() if not feed.listeners]
        for session_id in idle:
            del self._feeds[session_id]
        return bool(idle)

    def up(self) -> None:
        """Resume all subscriptions after connecting."""
        self.forget_idle()
        self._want_all()

    def down(self) -> None:
        """Reset all feeds after the connection was lost."""
        for feed in self._feeds.values():
            feed.lose()

    def end(self, error: Exception) -> None:
        """Fail all listeners: the client has given up or is closed."""
        self._end = error
        for task in self._tasks:
            task.cancel()
        for feed in self._feeds.values():
            for listener in feed.listeners:
                listener.fail(error)

    def take(self, message: Mapping[str, Any]) -> bool:
        """Handle a message that is not an answer; return whether a consumer's buffer fills up."""
        kind = message.get("type")
        if kind == "session_info":
            self._begin(message)
            return False
        if kind == "error":
            # Only a subscription that broke off has an error without a request; which one is not
            # said.
            problem = error_from(message.get("data"))
            level = logging.DEBUG if isinstance(problem, NotFound) else logging.WARNING
            log.log(level, "the server ended a subscription: %s", problem)
            asyncio.get_running_loop().call_later(_RETRY_S, self._want_all)
            return False
        if kind == "session.deleted":
            self._lose(message)
            return False
        if kind in _NOTICES:
            return False
        try:
            event = decode(Event, message)
        except DecodeError:
            return False
        feed = self._feeds.get(event.session_id)
        if feed is None:
            return False
        if feed.take(event) and not feed.is_joining:
            self._want(feed)
        return any(listener.is_crowded for listener in feed.listeners)

    def _lose(self, message: Mapping[str, Any]) -> None:
        """Drop a deleted session and fail its listeners."""
        feed = self._feeds.pop(str(message.get("session_id")), None)
        if feed is None:
            return
        hint = "It cannot be restored. Start a new session."
        for listener in feed.listeners:
            listener.fail(NotFound("not_found", "the session was deleted", hint))

    def _begin(self, message: Mapping[str, Any]) -> None:
        data = message.get("data")
        if isinstance(data, Mapping) and isinstance(data.get("session_id"), str):
            head = data.get("last_seq")
            self._feed(data["session_id"]).begin(head if isinstance(head, int) else 0)

    def _feed(self, session_id: str) -> Feed:
        return self._feeds.setdefault(session_id, Feed(session_id))

    def _serve(self, feed: Feed, listener: Listener[Any], *, is_fresh: bool) -> None:
        if not feed.serve(listener, is_fresh=is_fresh):
            self._want(feed)

    def _want_all(self) -> None:
        for feed in self._feeds.values():
            self._want(feed)

    def _want(self, feed: Feed) -> None:
        feed.wants_join = True
        if self.connection.is_up and not feed.is_joining:
            feed.is_joining = True
            task = asyncio.create_task(self._join(feed), name="dwell-join")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _join(self, feed: Feed) -> None:
        """Subscribe to a session from the lowest cursor, until no listener has a gap."""
        try:
            while feed.wants_join and self.connection.is_up:
                feed.wants_join = False
                after = feed.resume_point()
                if after is not None:
                    await self._ask(feed, after)
        finally:
            feed.is_joining = False

    async def _ask(self, feed: Feed, after: int) -> None:
        feed.expect_after(after)
        try:
            data = {"session_id": feed.session_id, "after": after}
            await self.connection.request("session.resume", data, is_repeatable=False)
        except ConnectionLost:
            # The next connection may be open already.
            feed.wants_join = True
        except Refused as error:
            if error.code in _TRANSIENT:
                await asyncio.sleep((error.retry_after_ms or 0) / 1000 + _RETRY_S)
                feed.wants_join = True
            elif error.code == "too_many_connections" and self.forget_idle():
                await self.connection.cycle()
            else:
                for listener in feed.listeners:
                    listener.fail(error)
