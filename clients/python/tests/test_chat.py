"""Turns, sessions and errors, against the real server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

import dwell
from dwell import Dwell, Final, Stage, Started, Step, Token

from .program import TOKEN, Program
from .scripted_model import Reply, ScriptedModel, words


async def test_a_question_is_answered(client: Dwell) -> None:
    final = await client.chat("What is 2 + 3?", session="sums")
    assert final.message == "2 + 3 is 5."
    assert final.status == "completed"
    assert final.model == "offline"
    assert final.usage is not None


async def test_a_stream_yields_everything_once_and_ends(client: Dwell) -> None:
    events = [event async for event in client.stream("What is 20 + 3?", session="sums")]
    assert isinstance(events[0], Started)
    assert isinstance(events[-1], Final)
    assert "".join(event.text for event in events if isinstance(event, Token)) == events[-1].message == "20 + 3 is 23."
    assert [event.stage for event in events if isinstance(event, Stage)] == [
        "receive", "understand", "plan", "execute", "complete",
    ]  # fmt: skip
    assert [event.type for event in events if isinstance(event, Step)] == ["plan", "tool_call", "tool_result"]


async def test_a_stream_that_is_left_leaves_the_turn_alone(client: Dwell) -> None:
    async with client.stream("What is 7 + 5?", session="left") as stream:
        async for event in stream:
            if isinstance(event, Started):
                break
    assert stream.turn_id is not None
    final = await client.attach(stream.turn_id).result()
    assert final.message == "7 + 5 is 12."


async def test_a_turn_that_has_ended_can_be_looked_at(client: Dwell) -> None:
    final = await client.chat("What is 1 + 1?", session="sums")
    view = await client.turn(final.turn_id)
    assert (view.status, view.text, view.is_final) == ("completed", final.message, True)
    assert view.request["message"] == "What is 1 + 1?"
    events = [event async for event in client.attach(final.turn_id)]
    assert isinstance(events[-1], Final)
    assert events[-1].message == final.message
    assert any(isinstance(event, Token) for event in events)


async def test_the_same_key_gives_the_same_turn(client: Dwell) -> None:
    first = await client.chat("What is 3 + 3?", session="keyed", idempotency_key="k-1")
    events = [event async for event in client.stream("What is 3 + 3?", session="keyed", idempotency_key="k-1")]
    assert isinstance(events[0], Started)
    assert events[0].duplicate
    assert isinstance(events[-1], Final)
    assert (events[-1].turn_id, events[-1].message) == (first.turn_id, first.message)
    with pytest.raises(dwell.Conflict) as refused:
        await client.chat("What is 4 + 4?", session="keyed", idempotency_key="k-1")
    assert refused.value.code == "idempotency_conflict"
    assert refused.value.hint


async def test_two_sessions_share_one_socket(scripted: Program, model: ScriptedModel) -> None:
    def rule(messages: list[dict[str, object]]) -> Reply:
        name = "red" if "red" in str(messages[-1]["content"]) else "blue"
        return words(" ".join([name] * 30), pause_s=0.005)

    model.rule = rule
    async with dwell.connect(scripted.url, TOKEN) as client:
        red, blue = await asyncio.gather(
            client.chat("say red please", session="r"), client.chat("say blue please", session="b")
        )
    assert red.message.split() == ["red"] * 30
    assert blue.message.split() == ["blue"] * 30
    assert red.session_id != blue.session_id


async def test_a_running_turn_is_cancelled(connect: Callable[[], Dwell], model: ScriptedModel) -> None:
    model.rule = lambda _: words("one two three " * 200, pause_s=0.02)
    async with connect() as client:
        stream = client.stream("count for me", session="c")
        async for event in stream:
            if isinstance(event, Token):
                break
        cancelled = await client.cancel(turn_id=stream.turn_id, reason="enough")
        assert (cancelled.status, cancelled.turn_ids) == ("cancelled", [stream.turn_id])
        final = await stream.result()
        assert (final.status, final.reason) == ("cancelled", "enough")
        assert final.message.startswith("one ")
        assert stream.turn_id is not None
        assert final.message == (await client.turn(stream.turn_id)).text == stream.text
        again = await client.cancel(session=final.session_id, turn_id=stream.turn_id)
        assert again.status == "already_final"


async def test_a_cancelled_chat_raises(connect: Callable[[], Dwell], model: ScriptedModel) -> None:
    model.rule = lambda _: words("one two three " * 200, pause_s=0.02)
    async with connect() as client:
        chat = asyncio.create_task(client.chat("count for me", session="c"))
        async for event in client.events("c", live=True):
            if event.type == "chat.token":
                break
        await client.cancel(session="c")
        with pytest.raises(dwell.TurnCancelled) as cancelled:
            await chat
        assert cancelled.value.text.startswith("one")


async def test_a_call_waits_for_approval(connect: Callable[[], Dwell], model: ScriptedModel) -> None:
    def rule(messages: list[dict[str, object]]) -> Reply:
        if messages[-1]["role"] == "tool":
            return words("It is 42.")
        return Reply(call=("calculator", {"expression": "6 * 7"}))

    model.rule = rule
    asked: list[dwell.Approval] = []

    async def yes(approval: dwell.Approval) -> dwell.views.Decision:
        asked.append(approval)
        return "once"

    async with connect() as client:
        await client.start_session("careful", policy={"confirm": ["*"]})
        final = await client.chat("reckon carefully for me", session="careful", on_approval=yes)
    assert final.message.split() == ["It", "is", "42."]
    assert [approval.tool for approval in asked] == ["calculator"]


async def test_sessions_are_started_listed_and_ended(client: Dwell) -> None:
    started = await client.start_session("garden", preferences={"language": "en"})
    assert (await client.start_session("garden", preferences={"language": "en"})).session_id == started.session_id
    assert started.settings.preferences == {"language": "en"}
    page = await client.sessions(limit=1)
    assert len(page.data) == 1
    ended = await client.end_session(started, reason="done")
    assert ended.status == "ended"
    with pytest.raises(dwell.Conflict) as refused:
        await client.chat("hello", session=started)
    assert refused.value.code == "session_ended"


async def test_a_deleted_session_is_gone_and_its_followers_hear_of_it(client: Dwell) -> None:
    await client.chat("What is 3 + 3?", session="shed")
    session = await client.session("shed")
    seen: list[str] = []
    is_read = asyncio.Event()

    async def follow() -> None:
        async for event in client.events(session):
            seen.append(event.type)
            if event.type == "chat.final":
                is_read.set()

    following = asyncio.create_task(follow())
    await is_read.wait()
    gone = await client.delete_session("shed", memories=True)
    assert gone.session_id == session.session_id
    assert gone.events >= session.last_seq
    with pytest.raises(dwell.NotFound, match="deleted"):
        await following
    assert seen[-1] == "session.ended"
    with pytest.raises(dwell.NotFound):
        await client.delete_session(session)


async def test_events_are_replayed_and_followed(client: Dwell) -> None:
    await client.chat("What is 5 + 5?", session="replayed")
    past = [event async for event in client.events("replayed", follow=False)]
    assert [event.seq for event in past] == list(range(1, len(past) + 1))
    assert past[0].type == "session.started"
    assert past[-1].type in ("turn.status", "memory.written", "memory.summary_created")
    tail = [event async for event in client.events("replayed", after=3, follow=False)]
    assert [event.seq for event in tail][:2] == [4, 5]

    await client.chat("What is 6 + 6?", session="replayed")
    async for event in client.events("replayed", after=len(past)):
        if event.type == "chat.final":
            assert event.data["message"] == "6 + 6 is 12."
            break


async def test_a_wrong_token_is_refused(offline: Program) -> None:
    with pytest.raises(dwell.Unauthorized) as refused:
        async with dwell.connect(offline.url, "wrong"):
            pass
    assert refused.value.code == "unauthorized"
    assert "token" in refused.value.hint


async def test_a_server_that_is_not_there_is_an_error_at_once() -> None:
    with pytest.raises(dwell.CannotConnect):
        await dwell.connect("http://127.0.0.1:9", TOKEN)
    with pytest.raises(ValueError, match="address"):
        await dwell.connect("127.0.0.1", TOKEN)


async def test_bad_input_is_named(client: Dwell) -> None:
    with pytest.raises(dwell.InvalidRequest) as refused:
        await client.request("chat.send", {"conversation_id": "x", "message": 5})
    assert refused.value.code == "invalid_request"
    with pytest.raises(dwell.InvalidRequest):
        await client.request("no.such.message")
    with pytest.raises(dwell.NotFound):
        await client.turn("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    with pytest.raises(ValueError, match="cancel"):
        await client.cancel()


async def test_a_closed_client_says_so(offline: Program) -> None:
    client = await dwell.connect(offline.url, TOKEN)
    followed = client.events("closing")
    await anext(followed)
    waiting = asyncio.ensure_future(anext(followed))
    late = client.events((await client.session("closing")).session_id)
    await client.close()
    with pytest.raises(dwell.ConnectionLost):
        await waiting
    with pytest.raises(dwell.ConnectionLost):
        await anext(late)
    with pytest.raises(dwell.ConnectionLost):
        await client.sessions()
