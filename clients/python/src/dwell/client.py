"""The client: what one can ask of a server, over one WebSocket that comes back by itself."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from .decoding import decode
from .errors import Busy, TurnWaiting
from .events import Approval, Event, Final, Started, Status
from .following import Following
from .link import Link, Patience
from .listener import Listener
from .stream import TurnStream, answered
from .views import (
    Accepted,
    CallOutcome,
    Cancelled,
    Decision,
    Deleted,
    Fact,
    Forgotten,
    Imported,
    Level,
    MemorySnapshot,
    Mode,
    OnBusy,
    Scope,
    SessionPage,
    SessionView,
    TurnView,
)

#: A session: its id, a name of one's own choice, or a view of it.
Session = str | SessionView

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


class ChatOptions(TypedDict, total=False):
    """What `chat` and `stream` may be told beside the message; the manual explains each."""

    model: str
    allow_tools: bool
    max_steps: int
    time_budget_ms: int
    planner_hints: Mapping[str, Any]
    images: Sequence[Mapping[str, str]]
    use_web_search: bool
    context_window: int
    tags: Sequence[str]
    context_tags: Sequence[str]
    early_wait_ms: int
    on_busy: OnBusy
    monitor_id: str
    version: int
    idempotency_key: str


class Dwell:
    """A client of one server. Make it with `connect`; one may serve any number of sessions and tasks at once."""

    def __init__(self, url: str, token: str, patience: Patience) -> None:
        """A client that is not connected yet."""
        self._following = Following()
        following = self._following
        self._link = Link(url, token, patience, following.take, following.up, following.down, following.end)
        following.link = self._link

    # --- turns -------------------------------------------------------------------------------------------------------

    async def chat(
        self,
        message: str,
        *,
        session: Session,
        on_approval: Callable[[Approval], Awaitable[Decision]] | None = None,
        **options: Unpack[ChatOptions],
    ) -> Final:
        """Says something and waits for the answer, through reconnections and restarts of the server.

        A turn that fails, runs out of time or is cancelled raises; one that waits for a person to find something out
        raises `TurnWaiting`. `on_approval` is asked when a call needs a yes; without it the question is left to other
        clients.
        """
        async with self.stream(message, session=session, **options) as stream:
            async for event in stream:
                match event:
                    case Approval() if on_approval is not None:
                        await self.approve(event.approval_id, await on_approval(event), digest=event.digest)
                    case Status(status="waiting", question=question) if question is not None:
                        turn_id = stream.turn_id or ""
                        raise TurnWaiting(question.text, turn_id=turn_id, text=stream.text, reason=event.reason)
            return answered(await stream.result())

    def stream(self, message: str, *, session: Session, **options: Unpack[ChatOptions]) -> TurnStream:
        """Says something and gives the turn as it happens. Nothing is sent before the stream is read."""
        data: dict[str, Any] = {**_session(session), "message": message, **options}
        # The same key makes the same turn, so that sending again after a broken connection is harmless.
        data.setdefault("idempotency_key", _key())

        async def begin(stream: TurnStream) -> None:
            accepted = decode(Accepted, await self._follow("chat.send", data, is_repeatable=True))
            stream.watch(accepted, _started(accepted))

        return TurnStream(begin, self._following)

    def attach(self, turn_id: str) -> TurnStream:
        """A turn that is under way, beginning with what it has come to; also one that has ended."""

        async def begin(stream: TurnStream) -> None:
            stream.watch_from(await self.turn(turn_id))

        return TurnStream(begin, self._following)

    async def turn(self, turn_id: str) -> TurnView:
        """A turn as it stands."""
        return decode(TurnView, await self._get("turn.get", {"turn_id": turn_id}))

    async def cancel(
        self, *, session: Session | None = None, turn_id: str | None = None, reason: str | None = None
    ) -> Cancelled:
        """Stops a turn, or all open turns of a session. Give a session, a turn, or both."""
        if session is None:
            if turn_id is None:
                raise ValueError("say what to cancel: a session, a turn, or both")
            session = (await self.turn(turn_id)).session_id
        data = _given(turn_id=turn_id, reason=reason, **_session(session))
        # A turn that is cancelled twice is cancelled; "all" may be others the second time.
        answer = await self._link.request("agent.cancel", data, is_repeatable=turn_id is not None)
        return decode(Cancelled, answer)

    async def resume(self, turn_id: str, *, outcome: CallOutcome | None = None, call_id: str | None = None) -> Accepted:
        """Lets an interrupted or waiting turn go on; `attach` listens to it.

        `outcome` tells a turn that waits for it what became of a call that a crash had cut off.
        """
        data = _given(turn_id=turn_id, outcome=outcome, call_id=call_id)
        return decode(Accepted, await self._link.request("turn.resume", data, is_repeatable=False))

    async def retry(self, turn_id: str) -> Accepted:
        """Asks the same again in a new turn; `attach` listens to it."""
        return decode(Accepted, await self._link.request("turn.retry", {"turn_id": turn_id}, is_repeatable=False))

    async def approve(self, approval_id: str, decision: Decision = "once", *, digest: str | None = None) -> None:
        """Answers whether a call may run. With `digest` the answer stands for exactly the call that was shown."""
        data = _given(approval_id=approval_id, decision=decision, digest=digest)
        await self._link.request("approval.answer", data, is_repeatable=False)

    # --- sessions ----------------------------------------------------------------------------------------------------

    async def start_session(
        self,
        key: str | None = None,
        *,
        model: str | None = None,
        budgets: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
        preferences: Mapping[str, Any] | None = None,
        temporary: bool | None = None,
    ) -> SessionView:
        """Begins a session. With a `key`, starting again gives the same one."""
        data = _given(
            key=key, model=model, budgets=budgets, policy=policy, preferences=preferences, temporary=temporary
        )
        return decode(SessionView, await self._follow("session.start", data, is_repeatable=key is not None))

    async def session(self, session: Session) -> SessionView:
        """A session as it stands."""
        return decode(SessionView, await self._get("session.get", _session(session)))

    async def sessions(
        self,
        *,
        query: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SessionPage:
        """The owner's sessions, newest activity first; with `query` those in whose title or name its words occur."""
        asked = _given(query=query, status=status, limit=limit, cursor=cursor)
        return decode(SessionPage, await self._get("session.list", asked))

    async def end_session(self, session: Session, *, reason: str | None = None) -> SessionView:
        """Ends a session; what was said stays readable."""
        data = _given(reason=reason, **_session(session))
        return decode(SessionView, await self._link.request("session.end", data, is_repeatable=False))

    async def delete_session(
        self, session: Session, *, memories: bool | None = None, version: int | None = None
    ) -> Deleted:
        """Deletes a session for good, with all that was said in it; with `memories`, also what was remembered of it.

        It cannot be undone. Whoever follows the session gets `NotFound`.
        """
        data = _given(memories=memories, version=version, **_session(session))
        return decode(Deleted, await self._link.request("session.delete", data, is_repeatable=False))

    async def events(
        self, session: Session, *, after: int = 0, live: bool = False, follow: bool = True
    ) -> AsyncIterator[Event]:
        """Every event of a session after a number, in order, each once; then those to come.

        With `live`, text and progress come at once as well, without a number. Without `follow` it ends with the newest
        event that there is at the beginning.
        """
        session_id = await self._session_id(session, after)
        listener: Listener[Event] = Listener(after, lambda event: [event] if live or event.seq is not None else [])
        until = None if follow else (await self.session(session_id)).last_seq
        self._following.attach(session_id, listener)
        try:
            seen = after
            while until is None or seen < until:
                event = await listener.get()
                seen = event.seq if event.seq is not None else seen
                yield event
        finally:
            self._following.detach(session_id, listener)

    # --- memory ------------------------------------------------------------------------------------------------------

    async def set_profile(self, key: str, value: str, *, priority: int | None = None, ttl_s: int | None = None) -> Fact:
        """Sets a line of the profile; what was there before stays as history."""
        data = _given(key=key, value=value, priority=priority, ttl_s=ttl_s, idempotency_key=_key())
        return decode(Fact, await self._link.request("memory.set", data, is_repeatable=True))

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
        """What memory holds, newest first; with `query`, what fits it."""
        data = _given(
            query=query, scope=scope, levels=levels, key=key, history=history, limit=limit, cursor=cursor,
            **_session(session),
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
        vault_id: str | None = None,
        memory_id: str | None = None,
        limit: int | None = None,
    ) -> MemorySnapshot:
        """What fits a question, best first, with every part of the score."""
        data = _given(
            query=query, scope=scope, levels=levels, tags=tags, mode=mode, vault_id=vault_id, memory_id=memory_id,
            limit=limit, **_session(session),
        )  # fmt: skip
        return decode(MemorySnapshot, await self._get("memory.search", data))

    async def remember(
        self, title: str, messages: Sequence[Mapping[str, Any]], *, vault: str | None = None
    ) -> Imported:
        """Takes in a conversation that happens elsewhere, as one memory by this title.

        Messages have `role` and `content`, and may have `speaker` and `at`. Give the whole conversation each time: what
        is there already is left alone.
        """
        text = json.dumps({"title": title, "messages": list(messages)}, ensure_ascii=False)
        data = _given(text=text, format="ingest", vault=vault, title=title)
        return decode(Imported, await self._link.request("memory.import", data, is_repeatable=True))

    async def forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        key: str | None = None,
        text: str | None = None,
        memory_id: str | None = None,
    ) -> Forgotten:
        """Forgets, everywhere; answered once it is gone. It cannot be undone."""
        data = _given(ids=ids, key=key, text=text, memory_id=memory_id)
        return decode(Forgotten, await self._link.request("memory.forget", data, is_repeatable=False))

    # --- anything else -----------------------------------------------------------------------------------------------

    async def request(self, kind: str, data: Mapping[str, Any] | None = None, *, is_repeatable: bool = False) -> Any:
        """Sends any message of the wire reference and gives the data of its answer.

        Say `is_repeatable` only of what does no harm when the server sees it twice: then it survives a broken
        connection.
        """
        return await self._follow(kind, data or {}, is_repeatable=is_repeatable)

    async def close(self) -> None:
        """Ends the connection. Turns go on without it."""
        await self._link.close()

    async def __aenter__(self) -> Self:
        """Connects."""
        await self._link.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the connection."""
        await self.close()

    def __await__(self) -> Generator[Any, None, Self]:
        """Connects: `client = await connect(…)`; then `close` is the caller's to call."""
        return self.__aenter__().__await__()

    async def _get(self, kind: str, data: Mapping[str, Any]) -> Any:
        return await self._link.request(kind, data, is_repeatable=True)

    async def _follow(self, kind: str, data: Mapping[str, Any], *, is_repeatable: bool) -> Any:
        """A request by which the connection follows a session; there is room for 64 of them on one."""
        try:
            return await self._link.request(kind, data, is_repeatable=is_repeatable)
        except Busy as error:
            if error.code != "too_many_connections" or not self._following.forget_idle():
                raise
        # It was refused, so it has not happened. A new connection follows only what somebody listens to.
        await self._link.cycle()
        return await self._link.request(kind, data, is_repeatable=is_repeatable)

    async def _session_id(self, session: Session, after: int) -> str:
        """The id of a session that may be named; one that is not there yet is made."""
        data = _session(session)
        if "session_id" in data:
            return data["session_id"]
        view = decode(SessionView, await self._follow("session.resume", {**data, "after": after}, is_repeatable=True))
        self._following.was_asked_after(view.session_id, after)
        return view.session_id


def connect(url: str, token: str, *, patience: Patience | None = None) -> Dwell:
    """A client of a server: `async with connect(…) as client`, or `client = await connect(…)` and `client.close()`."""
    return Dwell(url, token, patience or Patience())


def _session(session: Session | None) -> dict[str, str]:
    """Which session is meant, as the wire says it: what looks like an id is one, anything else is a name."""
    if session is None:
        return {}
    if isinstance(session, SessionView):
        return {"session_id": session.session_id}
    return {"session_id": session} if _ULID.fullmatch(session) else {"conversation_id": session}


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _started(accepted: Accepted) -> Started:
    return Started(
        session_id=accepted.session_id,
        turn_id=accepted.turn_id,
        agent_id=accepted.agent_id,
        duplicate=accepted.duplicate,
        position=accepted.position,
        seq=accepted.seq,
    )


def _key() -> str:
    return uuid.uuid4().hex
