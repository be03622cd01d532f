"""The server itself: its state, models, tools, statistics and settings."""

from __future__ import annotations

from typing import Any

from . import types as wire
from .core import Area


class Server(Area):
    """The server: `client.server`."""

    async def health(self) -> wire.Health:
        """Whether the server runs."""
        return await self._core._rest.ask(wire.Health, "GET", "/healthz")

    async def ready(self) -> wire.Health:
        """Whether the server can store; raises `Unavailable` if it cannot."""
        return await self._core._rest.ask(wire.Health, "GET", "/readyz")

    async def ping(self) -> None:
        """Check the connection: returns when the server has answered."""
        await self._send("ping", {})

    async def openapi(self) -> dict[str, Any]:
        """The description of the server's REST API."""
        return await self._core._rest.ask(dict[str, Any], "GET", "/openapi.json")

    async def models(self) -> wire.ModelPage:
        """The models, with their figures and where each figure comes from."""
        return await self._core._rest.ask(wire.ModelPage, "GET", "/api/v1/models")

    async def refresh_models(self) -> wire.ModelPage:
        """Ask every provider for its models again. For the operator only."""
        return await self._core._rest.ask(wire.ModelPage, "POST", "/api/v1/models/refresh")

    async def tools(self) -> wire.ToolPage:
        """The server's tools, and which of them the policy allows."""
        return await self._core._rest.ask(wire.ToolPage, "GET", "/api/v1/tools")

    async def stats(self) -> wire.ServerStats:
        """Statistics since the start of the server, its limits, and the state of its backups."""
        return await self._core._rest.ask(wire.ServerStats, "GET", "/api/v1/stats")

    async def config(self) -> wire.ConfigPage:
        """The settings and where each comes from, without secrets. For the operator only."""
        return await self._core._rest.ask(wire.ConfigPage, "GET", "/api/v1/config")

    async def sweep(self, *, trust_clock: bool | None = None) -> wire.SweepResult:
        """Remove expired artifacts, memories and sessions now. For the operator only."""
        return await self._core._rest.ask(wire.SweepResult, "POST", "/api/v1/sweep", query={"trust_clock": trust_clock})

    async def ticket(self) -> wire.Ticket:
        """A ticket for one WebSocket or event stream of a client that cannot set headers."""
        return await self._core._rest.ask(wire.Ticket, "POST", "/api/v1/tickets")

    async def invitation(self) -> wire.Invitation:
        """An invitation that signs a browser in, once, within ten minutes."""
        return await self._core._rest.ask(wire.Invitation, "POST", "/api/v1/invitations")
