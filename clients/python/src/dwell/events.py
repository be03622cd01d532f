"""The events of a session as they come over the wire, and the events of one turn by type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .structured import AnswerFormat
from .views import Citation, Contradiction, Failure, OutcomeQuestion, Passage, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event of a session, by its wire name. `seq` is its number; live events have none."""

    type: str
    session_id: str
    at: str
    data: Mapping[str, Any]
    seq: int | None = None
    turn_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """An event of a turn. `seq` is its number in the session; live events have none."""

    seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(TurnEvent):
    """The message is durable, and its turn exists."""

    session_id: str
    turn_id: str
    agent_id: str
    duplicate: bool
    position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(TurnEvent):
    """New text of the answer. Appending all gives the text, unless a `Restarted` comes between."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(TurnEvent):
    """New text of the model's reasoning."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted(TurnEvent):
    """The server was interrupted: text after `offset` is void and is sent again."""

    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(TurnEvent):
    """The turn entered a stage: `receive`, `understand`, `plan`, `execute`, `complete`."""

    stage: str
    detail: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(TurnEvent):
    """A durable step: `plan`, `tool_call`, `tool_result`, `retrieval`, `summary`, `error`, …"""

    type: str
    detail: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(TurnEvent):
    """Progress of a tool; `progress` is the part that is done, from 0 to 1, if it is known."""

    call_id: str
    tool: str
    status: str
    message: str
    progress: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchStarted(TurnEvent):
    """Research started, with its questions and sources."""

    call_id: str
    query: str
    sources_max: int
    questions: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchChunk(TurnEvent):
    """A source was `found`, `read`, or `failed`; `number` is the same for the same source."""

    call_id: str
    status: str
    number: int
    round: int
    kind: str
    title: str
    source: str
    passages: int | None = None
    cached: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchDone(TurnEvent):
    """Research finished. `passages` are what marks and citations refer to."""

    call_id: str
    notes: str
    found: int
    read: int
    failed: int
    rounds: int
    citations: list[Citation] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    open_questions: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval(TurnEvent):
    """A call needs approval; answer it with `Dwell.approve`."""

    approval_id: str
    turn_id: str
    call_id: str
    tool: str
    arguments: Any
    digest: str
    safety: str
    effect: str
    reason: str
    expires_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalResolved(TurnEvent):
    """An approval was resolved, and by whom."""

    approval_id: str
    decision: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarification(TurnEvent):
    """The message was unclear; the next one answers the question."""

    question: str
    confidence: float
    intent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(TurnEvent):
    """The turn is `waiting`, `interrupted` or `resumed`; its end is a `Final`."""

    status: str
    reason: str | None = None
    attempt: int | None = None
    question: OutcomeQuestion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(TurnEvent):
    """Any other event of the turn, unchanged; also those this version does not know."""

    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Final(TurnEvent):
    """The end of the turn, always the last event. `message` is the answer or the text so far."""

    session_id: str
    turn_id: str
    status: str
    message: str
    model: str | None = None
    reason: str | None = None
    error: Failure | None = None
    usage: Usage | None = None
    reasoning_summary: str | None = None
    citations: list[Citation] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    intent: str | None = None
    confidence: float | None = None
    late: bool = False
    #: The form that the answer has, if the message had a `response_schema`.
    format: AnswerFormat | None = field(default=None, repr=False, compare=False)

    @property
    def parsed(self) -> Any:
        """The answer as the `response_schema` says; None if the message had none.

        Raises `ValueError` if the answer does not match, which a completed turn's does not.
        """
        return None if self.format is None else self.format.parse(self.message)
