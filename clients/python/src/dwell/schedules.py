"""Schedules: what begins by itself, once or by a rule."""

from __future__ import annotations

from typing import Any

from . import types as wire
from .core import Area, Session, new_key, session_ref, without_none
from .decoding import decode
from .views import SchedulePage, ScheduleTimes, ScheduleView


class Schedules(Area):
    """The owner's schedules: `client.schedules`."""

    async def create(
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
        fields = without_none(name=name, zone=zone, catch_up=catch_up, runs_max=runs_max, limits=limits)
        data = {**session_ref(session), **fields, "action": action, "when": when}
        data["idempotency_key"] = idempotency_key or new_key()
        return decode(ScheduleView, await self._send("schedule.create", data, is_repeatable=True))

    async def list(self, *, session: Session | None = None, ended: bool = False) -> SchedulePage:
        """The schedules, the next run first; with `ended` also those that will not run again."""
        data = {**session_ref(session), "ended": ended}
        return decode(SchedulePage, await self._send("schedule.list", data, is_repeatable=True))

    async def get(self, schedule_id: str) -> ScheduleView:
        """A schedule, with its next runs and its last one."""
        data = {"schedule_id": schedule_id}
        return decode(ScheduleView, await self._send("schedule.get", data, is_repeatable=True))

    async def update(
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
        fields = without_none(
            action=action, when=when, name=name, zone=zone, catch_up=catch_up, runs_max=runs_max, limits=limits
        )
        return decode(ScheduleView, await self._send("schedule.update", {"schedule_id": schedule_id, **fields}))

    async def pause(self, schedule_id: str) -> ScheduleView:
        """Let it not run until it is resumed."""
        return await self._do(schedule_id, do="pause")

    async def resume(self, schedule_id: str) -> ScheduleView:
        """Let it run again."""
        return await self._do(schedule_id, do="resume")

    async def cancel(self, schedule_id: str) -> ScheduleView:
        """Take it back for good."""
        return await self._do(schedule_id, do="cancel")

    async def run(self, schedule_id: str) -> ScheduleView:
        """Run it now, besides its plan."""
        return await self._do(schedule_id, do="run")

    async def approve(self, schedule_id: str, digest: str = "") -> ScheduleView:
        """Approve one that waits; `digest` is that of the call in its `action`, if it makes one."""
        return await self._do(schedule_id, do="approve", digest=digest)

    async def snooze(self, schedule_id: str, after_ms: int) -> ScheduleView:
        """Repeat a reminder that has run; returns the schedule that is new."""
        return await self._do(schedule_id, do="snooze", after_ms=after_ms)

    async def hook(self, schedule_id: str) -> wire.HookView:
        """Where a schedule that waits for webhooks receives them, and the secret that signs them."""
        path = {"schedule_id": schedule_id}
        return await self._core._rest.ask(wire.HookView, "GET", "/api/v1/schedules/{schedule_id}/hook", path=path)

    async def preview(self, when: wire.When, *, zone: str | None = None, runs: int | None = None) -> ScheduleTimes:
        """When a schedule would run, without making it."""
        data = {"when": when, **without_none(zone=zone, runs=runs)}
        return decode(ScheduleTimes, await self._send("schedule.preview", data, is_repeatable=True))

    async def _do(self, schedule_id: str, **step: Any) -> ScheduleView:
        return decode(ScheduleView, await self._send("schedule.do", {"schedule_id": schedule_id, **step}))
