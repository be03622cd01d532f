"""Vaults: memories that other programs keep in Dwell, with their entries and context documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from . import types as wire
from .core import Area, new_key, without_none
from .decoding import decode
from .views import ForgetResult


class Vaults(Area):
    """The owner's vaults: `client.vaults`."""

    async def list(self, *, cursor: str | None = None, limit: int | None = None) -> wire.VaultPage:
        """The owner's vaults, oldest first."""
        return await self._core._rest.ask(
            wire.VaultPage, "GET", "/api/v1/vaults", query={"cursor": cursor, "limit": limit}
        )

    async def create(self, title: str, *, description: str | None = None) -> wire.Vault:
        """Create a vault."""
        body = without_none(title=title, description=description)
        return await self._core._rest.ask(wire.Vault, "POST", "/api/v1/vaults", body=body, key=new_key())

    async def get(self, vault_id: str) -> wire.Vault:
        """A vault."""
        return await self._core._rest.ask(wire.Vault, "GET", "/api/v1/vaults/{vault_id}", path={"vault_id": vault_id})

    async def update(self, vault_id: str, *, title: str | None = None, description: str | None = None) -> wire.Vault:
        """Change the title or the description of a vault."""
        data = without_none(vault_id=vault_id, title=title, description=description)
        return cast(wire.Vault, await self._core._connection.request("vault.update", data, is_repeatable=True))

    async def forget(self, vault_id: str) -> ForgetResult:
        """Forget a vault with its memories and everything in them. It cannot be undone."""
        answer = await self._core._rest.ask(dict, "DELETE", "/api/v1/vaults/{vault_id}", path={"vault_id": vault_id})
        return decode(ForgetResult, answer)

    async def memories(self, vault_id: str, *, cursor: str | None = None, limit: int | None = None) -> wire.MemoryPage:
        """The memories of a vault, oldest first."""
        return await self._core._rest.ask(
            wire.MemoryPage,
            "GET",
            "/api/v1/vaults/{vault_id}/memories",
            path={"vault_id": vault_id},
            query={"cursor": cursor, "limit": limit},
        )

    async def create_memory(self, vault_id: str, title: str, *, description: str | None = None) -> wire.Memory:
        """Create a memory in a vault."""
        return await self._core._rest.ask(
            wire.Memory,
            "POST",
            "/api/v1/vaults/{vault_id}/memories",
            path={"vault_id": vault_id},
            body=without_none(title=title, description=description),
            key=new_key(),
        )

    async def memory(self, vault_id: str, memory_id: str) -> wire.Memory:
        """A memory."""
        return await self._core._rest.ask(
            wire.Memory,
            "GET",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}",
            path={"vault_id": vault_id, "memory_id": memory_id},
        )

    async def update_memory(
        self, vault_id: str, memory_id: str, *, title: str | None = None, description: str | None = None
    ) -> wire.Memory:
        """Change the title or the description of a memory."""
        data = without_none(vault_id=vault_id, memory_id=memory_id, title=title, description=description)
        return cast(wire.Memory, await self._core._connection.request("memory.update", data, is_repeatable=True))

    async def control(
        self,
        vault_id: str,
        memory_id: str,
        control: wire.ControlState | None = None,
        *,
        message: wire.ControlMessage | None = None,
        idempotency_key: str | None = None,
    ) -> wire.ControlResult:
        """Run the memory agent in a control state.

        Without one, the message is processed, and the context document is written when that is due.
        """
        return await self._core._rest.ask(
            wire.ControlResult,
            "POST",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/control",
            path={"vault_id": vault_id, "memory_id": memory_id},
            body=without_none(control=control, message=message),
            key=idempotency_key or new_key(),
        )

    async def forget_memory(self, vault_id: str, memory_id: str) -> ForgetResult:
        """Forget a memory with everything in it. It cannot be undone."""
        answer = await self._core._rest.ask(
            dict,
            "DELETE",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}",
            path={"vault_id": vault_id, "memory_id": memory_id},
        )
        return decode(ForgetResult, answer)

    async def entries(
        self,
        vault_id: str,
        memory_id: str,
        *,
        order: Literal["oldest", "newest"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> wire.EntryPage:
        """The entries of a memory, newest first, unless `order` says `oldest`."""
        return await self._core._rest.ask(
            wire.EntryPage,
            "GET",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries",
            path={"vault_id": vault_id, "memory_id": memory_id},
            query={"order": order, "cursor": cursor, "limit": limit},
        )

    async def add_entry(
        self,
        vault_id: str,
        memory_id: str,
        raw_entry: str,
        *,
        summary: str | None = None,
        role: str | None = None,
        speaker: str | None = None,
        tags: Mapping[str, str] | None = None,
        conversation_time: str | None = None,
        ttl_s: int | None = None,
        origin: wire.Origin | None = None,
        idempotency_key: str | None = None,
    ) -> wire.Entry:
        """Add an entry, which is kept verbatim.

        Without `origin="trusted"` it is untrusted: it is found, but no facts are extracted from it.
        """
        body = without_none(
            raw_entry=raw_entry,
            summary=summary,
            role=role,
            speaker=speaker,
            tags=tags,
            conversation_time=conversation_time,
            ttl_s=ttl_s,
            origin=origin,
        )
        return await self._core._rest.ask(
            wire.Entry,
            "POST",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries",
            path={"vault_id": vault_id, "memory_id": memory_id},
            body=body,
            key=idempotency_key or new_key(),
        )

    async def entry(self, vault_id: str, memory_id: str, entry_id: str) -> wire.Entry:
        """An entry, verbatim."""
        return await self._core._rest.ask(
            wire.Entry,
            "GET",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries/{entry_id}",
            path={"vault_id": vault_id, "memory_id": memory_id, "entry_id": entry_id},
        )

    async def contexts(self, vault_id: str, memory_id: str) -> wire.ContextPage:
        """All versions of a memory's context document, oldest first."""
        return await self._core._rest.ask(
            wire.ContextPage,
            "GET",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts",
            path={"vault_id": vault_id, "memory_id": memory_id},
        )

    async def put_context(
        self, vault_id: str, memory_id: str, content: str, *, origin: wire.Origin | None = None
    ) -> wire.ContextDocument:
        """Write the next version of a memory's context document."""
        return await self._core._rest.ask(
            wire.ContextDocument,
            "POST",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts",
            path={"vault_id": vault_id, "memory_id": memory_id},
            body=without_none(content=content, origin=origin),
            key=new_key(),
        )

    async def latest_context(self, vault_id: str, memory_id: str) -> wire.ContextDocument:
        """The newest version of a memory's context document."""
        return await self._core._rest.ask(
            wire.ContextDocument,
            "GET",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/latest",
            path={"vault_id": vault_id, "memory_id": memory_id},
        )

    async def context(self, vault_id: str, memory_id: str, version: int) -> wire.ContextDocument:
        """One version of a memory's context document."""
        return await self._core._rest.ask(
            wire.ContextDocument,
            "GET",
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/{version}",
            path={"vault_id": vault_id, "memory_id": memory_id, "version": version},
        )
