"""The sessions that are followed, across connections: joins, joins again, and hands events to listeners."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from .decoding import Unreadable, decode
from .errors import ConnectionLost, NotFound, Refused
from .events import Event
from .feed import Feed
from .link import Link
from .listener import Listener

log = logging.getLogger("dwell")

#: Refusals that pass by themselves.
_PASSING = frozenset({"rate_limited", "unavailable", "internal"})
#: What is told to the connection and is no event of the session.
_NOTICES = frozenset({"connection.status", "desktop.snapshot", "memory.snapshot", "pong"})
#: Seconds until a following that was refused is tried again.
_RETRY_S = 0.5


class Following:
    """Every session that somebody listens to. After a reconnection each goes on after the last number it has."""

    def __init__(self) -> None:
        """Nothing is followed yet; `link` is set by whoever makes both."""
        self.link: Link
        self._feeds: dict[str, Feed] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._end: Exception | None = None

    def attach(self, session_id: str, listener: Listener[Any], *, is_fresh: bool = False) -> None:
        """Lets a listener have every event after its cursor."""
        feed = self._feed(session_id)
        feed.add(listener)
        if self._end is not None:
            # Whoever comes after the end would wait for ever.
            listener.fail(self._end)
        listener.catch_up = lambda: self._serve(feed, listener, is_fresh=False)
        self._serve(feed, listener, is_fresh=is_fresh)

    def detach(self, session_id: str, listener: Listener[Any]) -> None:
        """A listener has enough."""
        feed = self._feeds.get(session_id)
        if feed is not None:
            feed.remove(listener)

    def was_asked_after(self, session_id: str, number: int) -> None:
        """A session was followed by its name from a number on."""
        self._feed(session_id).was_asked_after(number)

    def head(self, session_id: str) -> int:
        """The newest number known of a session."""
        return self._feed(session_id).head

    def forget_idle(self) -> bool:
        """Forgets sessions that nobody listens to; says whether there were any."""
        idle = [id_ for id_, feed in self._feeds.items() if not feed.listeners]
        for session_id in idle:
            del self._feeds[session_id]
        return bool(idle)

    def up(self) -> None:
        """There is a connection: everything goes on where it was."""
        self.forget_idle()
        self._want_all()

    def down(self) -> None:
        """The connection is gone."""
        for feed in self._feeds.values():
            feed.lose()

    def end(self, error: Exception) -> None:
        """Nothing more will come."""
        self._end = error
        for task in self._tasks:
            task.cancel()
        for feed in self._feeds.values():
            for listener in feed.listeners:
                listener.fail(error)

    def take(self, message: Mapping[str, Any]) -> bool:
        """Takes what is no answer; says whether a consumer's buffer fills up."""
        kind = message.get("type")
        if kind == "session_info":
            self._begin(message)
            return False
        if kind == "error":
            # Only a following that broke off has an error without a request; which one is not said.
            log.warning("the server ended a following: %s", message.get("data"))
            asyncio.get_running_loop().call_later(_RETRY_S, self._want_all)
            return False
        if kind == "session.deleted":
            self._lose(message)
            return False
        if kind in _NOTICES:
            return False
        try:
            event = decode(Event, message)
        except Unreadable:
            return False
        feed = self._feeds.get(event.session_id)
        if feed is None:
            return False
        if feed.take(event) and not feed.is_joining:
            self._want(feed)
        return any(listener.is_crowded for listener in feed.listeners)

    def _lose(self, message: Mapping[str, Any]) -> None:
        """A session is gone for good: whoever listens to it is told, and nobody asks for it again."""
        feed = self._feeds.pop(str(message.get("session_id")), None)
        if feed is None:
            return
        hint = "It cannot be brought back. Start a new session."
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
        if self.link.is_up and not feed.is_joining:
            feed.is_joining = True
            task = asyncio.create_task(self._join(feed), name="dwell-join")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _join(self, feed: Feed) -> None:
        """Follows a session after the least number that somebody has, until nobody lacks anything."""
        try:
            while feed.wants_join and self.link.is_up:
                feed.wants_join = False
                after = feed.resume_point()
                if after is not None:
                    await self._ask(feed, after)
        finally:
            feed.is_joining = False

    async def _ask(self, feed: Feed, after: int) -> None:
        feed.will_begin_after(after)
        try:
            data = {"session_id": feed.session_id, "after": after}
            await self.link.request("session.resume", data, is_repeatable=False)
        except ConnectionLost:
            # The next connection may be there already.
            feed.wants_join = True
        except Refused as error:
            if error.code in _PASSING:
                await asyncio.sleep((error.retry_after_ms or 0) / 1000 + _RETRY_S)
                feed.wants_join = True
            elif error.code == "too_many_connections" and self.forget_idle():
                await self.link.cycle()
            else:
                for listener in feed.listeners:
                    listener.fail(error)
