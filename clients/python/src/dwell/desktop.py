"""The desktop of a session: windows, dialogs, apps and monitors, for programs that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from . import types as wire
from .core import Area, Session, new_key, session_ref, without_none
from .decoding import decode
from .views import TurnAccepted


class Desktop(Area):
    """The desktops of sessions: `client.desktop`."""

    async def get(self, session: Session) -> wire.DesktopView:
        """The desktop of a session."""
        return cast(wire.DesktopView, await self._core._get("desktop.get", session_ref(session)))

    async def message(
        self, session: Session, window_id: str, content: str, *, idempotency_key: str | None = None
    ) -> TurnAccepted:
        """Send a message to the agent of a window; `attach` streams its turn."""
        data = {
            **session_ref(session),
            "window_id": window_id,
            "content": content,
            "idempotency_key": idempotency_key or new_key(),
        }
        return decode(TurnAccepted, await self._core._follow("window.message", data, is_repeatable=True))

    async def act(
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
        data = without_none(
            window_id=window_id,
            action=action,
            action_id=action_id,
            form_data=form_data,
            component_path=component_path,
            parallel=parallel,
            idempotency_key=idempotency_key or new_key(),
            **session_ref(session),
        )
        return decode(TurnAccepted, await self._core._follow("window.action", data, is_repeatable=True))

    async def interact(self, session: Session, interactions: Sequence[wire.Interaction]) -> None:
        """Report what the user did with the windows, in order."""
        await self._send("user.interaction", {**session_ref(session), "interactions": list(interactions)})

    async def report_render(self, session: Session, window_id: str, *, ok: bool, error: str | None = None) -> None:
        """Report whether a window could be rendered, and why not."""
        data = without_none(window_id=window_id, ok=ok, error=error, **session_ref(session))
        await self._send("render.feedback", data)

    async def answer_dialog(self, session: Session, dialog_id: str, choice: str | None = None) -> None:
        """Answer a dialog; without a choice it is dismissed."""
        await self._send("dialog.answer", without_none(dialog_id=dialog_id, choice=choice, **session_ref(session)))

    async def answer_prompt(self, session: Session, dialog_id: str, values: Mapping[str, str] | None = None) -> None:
        """Answer a prompt; without values it is dismissed."""
        await self._send("prompt.answer", without_none(dialog_id=dialog_id, values=values, **session_ref(session)))

    async def act_on_toast(self, session: Session, toast_id: str, action: str = "dismiss") -> None:
        """Dismiss a toast or a notification, or choose its action."""
        await self._send("toast.action", {**session_ref(session), "toast_id": toast_id, "action": action})

    async def app_ready(
        self, session: Session, window_id: str, token: str, manifest: wire.Manifest
    ) -> Mapping[str, Any]:
        """Declare that an app is loaded, and what it can do; returns its earlier state."""
        data = {**session_ref(session), "window_id": window_id, "token": token, "manifest": manifest}
        return cast(Mapping[str, Any], await self._send("app.ready", data))

    async def app_response(
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
        data = {**session_ref(session), "window_id": window_id, "token": token, "request_id": request_id}
        outcome = {"value": value} if error is None else {"error": error}
        await self._send("app.response", {**data, **outcome})

    async def subscribe_monitor(self, session: Session, monitor_id: str) -> wire.DesktopView:
        """Add a monitor if it does not exist, and follow it, like all monitors of the session."""
        data = {**session_ref(session), "monitor_id": monitor_id}
        desktop = cast(wire.DesktopView, await self._core._follow("monitor.subscribe", data, is_repeatable=True))
        # The message restricts the connection to this monitor; others here read the same session.
        await self._core._subscriptions.follow_again(desktop["session_id"], desktop["as_of"])
        return desktop

    async def remove_monitor(self, session: Session, monitor_id: str) -> wire.DesktopView:
        """Remove a monitor and everything on it."""
        data = {**session_ref(session), "monitor_id": monitor_id}
        return cast(wire.DesktopView, await self._send("monitor.remove", data))
