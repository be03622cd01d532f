"""What can go wrong, as exceptions that say what was wrong and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class DwellError(Exception):
    """Any failure of this library or of the server it talks to."""


class ConnectionLost(DwellError):
    """The connection broke, and nobody can tell whether what was asked has happened.

    Raised for requests that are not safe to repeat, and for everything that is open when the client gives up or is
    closed.
    """


class CannotConnect(DwellError):
    """The first connection could not be made."""


class Refused(DwellError):
    """The server refused: `code` is a word for programs, `message` says what was wrong, `hint` what to do."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        turn_id: str | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        """An error as the server words it."""
        super().__init__(f"{message} ({code})" + (f" {hint}" if hint else ""))
        self.code = code
        self.message = message
        self.hint = hint
        self.turn_id = turn_id
        self.retry_after_ms = retry_after_ms


class InvalidRequest(Refused):
    """The request cannot be understood, or is too large or too deep."""


class Unauthorized(Refused):
    """No token, or a wrong one; or a Host or Origin that the server does not know."""


class NotFound(Refused):
    """There is no such thing for this owner."""


class Conflict(Refused):
    """Somebody was faster, or the same key was used for something else."""


class Busy(Refused):
    """There is no room now: another turn runs, a line is full, or there are too many requests."""


class Denied(Refused):
    """Policy, a lock or a quota forbids it."""


class Damaged(Refused):
    """What is stored is not what was written; trying again does not help."""


class Unavailable(Refused):
    """The server cannot do it now; later it may."""


_BY_CODE: Mapping[str, type[Refused]] = {
    "invalid_request": InvalidRequest,
    "too_large": InvalidRequest,
    "too_deep": InvalidRequest,
    "method_not_allowed": InvalidRequest,
    "unknown_model": InvalidRequest,
    "unauthorized": Unauthorized,
    "forbidden": Unauthorized,
    "not_found": NotFound,
    "idempotency_conflict": Conflict,
    "version_conflict": Conflict,
    "name_conflict": Conflict,
    "session_ended": Conflict,
    "session_expired": Conflict,
    "already_final": Conflict,
    "turn_open": Conflict,
    "not_resumable": Conflict,
    "outcome_needed": Conflict,
    "approval_settled": Conflict,
    "busy": Busy,
    "queue_full": Busy,
    "rate_limited": Busy,
    "too_many_connections": Busy,
    "policy_denied": Denied,
    "quota_exceeded": Denied,
    "locked": Denied,
    "request_timeout": Unavailable,
    "damaged": Damaged,
    "unavailable": Unavailable,
    "internal": Unavailable,
}


def refused(problem: Any) -> Refused:
    """The exception for an error of the server; a code that is not known yet is a plain `Refused`."""
    fields = problem if isinstance(problem, Mapping) else {}
    code = str(fields.get("code", "internal"))
    retry_after = fields.get("retry_after_ms")
    turn_id = fields.get("turn_id")
    return _BY_CODE.get(code, Refused)(
        code,
        str(fields.get("message", "the server gave no reason")),
        str(fields.get("hint", "")),
        turn_id=turn_id if isinstance(turn_id, str) else None,
        retry_after_ms=retry_after if isinstance(retry_after, int) else None,
    )


class TurnError(DwellError):
    """A turn did not end with an answer. `text` is what was said until then."""

    def __init__(self, message: str, *, turn_id: str, text: str, code: str | None = None, reason: str | None = None):
        """What became of a turn."""
        super().__init__(message)
        self.turn_id = turn_id
        self.text = text
        self.code = code
        self.reason = reason


class TurnFailed(TurnError):
    """The turn failed, or its time ran out. `recoverable` says whether trying again may help."""

    recoverable: bool = False


class TurnCancelled(TurnError):
    """Somebody cancelled the turn."""


class TurnWaiting(TurnError):
    """The turn waits for something only a person can know; answer it with `resume(turn_id, outcome=…)`."""
