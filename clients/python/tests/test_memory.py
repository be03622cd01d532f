"""Memory, against the real server."""

from __future__ import annotations

from dwell import Dwell


async def test_a_profile_entry_is_set_and_found(client: Dwell) -> None:
    line = await client.set_profile("diet", "vegetarian", priority=80)
    assert (line.level, line.key, line.value, line.priority) == ("profile", "diet", "vegetarian", 80)
    newer = await client.set_profile("diet", "vegan")
    found = await client.search("what diet do I keep?")
    assert found.items[0].id == newer.fact_id
    assert found.items[0].score.total > 0
    assert found.mode in ("hybrid", "lexical")
    history = await client.get_memories(key="diet", history=True, levels=["profile"])
    assert [item.value for item in history.items] == ["vegan", "vegetarian"]
    assert history.items[1].superseded_by == newer.fact_id


async def test_a_search_keeps_to_its_scope(client: Dwell) -> None:
    await client.set_profile("instrument", "cello")
    session = await client.start_session()
    everywhere = await client.search("which instrument", scope="user")
    assert any(item.value == "cello" for item in everywhere.items)
    here = await client.search("which instrument", scope="conversation", session=session)
    assert here.items == []


async def test_what_is_forgotten_is_gone(client: Dwell) -> None:
    await client.set_profile("shoe size", "forty-three")
    forgotten = await client.forget(key="shoe size")
    assert len(forgotten.items) == 1
    assert (await client.get_memories(key="shoe size", history=True)).items == []
