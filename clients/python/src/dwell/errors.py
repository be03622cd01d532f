"""The exceptions that the client raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class DwellError(Exception):
    """The base class of all errors of this library and of the server."""


class ConnectionLost(DwellError):
    """The connection broke, and it is unknown whether the request took effect.

    Raised for requests that are not safe to repeat, and for everything that is open when the client gives up or is
    closed.
    """


class CannotConnect(DwellError):
    """The first connection could not be made."""


class Refused(DwellError):
    """An error response: `code` for programs, `message` what is wrong, `hint` what to do."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        turn_id: str | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        """An error with the server's code, message and hint."""
        super().__init__(f"{message} ({code})" + (f" {hint}" if hint else ""))
        self.code = code
        self.message = message
        self.hint = hint
        self.turn_id = turn_id
        self.retry_after_ms = retry_after_ms


class InvalidRequest(Refused):
    """The request is malformed, too large or too deeply nested."""


class Unauthorized(Refused):
    """A missing or wrong token, or a Host or Origin that is not allowed."""


class NotFound(Refused):
    """The object does not exist for this owner."""


class Conflict(Refused):
    """A concurrent change, or an idempotency key that was used for another request."""


class Busy(Refused):
    """No capacity: another turn is running, a queue is full, or the rate limit is reached."""


class Denied(Refused):
    """A policy, a lock or a quota forbids it."""


class Damaged(Refused):
    """Stored data is corrupt; retrying does not help."""


class Unavailable(Refused):
    """The server cannot do it now; retrying later may help."""


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


def error_from(problem: Any) -> Refused:
    """The exception for an error response; an unknown code is a plain `Refused`."""
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
    """A turn ended without an answer. `text` is the text until then."""

    def __init__(self, message: str, *, turn_id: str, text: str, code: str | None = None, reason: str | None = None):
        """The outcome of a turn."""
        super().__init__(message)
        self.turn_id = turn_id
        self.text = text
        self.code = code
        self.reason = reason


class TurnFailed(TurnError):
    """The turn failed or timed out. `recoverable` says whether a retry may help."""

    recoverable: bool = False


class InvalidAnswer(TurnFailed):
    """The answer does not match the `response_schema` of the message; `text` is the answer."""


class TurnCancelled(TurnError):
    """The turn was cancelled."""


class TurnWaiting(TurnError):
    """The turn waits for the user; answer with `resume(turn_id, outcome=…)`."""
