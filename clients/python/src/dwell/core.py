"""What all parts of the client share: one WebSocket, HTTP, and how a session is named."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from .connection import Connection, Patience
from .decoding import decode
from .errors import Busy
from .rest import Rest
from .subscriptions import Subscriptions
from .views import SessionView

#: A session: its id, a name of your choice, or a view of it.
Session = str | SessionView

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


class Core:
    """Sends requests of one client."""

    def __init__(self, url: str, token: str, patience: Patience) -> None:
        """A client that is not connected yet."""
        self._subscriptions = Subscriptions()
        self._connection = Connection(url, token, patience, self._take, self._up, self._down, self._end)
        self._subscriptions.connection = self._connection
        self._rest = Rest(url, token, patience)

    def _take(self, message: Mapping[str, Any]) -> bool:
        """Handle a message that is not an answer; return whether a consumer's buffer fills up."""
        return self._subscriptions.take(message)

    def _up(self) -> None:
        self._subscriptions.up()

    def _down(self) -> None:
        self._subscriptions.down()

    def _end(self, error: Exception) -> None:
        self._subscriptions.end(error)

    async def _get(self, kind: str, data: Mapping[str, Any]) -> Any:
        """A request that changes nothing, so that it can be repeated."""
        return await self._connection.request(kind, data, is_repeatable=True)

    async def _follow(self, kind: str, data: Mapping[str, Any], *, is_repeatable: bool) -> Any:
        """A request that makes the connection follow a session; at most 64 per connection."""
        try:
            return await self._connection.request(kind, data, is_repeatable=is_repeatable)
        except Busy as error:
            if error.code != "too_many_connections" or not self._subscriptions.forget_idle():
                raise
        # It was refused, so it had no effect. A new connection follows only sessions with
        # listeners.
        await self._connection.cycle()
        return await self._connection.request(kind, data, is_repeatable=is_repeatable)

    async def _existing_id(self, session: Session) -> str:
        """The id of a session that exists."""
        data = session_ref(session)
        if "session_id" in data:
            return data["session_id"]
        return decode(SessionView, await self._get("session.get", data)).session_id


class Area:
    """A part of the client with methods of its own."""

    def __init__(self, core: Core) -> None:
        """A part of a client."""
        self._core = core

    async def _send(self, kind: str, data: Mapping[str, Any], *, is_repeatable: bool = False) -> Any:
        return await self._core._connection.request(kind, data, is_repeatable=is_repeatable)


def session_ref(session: Session | None) -> dict[str, str]:
    """The wire form of a session: what looks like an id is one, anything else is a name."""
    if session is None:
        return {}
    if isinstance(session, SessionView):
        return {"session_id": session.session_id}
    return {"session_id": session} if _ULID.fullmatch(session) else {"conversation_id": session}


def without_none(**fields: Any) -> dict[str, Any]:
    """The fields that are set."""
    return {name: value for name, value in fields.items() if value is not None}


def new_key() -> str:
    """An idempotency key, which makes it safe to send a request again."""
    return uuid.uuid4().hex
