"""Artifacts: the files that turns have made."""

from __future__ import annotations

import asyncio
from pathlib import Path

from . import types as wire
from .core import Area, Session


class Artifacts(Area):
    """The owner's artifacts: `client.artifacts`."""

    async def list(
        self, *, session: Session | None = None, cursor: str | None = None, limit: int | None = None
    ) -> wire.ArtifactPage:
        """All artifacts of the owner, newest first; with `session`, those of its turns."""
        query = {"cursor": cursor, "limit": limit}
        if session is None:
            return await self._core._rest.ask(wire.ArtifactPage, "GET", "/api/v1/artifacts", query=query)
        return await self._core._rest.ask(
            wire.ArtifactPage,
            "GET",
            "/api/v1/sessions/{session_id}/artifacts",
            path={"session_id": await self._core._existing_id(session)},
            query=query,
        )

    async def read(self, artifact_id: str) -> bytes:
        """The bytes of an artifact."""
        return await self._core._rest.send("GET", "/api/v1/artifacts/{artifact_id}", path={"artifact_id": artifact_id})

    async def save(self, artifact_id: str, path: str | Path) -> Path:
        """Write an artifact to a file, and return its path."""
        data = await self.read(artifact_id)
        target = Path(path)
        await asyncio.to_thread(target.write_bytes, data)
        return target

    async def delete(self, artifact_id: str) -> None:
        """Remove an artifact."""
        await self._core._rest.send("DELETE", "/api/v1/artifacts/{artifact_id}", path={"artifact_id": artifact_id})
