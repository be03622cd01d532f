"""A turn as an async iterator of its events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Self

from .errors import InvalidAnswer, TurnCancelled, TurnFailed
from .events import Event, Final, Restarted, Thinking, Token, TurnEvent
from .listener import Listener
from .structured import AnswerFormat
from .subscriptions import Subscriptions
from .transcript import Transcript
from .turn_reader import TurnReader
from .turn_tools import TurnTools
from .views import TurnAccepted, TurnView

#: Adds an event to a stream.
Show = Callable[[TurnEvent], None]


class TurnStream:
    """The events of one turn, in order, each once, up to its `Final`: `async for event in stream`.

    It survives reconnections and restarts of the server. It starts when it is first read; leaving the
    loop ends the subscription, not the turn. `text` is the text of the tokens so far.
    """

    def __init__(
        self,
        begin: Callable[[TurnStream], Awaitable[None]],
        subscriptions: Subscriptions,
        *,
        tools: Callable[[Show], TurnTools] | None = None,
        format_: AnswerFormat | None = None,
    ) -> None:
        """Create a stream that starts with `begin`, which calls `watch` or `watch_from`."""
        #: What runs the calls of the turn, once the stream has started.
        self.tools: TurnTools | None = None
        self._make_tools = tools
        self._format = format_
        self._begin = begin
        self._subscriptions = subscriptions
        self._listener: Listener[TurnEvent] | None = None
        self._reader: TurnReader | None = None
        self._shown = Transcript()
        self._final: Final | None = None
        self._is_closed = False

    @property
    def turn_id(self) -> str | None:
        """The turn's id, once it is known."""
        return self._reader.turn_id if self._reader else None

    @property
    def session_id(self) -> str | None:
        """The session's id, once it is known."""
        return self._reader.session_id if self._reader else None

    @property
    def text(self) -> str:
        """The text so far."""
        return self._shown.text

    async def result(self) -> Final:
        """Read to the end and return the final event."""
        async for _ in self:
            pass
        if self._final is None:
            raise TurnFailed("the stream was closed before the turn ended", turn_id=self.turn_id or "", text=self.text)
        return self._final

    async def close(self) -> None:
        """Unsubscribe. The turn continues."""
        self._is_closed = True
        if self._listener is not None and self._reader is not None:
            self._subscriptions.detach(self._reader.session_id, self._listener)
            self._listener = None
        if self.tools is not None:
            tools, self.tools = self.tools, None
            await tools.close(self._final)

    def watch(self, accepted: TurnAccepted, first: TurnEvent) -> None:
        """Subscribe to a turn from its start."""
        listener = self._listen(accepted.session_id, accepted.turn_id, accepted.seq - 1)
        listener.put([first])
        # A duplicate's turn started before this connection followed the session.
        self._subscriptions.attach(accepted.session_id, listener, is_fresh=not accepted.duplicate)

    def watch_from(self, view: TurnView) -> None:
        """Subscribe to an existing turn, starting with its current state."""
        listener = self._listen(view.session_id, view.turn_id, view.last_seq)
        if self._reader is not None:
            listener.put(self._reader.read_view(view))
        if not view.is_final:
            self._subscriptions.attach(view.session_id, listener)

    def __aiter__(self) -> Self:
        """The stream itself; it can be read once."""
        return self

    async def __anext__(self) -> TurnEvent:
        """The next event."""
        if self._final is not None or self._is_closed:
            raise StopAsyncIteration
        if self._listener is None:
            if self._make_tools is not None and self.tools is None:
                self.tools = self._make_tools(self._show)
            await self._begin(self)
        if self._listener is None:
            raise StopAsyncIteration
        event = await self._listener.get()
        if self.tools is not None and self.turn_id is not None:
            self.tools.see(event, self.turn_id)
        match event:
            case Token():
                self._shown.take(event.offset, event.text, numbered=True)
            case Restarted():
                self._shown.cut(event.offset)
            case Final():
                event = self._final = replace(event, format=self._format)
                await self.close()
        return event

    async def __aenter__(self) -> Self:
        """Return the stream; it is closed at the end of the block."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unsubscribe."""
        await self.close()

    def _show(self, event: TurnEvent) -> None:
        """Add an event that comes from this program."""
        if self._listener is not None:
            self._listener.put([event])

    def _listen(self, session_id: str, turn_id: str, after: int) -> Listener[TurnEvent]:
        reader = self._reader = TurnReader(session_id, turn_id)

        def read(event: Event) -> list[TurnEvent]:
            return reader.read(event) if event.turn_id == turn_id else []

        self._listener = Listener(after, read, merge=_merge)
        return self._listener


def _merge(last: TurnEvent, new: TurnEvent) -> TurnEvent | None:
    """Merge consecutive text for a slow consumer."""
    if isinstance(last, Token) and isinstance(new, Token) and last.offset + len(last.text) == new.offset:
        return replace(last, text=last.text + new.text, seq=new.seq)
    if isinstance(last, Thinking) and isinstance(new, Thinking) and last.offset + len(last.text) == new.offset:
        return replace(last, text=last.text + new.text, seq=new.seq)
    return None


def require_answer(final: Final) -> Final:
    """Return the final event of a completed turn; raise for any other outcome."""
    turn_id, text = final.turn_id, final.message
    if final.status == "completed":
        return final
    if final.status == "cancelled":
        message = f"the turn was cancelled: {final.reason}" if final.reason else "the turn was cancelled"
        raise TurnCancelled(message, turn_id=turn_id, text=text, reason=final.reason)
    code = final.error.code if final.error else final.status
    message = final.error.message if final.error else f"the turn is {final.status}"
    kind = InvalidAnswer if code == "model_schema_unmet" else TurnFailed
    if final.error is not None and isinstance(final.error.details, Mapping):
        # What the model wrote is no answer, but may be of use.
        text = text or str(final.error.details.get("text", ""))
    failed = kind(message, turn_id=turn_id, text=text, code=code, reason=final.reason)
    failed.recoverable = final.error.recoverable if final.error else False
    raise failed
