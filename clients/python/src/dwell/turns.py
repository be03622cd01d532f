"""Turns: messages and their answers, with tools in code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, cast

from . import types as wire
from .core import Core, Session, new_key, session_ref, without_none
from .decoding import decode
from .errors import InvalidAnswer, TurnWaiting
from .events import Approval, Event, Final, Started, Status
from .stream import Show, TurnStream, require_answer
from .structured import AnswerFormat
from .tools import AnyTool, tools_by_name
from .turn_tools import TurnTools
from .views import (
    BackgroundPage,
    BackgroundView,
    CallOutcome,
    CancelResult,
    Decision,
    ForgetResult,
    OnBusy,
    Passage,
    PauseResult,
    TurnAccepted,
    TurnView,
)


class ChatOptions(TypedDict, total=False):
    """Options of `chat`, `stream` and `ask`; see `ChatSend` in `docs/reference/types.md`."""

    model: str
    model_settings: wire.ModelSettings
    allow_tools: bool
    max_steps: int
    time_budget_ms: int
    planner_hints: Mapping[str, Any]
    tool_choice: wire.ToolChoice
    parallel_tool_calls: bool
    images: Sequence[Mapping[str, str]]
    use_web_search: bool
    context_window: int
    tags: Sequence[str]
    context_tags: Sequence[str]
    early_wait_ms: int
    on_busy: OnBusy
    background: bool
    monitor_id: str
    version: int
    idempotency_key: str
    calls: Sequence[wire.DirectCall]


class TurnMethods(Core):
    """What a client does with turns."""

    async def chat(
        self,
        message: str,
        *,
        session: Session,
        tools: Sequence[AnyTool] | None = None,
        response_schema: Any = None,
        on_approval: Callable[[Approval], Awaitable[Decision]] | None = None,
        **options: Unpack[ChatOptions],
    ) -> Final:
        """Send a message and wait for the answer, across reconnections and restarts of the server.

        `tools` are functions that the model may call: this program runs them. With
        `response_schema`, a JSON Schema or a type, the answer matches it and is read into `parsed`.
        A turn that fails, times out or is cancelled raises; one that waits for the user to check
        the outcome of a call raises `TurnWaiting`. `on_approval` is called when a call needs
        approval; without it other clients may answer.
        """
        for each in tools or ():
            if isinstance(each, Mapping):
                raise ValueError(f"chat cannot run {each.get('name')!r}: pass a function, or use stream and answer it")
        stream = self.stream(message, session=session, tools=tools, response_schema=response_schema, **options)
        async with stream:
            async for event in stream:
                match event:
                    case Approval() if on_approval is not None:
                        await self.approve(event.approval_id, await on_approval(event), digest=event.digest)
                    case Status(status="waiting", question=question) if question is not None:
                        turn_id = stream.turn_id or ""
                        raise TurnWaiting(question.text, turn_id=turn_id, text=stream.text, reason=event.reason)
            final = require_answer(await stream.result())
        if final.format is not None:
            try:
                final.format.parse(final.message)
            except ValueError as error:
                raise InvalidAnswer(str(error), turn_id=final.turn_id, text=final.message) from error
        return final

    def stream(
        self,
        message: str,
        *,
        session: Session,
        tools: Sequence[AnyTool] | None = None,
        response_schema: Any = None,
        **options: Unpack[ChatOptions],
    ) -> TurnStream:
        """Send a message and stream the turn. Nothing is sent before the stream is read.

        `tools` and `response_schema` are those of `chat`. Calls of a tool that is given as a
        definition without a function are for the caller: see `answer_calls`.
        """
        data: dict[str, Any] = {**session_ref(session), "message": message, **options}
        # The idempotency key makes it safe to send again after the connection broke.
        is_own_key = "idempotency_key" not in options
        data.setdefault("idempotency_key", new_key())
        functions = tools_by_name(tools or ())
        if tools:
            data["tools"] = [dict(each) for each in tools if isinstance(each, Mapping)]
            data["tools"] += [each.definition for each in functions.values()]
        format_ = None if response_schema is None else AnswerFormat.of(response_schema)
        if format_ is not None:
            data["response_schema"] = format_.schema

        async def begin(stream: TurnStream) -> None:
            accepted = decode(TurnAccepted, await self._follow("chat.send", data, is_repeatable=True))
            if accepted.duplicate and not is_own_key and stream.tools is not None:
                # Another program may have run the calls that wait now.
                stream.tools.expect(await self.turn(accepted.turn_id))
            stream.watch(accepted, _started(accepted))

        return TurnStream(begin, self._subscriptions, tools=self._turn_tools(functions), format_=format_)

    async def begin(self, message: str, *, session: Session, **options: Unpack[ChatOptions]) -> TurnAccepted:
        """Send a message without waiting for the answer, by default in the background.

        In the background the turn runs beside the conversation, for hours if need be, and its end
        raises an alert. `attach` streams it, `pause` and `resume` control it.
        """
        data: dict[str, Any] = {**session_ref(session), "message": message, "background": True, **options}
        data.setdefault("idempotency_key", new_key())
        return decode(TurnAccepted, await self._connection.request("chat.send", data, is_repeatable=True))

    async def background_turns(self, *, ended: bool = False, limit: int | None = None) -> list[BackgroundView]:
        """The turns in the background of all sessions, newest first; with `ended` also those that have ended."""
        data = without_none(ended=ended, limit=limit)
        return decode(BackgroundPage, await self._connection.request("background.list", data, is_repeatable=True)).data

    def attach(
        self, turn_id: str, *, tools: Sequence[AnyTool] | None = None, response_schema: Any = None
    ) -> TurnStream:
        """Stream an existing turn, starting with its current state; also one that has ended.

        With `tools`, its calls of these are run. A call that waits already may have been run by
        another program: it is run if its tool may be called twice, and else answered with an error
        that says so.
        """
        format_ = None if response_schema is None else AnswerFormat.of(response_schema)

        async def begin(stream: TurnStream) -> None:
            view = await self.turn(turn_id)
            stream.watch_from(view)
            if stream.tools is not None:
                stream.tools.expect(view)

        functions = tools_by_name(tools or ())
        return TurnStream(begin, self._subscriptions, tools=self._turn_tools(functions), format_=format_)

    async def ask(
        self,
        message: str,
        *,
        wait_ms: int | None = None,
        response_schema: Any = None,
        **options: Unpack[ChatOptions],
    ) -> TurnView:
        """Ask one question in a temporary session, which is removed afterwards."""
        body: dict[str, Any] = {**options, "message": message}
        if response_schema is not None:
            body["response_schema"] = AnswerFormat.of(response_schema).schema
        answer = await self._rest.ask(
            dict, "POST", "/api/v1/ask", query={"wait_ms": wait_ms}, body=body, wait_ms=wait_ms or 120_000
        )
        return decode(TurnView, answer)

    async def turn(self, turn_id: str, *, wait_ms: int | None = None) -> TurnView:
        """The current state of a turn; with `wait_ms`, once it has ended or that time is over."""
        if wait_ms is None:
            return decode(TurnView, await self._get("turn.get", {"turn_id": turn_id}))
        answer = await self._rest.ask(
            dict,
            "GET",
            "/api/v1/turns/{turn_id}",
            path={"turn_id": turn_id},
            query={"wait_ms": wait_ms},
            wait_ms=wait_ms,
        )
        return decode(TurnView, answer)

    async def turns(
        self,
        session: Session,
        *,
        order: Literal["oldest", "newest"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> list[TurnView]:
        """A page of a session's turns, oldest first, unless `order` says `newest`."""
        page = await self.turn_page(session, order=order, limit=limit, cursor=cursor)
        return [decode(TurnView, each) for each in page["data"]]

    async def turn_page(
        self,
        session: Session,
        *,
        order: Literal["oldest", "newest"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> wire.TurnPage:
        """A page of a session's turns as on the wire, with the cursor of the next page."""
        return await self._rest.ask(
            wire.TurnPage,
            "GET",
            "/api/v1/sessions/{session_id}/turns",
            path={"session_id": await self._existing_id(session)},
            query={"order": order, "limit": limit, "cursor": cursor},
        )

    async def turn_events(self, turn_id: str, *, after: int | None = None, limit: int | None = None) -> list[Event]:
        """A page of a turn's numbered events, after a number."""
        page = await self._rest.ask(
            wire.EventPage,
            "GET",
            "/api/v1/turns/{turn_id}/events",
            path={"turn_id": turn_id},
            query={"after": after, "limit": limit},
        )
        return [decode(Event, each) for each in page["data"]]

    async def passages(self, turn_id: str) -> list[Passage]:
        """The passages that a turn's research collected, to which its citations refer."""
        page = await self._rest.ask(
            wire.PassagePage, "GET", "/api/v1/turns/{turn_id}/passages", path={"turn_id": turn_id}
        )
        return [decode(Passage, each) for each in page["data"]]

    async def forget_turn(self, session: Session, turn_id: str) -> ForgetResult:
        """Delete the text of an ended turn from its session and from memory.

        It cannot be undone.
        """
        answer = await self._rest.ask(
            dict,
            "DELETE",
            "/api/v1/sessions/{session_id}/turns/{turn_id}",
            path={"session_id": await self._existing_id(session), "turn_id": turn_id},
        )
        return decode(ForgetResult, answer)

    async def cancel(
        self, *, session: Session | None = None, turn_id: str | None = None, reason: str | None = None
    ) -> CancelResult:
        """Cancel a turn, or all open turns of a session. Pass a session, a turn, or both."""
        if session is None:
            if turn_id is None:
                raise ValueError("pass what to cancel: a session, a turn, or both")
            session = (await self.turn(turn_id)).session_id
        data = without_none(turn_id=turn_id, reason=reason, **session_ref(session))
        # Cancelling one turn twice is fine; "all" may mean other turns the second time.
        answer = await self._connection.request("agent.cancel", data, is_repeatable=turn_id is not None)
        return decode(CancelResult, answer)

    async def interrupt(self, session: Session, *, agent_id: str | None = None) -> CancelResult:
        """Interrupt the running turn of one agent or of all; queued turns follow."""
        data = without_none(agent_id=agent_id, **session_ref(session))
        return decode(CancelResult, await self._connection.request("agent.interrupt", data, is_repeatable=False))

    async def resume(
        self, turn_id: str, *, outcome: CallOutcome | None = None, call_id: str | None = None
    ) -> TurnAccepted:
        """Resume an interrupted, paused or waiting turn; `attach` streams it.

        `outcome` says whether a call that a crash interrupted took effect.
        """
        data = without_none(turn_id=turn_id, outcome=outcome, call_id=call_id)
        return decode(TurnAccepted, await self._connection.request("turn.resume", data, is_repeatable=False))

    async def pause(self, turn_id: str) -> PauseResult:
        """Pause a turn until `resume`. Calls that run get their results first: it is `running` until then."""
        answer = await self._connection.request("turn.pause", {"turn_id": turn_id}, is_repeatable=True)
        return decode(PauseResult, answer)

    async def retry(self, turn_id: str) -> TurnAccepted:
        """Run the same request again in a new turn; `attach` streams it."""
        answer = await self._connection.request("turn.retry", {"turn_id": turn_id}, is_repeatable=False)
        return decode(TurnAccepted, answer)

    async def approve(self, approval_id: str, decision: Decision = "once", *, digest: str | None = None) -> None:
        """Answer an approval request. `digest` ties the answer to the call that was shown."""
        data = without_none(approval_id=approval_id, decision=decision, digest=digest)
        await self._connection.request("approval.answer", data, is_repeatable=False)

    async def approvals(self, *, session: Session | None = None) -> list[wire.ApprovalView]:
        """The calls that wait for approval; answer them with `approve`."""
        session_id = None if session is None else await self._existing_id(session)
        page = await self._rest.ask(wire.ApprovalPage, "GET", "/api/v1/approvals", query={"session_id": session_id})
        return page["data"]

    async def answer_calls(
        self,
        turn_id: str,
        results: Sequence[wire.ClientResult],
        *,
        offer: wire.ClientToolOffer | None = None,
    ) -> wire.ToolAnswered:
        """Send the results of calls that the caller has run; `turn(…).calls_waiting` lists them."""
        data = without_none(turn_id=turn_id, results=list(results), offer=offer)
        # Repeated results count once.
        return cast(wire.ToolAnswered, await self._connection.request("tool.answer", data, is_repeatable=True))

    def _turn_tools(self, functions: Mapping[str, Any]) -> Callable[[Show], TurnTools] | None:
        if not functions:
            return None
        return lambda show: TurnTools(self._connection, functions, self.turn, show)


def _started(accepted: TurnAccepted) -> Started:
    return Started(
        session_id=accepted.session_id,
        turn_id=accepted.turn_id,
        agent_id=accepted.agent_id,
        duplicate=accepted.duplicate,
        position=accepted.position,
        seq=accepted.seq,
    )
