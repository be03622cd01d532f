"""Runs the calls of one turn that its stream's tools can answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .errors import DwellError, Refused
from .events import Final, Progress, Status, TurnEvent
from .tools.function import Tool
from .tools.runner import RETRY_S, TRANSIENT, Call, CallRunner, Requests
from .views import TurnView, WaitingCall

log = logging.getLogger("dwell.tools")


class TurnTools:
    """Watches a turn's events, and runs its calls when the turn waits for them."""

    def __init__(
        self,
        requests: Requests,
        tools: Mapping[str, Tool[..., Any]],
        turn: Callable[[str], Awaitable[TurnView]],
        show: Callable[[TurnEvent], None],
    ) -> None:
        """The tools of one turn; `turn` reads its state, `show` adds an event to its stream."""
        self._runner = CallRunner(requests, tools, on_progress=self._progress)
        self._turn = turn
        self._show = show
        self._older: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._wants_look = False

    def expect(self, view: TurnView) -> None:
        """Take what waits at the start of the stream as delivered before, and run or answer it."""
        self._older = {call.call_id for call in view.calls_waiting}
        self._take(view)

    def see(self, event: TurnEvent, turn_id: str) -> None:
        """Look for calls when the turn waits for something that is no question to the user."""
        if isinstance(event, Status) and event.status == "waiting" and event.question is None:
            self._wants_look = True
            if self._task is None or self._task.done():
                self._task = asyncio.get_running_loop().create_task(self._look(turn_id), name="dwell-turn-tools")

    async def close(self, final: Final | None) -> None:
        """Stop what runs; an open turn is told about calls that may not run again."""
        if self._task is not None:
            self._task.cancel()
        await self._runner.close(answer=final is None)

    async def _look(self, turn_id: str) -> None:
        """Read which calls wait: the event does not say, and may be about answered ones."""
        while self._wants_look:
            self._wants_look = False
            try:
                self._take(await self._turn(turn_id))
            except Refused as error:
                if error.code not in TRANSIENT:
                    log.warning("the calls of turn %s cannot be read: %s", turn_id, error)
                    return
                await asyncio.sleep((error.retry_after_ms or 0) / 1000 + RETRY_S)
                self._wants_look = True
            except DwellError:
                # The client has ended, which the stream says by itself.
                return

    def _take(self, view: TurnView) -> None:
        for call in view.calls_waiting:
            # A worker may serve a tool of the same name; its calls are its own.
            if self._runner.has(call.tool) and not call.served:
                self._runner.take(self._call(view, call))

    def _progress(self, call: Call, message: str, progress: float | None) -> None:
        """The stream's own tools report to the stream; only workers report to the server."""
        self._show(Progress(call_id=call.call_id, tool=call.tool, status="running", message=message, progress=progress))

    def _call(self, view: TurnView, call: WaitingCall) -> Call:
        return Call(
            turn_id=view.turn_id,
            call_id=call.call_id,
            tool=call.tool,
            arguments=call.arguments,
            session_id=view.session_id,
            key=f"{view.turn_id}/{call.call_id}",
            agent_id=view.agent_id,
            until=call.until,
            redelivered=call.call_id in self._older,
        )
