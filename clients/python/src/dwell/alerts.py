"""Alerts: what needs a person, listed or followed."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any

from .core import Area, Core, without_none
from .decoding import DecodeError, decode
from .errors import ConnectionLost, DwellError
from .views import Alert, AlertPage, AlertView

#: How many alerts a follower remembers to recognise a repetition; the server lists at most 200.
_KNOWN_MAX = 400
#: How many alerts wait for a slow consumer; the oldest are dropped, and `list` still has them.
_WAITING_MAX = 1024


class Alerts(Area):
    """The owner's alerts: `client.alerts`."""

    def __init__(self, core: Core) -> None:
        """The alerts of a client, which are not followed yet."""
        super().__init__(core)
        self._followers: set[_Follower] = set()

    async def list(self, *, limit: int | None = None) -> AlertPage:
        """The alerts, newest first."""
        return decode(AlertPage, await self._send("alert.list", without_none(limit=limit), is_repeatable=True))

    async def seen(self, alert_id: str) -> AlertView:
        """Note that a person has seen an alert."""
        return decode(AlertView, await self._send("alert.seen", {"alert_id": alert_id}, is_repeatable=True))

    async def follow(self) -> AsyncIterator[Alert]:
        """Yield alerts as they are raised, each once, across reconnections and restarts."""
        follower = _Follower()
        self._followers.add(follower)
        try:
            await self._join(follower)
            while True:
                yield await follower.get()
        finally:
            self._followers.discard(follower)

    def take(self, message: Mapping[str, Any]) -> bool:
        """Handle a message of the server; returns whether it was an alert."""
        if message.get("type") != "alert.raised":
            return False
        try:
            alert = decode(Alert, message.get("data"))
        except DecodeError:
            return True
        for follower in self._followers:
            follower.put(alert)
        return True

    def up(self) -> None:
        """Follow again on a new connection; its list has what was raised in between."""
        for follower in self._followers:
            follower.joining = asyncio.get_running_loop().create_task(self._join(follower), name="dwell-alerts")

    def end(self, error: Exception) -> None:
        """The client has ended."""
        for follower in self._followers:
            follower.fail(error)

    async def _join(self, follower: _Follower) -> None:
        try:
            follower.begin((await self._send("alert.follow", {}, is_repeatable=True)).get("data", []))
        except ConnectionLost:
            # The client has ended, and `end` has said so.
            return
        except DwellError as error:
            follower.fail(error)


class _Follower:
    """A consumer of alerts: it gets each once, though a new connection lists them again."""

    def __init__(self) -> None:
        self.joining: asyncio.Task[None] | None = None
        self._known: dict[str, None] = {}
        self._waiting: deque[Alert] = deque(maxlen=_WAITING_MAX)
        self._has_begun = False
        self._failure: Exception | None = None
        self._changed = asyncio.Event()

    def begin(self, listed: list[dict[str, Any]]) -> None:
        """A connection follows alerts; what its list has beyond the first one is new."""
        is_later, self._has_begun = self._has_begun, True
        for alert in (decode(Alert, each) for each in reversed(listed)):
            if is_later:
                self.put(alert)
            else:
                self._is_new(alert.alert_id)

    def put(self, alert: Alert) -> None:
        if self._is_new(alert.alert_id):
            self._waiting.append(alert)
            self._changed.set()

    def fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._changed.set()

    async def get(self) -> Alert:
        while not self._waiting:
            if self._failure is not None:
                raise self._failure
            self._changed.clear()
            await self._changed.wait()
        return self._waiting.popleft()

    def _is_new(self, alert_id: str) -> bool:
        if alert_id in self._known:
            return False
        self._known[alert_id] = None
        while len(self._known) > _KNOWN_MAX:
            del self._known[next(iter(self._known))]
        return True
