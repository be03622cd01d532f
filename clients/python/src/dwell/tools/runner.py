"""Runs calls of tools, each once, and sends their results."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import ConnectionLost, DwellError, Refused
from .function import Tool, ToolContext, ToolError
from .reading import BadValue, to_text
from .record import CallRecord, CallResult

log = logging.getLogger("dwell.tools")

#: The number of results that are kept for calls that come again.
ANSWERED_MAX = 1024
#: The number of calls that run at the same time; more of them wait.
CONCURRENCY = 32
#: Error codes after which a result is sent again.
TRANSIENT = frozenset({"rate_limited", "unavailable", "internal", "request_timeout"})
#: Seconds that a result waits for the last report of progress.
FINISH_S = 1.0
#: Seconds until a result that the server could not take is sent again.
RETRY_S = 0.5

_MAY_HAVE_RUN = (
    "It is not known whether this call took effect: it was handed out before, to a program that has ended since. "
    "It was not run again. Check the outcome, or ask the user, before calling {tool} again."
)
_INTERRUPTED = "The program that runs {tool} was stopped while it ran. It may have taken effect in part."


class Requests(Protocol):
    """What sends requests to the server."""

    async def request(self, kind: str, data: Mapping[str, Any], *, is_repeatable: bool) -> Any:
        """Send a request and return the data of its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that the server wants to be run."""

    turn_id: str
    call_id: str
    tool: str
    arguments: Any
    session_id: str
    key: str
    agent_id: str | None = None
    until: str | None = None
    redelivered: bool = False

    @classmethod
    def from_wire(cls, data: Mapping[str, Any]) -> Call:
        """A call from the data of a `tool.call`."""
        turn_id, call_id = str(data["turn_id"]), str(data["call_id"])
        return cls(
            turn_id=turn_id,
            call_id=call_id,
            tool=str(data["tool"]),
            arguments=data.get("arguments"),
            session_id=str(data.get("session_id", "")),
            key=str(data.get("key") or f"{turn_id}/{call_id}"),
            agent_id=data.get("agent_id"),
            until=data.get("until"),
            redelivered=data.get("redelivered") is True,
        )


@dataclass(slots=True)
class _Running:
    """A call that runs, or whose result is being sent."""

    call: Call
    cancelled: threading.Event = field(default_factory=threading.Event)
    task: asyncio.Task[None] | None = None
    #: Whether the function was started and has not ended.
    is_inside: bool = False


class CallRunner:
    """Runs calls and answers them.

    A call that it knows is not run again: its result is sent again.
    """

    def __init__(
        self,
        requests: Requests,
        tools: Mapping[str, Tool[..., Any]],
        *,
        record: CallRecord | None = None,
        concurrency: int = CONCURRENCY,
        on_progress: Callable[[Call, str, float | None], None] | None = None,
    ) -> None:
        """A runner without calls; progress goes to `on_progress`, or else to the server."""
        self._on_progress = on_progress
        self._requests = requests
        self._tools = tools
        self._record = record
        self._running: dict[str, _Running] = {}
        self._answered: OrderedDict[str, CallResult] = OrderedDict()
        self._places = asyncio.Semaphore(concurrency)
        # Threads of its own: requests use the loop's, and a tool may wait for a request.
        self._threads = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="dwell-tool")
        self._reports: set[asyncio.Task[None]] = set()

    def has(self, tool: str) -> bool:
        """Whether it runs the tool of this name."""
        return tool in self._tools

    def take(self, call: Call) -> None:
        """Run a call, or send its result again if it is known."""
        if call.key in self._running:
            return
        running = self._running[call.key] = _Running(call)
        running.task = asyncio.get_running_loop().create_task(self._serve(running), name=f"dwell-call-{call.tool}")

    def cancel(self, turn_id: str, call_id: str, reason: str | None = None) -> None:
        """Cancel a call that runs; it is not answered, since its turn does not wait any more."""
        for running in self._running.values():
            if (running.call.turn_id, running.call.call_id) == (turn_id, call_id) and running.task is not None:
                text = f"cancelled: {reason}" if reason else "cancelled"
                self._keep(running.call.key, CallResult(text, is_error=True))
                running.cancelled.set()
                running.task.cancel()

    async def close(self, *, answer: bool) -> None:
        """Stop what runs. With `answer`, the turns of calls that may not run again are told.

        The other calls stay open: they come again to the next worker.
        """
        stopped = list(self._running.values())
        for running in stopped:
            running.cancelled.set()
            if running.task is not None:
                running.task.cancel()
        tasks = [running.task for running in stopped if running.task is not None]
        # The caller may be a tool that closes its own client.
        await asyncio.gather(*(task for task in tasks if task is not asyncio.current_task()), return_exceptions=True)
        if answer:
            for running in stopped:
                if running.is_inside and self._tools[running.call.tool].effect == "at_most_once":
                    result = CallResult(_INTERRUPTED.format(tool=running.call.tool), is_error=True)
                    self._keep(running.call.key, result)
                    with contextlib.suppress(DwellError):
                        await self._send(running.call, result)
        for report in self._reports:
            report.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _serve(self, running: _Running) -> None:
        call = running.call
        try:
            result = self._known(call)
            if result is None:
                async with self._places:
                    result = await self._run(running)
                self._keep(call.key, result)
            await self._answer(call, result)
        finally:
            self._running.pop(call.key, None)

    def _known(self, call: Call) -> CallResult | None:
        """The result of a call that must not run, or None."""
        if call.key in self._answered:
            return self._answered[call.key]
        if self._record is not None and (kept := self._record.result(call.key)) is not None:
            return kept
        tool = self._tools.get(call.tool)
        if tool is None:
            known = ", ".join(self._tools)
            return CallResult(f"there is no tool {call.tool} here; there are: {known}", is_error=True)
        may_repeat = tool.effect != "at_most_once"
        # Without a record nothing is known of the time before this process.
        was_started = call.key in self._record if self._record is not None else call.redelivered
        if was_started and not may_repeat:
            return CallResult(_MAY_HAVE_RUN.format(tool=call.tool), is_error=True)
        return None

    async def _run(self, running: _Running) -> CallResult:
        call = running.call
        tool = self._tools[call.tool]
        report = ProgressReport(self, call)
        context = ToolContext(
            session_id=call.session_id,
            turn_id=call.turn_id,
            call_id=call.call_id,
            tool=call.tool,
            key=call.key,
            agent_id=call.agent_id,
            until=call.until,
            redelivered=call.redelivered,
            _report=report.send,
            _cancelled=running.cancelled,
        )
        try:
            tool.read_arguments(call.arguments)
        except BadValue as error:
            return CallResult(f"bad arguments: {error}", is_error=True)
        if self._record is not None:
            self._record.start(call.key, call.tool)
        running.is_inside = True
        try:
            result = CallResult(to_text(await tool.run(call.arguments, context, self._threads)))
        except ToolError as error:
            result = CallResult(str(error) or "the tool failed", is_error=True)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # The function cancelled itself, which is a failure like others.
            result = CallResult("CancelledError: the tool was cancelled from inside", is_error=True)
        except Exception as error:
            log.warning("the tool %s failed", call.tool, exc_info=True)
            result = CallResult(f"{type(error).__name__}: {error}", is_error=True)
        running.is_inside = False
        if self._record is not None:
            self._record.finish(call.key, result)
        await report.finish()
        return result

    def _keep(self, key: str, result: CallResult) -> None:
        self._answered.setdefault(key, result)
        while len(self._answered) > ANSWERED_MAX:
            self._answered.popitem(last=False)

    async def _answer(self, call: Call, result: CallResult) -> None:
        while True:
            try:
                await self._send(call, result)
            except Refused as error:
                if error.code not in TRANSIENT:
                    # The turn has ended, or another client has answered.
                    log.info("the result of %s was not taken: %s", call.tool, error)
                    return
                await asyncio.sleep((error.retry_after_ms or 0) / 1000 + RETRY_S)
            except ConnectionLost as error:
                log.info("the result of %s was not sent: %s", call.tool, error)
                return
            else:
                return

    async def _send(self, call: Call, result: CallResult) -> None:
        results = [{"call_id": call.call_id, "content": result.content, "is_error": result.is_error}]
        # Repeated results count once.
        data = {"turn_id": call.turn_id, "results": results}
        await self._requests.request("tool.answer", data, is_repeatable=True)

    def report(self, coroutine: Any) -> None:
        """Send progress in the background."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(coroutine)
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)

    async def send_progress(self, call: Call, message: str, progress: float | None) -> None:
        """Tell the server how far a call is; a failure to do so is not the tool's."""
        part = None if progress is None else min(max(float(progress), 0.0), 1.0)
        if self._on_progress is not None:
            self._on_progress(call, message, part)
            return
        data: dict[str, Any] = {"turn_id": call.turn_id, "call_id": call.call_id, "message": message}
        if part is not None:
            data["progress"] = part
        try:
            await self._requests.request("tool.progress", data, is_repeatable=False)
        except DwellError as error:
            log.debug("progress of %s was not sent: %s", call.tool, error)


class ProgressReport:
    """Sends the progress of one call.

    While one report is on its way, only the newest of the others is kept.
    """

    def __init__(self, runner: CallRunner, call: Call) -> None:
        """The reports of a call; made in the task that runs it."""
        self._runner = runner
        self._call = call
        self._loop = asyncio.get_running_loop()
        self._waiting: tuple[str, float | None] | None = None
        self._is_sending = False
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def send(self, message: str, progress: float | None) -> None:
        """Report from any thread."""
        # A tool's thread may outlive the client.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._put, message, progress)

    def _put(self, message: str, progress: float | None) -> None:
        self._waiting = message, progress
        if not self._is_sending:
            self._is_sending = True
            self._is_idle.clear()
            self._runner.report(self._send_all())

    async def _send_all(self) -> None:
        try:
            while self._waiting is not None:
                (message, progress), self._waiting = self._waiting, None
                await self._runner.send_progress(self._call, message, progress)
        finally:
            self._is_sending = False
            self._is_idle.set()

    async def finish(self) -> None:
        """Wait until the reports so far are sent: after the result the server takes none."""
        # The function's last report is put in the next round of the loop.
        await asyncio.sleep(0)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_idle.wait(), FINISH_S)
