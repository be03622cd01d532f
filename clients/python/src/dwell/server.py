"""The server itself: its state, models, tools, statistics and settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import types as wire
from .core import Area, without_none


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

    async def try_provider(
        self,
        provider: wire.ProviderName,
        *,
        api_key: str | None = None,
        address: str | None = None,
        model: str | None = None,
    ) -> wire.ProviderTried:
        """Try a provider out with a real request; nothing is stored. For the operator only."""
        asked = without_none(provider=provider, api_key=api_key, address=address, model=model)
        return await self._core._rest.ask(wire.ProviderTried, "POST", "/api/v1/models/try", body=asked)

    async def put_provider(
        self,
        provider: wire.ProviderName,
        *,
        api_key: str | None = None,
        address: str | None = None,
        model: str | None = None,
        is_default: bool = False,
    ) -> wire.ModelsChanged:
        """Store a provider with its key; it holds from the next turn on. For the operator only."""
        put = without_none(api_key=api_key, address=address, model=model, is_default=is_default)
        path = {"provider": provider}
        return await self._core._rest.ask(
            wire.ModelsChanged, "PUT", "/api/v1/models/providers/{provider}", path=path, body=put
        )

    async def remove_provider(self, provider: wire.ProviderName) -> wire.ModelsChanged:
        """Forget a stored provider and its key. For the operator only."""
        path = {"provider": provider}
        return await self._core._rest.ask(
            wire.ModelsChanged, "DELETE", "/api/v1/models/providers/{provider}", path=path
        )

    async def put_default_model(
        self,
        model: str,
        *,
        fallbacks: Sequence[str] | None = None,
        settings: wire.ModelSettings | None = None,
        overrides: wire.ModelOverrides | None = None,
    ) -> wire.ModelsChanged:
        """Store the models that answer wherever none is named, how they are called, and facts about the default.

        What is None stays as it is. For the operator only.
        """
        put = without_none(
            model=model,
            fallbacks=None if fallbacks is None else list(fallbacks),
            settings=settings,
            overrides=overrides,
        )
        return await self._core._rest.ask(wire.ModelsChanged, "PUT", "/api/v1/models/default", body=put)

    async def tools(self) -> wire.ToolPage:
        """The server's tools, and which of them the policy allows."""
        return await self._core._rest.ask(wire.ToolPage, "GET", "/api/v1/tools")

    async def stats(self, *, node: str | None = None) -> wire.ServerStats:
        """Statistics since the start of the server, or of one of several nodes, and limits."""
        return await self._core._rest.ask(wire.ServerStats, "GET", "/api/v1/stats", query={"node": node})

    async def config(self, *, node: str | None = None) -> wire.ConfigPage:
        """The settings and where each comes from, without secrets. For the operator only."""
        return await self._core._rest.ask(wire.ConfigPage, "GET", "/api/v1/config", query={"node": node})

    async def nodes(self) -> wire.NodePage:
        """The nodes that share the work. For the operator only."""
        return await self._core._rest.ask(wire.NodePage, "GET", "/api/v1/nodes")

    async def sweep(self, *, trust_clock: bool | None = None) -> wire.SweepResult:
        """Remove expired artifacts, memories and sessions now. For the operator only."""
        return await self._core._rest.ask(wire.SweepResult, "POST", "/api/v1/sweep", query={"trust_clock": trust_clock})

    async def ticket(self) -> wire.Ticket:
        """A ticket for one WebSocket or event stream of a client that cannot set headers."""
        return await self._core._rest.ask(wire.Ticket, "POST", "/api/v1/tickets")

    async def invitation(self) -> wire.Invitation:
        """An invitation that signs a browser in, once, within ten minutes."""
        return await self._core._rest.ask(wire.Invitation, "POST", "/api/v1/invitations")
