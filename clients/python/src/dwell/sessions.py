"""Sessions: settings, journals, copies and files of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, cast

from . import types as wire
from .core import Core, Session, new_key, session_ref, without_none
from .decoding import decode
from .events import Event
from .listener import Listener
from .views import DeletedSession, SessionPage, SessionView

#: The formats of exported sessions.
Format = Literal["ndjson", "openai", "langchain", "langgraph"]


class SessionMethods(Core):
    """What a client does with sessions."""

    async def start_session(
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
        data = without_none(
            key=key,
            model=model,
            model_settings=model_settings,
            agent_settings=agent_settings,
            model_overrides=model_overrides,
            pinned_tools=pinned_tools,
            budgets=budgets,
            policy=policy,
            preferences=preferences,
            temporary=temporary,
        )
        return decode(SessionView, await self._follow("session.start", data, is_repeatable=key is not None))

    async def session(self, session: Session) -> SessionView:
        """The current state of a session."""
        return decode(SessionView, await self._get("session.get", session_ref(session)))

    async def sessions(
        self,
        *,
        query: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SessionPage:
        """The owner's sessions, newest activity first; `query` searches titles and names."""
        asked = without_none(query=query, status=status, limit=limit, cursor=cursor)
        return decode(SessionPage, await self._get("session.list", asked))

    async def update_session(
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
        data = without_none(
            version=version,
            model=model,
            model_settings=model_settings,
            agent_settings=agent_settings,
            model_overrides=model_overrides,
            pinned_tools=pinned_tools,
            budgets=budgets,
            policy=policy,
            preferences=preferences,
            **session_ref(session),
        )
        return decode(SessionView, await self._connection.request("session.update", data, is_repeatable=False))

    async def set_model(self, session: Session, model: str) -> SessionView:
        """Change the model of a session, as `provider/model`."""
        data = {**session_ref(session), "model": model}
        return decode(SessionView, await self._connection.request("provider.set", data, is_repeatable=False))

    async def context_window(self, session: Session, *, agent_id: str | None = None) -> wire.ContextWindowView:
        """What the next turn gets of the conversation, and how full it is."""
        data = without_none(agent_id=agent_id, **session_ref(session))
        return cast(wire.ContextWindowView, await self._get("session.window", data))

    async def reset_session(
        self, session: Session, *, reason: str | None = None, version: int | None = None
    ) -> SessionView:
        """Cancel open turns and start the conversation over."""
        data = without_none(reason=reason, version=version, **session_ref(session))
        return decode(SessionView, await self._connection.request("session.reset", data, is_repeatable=False))

    async def end_session(
        self, session: Session, *, reason: str | None = None, version: int | None = None
    ) -> SessionView:
        """End a session; it stays readable."""
        data = without_none(reason=reason, version=version, **session_ref(session))
        return decode(SessionView, await self._connection.request("session.end", data, is_repeatable=False))

    async def delete_session(
        self, session: Session, *, memories: bool | None = None, version: int | None = None
    ) -> DeletedSession:
        """Delete a session permanently; with `memories`, also what was remembered from it.

        It cannot be undone. Followers of the session get `NotFound`.
        """
        data = without_none(memories=memories, version=version, **session_ref(session))
        return decode(DeletedSession, await self._connection.request("session.delete", data, is_repeatable=False))

    async def fork_session(self, session: Session, turn_id: str, *, key: str | None = None) -> SessionView:
        """A new session with a copy of the conversation up to a turn."""
        data = without_none(turn_id=turn_id, key=key, **session_ref(session))
        answer = await self._connection.request("session.fork", data, is_repeatable=key is not None)
        return decode(SessionView, answer)

    async def restore_session(
        self, session: Session, *, windows: wire.RestoreMode | None = None, key: str | None = None
    ) -> SessionView:
        """A new session that continues an earlier one, with its windows or what they showed."""
        data = without_none(windows=windows, key=key, **session_ref(session))
        answer = await self._connection.request("session.restore", data, is_repeatable=key is not None)
        return decode(SessionView, answer)

    async def export_session(self, session: Session, *, format: Format | None = None) -> Mapping[str, Any]:  # noqa: A002
        """The journal of a session as `manifest` and `events`; in another format, its `data`."""
        data = without_none(format=format, **session_ref(session))
        return cast(Mapping[str, Any], await self._get("session.export", data))

    async def download_session(
        self,
        session: Session,
        *,
        format: Format | None = None,  # noqa: A002
        artifacts: bool | None = None,
        sound: bool | None = None,
    ) -> str:
        """The text of an export, of any length, as `import_session` takes it.

        With `artifacts`, the session's artifacts are part of it; with `sound`, only what precedes
        damage.
        """
        data = await self._rest.send(
            "GET",
            "/api/v1/sessions/{session_id}/export",
            path={"session_id": await self._existing_id(session)},
            query={"format": format, "artifacts": artifacts, "sound": sound},
        )
        return data.decode()

    async def import_session(
        self,
        text: str,
        *,
        format: Format | None = None,  # noqa: A002
        conversation_id: str | None = None,
        idempotency_key: str | None = None,
        accept_damage: bool | None = None,
    ) -> wire.ImportedSession:
        """Import a conversation as a new session. Nothing in it is run."""
        data = without_none(
            text=text,
            format=format,
            conversation_id=conversation_id,
            idempotency_key=idempotency_key or new_key(),
            accept_damage=accept_damage,
        )
        answer = await self._connection.request("session.import", data, is_repeatable=True)
        return cast(wire.ImportedSession, answer)

    async def event_page(self, session: Session, *, after: int | None = None, limit: int | None = None) -> list[Event]:
        """A page of a session's numbered events, after a number; `events` yields all of them."""
        page = await self._rest.ask(
            wire.EventPage,
            "GET",
            "/api/v1/sessions/{session_id}/events",
            path={"session_id": await self._existing_id(session)},
            query={"after": after, "limit": limit},
        )
        return [decode(Event, each) for each in page["data"]]

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

    async def _session_id(self, session: Session, after: int) -> str:
        """The id of a session; one given by name is created on first use."""
        data = session_ref(session)
        if "session_id" in data:
            return data["session_id"]
        view = decode(SessionView, await self._follow("session.resume", {**data, "after": after}, is_repeatable=True))
        self._subscriptions.set_requested_after(view.session_id, after)
        return view.session_id
