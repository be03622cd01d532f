"""The connection: opens, keeps and reopens a WebSocket; matches requests with answers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from .errors import Busy, CannotConnect, ConnectionLost, DwellError, Refused, Unauthorized, error_from

log = logging.getLogger("dwell")

#: The maximum number of requests without an answer.
PENDING_MAX = 4096
#: The maximum size of a message; an export can be long.
MESSAGE_BYTES_MAX = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Timeouts and retry delays in seconds."""

    #: Timeout for opening a connection.
    open: float = 10.0
    #: The interval between pings; a connection that does not answer for as long is dropped.
    keepalive: float = 20.0
    #: The first delay before reconnecting; each failure doubles it.
    retry_min: float = 0.1
    #: The maximum delay before reconnecting.
    retry_max: float = 10.0
    #: How long to retry before giving up; None means forever.
    give_up: float | None = 300.0


@dataclass(slots=True)
class _Pending:
    """A request without an answer."""

    text: str
    is_repeatable: bool
    answer: asyncio.Future[Any]
    #: The socket it was last sent on.
    sent_on: ClientConnection | None = None


@dataclass(slots=True)
class Connection:
    """A reconnecting connection to one server. One task reads; it never waits for a consumer."""

    url: str
    token: str
    patience: Patience
    #: Handles messages that are not answers; returns whether consumers should get a chance to run.
    on_message: Callable[[Mapping[str, Any]], bool]
    #: Called when connected, for the first time or again.
    on_up: Callable[[], None]
    #: Called when the connection was lost.
    on_down: Callable[[], None]
    #: Called when the connection has ended for good.
    on_end: Callable[[Exception], None]
    _socket: ClientConnection | None = None
    _task: asyncio.Task[None] | None = None
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _pending: dict[int, _Pending] = field(default_factory=dict)
    _resending: asyncio.Task[None] | None = None
    _end: Exception | None = None
    _attempt: int = 0

    @property
    def is_up(self) -> bool:
        """Whether it is connected now."""
        return self._socket is not None

    async def open(self) -> None:
        """Connect for the first time; a failure is raised."""
        socket = await self._connect()
        self._task = asyncio.create_task(self._run(socket), name="dwell-connection")

    async def close(self) -> None:
        """Close the connection and fail all open requests."""
        self._finish(ConnectionLost("the client is closed"))
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def cycle(self) -> None:
        """Drop the current socket and reconnect."""
        # Cleared first, so that nothing more is sent on it.
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close()

    async def request(self, kind: str, data: Mapping[str, Any], *, is_repeatable: bool) -> Any:
        """Send a request and return the answer's data. Repeatable ones survive a reconnection."""
        if self._end is not None:
            raise self._end
        if len(self._pending) >= PENDING_MAX:
            raise Busy("rate_limited", f"{PENDING_MAX} requests have no answer yet", "Wait for one of them.")
        number = next(self._ids)
        text = json.dumps({"type": kind, "id": number, "data": data}, ensure_ascii=False, separators=(",", ":"))
        pending = _Pending(text, is_repeatable, asyncio.get_running_loop().create_future())
        self._pending[number] = pending
        try:
            if self._socket is not None:
                await _send(self._socket, pending)
            return await pending.answer
        finally:
            self._pending.pop(number, None)

    async def _run(self, socket: ClientConnection) -> None:
        next_socket: ClientConnection | None = socket
        try:
            while next_socket is not None:
                await self._serve(next_socket)
                next_socket = await self._connect_again()
        except DwellError as error:
            self._finish(error)
        except Exception as error:
            log.exception("the client's reader failed")
            self._finish(ConnectionLost(f"the client's reader failed: {error}"))
        finally:
            if self._socket is not None:
                await self._socket.close()

    async def _serve(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.on_up()
        # In its own task, since reading must go on: a server whose writes block would not read
        # either.
        self._resending = asyncio.create_task(self._resend(socket), name="dwell-resend")
        try:
            async for text in socket:
                if self._take(text):
                    await asyncio.sleep(0)
        except ConnectionClosed as closed:
            log.info("the connection was lost: %s", closed)
        finally:
            self._resending.cancel()
            self._socket = None
            self._drop()
            await socket.close()

    def _take(self, text: str | bytes) -> bool:
        message = json.loads(text)
        number = message.get("re")
        if number is None:
            if message.get("seq") is not None:
                self._attempt = 0
            return self.on_message(message)
        self._attempt = 0
        pending = self._pending.get(number)
        if pending is not None and not pending.answer.done():
            if message.get("type") == "error":
                pending.answer.set_exception(error_from(message.get("data")))
            else:
                pending.answer.set_result(message.get("data"))
        return False

    async def _resend(self, socket: ClientConnection) -> None:
        for pending in list(self._pending.values()):
            # Requests made since the socket opened were sent already.
            if not pending.answer.done() and pending.sent_on is not socket:
                await _send(socket, pending)

    def _drop(self) -> None:
        for pending in self._pending.values():
            if pending.sent_on is not None and not pending.is_repeatable and not pending.answer.done():
                lost = ConnectionLost("the connection broke before the answer came: check whether it took effect")
                pending.answer.set_exception(lost)
        self.on_down()

    def _finish(self, error: Exception) -> None:
        if self._end is not None:
            return
        self._end = error
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(error)
        self.on_end(error)

    async def _connect_again(self) -> ClientConnection:
        since = time.monotonic()
        while True:
            await asyncio.sleep(self._pause())
            try:
                return await self._connect()
            except CannotConnect as error:
                waited = time.monotonic() - since
                if self.patience.give_up is not None and waited >= self.patience.give_up:
                    raise ConnectionLost(f"no connection for {waited:.0f} s: {error}") from error
            except Unauthorized:
                raise
            except Refused as error:
                log.info("the server refuses the connection for now: %s", error)

    def _pause(self) -> float:
        pause = next_pause(self.patience, self._attempt)
        self._attempt += 1
        return pause

    async def _connect(self) -> ClientConnection:
        address = socket_address(self.url)
        try:
            return await connect(
                address,
                additional_headers={"Authorization": f"Bearer {self.token}"},
                open_timeout=self.patience.open,
                ping_interval=self.patience.keepalive,
                ping_timeout=self.patience.keepalive,
                close_timeout=1.0,
                max_size=MESSAGE_BYTES_MAX,
                # A server on localhost is not behind a proxy.
                proxy=None if is_loopback(address) else True,
            )
        except InvalidStatus as error:
            raise _error_from_status(error) from error
        except (OSError, TimeoutError, EOFError, WebSocketException) as error:
            raise CannotConnect(f"cannot connect to {address}: {error or type(error).__name__}") from error


async def _send(socket: ClientConnection, pending: _Pending) -> None:
    pending.sent_on = socket
    # The reading task notices the end and decides what becomes of the request.
    with contextlib.suppress(ConnectionClosed):
        await socket.send(pending.text)


def next_pause(patience: Patience, attempt: int) -> float:
    """Seconds to wait after a number of failed attempts."""
    longest = min(patience.retry_max, patience.retry_min * 2.0 ** min(attempt, 32))
    # Half of the delay is random, so that many clients do not reconnect at the same moment.
    return longest * random.uniform(0.5, 1.0)  # noqa: S311


def socket_address(url: str) -> str:
    """The WebSocket address of a server, from any of its addresses."""
    parts = urlsplit(url)
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname:
        raise ValueError(f"{url!r} is not the address of a server: use one such as http://127.0.0.1:7437")
    path = parts.path.rstrip("/")
    return urlunsplit((scheme, parts.netloc, path if path.endswith("/ws") else f"{path}/ws", "", ""))


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _error_from_status(error: InvalidStatus) -> DwellError:
    """The server's error response instead of a WebSocket."""
    try:
        problem = json.loads(bytes(error.response.body or b""))
    except ValueError:
        problem = None
    if isinstance(problem, Mapping) and "code" in problem:
        return error_from(problem)
    return CannotConnect(f"not a WebSocket of Dwell: HTTP {error.response.status_code}")
