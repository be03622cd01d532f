"""LangGraph's store: items of programs, kept by a Dwell server."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
)

from ..client import Dwell
from ..sync import SyncClient
from ..values import PutValue, StoredValue
from .blocking import KEYS_MAX, BlockingValues
from .matching import common_prefix, fits, is_wanted

Namespace = tuple[str, ...]
#: Vectors that one value can have.
VECTORS_MAX = 64


class DwellStore(BaseStore):
    """Items in namespaces, on a Dwell server.

    An item is what the program has put there, exactly; nothing of it goes into the memory or the
    profile of the user. What `put` has returned for is on the server's disk, and everything that
    reads after it sees it. All `put`s of one `batch` are made together, or none.

    With `index`, items are found by meaning: `index={"embed": DwellEmbeddings(client)}` uses the
    model of the server, and any other embeddings do as well. Without it, `query` is ignored, as
    LangGraph's own stores do. `ttl` is honoured, to the second.
    """

    supports_ttl = True

    def __init__(
        self,
        client: Dwell | SyncClient,
        *,
        name: str = "default",
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        """A store of a client's owner; stores with different names have nothing in common."""
        self._values = BlockingValues(client)
        self._root = ("langgraph", "store", name)
        self.ttl_config = ttl
        self.index_config = index
        self.embeddings = None if index is None else ensure_embeddings(index.get("embed"))
        self._fields = [] if index is None else list(index.get("fields") or ["$"])

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations: reads first, then all writes at once. Of two writes the last counts."""
        ops = list(ops)
        results: list[Result] = [None] * len(ops)
        self._get([(at, op) for at, op in enumerate(ops) if isinstance(op, GetOp)], results)
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for at, op in enumerate(ops):
            if isinstance(op, SearchOp):
                results[at] = self._search(op)
            elif isinstance(op, ListNamespacesOp):
                results[at] = self._list_namespaces(op)
            elif isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
            elif not isinstance(op, GetOp):
                raise ValueError(f"unknown operation: {type(op).__name__}")
        self._put(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, ops: Sequence[tuple[int, GetOp]], results: list[Result]) -> None:
        keys = {self._key(op.namespace, op.key) for _, op in ops}
        found = {value.key: value for value in self._values.read(sorted(keys))}
        fresh = []
        for at, op in ops:
            value = found.get(self._key(op.namespace, op.key))
            if value is not None:
                results[at] = Item(**fields_of(value, self._root))
                fresh += [value] if op.refresh_ttl else []
        self._refresh(fresh)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        below = (*self._root, *op.namespace_prefix)
        near = self.embeddings.embed_query(op.query) if op.query and self.embeddings is not None else None
        page = KEYS_MAX if op.filter else max(1, min(op.offset + op.limit, KEYS_MAX))
        # Keys directly below the prefix belong to the prefix itself, if that is a namespace.
        stored = self._values.list(below, order="newest", near=near, limit=page)
        found: list[StoredValue] = []
        items: list[SearchItem] = []
        if op.limit <= 0:
            return items
        skipped = 0
        for value in stored:
            item = SearchItem(**fields_of(value, self._root), score=value.score)
            if not item.namespace or not fits(item.value, op.filter):
                continue
            if skipped < op.offset:
                skipped += 1
                continue
            found.append(value)
            items.append(item)
            if len(items) == op.limit:
                break
        if op.refresh_ttl:
            self._refresh(found)
        return items

    def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        namespaces: set[Namespace] = set()
        below = (*self._root, *common_prefix(conditions))
        for value in self._values.list(below, keys_only=True, limit=KEYS_MAX):
            namespace = value.key[len(self._root) : -1]
            if namespace and is_wanted(namespace, conditions):
                namespaces.add(namespace[: op.max_depth])
        return sorted(namespaces)[op.offset : op.offset + op.limit]

    def _put(self, ops: Sequence[PutOp]) -> None:
        stored = [op for op in ops if op.value is not None]
        vectors = self._embed(stored)
        puts = [
            PutValue(
                self._key(op.namespace, op.key),
                to_bytes(op.value or {}),
                ttl_s=None if op.ttl is None else max(1, math.ceil(op.ttl * 60)),
                vectors=vectors.get(at, ()),
            )
            for at, op in enumerate(stored)
        ]
        self._values.write_many(puts, [self._key(op.namespace, op.key) for op in ops if op.value is None])

    def _embed(self, ops: Sequence[PutOp]) -> Mapping[int, list[list[float]]]:
        """The vectors of items, by their place."""
        if self.embeddings is None:
            return {}
        texts = [(at, text) for at, op in enumerate(ops) for text in self._texts(op)]
        if not texts:
            return {}
        vectors: dict[int, list[list[float]]] = {}
        for (at, _), vector in zip(texts, self.embeddings.embed_documents([each for _, each in texts]), strict=True):
            vectors.setdefault(at, []).append(vector)
        return vectors

    def _texts(self, op: PutOp) -> Iterator[str]:
        if op.index is False:
            return
        paths = self._fields if op.index is None else list(op.index)
        texts = [text for path in paths for text in get_text_at_path(op.value, path_of(path)) if text.strip()]
        if len(texts) > VECTORS_MAX:
            raise ValueError(
                f"the item {op.key!r} has {len(texts)} indexed texts, and at most {VECTORS_MAX} are possible: "
                "index fewer fields of it"
            )
        yield from texts

    def _refresh(self, values: Sequence[StoredValue]) -> None:
        keys = [value.key for value in values if value.expires_at is not None]
        for start in range(0, len(keys), KEYS_MAX):
            self._values.write(refreshes=keys[start : start + KEYS_MAX])

    def _key(self, namespace: Namespace, key: str) -> tuple[str, ...]:
        return (*self._root, *namespace, key)


def fields_of(value: StoredValue, root: Sequence[str]) -> dict[str, Any]:
    """The fields of an item."""
    *namespace, key = value.key[len(root) :]
    return {
        "namespace": tuple(namespace),
        "key": key,
        "value": json.loads(value.value or b"{}"),
        "created_at": datetime.fromisoformat(value.created_at),
        "updated_at": datetime.fromisoformat(value.updated_at),
    }


def path_of(path: str) -> Any:
    """A field's path, as LangGraph reads it; `$` is the whole item."""
    return path if path == "$" else tokenize_path(path)


def to_bytes(value: Mapping[str, Any]) -> bytes:
    """An item as JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError as error:
        raise TypeError(f"the value of an item has to be JSON: {error}") from error
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8, and comes back from its escape.
        return json.dumps(value).encode()
