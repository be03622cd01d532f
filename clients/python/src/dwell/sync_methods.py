"""The methods of the client without `await`.

Generated from the async methods by `python scripts/generate_sync.py`. Do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Unpack
from pathlib import Path

from .alerts import Alerts
from .artifacts import Artifacts
from .client import Dwell
from .core import Session
from .desktop import Desktop
from .events import Approval, Event, Final
from .home import Home
from .library import Library
from .memory import MemoryMethods
from .schedules import Schedules
from .server import Server
from .sessions import Format, SessionMethods
from .tools import AnyTool
from .tools.runner import CONCURRENCY
from .turns import ChatOptions, TurnMethods
from . import types as wire
from .values import Key, PutValue, StoredValue, ValueOrder, ValuePage, ValueWriteResult, Values
from .vaults import Vaults
from .views import Alert, AlertPage, AlertView, BackgroundView, CallOutcome, CancelResult, Decision, DeletedSession, Fact, ForgetResult, Level, MemoryGraph, MemoryImportResult, MemorySnapshot, Mode, Passage, PauseResult, SchedulePage, ScheduleTimes, ScheduleView, Scope, SessionPage, SessionView, TurnAccepted, TurnView
from .sync_loop import SyncArea, SyncTurnStream


class SyncTurnMethods(SyncArea):
    """What a client does with turns."""

    _async: TurnMethods

    def chat(
        self,
        message: str,
        *,
        session: Session,
        tools: Sequence[AnyTool] | None = None,
        response_schema: Any = None,
        on_approval: Callable[[Approval], Decision] | None = None,
        **options: Unpack[ChatOptions],
    ) -> Final:
        """Send a message and wait for the answer, across reconnections and restarts of the server.

        `tools` are functions that the model may call: this program runs them. With
        `response_schema`, a JSON Schema or a type, the answer matches it and is read into `parsed`.
        A turn that fails, times out or is cancelled raises; one that waits for the user to check
        the outcome of a call raises `TurnWaiting`. `on_approval` is called when a call needs
        approval; without it other clients may answer.
        """
        return self._loop.run(self._async.chat(message, session=session, tools=tools, response_schema=response_schema, on_approval=self._loop.callback(on_approval), **options))

    def stream(
        self,
        message: str,
        *,
        session: Session,
        tools: Sequence[AnyTool] | None = None,
        response_schema: Any = None,
        **options: Unpack[ChatOptions],
    ) -> SyncTurnStream:
        """Send a message and stream the turn. Nothing is sent before the stream is read.

        `tools` and `response_schema` are those of `chat`. Calls of a tool that is given as a
        definition without a function are for the caller: see `answer_calls`.
        """
        return SyncTurnStream(self._loop, self._async.stream(message, session=session, tools=tools, response_schema=response_schema, **options))

    def begin(
        self,
        message: str,
        *,
        session: Session,
        **options: Unpack[ChatOptions],
    ) -> TurnAccepted:
        """Send a message without waiting for the answer, by default in the background.

        In the background the turn runs beside the conversation, for hours if need be, and its end
        raises an alert. `attach` streams it, `pause` and `resume` control it.
        """
        return self._loop.run(self._async.begin(message, session=session, **options))

    def background_turns(
        self,
        *,
        ended: bool = False,
        limit: int | None = None,
    ) -> list[BackgroundView]:
        """The turns in the background of all sessions, newest first; with `ended` also those that have ended."""
        return self._loop.run(self._async.background_turns(ended=ended, limit=limit))

    def attach(
        self,
        turn_id: str,
        *,
        tools: Sequence[AnyTool] | None = None,
        response_schema: Any = None,
    ) -> SyncTurnStream:
        """Stream an existing turn, starting with its current state; also one that has ended.

        With `tools`, its calls of these are run. A call that waits already may have been run by
        another program: it is run if its tool may be called twice, and else answered with an error
        that says so.
        """
        return SyncTurnStream(self._loop, self._async.attach(turn_id, tools=tools, response_schema=response_schema))

    def ask(
        self,
        message: str,
        *,
        wait_ms: int | None = None,
        response_schema: Any = None,
        **options: Unpack[ChatOptions],
    ) -> TurnView:
        """Ask one question in a temporary session, which is removed afterwards."""
        return self._loop.run(self._async.ask(message, wait_ms=wait_ms, response_schema=response_schema, **options))

    def turn(
        self,
        turn_id: str,
        *,
        wait_ms: int | None = None,
    ) -> TurnView:
        """The current state of a turn; with `wait_ms`, once it has ended or that time is over."""
        return self._loop.run(self._async.turn(turn_id, wait_ms=wait_ms))

    def turns(
        self,
        session: Session,
        *,
        order: Literal['oldest', 'newest'] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> list[TurnView]:
        """A page of a session's turns, oldest first, unless `order` says `newest`."""
        return self._loop.run(self._async.turns(session, order=order, limit=limit, cursor=cursor))

    def turn_page(
        self,
        session: Session,
        *,
        order: Literal['oldest', 'newest'] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> wire.TurnPage:
        """A page of a session's turns as on the wire, with the cursor of the next page."""
        return self._loop.run(self._async.turn_page(session, order=order, limit=limit, cursor=cursor))

    def turn_events(
        self,
        turn_id: str,
        *,
        after: int | None = None,
        limit: int | None = None,
    ) -> list[Event]:
        """A page of a turn's numbered events, after a number."""
        return self._loop.run(self._async.turn_events(turn_id, after=after, limit=limit))

    def passages(
        self,
        turn_id: str,
    ) -> list[Passage]:
        """The passages that a turn's research collected, to which its citations refer."""
        return self._loop.run(self._async.passages(turn_id))

    def forget_turn(
        self,
        session: Session,
        turn_id: str,
    ) -> ForgetResult:
        """Delete the text of an ended turn from its session and from memory.

        It cannot be undone.
        """
        return self._loop.run(self._async.forget_turn(session, turn_id))

    def cancel(
        self,
        *,
        session: Session | None = None,
        turn_id: str | None = None,
        reason: str | None = None,
    ) -> CancelResult:
        """Cancel a turn, or all open turns of a session. Pass a session, a turn, or both."""
        return self._loop.run(self._async.cancel(session=session, turn_id=turn_id, reason=reason))

    def interrupt(
        self,
        session: Session,
        *,
        agent_id: str | None = None,
    ) -> CancelResult:
        """Interrupt the running turn of one agent or of all; queued turns follow."""
        return self._loop.run(self._async.interrupt(session, agent_id=agent_id))

    def resume(
        self,
        turn_id: str,
        *,
        outcome: CallOutcome | None = None,
        call_id: str | None = None,
    ) -> TurnAccepted:
        """Resume an interrupted, paused or waiting turn; `attach` streams it.

        `outcome` says whether a call that a crash interrupted took effect.
        """
        return self._loop.run(self._async.resume(turn_id, outcome=outcome, call_id=call_id))

    def pause(
        self,
        turn_id: str,
    ) -> PauseResult:
        """Pause a turn until `resume`. Calls that run get their results first: it is `running` until then."""
        return self._loop.run(self._async.pause(turn_id))

    def retry(
        self,
        turn_id: str,
    ) -> TurnAccepted:
        """Run the same request again in a new turn; `attach` streams it."""
        return self._loop.run(self._async.retry(turn_id))

    def approve(
        self,
        approval_id: str,
        decision: Decision = 'once',
        *,
        digest: str | None = None,
    ) -> None:
        """Answer an approval request. `digest` ties the answer to the call that was shown."""
        return self._loop.run(self._async.approve(approval_id, decision, digest=digest))

    def approvals(
        self,
        *,
        session: Session | None = None,
    ) -> list[wire.ApprovalView]:
        """The calls that wait for approval; answer them with `approve`."""
        return self._loop.run(self._async.approvals(session=session))

    def answer_calls(
        self,
        turn_id: str,
        results: Sequence[wire.ClientResult],
        *,
        offer: wire.ClientToolOffer | None = None,
    ) -> wire.ToolAnswered:
        """Send the results of calls that the caller has run; `turn(…).calls_waiting` lists them."""
        return self._loop.run(self._async.answer_calls(turn_id, results, offer=offer))


class SyncSessionMethods(SyncArea):
    """What a client does with sessions."""

    _async: SessionMethods

    def start_session(
        self,
        key: str | None = None,
        *,
        model: str | None = None,
        model_settings: wire.ModelSettings | None = None,
        agent_settings: Mapping[str, wire.ModelSettings] | None = None,
        model_overrides: Mapping[str, wire.ModelOverrides] | None = None,
        pinned_tools: Sequence[str] | None = None,
        budgets: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
        preferences: Mapping[str, Any] | None = None,
        temporary: bool | None = None,
    ) -> SessionView:
        """Start a session. With a `key`, starting again returns the same one."""
        return self._loop.run(self._async.start_session(key, model=model, model_settings=model_settings, agent_settings=agent_settings, model_overrides=model_overrides, pinned_tools=pinned_tools, budgets=budgets, policy=policy, preferences=preferences, temporary=temporary))

    def session(
        self,
        session: Session,
    ) -> SessionView:
        """The current state of a session."""
        return self._loop.run(self._async.session(session))

    def sessions(
        self,
        *,
        query: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SessionPage:
        """The owner's sessions, newest activity first; `query` searches titles and names."""
        return self._loop.run(self._async.sessions(query=query, status=status, limit=limit, cursor=cursor))

    def update_session(
        self,
        session: Session,
        *,
        version: int | None = None,
        model: str | None = None,
        model_settings: wire.ModelSettings | None = None,
        agent_settings: Mapping[str, wire.ModelSettings] | None = None,
        model_overrides: Mapping[str, wire.ModelOverrides] | None = None,
        pinned_tools: Sequence[str] | None = None,
        budgets: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
        preferences: Mapping[str, Any] | None = None,
    ) -> SessionView:
        """Change settings of a session. A preference that is None is removed."""
        return self._loop.run(self._async.update_session(session, version=version, model=model, model_settings=model_settings, agent_settings=agent_settings, model_overrides=model_overrides, pinned_tools=pinned_tools, budgets=budgets, policy=policy, preferences=preferences))

    def set_model(
        self,
        session: Session,
        model: str,
    ) -> SessionView:
        """Change the model of a session, as `provider/model`."""
        return self._loop.run(self._async.set_model(session, model))

    def context_window(
        self,
        session: Session,
        *,
        agent_id: str | None = None,
    ) -> wire.ContextWindowView:
        """What the next turn gets of the conversation, and how full it is."""
        return self._loop.run(self._async.context_window(session, agent_id=agent_id))

    def reset_session(
        self,
        session: Session,
        *,
        reason: str | None = None,
        version: int | None = None,
    ) -> SessionView:
        """Cancel open turns and start the conversation over."""
        return self._loop.run(self._async.reset_session(session, reason=reason, version=version))

    def end_session(
        self,
        session: Session,
        *,
        reason: str | None = None,
        version: int | None = None,
    ) -> SessionView:
        """End a session; it stays readable."""
        return self._loop.run(self._async.end_session(session, reason=reason, version=version))

    def delete_session(
        self,
        session: Session,
        *,
        memories: bool | None = None,
        version: int | None = None,
    ) -> DeletedSession:
        """Delete a session permanently; with `memories`, also what was remembered from it.

        It cannot be undone. Followers of the session get `NotFound`.
        """
        return self._loop.run(self._async.delete_session(session, memories=memories, version=version))

    def fork_session(
        self,
        session: Session,
        turn_id: str,
        *,
        key: str | None = None,
    ) -> SessionView:
        """A new session with a copy of the conversation up to a turn."""
        return self._loop.run(self._async.fork_session(session, turn_id, key=key))

    def restore_session(
        self,
        session: Session,
        *,
        windows: wire.RestoreMode | None = None,
        key: str | None = None,
    ) -> SessionView:
        """A new session that continues an earlier one, with its windows or what they showed."""
        return self._loop.run(self._async.restore_session(session, windows=windows, key=key))

    def export_session(
        self,
        session: Session,
        *,
        format: Format | None = None,
    ) -> Mapping[str, Any]:
        """The journal of a session as `manifest` and `events`; in another format, its `data`."""
        return self._loop.run(self._async.export_session(session, format=format))

    def download_session(
        self,
        session: Session,
        *,
        format: Format | None = None,
        artifacts: bool | None = None,
        sound: bool | None = None,
    ) -> str:
        """The text of an export, of any length, as `import_session` takes it.

        With `artifacts`, the session's artifacts are part of it; with `sound`, only what precedes
        damage.
        """
        return self._loop.run(self._async.download_session(session, format=format, artifacts=artifacts, sound=sound))

    def import_session(
        self,
        text: str,
        *,
        format: Format | None = None,
        conversation_id: str | None = None,
        idempotency_key: str | None = None,
        accept_damage: bool | None = None,
    ) -> wire.ImportedSession:
        """Import a conversation as a new session. Nothing in it is run."""
        return self._loop.run(self._async.import_session(text, format=format, conversation_id=conversation_id, idempotency_key=idempotency_key, accept_damage=accept_damage))

    def event_page(
        self,
        session: Session,
        *,
        after: int | None = None,
        limit: int | None = None,
    ) -> list[Event]:
        """A page of a session's numbered events, after a number; `events` yields all of them."""
        return self._loop.run(self._async.event_page(session, after=after, limit=limit))

    def events(
        self,
        session: Session,
        *,
        after: int = 0,
        live: bool = False,
        follow: bool = True,
    ) -> Iterator[Event]:
        """Yield every event of a session after a number, in order, each once; then new ones.

        `live` includes live text and progress, which have no number. Without `follow` it ends with
        the event that is the newest at the start.
        """
        return self._loop.iterate(self._async.events(session, after=after, live=live, follow=follow))


class SyncMemoryMethods(SyncArea):
    """What a client does with memory."""

    _async: MemoryMethods

    def set_profile(
        self,
        key: str,
        value: str,
        *,
        priority: int | None = None,
        ttl_s: int | None = None,
        idempotency_key: str | None = None,
    ) -> Fact:
        """Set a profile entry; its old value stays in the history."""
        return self._loop.run(self._async.set_profile(key, value, priority=priority, ttl_s=ttl_s, idempotency_key=idempotency_key))

    def profile(
        self,
    ) -> list[Fact]:
        """The valid entries of the profile, highest priority first."""
        return self._loop.run(self._async.profile())

    def profile_history(
        self,
        key: str,
    ) -> list[Fact]:
        """Every value that a key of the profile has had, newest first."""
        return self._loop.run(self._async.profile_history(key))

    def delete_profile(
        self,
        key: str,
    ) -> ForgetResult:
        """Forget a key of the profile, with its history. It cannot be undone."""
        return self._loop.run(self._async.delete_profile(key))

    def get_memories(
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
        return self._loop.run(self._async.get_memories(session=session, query=query, scope=scope, levels=levels, key=key, history=history, limit=limit, cursor=cursor))

    def search(
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
        filter: wire.MemoryFilter | None = None,
        min_score: float | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> MemorySnapshot:
        """Search memory; results come best first, with all parts of the score."""
        return self._loop.run(self._async.search(query, session=session, scope=scope, levels=levels, tags=tags, mode=mode, group=group, vault_id=vault_id, memory_id=memory_id, role=role, after=after, before=before, filter=filter, min_score=min_score, limit=limit, offset=offset, cursor=cursor))

    def memory_graph(
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
        return self._loop.run(self._async.memory_graph(subject=subject, vault_id=vault_id, as_of=as_of, known_at=known_at, include_ended=include_ended, limit=limit, cursor=cursor))

    def memory_item(
        self,
        item_id: str,
    ) -> wire.MemoryItem:
        """An item of memory."""
        return self._loop.run(self._async.memory_item(item_id))

    def correct(
        self,
        item_id: str,
        text: str,
        *,
        idempotency_key: str | None = None,
    ) -> wire.MemoryItem:
        """Correct an item: the new value of a fact, or the new text of an entry.

        The old one stays as history.
        """
        return self._loop.run(self._async.correct(item_id, text, idempotency_key=idempotency_key))

    def remember(
        self,
        title: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        vault: str | None = None,
    ) -> MemoryImportResult:
        """Import a conversation from another program as one memory with this title.

        Messages have `role` and `content`, and may have `speaker` and `at`. Pass the whole
        conversation each time: known messages are not changed.
        """
        return self._loop.run(self._async.remember(title, messages, vault=vault))

    def ingest(
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
        return self._loop.run(self._async.ingest(title, messages, vault=vault, end=end, origin=origin))

    def await_consistency(
        self,
        *,
        memory_id: str | None = None,
        timeout_ms: int | None = None,
    ) -> wire.Consistency:
        """Wait until everything written so far can be found; or list what cannot."""
        return self._loop.run(self._async.await_consistency(memory_id=memory_id, timeout_ms=timeout_ms))

    def forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        key: str | None = None,
        text: str | None = None,
        memory_id: str | None = None,
        vault_id: str | None = None,
    ) -> ForgetResult:
        """Forget items everywhere; returns once they are deleted. It cannot be undone."""
        return self._loop.run(self._async.forget(ids=ids, key=key, text=text, memory_id=memory_id, vault_id=vault_id))

    def export_memory(
        self,
    ) -> wire.MemoryArchive:
        """The whole memory as an archive."""
        return self._loop.run(self._async.export_memory())

    def import_memory(
        self,
        *,
        archive: wire.MemoryArchive | None = None,
        text: str | None = None,
        format: str | None = None,
        vault: str | None = None,
        title: str | None = None,
        imported_from: str | None = None,
        idempotency_key: str | None = None,
        accept_damage: bool | None = None,
        origin: wire.Origin | None = None,
    ) -> MemoryImportResult:
        """Import an archive, or the text of a file of another program; known items are skipped."""
        return self._loop.run(self._async.import_memory(archive=archive, text=text, format=format, vault=vault, title=title, imported_from=imported_from, idempotency_key=idempotency_key, accept_damage=accept_damage, origin=origin))

    def audit_memory(
        self,
    ) -> wire.Audit:
        """Look for duplicates, contradictions, stale entries and secrets in memory."""
        return self._loop.run(self._async.audit_memory())


class SyncDwell(SyncArea):
    """A client of one server, for any number of sessions and tasks. Create it with `connect`."""

    _async: Dwell

    def serve(
        self,
        tools: Sequence[AnyTool],
        *,
        name: str | None = None,
        record: str | os.PathLike[str] | None = None,
        concurrency: int = CONCURRENCY,
    ) -> None:
        """Serve tools to all sessions of the owner until it is cancelled; see `worker`."""
        return self._loop.run(self._async.serve(tools, name=name, record=record, concurrency=concurrency))

    def request(
        self,
        kind: str,
        data: Mapping[str, Any] | None = None,
        *,
        is_repeatable: bool = False,
    ) -> Any:
        """Send any request of the wire reference and return the data of its answer.

        Set `is_repeatable` only for idempotent requests: they are sent again after a reconnection.
        """
        return self._loop.run(self._async.request(kind, data, is_repeatable=is_repeatable))


class SyncVaults(SyncArea):
    """The owner's vaults: `client.vaults`."""

    _async: Vaults

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> wire.VaultPage:
        """The owner's vaults, oldest first."""
        return self._loop.run(self._async.list(cursor=cursor, limit=limit))

    def create(
        self,
        title: str,
        *,
        description: str | None = None,
    ) -> wire.Vault:
        """Create a vault."""
        return self._loop.run(self._async.create(title, description=description))

    def get(
        self,
        vault_id: str,
    ) -> wire.Vault:
        """A vault."""
        return self._loop.run(self._async.get(vault_id))

    def update(
        self,
        vault_id: str,
        *,
        title: str | None = None,
        description: str | None = None,
    ) -> wire.Vault:
        """Change the title or the description of a vault."""
        return self._loop.run(self._async.update(vault_id, title=title, description=description))

    def forget(
        self,
        vault_id: str,
    ) -> ForgetResult:
        """Forget a vault with its memories and everything in them. It cannot be undone."""
        return self._loop.run(self._async.forget(vault_id))

    def memories(
        self,
        vault_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> wire.MemoryPage:
        """The memories of a vault, oldest first."""
        return self._loop.run(self._async.memories(vault_id, cursor=cursor, limit=limit))

    def create_memory(
        self,
        vault_id: str,
        title: str,
        *,
        description: str | None = None,
    ) -> wire.Memory:
        """Create a memory in a vault."""
        return self._loop.run(self._async.create_memory(vault_id, title, description=description))

    def memory(
        self,
        vault_id: str,
        memory_id: str,
    ) -> wire.Memory:
        """A memory."""
        return self._loop.run(self._async.memory(vault_id, memory_id))

    def update_memory(
        self,
        vault_id: str,
        memory_id: str,
        *,
        title: str | None = None,
        description: str | None = None,
    ) -> wire.Memory:
        """Change the title or the description of a memory."""
        return self._loop.run(self._async.update_memory(vault_id, memory_id, title=title, description=description))

    def control(
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
        return self._loop.run(self._async.control(vault_id, memory_id, control, message=message, idempotency_key=idempotency_key))

    def forget_memory(
        self,
        vault_id: str,
        memory_id: str,
    ) -> ForgetResult:
        """Forget a memory with everything in it. It cannot be undone."""
        return self._loop.run(self._async.forget_memory(vault_id, memory_id))

    def entries(
        self,
        vault_id: str,
        memory_id: str,
        *,
        order: Literal['oldest', 'newest'] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> wire.EntryPage:
        """The entries of a memory, newest first, unless `order` says `oldest`."""
        return self._loop.run(self._async.entries(vault_id, memory_id, order=order, cursor=cursor, limit=limit))

    def add_entry(
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
        return self._loop.run(self._async.add_entry(vault_id, memory_id, raw_entry, summary=summary, role=role, speaker=speaker, tags=tags, conversation_time=conversation_time, ttl_s=ttl_s, origin=origin, idempotency_key=idempotency_key))

    def entry(
        self,
        vault_id: str,
        memory_id: str,
        entry_id: str,
    ) -> wire.Entry:
        """An entry, verbatim."""
        return self._loop.run(self._async.entry(vault_id, memory_id, entry_id))

    def contexts(
        self,
        vault_id: str,
        memory_id: str,
    ) -> wire.ContextPage:
        """All versions of a memory's context document, oldest first."""
        return self._loop.run(self._async.contexts(vault_id, memory_id))

    def put_context(
        self,
        vault_id: str,
        memory_id: str,
        content: str,
        *,
        origin: wire.Origin | None = None,
    ) -> wire.ContextDocument:
        """Write the next version of a memory's context document."""
        return self._loop.run(self._async.put_context(vault_id, memory_id, content, origin=origin))

    def latest_context(
        self,
        vault_id: str,
        memory_id: str,
    ) -> wire.ContextDocument:
        """The newest version of a memory's context document."""
        return self._loop.run(self._async.latest_context(vault_id, memory_id))

    def context(
        self,
        vault_id: str,
        memory_id: str,
        version: int,
    ) -> wire.ContextDocument:
        """One version of a memory's context document."""
        return self._loop.run(self._async.context(vault_id, memory_id, version))


class SyncValues(SyncArea):
    """The owner's values: `client.values`. They come back byte for byte, and are no memories."""

    _async: Values

    def write(
        self,
        puts: Sequence[PutValue] = (),
        *,
        deletes: Sequence[Key] = (),
        deletes_below: Sequence[Key] = (),
        refreshes: Sequence[Key] = (),
    ) -> ValueWriteResult:
        """Delete and store values, all or none; returns once that is on the disk.

        `deletes_below` deletes all values whose keys begin with these parts and have further ones.
        `refreshes` starts the time to live of values again.
        """
        return self._loop.run(self._async.write(puts, deletes=deletes, deletes_below=deletes_below, refreshes=refreshes))

    def read(
        self,
        keys: Sequence[Key],
    ) -> Sequence[StoredValue]:
        """The values under these keys; keys without a value are left out."""
        return self._loop.run(self._async.read(keys))

    def list(
        self,
        below: Key = (),
        *,
        order: ValueOrder | None = None,
        before: Key | None = None,
        near: Sequence[float] | None = None,
        keys_only: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ValuePage:
        """A page of the values whose keys begin with these parts and have further ones.

        With `near`, an embedding, the most similar come first. `before` excludes this key and all
        after it.
        """
        return self._loop.run(self._async.list(below, order=order, before=before, near=near, keys_only=keys_only, limit=limit, cursor=cursor))


class SyncArtifacts(SyncArea):
    """The owner's artifacts: `client.artifacts`."""

    _async: Artifacts

    def list(
        self,
        *,
        session: Session | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> wire.ArtifactPage:
        """All artifacts of the owner, newest first; with `session`, those of its turns."""
        return self._loop.run(self._async.list(session=session, cursor=cursor, limit=limit))

    def read(
        self,
        artifact_id: str,
    ) -> bytes:
        """The bytes of an artifact."""
        return self._loop.run(self._async.read(artifact_id))

    def save(
        self,
        artifact_id: str,
        path: str | Path,
    ) -> Path:
        """Write an artifact to a file, and return its path."""
        return self._loop.run(self._async.save(artifact_id, path))

    def delete(
        self,
        artifact_id: str,
    ) -> None:
        """Remove an artifact."""
        return self._loop.run(self._async.delete(artifact_id))


class SyncLibrary(SyncArea):
    """The library: `client.library`."""

    _async: Library

    def get(
        self,
    ) -> wire.LibraryView:
        """The folders that the owner can see, and how far they are indexed."""
        return self._loop.run(self._async.get())

    def add_folder(
        self,
        path: str,
        *,
        shared: bool | None = None,
    ) -> wire.FolderView:
        """Add a folder of the server's machine; returns when it is indexed.

        For the operator only.
        """
        return self._loop.run(self._async.add_folder(path, shared=shared))

    def remove_folder(
        self,
        folder_id: str,
    ) -> wire.FolderView:
        """Remove a folder from the library; its files stay. For the operator only."""
        return self._loop.run(self._async.remove_folder(folder_id))

    def rescan(
        self,
    ) -> wire.LibraryView:
        """Scan all folders now; returns when that is done."""
        return self._loop.run(self._async.rescan())

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
    ) -> wire.LibraryHits:
        """Search the documents for passages, best first."""
        return self._loop.run(self._async.search(query, limit=limit))


class SyncDesktop(SyncArea):
    """The desktops of sessions: `client.desktop`."""

    _async: Desktop

    def get(
        self,
        session: Session,
    ) -> wire.DesktopView:
        """The desktop of a session."""
        return self._loop.run(self._async.get(session))

    def message(
        self,
        session: Session,
        window_id: str,
        content: str,
        *,
        idempotency_key: str | None = None,
    ) -> TurnAccepted:
        """Send a message to the agent of a window; `attach` streams its turn."""
        return self._loop.run(self._async.message(session, window_id, content, idempotency_key=idempotency_key))

    def act(
        self,
        session: Session,
        window_id: str,
        action: str,
        *,
        action_id: str | None = None,
        form_data: Mapping[str, str] | None = None,
        component_path: str | None = None,
        parallel: bool | None = None,
        idempotency_key: str | None = None,
    ) -> TurnAccepted:
        """Report that the user chose an action in a window; `attach` streams its turn."""
        return self._loop.run(self._async.act(session, window_id, action, action_id=action_id, form_data=form_data, component_path=component_path, parallel=parallel, idempotency_key=idempotency_key))

    def interact(
        self,
        session: Session,
        interactions: Sequence[wire.Interaction],
    ) -> None:
        """Report what the user did with the windows, in order."""
        return self._loop.run(self._async.interact(session, interactions))

    def report_render(
        self,
        session: Session,
        window_id: str,
        *,
        ok: bool,
        error: str | None = None,
    ) -> None:
        """Report whether a window could be rendered, and why not."""
        return self._loop.run(self._async.report_render(session, window_id, ok=ok, error=error))

    def answer_dialog(
        self,
        session: Session,
        dialog_id: str,
        choice: str | None = None,
    ) -> None:
        """Answer a dialog; without a choice it is dismissed."""
        return self._loop.run(self._async.answer_dialog(session, dialog_id, choice))

    def answer_prompt(
        self,
        session: Session,
        dialog_id: str,
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Answer a prompt; without values it is dismissed."""
        return self._loop.run(self._async.answer_prompt(session, dialog_id, values))

    def act_on_toast(
        self,
        session: Session,
        toast_id: str,
        action: str = 'dismiss',
    ) -> None:
        """Dismiss a toast or a notification, or choose its action."""
        return self._loop.run(self._async.act_on_toast(session, toast_id, action))

    def app_ready(
        self,
        session: Session,
        window_id: str,
        token: str,
        manifest: wire.Manifest,
    ) -> Mapping[str, Any]:
        """Declare that an app is loaded, and what it can do; returns its earlier state."""
        return self._loop.run(self._async.app_ready(session, window_id, token, manifest))

    def app_response(
        self,
        session: Session,
        window_id: str,
        token: str,
        request_id: str,
        *,
        value: Any = None,
        error: str | None = None,
    ) -> None:
        """Send an app's answer to a request."""
        return self._loop.run(self._async.app_response(session, window_id, token, request_id, value=value, error=error))

    def subscribe_monitor(
        self,
        session: Session,
        monitor_id: str,
    ) -> wire.DesktopView:
        """Add a monitor if it does not exist, and follow it, like all monitors of the session."""
        return self._loop.run(self._async.subscribe_monitor(session, monitor_id))

    def remove_monitor(
        self,
        session: Session,
        monitor_id: str,
    ) -> wire.DesktopView:
        """Remove a monitor and everything on it."""
        return self._loop.run(self._async.remove_monitor(session, monitor_id))


class SyncHome(SyncArea):
    """The home: `client.home`."""

    _async: Home

    def get(
        self,
    ) -> wire.HomeView:
        """The current state of the home, as far as agents may see it."""
        return self._loop.run(self._async.get())

    def follow(
        self,
    ) -> Iterator[wire.HomeView]:
        """Yield the home, and again after each change; changes in quick succession come as one."""
        return self._loop.iterate(self._async.follow())


class SyncServer(SyncArea):
    """The server: `client.server`."""

    _async: Server

    def health(
        self,
    ) -> wire.Health:
        """Whether the server runs."""
        return self._loop.run(self._async.health())

    def ready(
        self,
    ) -> wire.Health:
        """Whether the server can store; raises `Unavailable` if it cannot."""
        return self._loop.run(self._async.ready())

    def ping(
        self,
    ) -> None:
        """Check the connection: returns when the server has answered."""
        return self._loop.run(self._async.ping())

    def openapi(
        self,
    ) -> dict[str, Any]:
        """The description of the server's REST API."""
        return self._loop.run(self._async.openapi())

    def models(
        self,
    ) -> wire.ModelPage:
        """The models, with their figures and where each figure comes from."""
        return self._loop.run(self._async.models())

    def refresh_models(
        self,
    ) -> wire.ModelPage:
        """Ask every provider for its models again. For the operator only."""
        return self._loop.run(self._async.refresh_models())

    def try_provider(
        self,
        provider: wire.ProviderName,
        *,
        api_key: str | None = None,
        address: str | None = None,
        model: str | None = None,
    ) -> wire.ProviderTried:
        """Try a provider out with a real request; nothing is stored. For the operator only."""
        return self._loop.run(self._async.try_provider(provider, api_key=api_key, address=address, model=model))

    def put_provider(
        self,
        provider: wire.ProviderName,
        *,
        api_key: str | None = None,
        address: str | None = None,
        model: str | None = None,
        is_default: bool = False,
    ) -> wire.ModelsChanged:
        """Store a provider with its key; it holds from the next turn on. For the operator only."""
        return self._loop.run(self._async.put_provider(provider, api_key=api_key, address=address, model=model, is_default=is_default))

    def remove_provider(
        self,
        provider: wire.ProviderName,
    ) -> wire.ModelsChanged:
        """Forget a stored provider and its key. For the operator only."""
        return self._loop.run(self._async.remove_provider(provider))

    def put_default_model(
        self,
        model: str,
        *,
        fallbacks: Sequence[str] | None = None,
        settings: wire.ModelSettings | None = None,
        overrides: wire.ModelOverrides | None = None,
    ) -> wire.ModelsChanged:
        """Store the models that answer wherever none is named, how they are called, and facts about the default.

        What is None stays as it is. For the operator only.
        """
        return self._loop.run(self._async.put_default_model(model, fallbacks=fallbacks, settings=settings, overrides=overrides))

    def tools(
        self,
    ) -> wire.ToolPage:
        """The server's tools, and which of them the policy allows."""
        return self._loop.run(self._async.tools())

    def stats(
        self,
        *,
        node: str | None = None,
    ) -> wire.ServerStats:
        """Statistics since the start of the server, or of one of several nodes, and limits."""
        return self._loop.run(self._async.stats(node=node))

    def config(
        self,
        *,
        node: str | None = None,
    ) -> wire.ConfigPage:
        """The settings and where each comes from, without secrets. For the operator only."""
        return self._loop.run(self._async.config(node=node))

    def nodes(
        self,
    ) -> wire.NodePage:
        """The nodes that share the work. For the operator only."""
        return self._loop.run(self._async.nodes())

    def sweep(
        self,
        *,
        trust_clock: bool | None = None,
    ) -> wire.SweepResult:
        """Remove expired artifacts, memories and sessions now. For the operator only."""
        return self._loop.run(self._async.sweep(trust_clock=trust_clock))

    def ticket(
        self,
    ) -> wire.Ticket:
        """A ticket for one WebSocket or event stream of a client that cannot set headers."""
        return self._loop.run(self._async.ticket())

    def invitation(
        self,
    ) -> wire.Invitation:
        """An invitation that signs a browser in, once, within ten minutes."""
        return self._loop.run(self._async.invitation())


class SyncSchedules(SyncArea):
    """The owner's schedules: `client.schedules`."""

    _async: Schedules

    def create(
        self,
        action: wire.ScheduledAction,
        when: wire.When,
        *,
        session: Session | None = None,
        name: str | None = None,
        zone: str | None = None,
        catch_up: wire.CatchUp | None = None,
        runs_max: int | None = None,
        limits: wire.RunLimits | None = None,
        idempotency_key: str | None = None,
    ) -> ScheduleView:
        """Make a schedule; a repetition with the same key makes no second one.

        Without a session it belongs to the one named `schedules`.
        """
        return self._loop.run(self._async.create(action, when, session=session, name=name, zone=zone, catch_up=catch_up, runs_max=runs_max, limits=limits, idempotency_key=idempotency_key))

    def list(
        self,
        *,
        session: Session | None = None,
        ended: bool = False,
    ) -> SchedulePage:
        """The schedules, the next run first; with `ended` also those that will not run again."""
        return self._loop.run(self._async.list(session=session, ended=ended))

    def get(
        self,
        schedule_id: str,
    ) -> ScheduleView:
        """A schedule, with its next runs and its last one."""
        return self._loop.run(self._async.get(schedule_id))

    def update(
        self,
        schedule_id: str,
        *,
        action: wire.ScheduledAction | None = None,
        when: wire.When | None = None,
        name: str | None = None,
        zone: str | None = None,
        catch_up: wire.CatchUp | None = None,
        runs_max: int | None = None,
        limits: wire.RunLimits | None = None,
    ) -> ScheduleView:
        """Change what is given; the rest stays."""
        return self._loop.run(self._async.update(schedule_id, action=action, when=when, name=name, zone=zone, catch_up=catch_up, runs_max=runs_max, limits=limits))

    def pause(
        self,
        schedule_id: str,
    ) -> ScheduleView:
        """Let it not run until it is resumed."""
        return self._loop.run(self._async.pause(schedule_id))

    def resume(
        self,
        schedule_id: str,
    ) -> ScheduleView:
        """Let it run again."""
        return self._loop.run(self._async.resume(schedule_id))

    def cancel(
        self,
        schedule_id: str,
    ) -> ScheduleView:
        """Take it back for good."""
        return self._loop.run(self._async.cancel(schedule_id))

    def run(
        self,
        schedule_id: str,
    ) -> ScheduleView:
        """Run it now, besides its plan."""
        return self._loop.run(self._async.run(schedule_id))

    def approve(
        self,
        schedule_id: str,
        digest: str = '',
    ) -> ScheduleView:
        """Approve one that waits; `digest` is that of the call in its `action`, if it makes one."""
        return self._loop.run(self._async.approve(schedule_id, digest))

    def snooze(
        self,
        schedule_id: str,
        after_ms: int,
    ) -> ScheduleView:
        """Repeat a reminder that has run; returns the schedule that is new."""
        return self._loop.run(self._async.snooze(schedule_id, after_ms))

    def hook(
        self,
        schedule_id: str,
    ) -> wire.HookView:
        """Where a schedule that waits for webhooks receives them, and the secret that signs them."""
        return self._loop.run(self._async.hook(schedule_id))

    def preview(
        self,
        when: wire.When,
        *,
        zone: str | None = None,
        runs: int | None = None,
    ) -> ScheduleTimes:
        """When a schedule would run, without making it."""
        return self._loop.run(self._async.preview(when, zone=zone, runs=runs))


class SyncAlerts(SyncArea):
    """The owner's alerts: `client.alerts`."""

    _async: Alerts

    def list(
        self,
        *,
        limit: int | None = None,
    ) -> AlertPage:
        """The alerts, newest first."""
        return self._loop.run(self._async.list(limit=limit))

    def seen(
        self,
        alert_id: str,
    ) -> AlertView:
        """Note that a person has seen an alert."""
        return self._loop.run(self._async.seen(alert_id))

    def follow(
        self,
    ) -> Iterator[Alert]:
        """Yield alerts as they are raised, each once, across reconnections and restarts."""
        return self._loop.iterate(self._async.follow())
