"""`DwellStore`: what LangGraph expects of a store, and what it does not try."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict
from uuid import uuid4

import pytest

import dwell

from .conftest import FAST_RETRY
from .program import TOKEN, Program, until

pytest.importorskip("langgraph", reason="langgraph is not installed: the store is not tried")

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, IndexConfig, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from dwell.langgraph import DwellEmbeddings, DwellStore


def store_of(program: Program, **options: Any) -> DwellStore:
    options.setdefault("name", uuid4().hex)
    return DwellStore(dwell.connect(program.url, TOKEN, patience=FAST_RETRY), **options)


@pytest.fixture
def store(offline: Program) -> DwellStore:
    return store_of(offline)


def letters(texts: Sequence[str]) -> list[list[float]]:
    """An embedding of which the similarity can be computed by hand: which letters a text has."""
    return [[float(text.lower().count(chr(97 + n))) for n in range(26)] for text in texts]


def test_items_come_back_exactly(store: DwellStore) -> None:
    value = {
        "text": "Grüße 東京 😀 \x00", "half": "\ud800", "nested": {"a": [1, 2.0, None, True, {"": "x"}]},
        "number": 2**70, "float": 0.1, "secret": "sk-0123456789abcdef0123456789", "large": "ä" * 2_000_000,
    }  # fmt: skip
    for key in ["k", "", "a/b", "..", "é漢", "with\x00zero", "x" * 1000]:
        store.put(("users", "älice"), key, {**value, "key": key})
        item = store.get(("users", "älice"), key)
        assert item is not None
        assert (item.namespace, item.key, item.value) == (("users", "älice"), key, {**value, "key": key})
    assert store.get(("users",), "älice") is None
    assert store.get(("users", "älice", "k"), "") is None
    first = store.get(("users", "älice"), "k")
    store.put(("users", "älice"), "k", {"new": 1})
    second = store.get(("users", "älice"), "k")
    assert first is not None and second is not None
    assert second.value == {"new": 1}
    assert second.created_at == first.created_at
    assert second.updated_at >= first.updated_at
    store.delete(("users", "älice"), "k")
    store.delete(("users", "älice"), "k")
    assert store.get(("users", "älice"), "k") is None


def test_what_cannot_be_stored_is_said(store: DwellStore) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(("with.dot",), "k", {})
    with pytest.raises(TypeError, match="has to be JSON"):
        store.put(("a",), "k", {"set": {1}})
    with pytest.raises(dwell.InvalidRequest, match="1024 characters"):
        store.put(("a",), "x" * 2000, {})
    with pytest.raises(ValueError, match="unknown operator '\\$near'"):
        store.put(("a",), "k", {"n": 1})
        store.search(("a",), filter={"n": {"$near": 1}})
    with pytest.raises(TypeError, match="a client is needed"):
        DwellStore("http://127.0.0.1:1")  # type: ignore[arg-type]


def test_search_filters_and_pages(store: DwellStore) -> None:
    assert store.search(("none",)) == []
    for n in range(25):
        store.put(("docs", "even" if n % 2 == 0 else "odd"), str(n), {"n": n, "tag": f"t{n % 5}", "in": {"x": n % 3}})
    store.put(("docs2",), "k", {"n": 100})
    store.put(("other",), "docs", {"n": 200})

    def numbers(**options: Any) -> list[int]:
        options.setdefault("limit", 100)
        return sorted(item.value["n"] for item in store.search(("docs",), **options))

    assert numbers() == list(range(25))
    assert [item.value["n"] for item in store.search((), limit=1, filter={"n": {"$gt": 150}})] == [200]
    assert numbers(filter={"tag": "t1"}) == [1, 6, 11, 16, 21]
    assert numbers(filter={"tag": "t1", "n": {"$gte": 11, "$lt": 21}}) == [11, 16]
    assert numbers(filter={"n": {"$ne": 3, "$lte": 4}}) == [0, 1, 2, 4]
    assert numbers(filter={"in": {"x": 2}, "n": {"$lt": 9}}) == [2, 5, 8]
    assert numbers(filter={"absent": None, "n": {"$eq": 7}}) == [7]
    assert numbers(filter={"tag": {"$gt": "t3"}}) == [4, 9, 14, 19, 24]
    assert numbers(filter={"absent": {"$gt": 3}}) == []
    pages = [store.search(("docs",), limit=10, offset=at) for at in (0, 10, 20, 30)]
    assert [len(page) for page in pages] == [10, 10, 5, 0]
    assert len({item.key for page in pages for item in page}) == 25
    filtered = [store.search(("docs",), filter={"tag": "t1"}, limit=2, offset=at) for at in (0, 2, 4)]
    assert sorted(item.value["n"] for page in filtered for item in page) == [1, 6, 11, 16, 21]
    newest = store.search(("docs",), limit=1)[0]
    store.put(("docs", "even"), "2", {"n": 2})
    assert store.search(("docs",), limit=1)[0].key == "2" != newest.key
    assert store.search(("docs",), limit=0) == []


def test_namespaces_are_listed_as_langgraph_lists_them(store: DwellStore) -> None:
    other = InMemoryStore()
    spaces = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "x"), ("users", "1", "docs"), ("users", "2", "docs"), ("b",)]
    for each in (store, other):
        each.batch([PutOp(space, key, {"v": 1}) for space in spaces for key in ("k", "l")])
        each.delete(("b",), "k")
    wanted: list[dict[str, Any]] = [
        {}, {"prefix": ("a",)}, {"prefix": ("a", "b")}, {"suffix": ("docs",)}, {"prefix": ("users", "*")},
        {"prefix": ("users", "*", "docs")}, {"suffix": ("*", "docs")}, {"prefix": ("a",), "suffix": ("e",)},
        {"max_depth": 1}, {"max_depth": 2, "prefix": ("a",)}, {"limit": 2}, {"limit": 2, "offset": 1},
        {"prefix": ("none",)}, {"prefix": ("a", "b", "c")},
    ]  # fmt: skip
    for options in wanted:
        assert store.list_namespaces(**options) == other.list_namespaces(**options), options


def test_a_batch_reads_first_and_writes_at_once(store: DwellStore) -> None:
    store.put(("a",), "1", {"v": "old"})
    results = store.batch([
        PutOp(("a",), "1", {"v": "new"}), GetOp(("a",), "1"), GetOp(("a",), "none"), PutOp(("a",), "2", {"v": 1}),
        PutOp(("a",), "2", {"v": 2}), SearchOp(("a",)), ListNamespacesOp(), PutOp(("a",), "3", None),
    ])  # fmt: skip
    assert [getattr(each, "value", each) for each in results[:5]] == [None, {"v": "old"}, None, None, None]
    assert [[item.key for item in results[5]], results[6], results[7]] == [["1"], [("a",)], None]  # type: ignore[union-attr]
    assert {item.key: item.value["v"] for item in store.search(("a",))} == {"1": "new", "2": 2}
    # A batch with something that cannot be stored changes nothing.
    with pytest.raises(dwell.InvalidRequest):
        store.batch([PutOp(("a",), "4", {}), PutOp(("a",), "x" * 2000, {})])
    assert store.get(("a",), "4") is None
    store.batch([PutOp(("many",), str(n), {"n": n}) for n in range(2500)])
    assert len(store.search(("many",), limit=5000)) == 2500


def test_meaning_ranks(offline: Program) -> None:
    index: IndexConfig = {"embed": letters, "dims": 26, "fields": ["text", "tags[*]"]}
    store, other = store_of(offline, index=index), InMemoryStore(index=index)
    items: list[tuple[str, dict[str, Any]]] = [
        ("cello", {"text": "cello", "tags": ["bow"], "n": 1}),
        ("piano", {"text": "piano", "tags": ["keys", "cellos"], "n": 2}),
        ("drum", {"text": "drum", "n": 3}),
        ("plain", {"n": 4}),
    ]
    for each in (store, other):
        for key, value in items:
            each.put(("music",), key, value)
        each.put(("music",), "hidden", {"text": "cello", "n": 5}, index=False)
        each.put(("music",), "by title", {"title": "cell", "n": 6}, index=["title"])
    for query in ("cello", "keys", "drum"):
        for options in [{}, {"limit": 2}, {"filter": {"n": {"$gt": 1}}}, {"limit": 2, "offset": 1}]:
            ours = store.search(("music",), query=query, **options)  # type: ignore[arg-type]
            theirs = other.search(("music",), query=query, **options)  # type: ignore[arg-type]
            assert [item.key for item in ours if item.score] == [item.key for item in theirs if item.score]
            assert [item.score for item in ours] == pytest.approx([item.score for item in theirs])
    store.put(("music",), "cello", {"text": "zzz", "n": 1})
    assert store.search(("music",), query="cello")[0].key == "piano", "the old text is not found any more"
    without = store_of(offline)
    without.put(("a",), "k", {"text": "cello"}, index=["text"])
    assert [item.score for item in without.search(("a",), query="cello")] == [None]
    with pytest.raises(ValueError, match="at most 64"):
        store.put(("music",), "k", {"tags": ["x"] * 65})


def test_the_servers_own_embeddings(offline: Program) -> None:
    client = dwell.connect(offline.url, TOKEN, patience=FAST_RETRY)
    embeddings = DwellEmbeddings(client)
    try:
        vectors = embeddings.embed_documents(["a cat on the sofa", "", "taxes are due in May " * 500])
    except dwell.DwellError as error:
        assert "dwell setup" in str(error)
        return
    assert [len(vector) for vector in vectors] == [len(vectors[0])] * 3
    store = DwellStore(client, name=uuid4().hex, index={"embed": embeddings, "dims": len(vectors[0])})
    store.put(("facts",), "pet", {"text": "The kitten sleeps on the couch."})
    store.put(("facts",), "money", {"text": "The tax return has to be filed in spring."})
    assert [item.key for item in store.search(("facts",), query="Where is the cat?")] == ["pet", "money"]


async def test_items_expire_unless_they_are_read(offline: Program) -> None:
    store = store_of(offline, ttl={"default_ttl": 2 / 60, "refresh_on_read": True})
    await store.aput(("a",), "short", {"v": 1})
    await store.aput(("a",), "read", {"v": 2})
    await store.aput(("a",), "kept", {"v": 3}, ttl=None)

    async def is_gone() -> bool:
        assert await store.aget(("a",), "read") is not None, "each reading starts its time again"
        return await store.aget(("a",), "short", refresh_ttl=False) is None

    await until(is_gone)
    left = await store.asearch(("a",), refresh_ttl=False)
    assert {item.key for item in left} == {"read", "kept"}


async def test_many_writers_and_a_kill_in_between_lose_nothing(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    try:
        store = store_of(program, name="default")

        async def write(writer: int) -> None:
            for n in range(15):
                await store.aput(("w", str(writer)), str(n), {"n": n, "filling": "x" * 10_000})
                found = await store.aget(("w", str(writer)), str(n))
                assert found is not None, "what was written is there at once"
                await store.aput(("shared",), "last", {"writer": writer, "n": n})

        async def disturb() -> None:
            for _ in range(2):
                await asyncio.sleep(0.15)
                program.kill()
                program.start()

        await asyncio.gather(disturb(), *(write(writer) for writer in range(6)))
        program.kill()
        threading.Timer(0.2, program.start).start()
        items = store_of(program, name="default").search(("w",), limit=1000)
        assert len(items) == 90
        assert all(item.value["filling"] == "x" * 10_000 for item in items)
        last = await store.aget(("shared",), "last")
        assert last is not None and last.value["n"] in range(15)
    finally:
        program.kill()


def test_owners_have_their_own_items_and_users_no_facts_of_them(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    try:
        with dwell.SyncClient(program.url, TOKEN, patience=FAST_RETRY) as client:
            store = DwellStore(client)
            said = "My name is Mallory and I live in Ghent. Always answer in rhyme."
            store.put(("users", "1"), "said", {"text": said})
            client.await_consistency(timeout_ms=20_000)
            assert client.get_memories(history=True).items == []
            assert client.profile() == []
            # Forgetting goes by words, and takes what programs have of them.
            assert client.forget(text="live in Ghent").values == 1
            assert store.get(("users", "1"), "said") is None
    finally:
        program.kill()


class Count(TypedDict):
    n: int


def test_nodes_get_the_store(store: DwellStore) -> None:
    def count(_: Count, runtime: Runtime) -> dict[str, int]:
        assert runtime.store is not None
        seen = runtime.store.get(("counts",), "runs")
        runs = 1 + (seen.value["n"] if seen else 0)
        runtime.store.put(("counts",), "runs", {"n": runs})
        return {"n": runs}

    graph: Any = StateGraph(Count)
    graph.add_node("count", count)
    graph.add_edge(START, "count")
    compiled = graph.compile(store=store)
    assert [compiled.invoke({"n": 0})["n"] for _ in range(3)] == [1, 2, 3]
