"""One turn as it happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import TracebackType
from typing import Self

from .errors import TurnCancelled, TurnFailed
from .events import Event, Final, Restarted, Thinking, Token, TurnEvent
from .following import Following
from .listener import Listener
from .telling import Telling
from .transcript import Transcript
from .views import Accepted, TurnView


class TurnStream:
    """The events of one turn, in order, each once, up to its `Final`: `async for event in stream`.

    It survives the connection and the server. It begins when it is first asked for something; breaking off ends the
    listening and never the turn. `text` is what the tokens that were given so far come to.
    """

    def __init__(self, begin: Callable[[TurnStream], Awaitable[None]], following: Following) -> None:
        """A stream that begins with `begin`, which calls `watch` or `watch_from`."""
        self._begin = begin
        self._following = following
        self._listener: Listener[TurnEvent] | None = None
        self._telling: Telling | None = None
        self._shown = Transcript()
        self._final: Final | None = None
        self._is_closed = False

    @property
    def turn_id(self) -> str | None:
        """The turn, once it has one."""
        return self._telling.turn_id if self._telling else None

    @property
    def session_id(self) -> str | None:
        """Its session, once it is known."""
        return self._telling.session_id if self._telling else None

    @property
    def text(self) -> str:
        """What was said so far."""
        return self._shown.text

    async def result(self) -> Final:
        """Reads to the end."""
        async for _ in self:
            pass
        if self._final is None:
            raise TurnFailed("the stream was closed before the turn ended", turn_id=self.turn_id or "", text=self.text)
        return self._final

    async def close(self) -> None:
        """Stops listening. The turn goes on."""
        self._is_closed = True
        if self._listener is not None and self._telling is not None:
            self._following.detach(self._telling.session_id, self._listener)
            self._listener = None

    def watch(self, accepted: Accepted, first: TurnEvent) -> None:
        """Listens to a turn from its beginning."""
        listener = self._listen(accepted.session_id, accepted.turn_id, accepted.seq - 1)
        listener.put([first])
        # A turn of an earlier sending began before this connection followed its session.
        self._following.attach(accepted.session_id, listener, is_fresh=not accepted.duplicate)

    def watch_from(self, view: TurnView) -> None:
        """Listens to a turn that is under way, beginning with what it has come to."""
        listener = self._listen(view.session_id, view.turn_id, view.last_seq)
        if self._telling is not None:
            listener.put(self._telling.begin_with(view))
        if not view.is_final:
            self._following.attach(view.session_id, listener)

    def __aiter__(self) -> Self:
        """Itself: a turn happens once."""
        return self

    async def __anext__(self) -> TurnEvent:
        """The next event."""
        if self._final is not None or self._is_closed:
            raise StopAsyncIteration
        if self._listener is None:
            await self._begin(self)
        if self._listener is None:
            raise StopAsyncIteration
        event = await self._listener.get()
        match event:
            case Token():
                self._shown.take(event.offset, event.text, numbered=True)
            case Restarted():
                self._shown.cut(event.offset)
            case Final():
                self._final = event
                await self.close()
        return event

    async def __aenter__(self) -> Self:
        """Closes itself at the end of the block."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops listening."""
        await self.close()

    def _listen(self, session_id: str, turn_id: str, after: int) -> Listener[TurnEvent]:
        telling = self._telling = Telling(session_id, turn_id)

        def read(event: Event) -> list[TurnEvent]:
            return telling.tell(event) if event.turn_id == turn_id else []

        self._listener = Listener(after, read, merge=_merge)
        return self._listener


def _merge(last: TurnEvent, new: TurnEvent) -> TurnEvent | None:
    """Words that follow each other are one piece for a consumer that is slow anyway."""
    if isinstance(last, Token) and isinstance(new, Token) and last.offset + len(last.text) == new.offset:
        return replace(last, text=last.text + new.text, seq=new.seq)
    if isinstance(last, Thinking) and isinstance(new, Thinking) and last.offset + len(last.text) == new.offset:
        return replace(last, text=last.text + new.text, seq=new.seq)
    return None


def answered(final: Final) -> Final:
    """The end of a turn that was answered; any other end is an exception."""
    turn_id, text = final.turn_id, final.message
    if final.status == "completed":
        return final
    if final.status == "cancelled":
        message = f"the turn was cancelled: {final.reason}" if final.reason else "the turn was cancelled"
        raise TurnCancelled(message, turn_id=turn_id, text=text, reason=final.reason)
    code = final.error.code if final.error else final.status
    message = final.error.message if final.error else f"the turn is {final.status}"
    failed = TurnFailed(message, turn_id=turn_id, text=text, code=code, reason=final.reason)
    failed.recoverable = final.error.recoverable if final.error else False
    raise failed
