"""The client: requests to a server over one WebSocket that reconnects by itself."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from .connection import Connection, Patience
from .decoding import decode
from .errors import Busy, TurnWaiting
from .events import Approval, Event, Final, Started, Status
from .listener import Listener
from .stream import TurnStream, require_answer
from .subscriptions import Subscriptions
from .views import (
    CallOutcome,
    CancelResult,
    Decision,
    DeletedSession,
    Fact,
    ForgetResult,
    Level,
    MemoryImportResult,
    MemorySnapshot,
    Mode,
    OnBusy,
    Scope,
    SessionPage,
    SessionView,
    TurnAccepted,
    TurnView,
)

#: A session: its id, a name of your choice, or a view of it.
Session = str | SessionView

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


class ChatOptions(TypedDict, total=False):
    """Options of `chat` and `stream`; see `ChatSend` in `docs/reference/types.md`."""

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
    """A client of one server, for any number of sessions and tasks. Create it with `connect`."""

    def __init__(self, url: str, token: str, patience: Patience) -> None:
        """A client that is not connected yet."""
        self._subscriptions = subs = Subscriptions()
        self._connection = Connection(url, token, patience, subs.take, subs.up, subs.down, subs.end)
        subs.connection = self._connection

    # --- turns -------------------------------------------------------------------------------------------------------

    async def chat(
        self,
        message: str,
        *,
        session: Session,
        on_approval: Callable[[Approval], Awaitable[Decision]] | None = None,
        **options: Unpack[ChatOptions],
    ) -> Final:
        """Send a message and wait for the answer, across reconnections and restarts of the server.

        A turn that fails, times out or is cancelled raises; one that waits for the user to check the
        outcome of a call raises `TurnWaiting`. `on_approval` is called when a call needs approval;
        without it other clients may answer.
        """
        async with self.stream(message, session=session, **options) as stream:
            async for event in stream:
                match event:
                    case Approval() if on_approval is not None:
                        await self.approve(event.approval_id, await on_approval(event), digest=event.digest)
                    case Status(status="waiting", question=question) if question is not None:
                        turn_id = stream.turn_id or ""
                        raise TurnWaiting(question.text, turn_id=turn_id, text=stream.text, reason=event.reason)
            return require_answer(await stream.result())

    def stream(self, message: str, *, session: Session, **options: Unpack[ChatOptions]) -> TurnStream:
        """Send a message and stream the turn. Nothing is sent before the stream is read."""
        data: dict[str, Any] = {**_session(session), "message": message, **options}
        # The idempotency key makes it safe to send again after the connection broke.
        data.setdefault("idempotency_key", _key())

        async def begin(stream: TurnStream) -> None:
            accepted = decode(TurnAccepted, await self._follow("chat.send", data, is_repeatable=True))
            stream.watch(accepted, _started(accepted))

        return TurnStream(begin, self._subscriptions)

    def attach(self, turn_id: str) -> TurnStream:
        """Stream an existing turn, starting with its current state; also one that has ended."""

        async def begin(stream: TurnStream) -> None:
            stream.watch_from(await self.turn(turn_id))

        return TurnStream(begin, self._subscriptions)

    async def turn(self, turn_id: str) -> TurnView:
        """The current state of a turn."""
        return decode(TurnView, await self._get("turn.get", {"turn_id": turn_id}))

    async def cancel(
        self, *, session: Session | None = None, turn_id: str | None = None, reason: str | None = None
    ) -> CancelResult:
        """Cancel a turn, or all open turns of a session. Pass a session, a turn, or both."""
        if session is None:
            if turn_id is None:
                raise ValueError("pass what to cancel: a session, a turn, or both")
            session = (await self.turn(turn_id)).session_id
        data = _without_none(turn_id=turn_id, reason=reason, **_session(session))
        # Cancelling one turn twice is fine; "all" may mean other turns the second time.
        answer = await self._connection.request("agent.cancel", data, is_repeatable=turn_id is not None)
        return decode(CancelResult, answer)

    async def resume(
        self, turn_id: str, *, outcome: CallOutcome | None = None, call_id: str | None = None
    ) -> TurnAccepted:
        """Resume an interrupted or waiting turn; `attach` streams it.

        `outcome` says whether a call that a crash interrupted took effect.
        """
        data = _without_none(turn_id=turn_id, outcome=outcome, call_id=call_id)
        return decode(TurnAccepted, await self._connection.request("turn.resume", data, is_repeatable=False))

    async def retry(self, turn_id: str) -> TurnAccepted:
        """Run the same request again in a new turn; `attach` streams it."""
        return decode(
            TurnAccepted, await self._connection.request("turn.retry", {"turn_id": turn_id}, is_repeatable=False)
        )

    async def approve(self, approval_id: str, decision: Decision = "once", *, digest: str | None = None) -> None:
        """Answer an approval request. `digest` ties the answer to the call that was shown."""
        data = _without_none(approval_id=approval_id, decision=decision, digest=digest)
        await self._connection.request("approval.answer", data, is_repeatable=False)

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
        """Start a session. With a `key`, starting again returns the same one."""
        data = _without_none(
            key=key, model=model, budgets=budgets, policy=policy, preferences=preferences, temporary=temporary
        )
        return decode(SessionView, await self._follow("session.start", data, is_repeatable=key is not None))

    async def session(self, session: Session) -> SessionView:
        """The current state of a session."""
        return decode(SessionView, await self._get("session.get", _session(session)))

    async def sessions(
        self,
        *,
        query: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SessionPage:
        """The owner's sessions, newest activity first; `query` searches titles and names."""
        asked = _without_none(query=query, status=status, limit=limit, cursor=cursor)
        return decode(SessionPage, await self._get("session.list", asked))

    async def end_session(self, session: Session, *, reason: str | None = None) -> SessionView:
        """End a session; it stays readable."""
        data = _without_none(reason=reason, **_session(session))
        return decode(SessionView, await self._connection.request("session.end", data, is_repeatable=False))

    async def delete_session(
        self, session: Session, *, memories: bool | None = None, version: int | None = None
    ) -> DeletedSession:
        """Delete a session permanently; with `memories`, also what was remembered from it.

        It cannot be undone. Followers of the session get `NotFound`.
        """
        data = _without_none(memories=memories, version=version, **_session(session))
        return decode(DeletedSession, await self._connection.request("session.delete", data, is_repeatable=False))

    async def events(
        self, session: Session, *, after: int = 0, live: bool = False, follow: bool = True
    ) -> AsyncIterator[Event]:
        """Yield every event of a session after a number, in order, each once; then new ones.

        `live` includes live text and progress, which have no number. Without `follow` it ends with
        the event that is the newest at the start.
        """
        session_id = await self._session_id(session, after)
        listener: Listener[Event] = Listener(after, lambda event: [event] if live or event.seq is not None else [])
        until = None if follow else (await self.session(session_id)).last_seq
        self._subscriptions.attach(session_id, listener)
        try:
            seen = after
            while until is None or seen < until:
                event = await listener.get()
                seen = event.seq if event.seq is not None else seen
                yield event
        finally:
            self._subscriptions.detach(session_id, listener)

    # --- memory ------------------------------------------------------------------------------------------------------

    async def set_profile(self, key: str, value: str, *, priority: int | None = None, ttl_s: int | None = None) -> Fact:
        """Set a profile entry; its old value stays in the history."""
        data = _without_none(key=key, value=value, priority=priority, ttl_s=ttl_s, idempotency_key=_key())
        return decode(Fact, await self._connection.request("memory.set", data, is_repeatable=True))

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
        data = _without_none(
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
        """Search memory; results come best first, with all parts of the score."""
        data = _without_none(
            query=query, scope=scope, levels=levels, tags=tags, mode=mode, vault_id=vault_id, memory_id=memory_id,
            limit=limit, **_session(session),
        )  # fmt: skip
        return decode(MemorySnapshot, await self._get("memory.search", data))

    async def remember(
        self, title: str, messages: Sequence[Mapping[str, Any]], *, vault: str | None = None
    ) -> MemoryImportResult:
        """Import a conversation from another program as one memory with this title.

        Messages have `role` and `content`, and may have `speaker` and `at`. Pass the whole
        conversation each time: known messages are not changed.
        """
        text = json.dumps({"title": title, "messages": list(messages)}, ensure_ascii=False)
        data = _without_none(text=text, format="ingest", vault=vault, title=title)
        return decode(MemoryImportResult, await self._connection.request("memory.import", data, is_repeatable=True))

    async def forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        key: str | None = None,
        text: str | None = None,
        memory_id: str | None = None,
    ) -> ForgetResult:
        """Forget items everywhere; returns once they are deleted. It cannot be undone."""
        data = _without_none(ids=ids, key=key, text=text, memory_id=memory_id)
        return decode(ForgetResult, await self._connection.request("memory.forget", data, is_repeatable=False))

    # --- anything else -----------------------------------------------------------------------------------------------

    async def request(self, kind: str, data: Mapping[str, Any] | None = None, *, is_repeatable: bool = False) -> Any:
        """Send any request of the wire reference and return the data of its answer.

        Set `is_repeatable` only for idempotent requests: they are sent again after a reconnection.
        """
        return await self._follow(kind, data or {}, is_repeatable=is_repeatable)

    async def close(self) -> None:
        """Close the connection. Turns continue on the server."""
        await self._connection.close()

    async def __aenter__(self) -> Self:
        """Connect."""
        await self._connection.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.close()

    def __await__(self) -> Generator[Any, None, Self]:
        """Connect: `client = await connect(…)`; the caller has to call `close`."""
        return self.__aenter__().__await__()

    async def _get(self, kind: str, data: Mapping[str, Any]) -> Any:
        return await self._connection.request(kind, data, is_repeatable=True)

    async def _follow(self, kind: str, data: Mapping[str, Any], *, is_repeatable: bool) -> Any:
        """A request that makes the connection follow a session; at most 64 per connection."""
        try:
            return await self._connection.request(kind, data, is_repeatable=is_repeatable)
        except Busy as error:
            if error.code != "too_many_connections" or not self._subscriptions.forget_idle():
                raise
        # It was refused, so it had no effect. A new connection follows only sessions with
        # listeners.
        await self._connection.cycle()
        return await self._connection.request(kind, data, is_repeatable=is_repeatable)

    async def _session_id(self, session: Session, after: int) -> str:
        """The id of a session; one given by name is created on first use."""
        data = _session(session)
        if "session_id" in data:
            return data["session_id"]
        view = decode(SessionView, await self._follow("session.resume", {**data, "after": after}, is_repeatable=True))
        self._subscriptions.set_requested_after(view.session_id, after)
        return view.session_id


def connect(url: str, token: str, *, patience: Patience | None = None) -> Dwell:
    """A client: `async with connect(…) as client`, or `client = await connect(…)`."""
    return Dwell(url, token, patience or Patience())


def _session(session: Session | None) -> dict[str, str]:
    """The wire form of a session: what looks like an id is one, anything else is a name."""
    if session is None:
        return {}
    if isinstance(session, SessionView):
        return {"session_id": session.session_id}
    return {"session_id": session} if _ULID.fullmatch(session) else {"conversation_id": session}


def _without_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _started(accepted: TurnAccepted) -> Started:
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
