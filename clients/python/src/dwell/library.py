"""The library: folders of documents that agents search."""

from __future__ import annotations

from . import types as wire
from .core import Area, without_none


class Library(Area):
    """The library: `client.library`."""

    async def get(self) -> wire.LibraryView:
        """The folders that the owner can see, and how far they are indexed."""
        return await self._core._rest.ask(wire.LibraryView, "GET", "/api/v1/library")

    async def add_folder(self, path: str, *, shared: bool | None = None) -> wire.FolderView:
        """Add a folder of the server's machine; returns when it is indexed.

        For the operator only.
        """
        body = without_none(path=path, shared=shared)
        return await self._core._rest.ask(wire.FolderView, "POST", "/api/v1/library/folders", body=body)

    async def remove_folder(self, folder_id: str) -> wire.FolderView:
        """Remove a folder from the library; its files stay. For the operator only."""
        return await self._core._rest.ask(
            wire.FolderView, "DELETE", "/api/v1/library/folders/{folder_id}", path={"folder_id": folder_id}
        )

    async def rescan(self) -> wire.LibraryView:
        """Scan all folders now; returns when that is done."""
        return await self._core._rest.ask(wire.LibraryView, "POST", "/api/v1/library/rescan")

    async def search(self, query: str, *, limit: int | None = None) -> wire.LibraryHits:
        """Search the documents for passages, best first."""
        return await self._core._rest.ask(
            wire.LibraryHits, "GET", "/api/v1/library/search", query={"query": query, "limit": limit}
        )
