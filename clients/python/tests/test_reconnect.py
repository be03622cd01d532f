"""Broken connections and killed servers: nothing is lost and nothing comes twice."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import pytest

import dwell
from dwell import Dwell, Final, Restarted, Status, Token, TurnEvent

from .conftest import FAST_RETRY
from .cutting_proxy import Cut, CuttingProxy
from .program import TOKEN, Program
from .scripted_model import ScriptedModel, words

STORY = " ".join(f"{number}·ünïcødé" for number in range(60))


async def journal_text(client: Dwell, session_id: str, turn_id: str) -> str:
    """A turn's text from the journal's events alone."""
    text = ""
    async for event in client.events(session_id, follow=False):
        if event.turn_id == turn_id and event.type == "chat.token":
            assert event.data["offset"] == len(text)
            text += event.data["delta"]
        if event.turn_id == turn_id and event.data.get("status") == "resumed":
            text = text[: event.data["text_offset"]]
    return text


def assemble(events: list[TurnEvent]) -> str:
    """The text that a consumer assembles as the README describes."""
    text = ""
    for event in events:
        if isinstance(event, Token):
            assert event.offset == len(text), "a character is lost or repeated"
            text += event.text
        if isinstance(event, Restarted):
            text = text[: event.offset]
    return text


async def test_a_stream_survives_the_death_of_the_server(
    scripted: Program, connect: Callable[[], Dwell], model: ScriptedModel
) -> None:
    model.rule = lambda _: words(STORY, pause_s=0.01)
    async with connect() as client:
        stream = client.stream("read me a story", session="story")
        events: list[TurnEvent] = []
        async for event in stream:
            events.append(event)
            if len(stream.text) > 300 and not any(isinstance(event, Status) for event in events):
                scripted.kill()
                model.rule = lambda _: words(STORY.upper(), pause_s=0.001)
                scripted.start()
                # Once is enough: the rest is read to the end.
                events += [event async for event in stream]
        assert stream.turn_id is not None
        assert stream.session_id is not None
        final = events[-1]
        assert isinstance(final, Final)
        assert final.status == "completed"
        # It was started again with another answer: the void text is gone.
        assert any(isinstance(event, Restarted) for event in events)
        assert [event.status for event in events if isinstance(event, Status)] == ["interrupted", "resumed"]
        assert final.message.split() == STORY.upper().split()
        assert assemble(events) == stream.text == final.message
        assert await journal_text(client, stream.session_id, stream.turn_id) == final.message


async def test_a_chat_that_is_sent_while_the_server_is_down_is_answered(
    scripted: Program, connect: Callable[[], Dwell]
) -> None:
    async with connect() as client:
        await client.chat("hello there", session="away")
        scripted.kill()
        chat = asyncio.create_task(client.chat("and what now?", session="away"))
        await asyncio.sleep(0.1)
        scripted.start()
        assert (await chat).message.split() == ["All", "is", "well."]


async def test_a_request_over_http_waits_for_the_server(scripted: Program, connect: Callable[[], Dwell]) -> None:
    async with connect() as client:
        await client.vaults.list()
        scripted.kill()
        created = asyncio.create_task(client.vaults.create("Garden"))
        swept = asyncio.create_task(client.server.sweep())
        await asyncio.sleep(0.1)
        scripted.start()
        vault = await created
        # It was not sent while there was no server, so that it can be sent later.
        await swept
        assert [each["vault_id"] for each in (await client.vaults.list())["data"]] == [vault["vault_id"]]
        with pytest.raises(dwell.NotFound):
            await client.vaults.get("01ARZ3NDEKTSV4RRFFQ69G5FAV")


async def test_connections_cut_after_every_frame_from_the_server(scripted: Program, model: ScriptedModel) -> None:
    model.rule = lambda _: words(STORY, pause_s=0.005)
    # Each connection carries one frame more than the one before, so that every boundary is cut
    # once.
    frames = itertools.count(1)
    async with (
        CuttingProxy(scripted.port, lambda _: Cut(down=next(frames))) as proxy,
        dwell.connect(proxy.url, TOKEN, patience=FAST_RETRY) as client,
    ):
        for round_ in range(3):
            frames = itertools.count(1)
            await client._connection.cycle()
            stream = client.stream("read me", session="cut", idempotency_key=f"round-{round_}")
            events = [event async for event in stream]
            final = events[-1]
            assert isinstance(final, Final)
            assert assemble(events) == final.message == stream.text
            assert final.message.split() == STORY.split()
            numbers = [event.seq for event in events if event.seq is not None]
            assert numbers == sorted(numbers)
        assert proxy.connections > 20
    async with dwell.connect(scripted.url, TOKEN) as client:
        page = await client.sessions()
        assert [session.stats.turns for session in page.data] == [3], "nothing was said twice"


async def test_connections_cut_after_every_frame_from_the_client(scripted: Program, model: ScriptedModel) -> None:
    model.rule = lambda _: words("short and good", pause_s=0.005)
    # Cut before a request reaches the server, and after it has but before its answer is back.
    async with (
        CuttingProxy(
            scripted.port, lambda number: Cut(up=number // 2 if number % 2 else None, down=number // 2 + 1)
        ) as proxy,
        dwell.connect(proxy.url, TOKEN, patience=FAST_RETRY) as client,
    ):
        for number in range(4):
            final = await client.chat(f"read me {number}", session=f"s{number % 2}")
            assert final.message.split() == ["short", "and", "good"]
            await client.set_profile("colour", f"shade {number}")
            assert (await client.search("colour")).items[0].value == f"shade {number}"
        assert proxy.connections > 10
    async with dwell.connect(scripted.url, TOKEN) as client:
        page = await client.sessions()
        assert sorted(session.stats.turns for session in page.data) == [2, 2], "nothing was said twice"
        history = await client.get_memories(key="colour", history=True)
        assert len(history.items) == 4, "nothing was written twice"


async def test_what_is_not_safe_to_repeat_fails_by_name(offline: Program) -> None:
    # The first connection takes one request and no more.
    async with (
        CuttingProxy(offline.port, lambda number: Cut(up=1) if number == 0 else Cut()) as proxy,
        dwell.connect(proxy.url, TOKEN, patience=FAST_RETRY) as client,
    ):
        lost = asyncio.create_task(client.start_session())
        with pytest.raises(dwell.ConnectionLost):
            # The answer may have come in time; then the next request on the same connection is
            # lost.
            await lost
            await client.start_session()
        assert (await client.start_session()).status == "active"


async def test_a_revoked_token_ends_the_client(scripted: Program, model: ScriptedModel) -> None:
    model.rule = lambda _: words("never ending " * 100, pause_s=0.05)
    async with dwell.connect(scripted.url, TOKEN, patience=FAST_RETRY) as client:
        stream = client.stream("talk", session="t")
        async for event in stream:
            if isinstance(event, Token):
                break
        scripted.kill()
        scripted.set_token("another-token-0123456789")
        scripted.start()
        with pytest.raises(dwell.Unauthorized):
            await stream.result()
        with pytest.raises(dwell.Unauthorized):
            await client.sessions()


async def test_a_client_gives_up_after_its_patience(scripted: Program) -> None:
    patience = dwell.Patience(retry_min=0.01, retry_max=0.02, give_up=0.1)
    async with dwell.connect(scripted.url, TOKEN, patience=patience) as client:
        scripted.kill()
        with pytest.raises(dwell.ConnectionLost):
            await client.sessions()


async def test_a_slow_consumer_gets_everything_and_delays_no_one_else(
    connect: Callable[[], Dwell], model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dwell.listener.CAPACITY", 4)
    model.rule = lambda _: words(STORY, pause_s=0.001)
    async with connect() as client:
        slow = client.events("both")
        first = await anext(slow)
        assert first.seq == 1
        # The slow consumer does not read meanwhile; the others continue.
        for number in range(30):
            final = await client.chat(f"again {number}", session="both")
            assert final.message.split() == STORY.split()
        last = (await client.session("both")).last_seq
        numbers = [1]
        async for event in slow:
            assert event.seq is not None
            numbers.append(event.seq)
            if event.seq == last:
                break
        assert numbers == list(range(1, last + 1))
        assert last > 256, "more than the client keeps by itself"


async def test_more_sessions_than_one_connection_may_follow(offline: Program) -> None:
    async with dwell.connect(offline.url, TOKEN, patience=FAST_RETRY) as client:
        kept = client.events("kept")
        assert (await anext(kept)).type == "session.started"
        for number in range(70):
            await client.start_session(f"many-{number}")
        final = await client.chat("What is 8 + 9?", session="kept")
        assert final.message == "8 + 9 is 17."
        async for event in kept:
            if event.type == "chat.final":
                break
