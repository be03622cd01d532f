"""The home: its entities, read once or followed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from . import types as wire
from .core import Area, Core
from .errors import ConnectionLost, DwellError


class Home(Area):
    """The home: `client.home`."""

    def __init__(self, core: Core) -> None:
        """The home of a client, which is not followed yet."""
        super().__init__(core)
        self._followers: set[_Follower] = set()

    async def get(self) -> wire.HomeView:
        """The current state of the home, as far as agents may see it."""
        return await self._core._rest.ask(wire.HomeView, "GET", "/api/v1/home")

    async def follow(self) -> AsyncIterator[wire.HomeView]:
        """Yield the home, and again after each change; changes in quick succession come as one."""
        follower = _Follower()
        self._followers.add(follower)
        try:
            await self._join(follower)
            while True:
                yield await follower.get()
        finally:
            self._followers.discard(follower)
            if not self._followers and self._core._connection.is_up:
                with contextlib.suppress(DwellError):
                    await self._send("home.unfollow", {}, is_repeatable=True)

    def take(self, message: Mapping[str, Any]) -> bool:
        """Handle a message of the server; returns whether it was about the home."""
        if message.get("type") != "home.changed":
            return False
        for follower in self._followers:
            follower.change(cast(wire.HomeChanged, message.get("data") or {}))
        return True

    def up(self) -> None:
        """Follow again on a new connection, with the state that it has now."""
        for follower in self._followers:
            follower.joining = asyncio.get_running_loop().create_task(self._join(follower), name="dwell-home")

    def end(self, error: Exception) -> None:
        """The client has ended."""
        for follower in self._followers:
            follower.fail(error)

    async def _join(self, follower: _Follower) -> None:
        try:
            follower.set(cast(wire.HomeView, await self._send("home.follow", {}, is_repeatable=True)))
        except ConnectionLost:
            # The client has ended, and `end` has said so.
            return
        except DwellError as error:
            follower.fail(error)


class _Follower:
    """A consumer of the home: it gets the newest state, not every state."""

    def __init__(self) -> None:
        self.joining: asyncio.Task[None] | None = None
        self._home: wire.HomeView | None = None
        self._failure: Exception | None = None
        self._changed = asyncio.Event()

    def set(self, home: wire.HomeView) -> None:
        self._home = home
        self._changed.set()

    def change(self, changed: wire.HomeChanged) -> None:
        if self._home is not None:
            self.set(apply_change(self._home, changed))

    def fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._changed.set()

    async def get(self) -> wire.HomeView:
        await self._changed.wait()
        self._changed.clear()
        if self._failure is not None:
            raise self._failure
        if self._home is None:
            raise ConnectionLost("the home is not known")
        return self._home


def apply_change(home: wire.HomeView, changed: wire.HomeChanged) -> wire.HomeView:
    """The home after a change; the old one stays as it is."""
    entities = {entity["entity_id"]: entity for entity in home["entities"]}
    entities.update((entity["entity_id"], entity) for entity in changed.get("entities", []))
    for entity_id in changed.get("removed", []):
        entities.pop(entity_id, None)
    newer = home.copy()
    newer["entities"] = [entities[entity_id] for entity_id in sorted(entities)]
    areas, connection = changed.get("areas"), changed.get("connection")
    if areas is not None:
        newer["areas"] = areas
    if connection is not None:
        newer["connection"] = connection
        newer["why"] = changed.get("why")
    return newer
