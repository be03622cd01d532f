"""The state of sessions, turns and memory, as the server sends it.

Each class has the fields of the schema of the same name in `docs/openapi.json` (a test checks this).
Values such as a status are plain strings: a newer server may have more of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Decision = Literal["once", "always", "deny", "never"]
OnBusy = Literal["queue", "reject", "steer", "fork", "interrupt"]
Scope = Literal["user", "conversation", "both"]
Mode = Literal["hybrid", "lexical", "semantic"]
Level = Literal["pin", "profile", "fact", "entry", "context"]
CallOutcome = Literal["happened", "did_not_happen"]

#: The final statuses of a turn.
FINAL = frozenset({"completed", "failed", "cancelled", "expired"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens, and their cost in millionths of a US dollar if prices are known."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cost_micros: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source of an answer. The text has `mark` in square brackets, or `source` if it is None."""

    title: str
    source: str
    mark: str | None = None
    passage_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage of a source that an answer may cite, unverified."""

    passage_id: str
    mark: str
    title: str
    source: str
    kind: str
    text: str
    read_at: str
    published: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Sources that disagree: about what, and their marks."""

    about: str
    marks: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The answer of a turn."""

    message: str
    model: str
    usage: Usage | None = None
    stop_reason: str = "complete"
    notices: list[str] = field(default_factory=list)
    reasoning_summary: str | None = None
    citations: list[Citation] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    intent: str | None = None
    confidence: float | None = None
    late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a turn failed (`TurnError` on the wire), and whether a retry can help."""

    code: str
    message: str
    recoverable: bool
    details: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulCall:
    """A call whose outcome is unknown."""

    call_id: str
    tool: str
    arguments: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeQuestion:
    """A question to the user: did these calls take effect before the server stopped?"""

    text: str
    calls: list[DoubtfulCall]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCall:
    """A call that the client has to run, or a worker if it is `served`."""

    call_id: str
    tool: str
    arguments: Any
    until: str
    served: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyAnswer:
    """The result of an early wait."""

    late: bool
    status: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAccepted:
    """A durable message and its turn."""

    session_id: str
    turn_id: str
    agent_id: str
    seq: int
    duplicate: bool
    position: int | None = None
    early: EarlyAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelResult:
    """The result of a cancel (`cancelled`, `not_found`, `already_final`) and the stopped turns."""

    status: str
    turn_ids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a session."""

    model: str | None = None
    model_settings: dict[str, Any] = field(default_factory=dict)
    agent_settings: dict[str, Any] = field(default_factory=dict)
    model_overrides: dict[str, Any] = field(default_factory=dict)
    pinned_tools: list[str] = field(default_factory=list)
    budgets: dict[str, Any] = field(default_factory=dict)
    policy: dict[str, Any] = field(default_factory=dict)
    preferences: dict[str, Any] = field(default_factory=dict)
    imported: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The usage of a session so far."""

    turns: int = 0
    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    steps: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cost_micros: int = 0
    errors: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkOrigin:
    """The session and turn that a fork starts from."""

    session_id: str
    turn_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOrigin:
    """Where a session was imported from."""

    format: str
    digest: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """The state of a session."""

    session_id: str
    owner: str
    status: str
    version: int
    last_seq: int
    created_at: str
    updated_at: str
    settings: Settings
    stats: Stats
    open_turns: list[str]
    key: str | None = None
    title: str | None = None
    ended_at: str | None = None
    forked_from: ForkOrigin | None = None
    imported: ImportOrigin | None = None
    origin: str = "trusted"
    tainted: bool = False
    read_by: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """A page of sessions, newest activity first; `next_cursor` is the `cursor` of the next page."""

    data: list[SessionView]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStats:
    """The statistics of a turn."""

    first_word_ms: int | None = None
    duration_ms: int | None = None
    rounds: int = 0
    tool_calls: int = 0
    errors: int = 0
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """The state of a turn. `steps` are as on the wire: `type` and `detail`."""

    turn_id: str
    session_id: str
    status: str
    agent_id: str
    request: dict[str, Any]
    text: str
    steps: list[dict[str, Any]]
    attempts: int
    created_at: str
    updated_at: str
    last_seq: int
    response: Response | None = None
    error: Failure | None = None
    reason: str | None = None
    question: OutcomeQuestion | None = None
    calls_waiting: list[WaitingCall] = field(default_factory=list)
    stats: TurnStats = field(default_factory=TurnStats)
    retry_of: str | None = None
    tainted: bool = False
    heartbeat_at: str | None = None

    @property
    def is_final(self) -> bool:
        """Whether the turn has ended for good."""
        return self.status in FINAL


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSource:
    """The source of a memory item."""

    session_id: str | None = None
    turn_id: str | None = None
    seq: int | None = None
    item_id: str | None = None
    session_deleted: bool = False
    window_id: str | None = None
    window_closed: bool = False
    imported_from: str | None = None
    extracted_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Something that was said later and may have ended a fact."""

    text: str
    at: str
    item_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The parts of a search score."""

    total: float = 0.0
    relevance: float = 0.0
    recency: float = 0.0
    pinned: float = 0.0
    conversation: float = 0.0
    entity: float = 0.0
    time: float = 0.0
    lexical: float = 0.0
    semantic: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHit:
    """A memory item with its score."""

    id: str
    level: str
    text: str
    at: str
    stored_at: str
    score: Score
    key: str | None = None
    value: str | None = None
    role: str | None = None
    speaker: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    superseded_by: str | None = None
    doubt: Doubt | None = None
    subject: str | None = None
    memory_id: str | None = None
    vault_id: str | None = None
    confidence: float | None = None
    priority: int | None = None
    expires_at: str | None = None
    source: ItemSource = field(default_factory=ItemSource)
    origin: str = "untrusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySnapshot:
    """The answer to a memory request. `notices` are remarks about how the search was done."""

    items: list[MemoryHit] = field(default_factory=list)
    mode: str = "hybrid"
    notices: list[str] = field(default_factory=list)
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A profile entry, or a fact extracted from the owner's messages."""

    fact_id: str
    level: str
    key: str
    value: str
    text: str
    priority: int
    confidence: float
    valid_from: str
    stored_at: str
    valid_until: str | None = None
    superseded_by: str | None = None
    subject: str | None = None
    vault_id: str | None = None
    source: ItemSource = field(default_factory=ItemSource)
    origin: str = "untrusted"
    expires_at: str | None = None
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A person, a place or a thing. `aliases` are other names of the same."""

    id: str
    kind: str
    label: str
    facts: int
    aliases: list[str] = field(default_factory=list)
    relation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """A fact of a graph: `subject` and `object` are ids of nodes."""

    fact_id: str
    subject: str
    relation: str
    value: str
    text: str
    state: str
    valid_from: str
    said_at: str
    known_from: str
    level: str
    confidence: float
    object: str | None = None
    valid_until: str | None = None
    known_until: str | None = None
    superseded_by: str | None = None
    doubt: Doubt | None = None
    source: ItemSource = field(default_factory=ItemSource)
    origin: str = "untrusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryGraph:
    """People, places and things, and the facts that join them."""

    as_of: str
    known_at: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryImportResult:
    """The result of an import: how many items are new, and how many were known."""

    vaults: int = 0
    memories: int = 0
    entries: int = 0
    contexts: int = 0
    facts: int = 0
    known: int = 0
    notices: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    origins_kept: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedSession:
    """What deleting a session removed."""

    session_id: str
    events: int
    artifacts: int
    memories: int
    redacted_sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetResult:
    """What forgetting removed."""

    items: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    records: int = 0
    artifacts: int = 0
    values: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run of a schedule. `outcome` is as on the wire: `status`, and `turn_id` or `message`."""

    planned_at: str
    outcome: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleView:
    """A schedule. `when`, `action` and `catch_up` are as on the wire."""

    schedule_id: str
    session_id: str
    when: dict[str, Any]
    action: dict[str, Any]
    catch_up: dict[str, Any]
    planned_in: str
    status: str
    created_at: str
    runs: int
    missed: int
    name: str | None = None
    zone: str | None = None
    runs_max: int | None = None
    limits: dict[str, Any] | None = None
    satellite: str | None = None
    origin: str = "trusted"
    next_at: str | None = None
    upcoming: list[str] = field(default_factory=list)
    last_run: RunView | None = None
    left_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePage:
    """Schedules, the next run first, and the owner's time zone."""

    data: list[ScheduleView]
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleTimes:
    """When a schedule would run, and the zone in which that was calculated."""

    zone: str
    runs: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseResult:
    """What became of a request to pause a turn."""

    turn_id: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundView:
    """A turn in the background, in short."""

    turn_id: str
    session_id: str
    status: str
    message: str
    text: str
    rounds: int
    tool_calls: int
    attempts: int
    created_at: str
    updated_at: str
    reason: str | None = None
    tool: str | None = None
    usage: Any = None
    heartbeat_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundPage:
    """The turns in the background, newest first."""

    data: list[BackgroundView]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Something that needs a person."""

    alert_id: str
    session_id: str
    at: str
    kind: str
    title: str
    text: str = ""
    turn_id: str | None = None
    approval_id: str | None = None
    schedule_id: str | None = None
    satellite: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertView:
    """An alert, whether a person has seen it, and what each channel did with it."""

    alert_id: str
    session_id: str
    at: str
    kind: str
    title: str
    seen: bool
    deliveries: dict[str, Any]
    text: str = ""
    turn_id: str | None = None
    approval_id: str | None = None
    schedule_id: str | None = None
    satellite: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPage:
    """Alerts, newest first."""

    data: list[AlertView]


#: Earlier names of these views; they will go away.
Accepted = TurnAccepted
Cancelled = CancelResult
Deleted = DeletedSession
Forgotten = ForgetResult
Found = MemoryHit
Imported = MemoryImportResult
Question = OutcomeQuestion
Source = ItemSource
