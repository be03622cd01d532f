"""Requests over HTTP, for what the WebSocket does not offer."""

from __future__ import annotations

import asyncio
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from .connection import Patience, is_loopback, next_pause
from .errors import Busy, CannotConnect, ConnectionLost, DwellError, error_from

T = TypeVar("T")

#: Seconds without a byte from the server after which a request counts as lost.
TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request, ready to send."""

    method: str
    address: str
    #: Not shown, since the token is among them.
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None
    timeout_s: float


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to an address that was not configured."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        return None


class Rest:
    """The REST API of one server. Each request runs in a thread of the loop's pool."""

    def __init__(self, url: str, token: str, patience: Patience) -> None:
        """A client of the server at an address."""
        self._base = http_address(url)
        self._token = token
        self._patience = patience
        # A server on localhost is not behind a proxy.
        proxies = [urllib.request.ProxyHandler({})] if is_loopback(self._base) else []
        self._opener = urllib.request.build_opener(_NoRedirect(), *proxies)

    async def ask(
        self,
        kind: type[T],  # noqa: ARG002 (for the type checker)
        method: str,
        route: str,
        *,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
        wait_ms: int | None = None,
        is_repeatable: bool | None = None,
    ) -> T:
        """Send a request and return its answer as a type.

        `route` is a path of `docs/openapi.json`; `path` fills in its parameters. With an
        idempotency key, or if it only reads, the request is sent again after the connection broke.
        """
        data = await self.send(
            method, route, path=path, query=query, body=body, key=key, wait_ms=wait_ms, is_repeatable=is_repeatable
        )
        return cast(T, json.loads(data)) if data else cast(T, None)

    async def send(
        self,
        method: str,
        route: str,
        *,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
        wait_ms: int | None = None,
        is_repeatable: bool | None = None,
    ) -> bytes:
        """Send a request and return the bytes of its answer."""
        address = self._base + fill_in(route, path or {}) + query_text(query or {})
        request = self._request(method, address, body=body, key=key, wait_ms=wait_ms)
        if is_repeatable is None:
            is_repeatable = method == "GET" or key is not None
        return await self._repeat(request, is_repeatable=is_repeatable)

    def call(self, method: str, route: str, *, body: Any = None) -> Any:
        """Send a request that is safe to repeat, without an event loop, and return its answer.

        While the server is away or refuses because of its rate limit, the request is sent again.
        """
        request = self._request(method, self._base + route, body=body)
        since, attempt = time.monotonic(), 0
        while True:
            try:
                return json.loads(self._send(request))
            except (CannotConnect, ConnectionLost, Busy) as error:
                waited = time.monotonic() - since
                if self._patience.give_up is not None and waited >= self._patience.give_up:
                    raise ConnectionLost(f"no answer for {waited:.0f} s: {error}") from error
                least = (error.retry_after_ms or 0) / 1000 if isinstance(error, Busy) else 0.0
            time.sleep(max(least, next_pause(self._patience, attempt)))
            attempt += 1

    def _request(
        self, method: str, address: str, *, body: Any = None, key: str | None = None, wait_ms: int | None = None
    ) -> HttpRequest:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "*/*"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            headers["Content-Type"] = "application/json"
        return HttpRequest(
            method=method,
            address=address,
            headers=headers,
            body=None if body is None else json.dumps(body, ensure_ascii=False).encode(),
            timeout_s=TIMEOUT_S + (wait_ms or 0) / 1000,
        )

    async def _repeat(self, request: HttpRequest, *, is_repeatable: bool) -> bytes:
        loop = asyncio.get_running_loop()
        since, attempt = loop.time(), 0
        while True:
            try:
                return await asyncio.to_thread(self._send, request)
            except DwellError as error:
                waited = loop.time() - since
                is_over = self._patience.give_up is not None and waited >= self._patience.give_up
                was_sent = not isinstance(error, CannotConnect)
                if not isinstance(error, (CannotConnect, ConnectionLost)) or (was_sent and not is_repeatable):
                    raise
                if is_over:
                    raise ConnectionLost(f"no connection for {waited:.0f} s: {error}") from error
            await asyncio.sleep(next_pause(self._patience, attempt))
            attempt += 1

    def _send(self, request: HttpRequest) -> bytes:
        raw = urllib.request.Request(  # noqa: S310 (the scheme was checked)
            request.address, data=request.body, headers=dict(request.headers), method=request.method
        )
        try:
            with self._opener.open(raw, timeout=request.timeout_s) as answer:
                data: bytes = answer.read()
                return data
        except urllib.error.HTTPError as error:
            raise _error_from(error) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, ConnectionRefusedError):
                raise CannotConnect(f"cannot connect to {request.address}: {error.reason}") from error
            raise ConnectionLost(f"the connection broke before the answer came: {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionLost(f"the connection broke before the answer came: {error}") from error


def http_address(url: str) -> str:
    """The HTTP address of a server, from any of its addresses."""
    parts = urlsplit(url)
    scheme = {"http": "http", "https": "https", "ws": "http", "wss": "https"}.get(parts.scheme)
    if scheme is None or not parts.hostname:
        raise ValueError(f"{url!r} is not the address of a server: use one such as http://127.0.0.1:7437")
    path = parts.path.rstrip("/")
    return urlunsplit((scheme, parts.netloc, path.removesuffix("/ws"), "", ""))


def fill_in(route: str, path: Mapping[str, Any]) -> str:
    """A route with its parameters."""
    for name, value in path.items():
        text = quote(str(value), safe="")
        if not text or text in (".", ".."):
            raise ValueError(f"{value!r} cannot be the {name} of a request")
        route = route.replace(f"{{{name}}}", text)
    return route


def query_text(query: Mapping[str, Any]) -> str:
    """The query of an address; parameters that are None are left out."""
    pairs = [(name, _text(value)) for name, value in query.items() if value is not None]
    return f"?{urlencode(pairs)}" if pairs else ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _error_from(error: urllib.error.HTTPError) -> DwellError:
    try:
        problem = json.loads(error.read())
    except (ValueError, OSError):
        problem = None
    if isinstance(problem, Mapping) and "code" in problem:
        return error_from(problem)
    # The APIs of OpenAI and Ollama have forms of their own.
    told = problem.get("error") if isinstance(problem, Mapping) else None
    message = told.get("message") if isinstance(told, Mapping) else told
    fallback = f"the server answered with HTTP {error.code}"
    return error_from({"code": "internal", "message": message if isinstance(message, str) else fallback})
