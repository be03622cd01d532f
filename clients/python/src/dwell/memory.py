"""Memory: the profile, search, and what is remembered of conversations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from . import types as wire
from .core import Core, Session, new_key, session_ref, without_none
from .decoding import decode
from .views import Fact, ForgetResult, Level, MemoryGraph, MemoryImportResult, MemorySnapshot, Mode, Scope


class MemoryMethods(Core):
    """What a client does with memory."""

    async def set_profile(
        self,
        key: str,
        value: str,
        *,
        priority: int | None = None,
        ttl_s: int | None = None,
        idempotency_key: str | None = None,
    ) -> Fact:
        """Set a profile entry; its old value stays in the history."""
        data = without_none(
            key=key, value=value, priority=priority, ttl_s=ttl_s, idempotency_key=idempotency_key or new_key()
        )
        return decode(Fact, await self._connection.request("memory.set", data, is_repeatable=True))

    async def profile(self) -> list[Fact]:
        """The valid entries of the profile, highest priority first."""
        page = await self._rest.ask(wire.FactPage, "GET", "/api/v1/profile")
        return [decode(Fact, each) for each in page["data"]]

    async def profile_history(self, key: str) -> list[Fact]:
        """Every value that a key of the profile has had, newest first."""
        page = await self._rest.ask(wire.FactPage, "GET", "/api/v1/profile/{key}", path={"key": key})
        return [decode(Fact, each) for each in page["data"]]

    async def delete_profile(self, key: str) -> ForgetResult:
        """Forget a key of the profile, with its history. It cannot be undone."""
        answer = await self._rest.ask(dict, "DELETE", "/api/v1/profile/{key}", path={"key": key})
        return decode(ForgetResult, answer)

    async def get_memories(
        self,
        *,
        session: Session | None = None,
        query: str | None = None,
        scope: Scope | None = None,
        levels: Sequence[Level] | None = None,
        key: str | None = None,
        history: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> MemorySnapshot:
        """The items in memory, newest first; with `query`, the matching ones."""
        data = without_none(
            query=query, scope=scope, levels=levels, key=key, history=history, limit=limit, cursor=cursor,
            **session_ref(session),
        )  # fmt: skip
        return decode(MemorySnapshot, await self._get("memory.get", data))

    async def search(
        self,
        query: str,
        *,
        session: Session | None = None,
        scope: Scope | None = None,
        levels: Sequence[Level] | None = None,
        tags: Mapping[str, str] | None = None,
        mode: Mode | None = None,
        group: wire.Grouping | None = None,
        vault_id: str | None = None,
        memory_id: str | None = None,
        role: str | None = None,
        after: str | None = None,
        before: str | None = None,
        filter: wire.MemoryFilter | None = None,  # noqa: A002, the name on the wire
        min_score: float | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> MemorySnapshot:
        """Search memory; results come best first, with all parts of the score."""
        data = without_none(
            query=query, scope=scope, levels=levels, tags=tags, mode=mode, group=group, vault_id=vault_id,
            memory_id=memory_id, role=role, after=after, before=before, filter=filter, min_score=min_score,
            limit=limit, offset=offset, cursor=cursor, **session_ref(session),
        )  # fmt: skip
        return decode(MemorySnapshot, await self._get("memory.search", data))

    async def memory_graph(
        self,
        *,
        subject: str | None = None,
        vault_id: str | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        include_ended: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> MemoryGraph:
        """People, places and things with their facts.

        `as_of` asks what was true at a time, `known_at` what was known at a time.
        """
        data = without_none(
            subject=subject, vault_id=vault_id, as_of=as_of, known_at=known_at, include_ended=include_ended,
            limit=limit, cursor=cursor,
        )  # fmt: skip
        return decode(MemoryGraph, await self._get("memory.graph", data))

    async def memory_item(self, item_id: str) -> wire.MemoryItem:
        """An item of memory."""
        return await self._rest.ask(wire.MemoryItem, "GET", "/api/v1/memories/{item_id}", path={"item_id": item_id})

    async def correct(self, item_id: str, text: str, *, idempotency_key: str | None = None) -> wire.MemoryItem:
        """Correct an item: the new value of a fact, or the new text of an entry.

        The old one stays as history.
        """
        data = {"id": item_id, "text": text, "idempotency_key": idempotency_key or new_key()}
        return cast(wire.MemoryItem, await self._connection.request("memory.correct", data, is_repeatable=True))

    async def remember(
        self, title: str, messages: Sequence[Mapping[str, Any]], *, vault: str | None = None
    ) -> MemoryImportResult:
        """Import a conversation from another program as one memory with this title.

        Messages have `role` and `content`, and may have `speaker` and `at`. Pass the whole
        conversation each time: known messages are not changed.
        """
        text = json.dumps({"title": title, "messages": list(messages)}, ensure_ascii=False)
        return await self.import_memory(text=text, format="ingest", vault=vault, title=title)

    async def ingest(
        self,
        title: str,
        messages: Sequence[wire.IngestMessage],
        *,
        vault: str | None = None,
        end: bool | None = None,
        origin: wire.Origin | None = None,
    ) -> wire.IngestResult:
        """Import a conversation, and return the memory that it became; known messages are skipped.

        With `end=False` the conversation goes on, and its context document is not written yet. With
        `origin="trusted"` its words are the owner's own.
        """
        body = without_none(title=title, messages=list(messages), vault=vault, end=end, origin=origin)
        return await self._rest.ask(wire.IngestResult, "POST", "/api/v1/memories/ingest", body=body, key=new_key())

    async def await_consistency(
        self, *, memory_id: str | None = None, timeout_ms: int | None = None
    ) -> wire.Consistency:
        """Wait until everything written so far can be found; or list what cannot."""
        body = without_none(memory_id=memory_id, timeout_ms=timeout_ms)
        return await self._rest.ask(
            wire.Consistency, "POST", "/api/v1/memories/await_consistency", body=body, wait_ms=timeout_ms
        )

    async def forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        key: str | None = None,
        text: str | None = None,
        memory_id: str | None = None,
        vault_id: str | None = None,
    ) -> ForgetResult:
        """Forget items everywhere; returns once they are deleted. It cannot be undone."""
        data = without_none(ids=ids, key=key, text=text, memory_id=memory_id, vault_id=vault_id)
        return decode(ForgetResult, await self._connection.request("memory.forget", data, is_repeatable=False))

    async def export_memory(self) -> wire.MemoryArchive:
        """The whole memory as an archive."""
        return cast(wire.MemoryArchive, await self._get("memory.export", {}))

    async def import_memory(
        self,
        *,
        archive: wire.MemoryArchive | None = None,
        text: str | None = None,
        format: str | None = None,  # noqa: A002
        vault: str | None = None,
        title: str | None = None,
        imported_from: str | None = None,
        idempotency_key: str | None = None,
        accept_damage: bool | None = None,
        origin: wire.Origin | None = None,
    ) -> MemoryImportResult:
        """Import an archive, or the text of a file of another program; known items are skipped."""
        data = without_none(
            archive=archive,
            text=text,
            format=format,
            vault=vault,
            title=title,
            imported_from=imported_from,
            idempotency_key=idempotency_key,
            accept_damage=accept_damage,
            origin=origin,
        )
        # Known items are not changed, so that it can be repeated.
        return decode(MemoryImportResult, await self._connection.request("memory.import", data, is_repeatable=True))

    async def audit_memory(self) -> wire.Audit:
        """Look for duplicates, contradictions, stale entries and secrets in memory."""
        return await self._rest.ask(wire.Audit, "GET", "/api/v1/memories/audit")
