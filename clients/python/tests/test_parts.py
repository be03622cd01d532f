"""Unit tests without a server: decoding, transcripts, buffers, and agreement with the schemas."""

from __future__ import annotations

import dataclasses
import json
import random
import typing
from pathlib import Path
from typing import Any

import pytest

from dwell import Event, Final, Other, errors, views
from dwell.connection import socket_address
from dwell.core import session_ref
from dwell.decoding import DecodeError, decode
from dwell.events import ResearchChunk, ResearchDone, ResearchStarted, Restarted, Token
from dwell.feed import RECENT, Feed
from dwell.listener import Listener, Offer
from dwell.transcript import Transcript
from dwell.turn_reader import TurnReader

SCHEMAS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8"))[
    "components"
]["schemas"]

#: Schema names that are used for something else here.
NAMES = {"Failure": "TurnError"}
#: Fields that came to the server later than to the client, by class.
NEWER = {"WaitingCall": {"served"}}
VIEWS = [cls for cls in vars(views).values() if isinstance(cls, type) and dataclasses.is_dataclass(cls)]


@pytest.mark.parametrize("cls", VIEWS, ids=lambda cls: cls.__name__)
def test_views_have_the_fields_of_their_schemas(cls: type[Any]) -> None:
    schema = SCHEMAS[NAMES.get(cls.__name__, cls.__name__)]
    fields = {field.name: field for field in dataclasses.fields(cls)}
    newer = NEWER.get(cls.__name__, set()) - set(schema["properties"])
    assert set(fields) - newer == set(schema["properties"])
    for name, field in fields.items():
        is_required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        assert not is_required or name in schema.get("required", []), f"{name} may be missing"
        optional = type(None) in typing.get_args(typing.get_type_hints(cls)[name])
        assert not optional or not is_required


def test_every_code_of_the_server_has_an_exception() -> None:
    codes = {arm["const"] for arm in SCHEMAS["Code"]["oneOf"]}
    assert codes == set(errors._BY_CODE)
    assert type(errors.error_from({"code": "invented_tomorrow", "message": "no"})) is errors.Refused
    assert errors.error_from("nonsense").code == "internal"


def test_what_a_newer_server_adds_is_left_out() -> None:
    accepted = {"session_id": "s", "turn_id": "t", "agent_id": "a", "seq": 1, "duplicate": False, "mood": "fine"}
    assert decode(views.TurnAccepted, accepted).seq == 1
    with pytest.raises(DecodeError, match="seq"):
        decode(views.TurnAccepted, {name: value for name, value in accepted.items() if name != "seq"})


def event(kind: str, data: dict[str, Any], seq: int | None = None, turn_id: str = "t") -> Event:
    return Event(type=kind, session_id="s", at="", data=data, seq=seq, turn_id=turn_id)


def test_unknown_events_are_passed_on() -> None:
    reader = TurnReader("s", "t")
    (told,) = reader.read(event("turn.mood", {"mood": "fine"}, 3))
    assert isinstance(told, Other)
    assert told.event.type == "turn.mood"
    # A known name in an unknown format is no reason to fail.
    (told,) = reader.read(event("approval.request", {"question": "?"}, 4))
    assert isinstance(told, Other)
    (told,) = reader.read(event("chat.token", {"words": "?"}, 5))
    assert isinstance(told, Other)


def test_research_is_read_from_the_question_to_its_passages() -> None:
    reader = TurnReader("s", "t")
    (began,) = reader.read(event("research.started", {"call_id": "c", "query": "kilns", "sources_max": 15}, 3))
    assert isinstance(began, ResearchStarted)
    assert (began.query, began.sources, began.seq) == ("kilns", [], 3)
    source = {"status": "read", "number": 1, "round": 1, "kind": "library", "title": "K", "source": "library:k"}
    (chunk,) = reader.read(event("research.chunk", {"call_id": "c", "passages": 2, **source}, 4))
    assert isinstance(chunk, ResearchChunk)
    assert (chunk.status, chunk.passages, chunk.cached) == ("read", 2, False)
    passage = {"passage_id": "p", "mark": "1", "title": "K", "source": "library:k", "kind": "library", "text": "Hot."}
    done = {"call_id": "c", "notes": "Hot [1].", "found": 1, "read": 1, "failed": 0, "rounds": 1}
    passages = [{**passage, "read_at": "2026-01-01T12:00:00.000Z"}]
    (ended,) = reader.read(event("research.done", {**done, "passages": passages}, 5))
    assert isinstance(ended, ResearchDone)
    assert [(each.mark, each.text) for each in ended.passages] == [("1", "Hot.")]


def test_text_comes_once_however_it_is_repeated() -> None:
    chance = random.Random(7)
    for _ in range(200):
        text = "".join(chance.choice("ab·🙂é") for _ in range(chance.randrange(1, 40)))
        transcript, shown, settled = Transcript(), "", 0
        while settled < len(text):
            if chance.random() < 0.6:
                start = chance.randrange(0, len(text))
                end = chance.randrange(start, len(text) + 1)
                shown += transcript.take(start, text[start:end], numbered=False)
            else:
                end = chance.randrange(settled, len(text) + 1)
                shown += transcript.take(settled, text[settled:end], numbered=True)
                settled = end
            assert text.startswith(shown)
            assert len(shown) >= settled
        assert shown == transcript.text == text


def test_void_text_is_sent_again() -> None:
    reader = TurnReader("s", "t")
    reader.read(event("chat.token", {"offset": 0, "delta": "hello wor"}))
    told = reader.read(event("turn.status", {"status": "resumed", "text_offset": 5, "attempt": 2}, 7))
    assert isinstance(told[-1], Restarted)
    assert told[-1].offset == 5
    (token,) = reader.read(event("chat.token", {"offset": 5, "delta": "!"}, 8))
    assert isinstance(token, Token)
    assert (token.offset, token.text) == (5, "!")
    (final,) = reader.read(
        event("turn.status", {"status": "failed", "error": {"code": "x", "message": "y", "recoverable": True}}, 9)
    )
    assert isinstance(final, Final)
    assert final.message == "hello!"
    assert final.error is not None
    assert final.error.recoverable


def test_a_stream_joined_in_the_middle_begins_there() -> None:
    transcript = Transcript()
    assert transcript.take(10, "live", numbered=False) == ""
    assert transcript.take(10, "numbered", numbered=True) == "numbered"
    assert (transcript.start, transcript.end, transcript.text) == (10, 18, "numbered")


def listener(after: int, capacity: int = 4) -> Listener[int | None]:
    return Listener(after, lambda event: [event.seq], capacity=capacity)


async def test_a_listener_takes_numbers_once_and_in_order() -> None:
    one = listener(2)
    assert one.offer(event("x", {}, 2)) is Offer.KNOWN
    assert one.offer(event("x", {}, 4)) is Offer.GAP
    assert one.offer(event("x", {}, 3)) is Offer.TAKEN
    assert one.offer(event("x", {}, 4)) is Offer.TAKEN
    assert [await one.get(), await one.get()] == [3, 4]


async def test_a_full_listener_falls_behind_and_catches_up() -> None:
    one = listener(0, capacity=2)
    caught_up: list[int] = []

    def catch_up() -> None:
        caught_up.append(one.cursor)
        one.offer(event("x", {}, 3))

    one.catch_up = catch_up
    assert [one.offer(event("x", {}, seq)) for seq in (1, 2, 3)] == [Offer.TAKEN, Offer.TAKEN, Offer.FULL]
    assert one.is_behind
    assert [await one.get(), await one.get(), await one.get()] == [1, 2, 3]
    assert caught_up == [2]


async def test_a_feed_serves_late_listeners_from_what_it_keeps() -> None:
    feed = Feed("s")
    one = listener(0, capacity=10_000)
    assert not feed.serve(one, is_fresh=True), "it is not joined yet"
    feed.begin(head=5)
    assert feed.serve(one, is_fresh=True)
    assert not feed.serve(one, is_fresh=False), "what came before is not known"
    for seq in range(6, 6 + RECENT):
        feed.take(event("x", {}, seq))
    late = listener(5, capacity=10_000)
    assert feed.serve(late, is_fresh=False)
    assert late.cursor == 5 + RECENT
    feed.take(event("x", {}, 6 + RECENT))
    assert not feed.serve(listener(5), is_fresh=False), "its beginning is no longer kept"


async def test_a_feed_forgets_listeners_that_are_dropped() -> None:
    feed = Feed("s")
    one = listener(0)
    feed.add(one)
    assert feed.resume_point() == 0
    del one
    assert feed.resume_point() is None


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:7437", "ws://127.0.0.1:7437/ws"),
        ("https://home.example/dwell/", "wss://home.example/dwell/ws"),
        ("ws://127.0.0.1:1/ws", "ws://127.0.0.1:1/ws"),
    ],
)
def test_addresses_lead_to_the_socket(url: str, address: str) -> None:
    assert socket_address(url) == address


def test_ids_and_names_are_told_apart() -> None:
    assert session_ref("01ARZ3NDEKTSV4RRFFQ69G5FAV") == {"session_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
    assert session_ref("kitchen") == {"conversation_id": "kitchen"}
    assert session_ref(None) == {}
