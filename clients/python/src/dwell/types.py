"""The types of the wire protocol, as the server sends and reads them: typed dictionaries.

Generated from docs/openapi.json by `python scripts/generate_types.py`. Do not edit. A newer server
may send fields and values that are not listed here: ignore what you do not know.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Health(TypedDict):
    """The state of the server."""

    #: `ok`.
    status: str
    #: The program's version.
    version: str
    #: Sessions that were found damaged since the start; only in `/readyz`.
    damaged_sessions: NotRequired[int | None]


class ProblemDocument(TypedDict):
    """An error as a document: problem details (RFC 9457) with Dwell's own fields."""

    #: The name of the status.
    title: str
    #: The HTTP status.
    status: int
    #: The same as `message`.
    detail: str
    #: Error code.
    code: Code
    #: Error message.
    message: str
    #: What to do about it.
    hint: str
    #: The turn that the error is about.
    turn_id: NotRequired[TurnId | None]
    #: Milliseconds to wait before a retry.
    retry_after_ms: NotRequired[int | None]


class Ticket(TypedDict):
    """A ticket for one WebSocket or event stream, passed as `?ticket=`."""

    #: The ticket.
    ticket: str
    #: When it expires.
    expires_at: Timestamp


class Invitation(TypedDict):
    """An invitation for a browser: the page is opened with it in the URL's fragment, as
    `#invitation=`.
    """

    #: The invitation.
    invitation: str
    #: When it expires, if it is not used before.
    expires_at: Timestamp


class EntryView(TypedDict):
    """The signed-in owner."""

    #: The owner of the sessions and memories.
    owner: OwnerId
    #: What the token may do with which the owner has signed in.
    scope: Scope
    #: The program's version.
    version: str
    #: When the cookie expires, if the request has one.
    expires_at: NotRequired[Timestamp | None]


class ProofInvitation(TypedDict):
    """An invitation, which is used up by this."""

    invitation: str


class ProofToken(TypedDict):
    """The token."""

    token: str


class SessionPage(TypedDict):
    """A page of sessions, latest activity first."""

    #: The sessions.
    data: list[SessionView]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class SessionView(TypedDict):
    """A session."""

    #: Id of the session.
    session_id: SessionId
    #: The owner of the session.
    owner: OwnerId
    #: The client's own name for the session.
    key: NotRequired[SessionName | None]
    #: Status of the session.
    status: SessionStatus
    #: Version of the session. It grows with every accepted message and every change of settings or
    #: status.
    version: int
    #: Sequence number of the newest event.
    last_seq: int
    #: When the session started.
    created_at: Timestamp
    #: Time of the last activity. Expiry does not count as activity.
    updated_at: Timestamp
    #: When the session ended or expired.
    ended_at: NotRequired[Timestamp | None]
    #: Settings of the session.
    settings: Settings
    #: Totals of the session.
    stats: Stats
    #: Turns that have not ended, oldest first.
    open_turns: list[TurnId]
    #: Title of the session: its preference `title`, or else the beginning of its first message.
    title: NotRequired[str | None]
    #: The session that this one was forked from.
    forked_from: NotRequired[ForkOrigin | None]
    #: Where the session was imported from.
    imported: NotRequired[ImportOrigin | None]
    #: Whether title and preferences are trusted.
    origin: NotRequired[Origin]
    #: Whether the session has ever contained untrusted text.
    tainted: NotRequired[bool]
    #: Clients that have read untrusted text, and when they last did. Only the session of direct
    #: calls has them.
    read_by: NotRequired[dict[str, Timestamp]]


class Settings(TypedDict):
    """Settings of a session."""

    #: Name of the model. Default: the server's default model.
    model: NotRequired[str | None]
    #: Settings for calls of the model.
    model_settings: NotRequired[ModelSettings]
    #: Settings for calls of the model by single agents, by agent id. `*` matches any characters. A
    #: setting that is absent comes from `model_settings`.
    agent_settings: NotRequired[dict[str, ModelSettings]]
    #: Facts about models that replace the known ones in this session, by `provider/model` or by
    #: provider.
    model_overrides: NotRequired[dict[str, ModelOverrides]]
    #: The tools that the model always sees, by name; `*` matches any characters. The model can look
    #: up the other tools. If the list is empty, Dwell chooses the tools for each turn.
    pinned_tools: NotRequired[list[str]]
    #: Budgets of each turn.
    budgets: NotRequired[Budgets]
    #: Policy of the session.
    policy: NotRequired[Policy]
    #: Preferences of the client, with any keys and values. Two of them are part of every prompt:
    #: `instructions`, the client's instructions as text, and `earlier`, a list of messages with
    #: `role` and `content` that precede the conversation.
    preferences: NotRequired[dict[str, Any]]
    #: Names of preferences that were imported from a file and not set since. Their text is
    #: untrusted.
    imported: NotRequired[list[str]]


class ModelSettings(TypedDict):
    """Settings for calls of a model. A setting that is absent comes from the next wider level
    (turn, agent, session, server). A setting that no level has is left to the provider.
    """

    #: Sampling temperature, 0 to 2. A higher value gives more varied answers.
    temperature: NotRequired[float | None]
    #: Nucleus sampling: only the most probable tokens with this total probability are considered.
    #: Above 0, at most 1.
    top_p: NotRequired[float | None]
    #: Maximum length of an answer in tokens, at least 1.
    max_output_tokens: NotRequired[int | None]
    #: Stop sequences. The answer ends before the first of them. At most 16, each of 1 to 256 bytes.
    stop: NotRequired[list[str] | None]
    #: Seed for sampling. The same seed and request give the same answer, if the provider supports
    #: it.
    seed: NotRequired[int | None]
    #: How much the model reasons before it answers.
    reasoning_effort: NotRequired[ReasoningEffort | None]
    #: Whether the model may call several tools in one round.
    parallel_tool_calls: NotRequired[bool | None]


class ModelOverrides(TypedDict):
    """Facts about a model from the configuration or the session. They replace those of the provider
    and of Dwell's table.
    """

    #: Context window of the model in tokens, at least 512.
    context_tokens: NotRequired[int | None]
    #: Maximum length of an answer in tokens, at least 1.
    output_tokens: NotRequired[int | None]
    #: Whether the model can call tools.
    tools: NotRequired[bool | None]
    #: Whether the model accepts images.
    images: NotRequired[bool | None]
    #: Whether the model reasons before it answers.
    thinking: NotRequired[bool | None]
    #: Price of a million input tokens in US dollars.
    price_in: NotRequired[float | None]
    #: Price of a million output tokens in US dollars.
    price_out: NotRequired[float | None]
    #: Price of a million input tokens from the provider's cache in US dollars.
    price_cached: NotRequired[float | None]


class Budgets(TypedDict):
    """Limits for one turn."""

    #: Maximum number of rounds, each a model call with its tool calls. Default: 8.
    max_steps: NotRequired[int]
    #: Maximum number of tool calls. Default: 16.
    max_tool_calls: NotRequired[int]
    #: Maximum duration in milliseconds. Default: 120000.
    max_duration_ms: NotRequired[int]
    #: Maximum number of input and output tokens together. Default: 100000.
    max_tokens: NotRequired[int]
    #: Maximum size of the context in tokens. Default: depends on the model.
    context_tokens: NotRequired[int | None]
    #: Maximum cost in US dollars. It applies only if the model's price is known. Default: no limit.
    max_cost: NotRequired[float | None]
    #: Limits for one turn in the background. A limit that is absent is the server's.
    background: NotRequired[BackgroundBudgets]


class BackgroundBudgets(TypedDict):
    """Limits for one turn in the background, in place of those for a turn in the conversation."""

    #: Maximum number of rounds.
    max_steps: NotRequired[int | None]
    #: Maximum number of tool calls.
    max_tool_calls: NotRequired[int | None]
    #: Maximum duration in milliseconds, without the time in which it is paused or waits for a
    #: person. It starts again when the turn is resumed.
    max_duration_ms: NotRequired[int | None]
    #: Maximum number of input and output tokens together.
    max_tokens: NotRequired[int | None]
    #: Maximum cost in US dollars. Default: as for other turns.
    max_cost: NotRequired[float | None]


class Policy(TypedDict):
    """What a session's turns may do without approval. A session's policy can only be stricter than
    the server's: it cannot permit what the server forbids.
    """

    #: What happens to a turn that a restart interrupted. Default: `resume`.
    on_restart: NotRequired[OnRestart]
    #: Whether tools may change the outside world. Default: as the server permits.
    actuation: NotRequired[bool | None]
    #: The only tools that may be called, as `tool` or `tool:service` with `*`. Default: all.
    allow: NotRequired[list[str] | None]
    #: Tools that may not be called, as `tool` or `tool:service` with `*`.
    deny: NotRequired[list[str]]
    #: Tools that need an approval for each call, as `tool` or `tool:service` with `*`.
    confirm: NotRequired[list[str]]
    #: Whether the session's model cannot be changed. Default: false.
    fixed_model: NotRequired[bool]


class Stats(TypedDict):
    """Totals of a session."""

    #: Accepted turns.
    turns: NotRequired[int]
    #: Answered turns.
    completed: NotRequired[int]
    #: Turns that failed or exceeded their time.
    failed: NotRequired[int]
    #: Cancelled turns.
    cancelled: NotRequired[int]
    #: Steps.
    steps: NotRequired[int]
    #: Tool calls.
    tool_calls: NotRequired[int]
    #: Input tokens.
    input_tokens: NotRequired[int]
    #: Output tokens.
    output_tokens: NotRequired[int]
    #: Input tokens that providers read from their caches.
    cached_tokens: NotRequired[int]
    #: Input tokens that providers wrote to their caches.
    cache_write_tokens: NotRequired[int]
    #: Cost in millionths of a US dollar, as far as prices are known.
    cost_micros: NotRequired[int]
    #: Errors, whether or not they ended a turn.
    errors: NotRequired[int]


class ForkOrigin(TypedDict):
    """The point at which a session was forked."""

    #: The original session.
    session_id: SessionId
    #: The last turn that was copied, by its id in the original session.
    turn_id: TurnId


class ImportOrigin(TypedDict):
    """Where a session was imported from."""

    #: Format of the file.
    format: ExportFormat
    #: Digest of the whole file. It prevents that the same file is imported twice.
    digest: str
    #: Original id of the session, if it was exported by Dwell.
    session_id: NotRequired[SessionId | None]


class SessionStart(TypedDict):
    """`session.start`: starts a session."""

    #: The client's own name for the session, unique per owner. A start with a known key returns the
    #: existing session.
    key: NotRequired[SessionName | None]
    #: The model. Default: the server's default model.
    model: NotRequired[str | None]
    #: Settings for calls of the model.
    model_settings: NotRequired[ModelSettings | None]
    #: Settings for calls of the model by single agents, by agent id. `*` matches any characters.
    agent_settings: NotRequired[dict[str, ModelSettings] | None]
    #: Facts about models that replace the known ones in this session, by `provider/model` or by
    #: provider.
    model_overrides: NotRequired[dict[str, ModelOverrides] | None]
    #: The tools that the model always sees, by name; `*` matches any characters. The model can look
    #: up the other tools. With an empty list, Dwell chooses the tools for each turn.
    pinned_tools: NotRequired[list[str] | None]
    #: Budgets of each turn.
    budgets: NotRequired[Budgets | None]
    #: Policy of the session. It can only be stricter than the server's policy.
    policy: NotRequired[Policy | None]
    #: Preferences of the client, with any keys and values.
    preferences: NotRequired[dict[str, Any]]
    #: Whether the session is temporary. The server deletes a temporary session and its text when
    #: the session is ended, or when its turns have ended and no client follows it. Default: false.
    temporary: NotRequired[bool]


class Update(TypedDict):
    """`session.update`: replaces the given settings. Absent ones stay as they are."""

    #: Version of the session that the caller saw. The server refuses the update if the session has
    #: another version. Default: not checked.
    version: NotRequired[int | None]
    #: The model.
    model: NotRequired[str | None]
    #: Settings for calls of the model.
    model_settings: NotRequired[ModelSettings | None]
    #: Settings for calls of the model by single agents, by agent id. `*` matches any characters.
    agent_settings: NotRequired[dict[str, ModelSettings] | None]
    #: Facts about models that replace the known ones in this session, by `provider/model` or by
    #: provider.
    model_overrides: NotRequired[dict[str, ModelOverrides] | None]
    #: The tools that the model always sees, by name; `*` matches any characters. The model can look
    #: up the other tools. With an empty list, Dwell chooses the tools for each turn.
    pinned_tools: NotRequired[list[str] | None]
    #: Budgets of each turn.
    budgets: NotRequired[Budgets | None]
    #: Policy of the session. It can only be stricter than the server's policy.
    policy: NotRequired[Policy | None]
    #: Preferences to add or replace. `null` removes a preference.
    preferences: NotRequired[dict[str, Any]]


class DeletedSession(TypedDict):
    """Result of `session.delete`: what was deleted, as counts without content."""

    #: The deleted session.
    session_id: SessionId
    #: Deleted events.
    events: int
    #: Deleted artifacts.
    artifacts: int
    #: Deleted memory items.
    memories: int
    #: Other sessions in which text of the deleted memory items was redacted.
    redacted_sessions: int


class ForkBody(TypedDict):
    """Where to fork."""

    #: The last turn that the new session includes.
    turn_id: TurnId
    #: A name for the new session.
    key: NotRequired[SessionName | None]


class ContextWindowView(TypedDict):
    """The context window of an agent: what its next prompt contains of the conversation, without
    what memory adds.
    """

    #: Number of messages: the instructions, the pins, the conversation, and each round of calls
    #: with its results.
    messages: int
    #: Tokens of these messages and of the tools that the model sees.
    tokens: int
    #: Maximum number of tokens with the session's model.
    tokens_max: int
    #: Used share of `tokens_max` in percent.
    utilisation: float
    #: Number of messages by tag.
    tags: dict[str, int]
    #: Messages of recent turns that are no longer in the window.
    evicted: int
    #: Warnings about the window, as text.
    health: list[str]


class EventPage(TypedDict):
    """A page of the events of a session or of a turn, in order."""

    #: The events.
    data: list[Event]
    #: Sequence number of the newest event of the session or of the turn.
    last_seq: int
    #: Value of `after` for the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class EventBase(TypedDict):
    """An event of a session."""

    #: Sequence number within the session. The first event has 1, and there are no gaps.
    seq: int
    #: The session.
    session_id: SessionId
    #: The turn that the event belongs to, if any.
    turn_id: NotRequired[TurnId | None]
    #: The agent that runs the turn.
    agent_id: NotRequired[AgentId | None]
    #: When the event was decided.
    at: Timestamp


class EventSessionStarted(EventBase):
    """The session started. Always the first event."""

    type: Literal["session.started"]
    data: SessionStarted


class EventSessionUpdated(EventBase):
    """The session's settings changed."""

    type: Literal["session.updated"]
    data: SettingsChanged


class EventSessionReset(EventBase):
    """The conversation was reset. Earlier messages are no longer in the context."""

    type: Literal["session.reset"]
    data: SessionReset


class EventSessionEnded(EventBase):
    """The session ended. It accepts no more messages."""

    type: Literal["session.ended"]
    data: SessionEnded


class EventMessageAccepted(EventBase):
    """A message was accepted and is durable."""

    type: Literal["message.accepted"]
    data: MessageAccepted


class EventMessageSteered(EventBase):
    """A message was added to the running turn."""

    type: Literal["message.steered"]
    data: MessageSteered


class EventMessageQueued(EventBase):
    """The turn waits in the queue of its agent."""

    type: Literal["message.queued"]
    data: MessageQueued


class EventTurnStage(EventBase):
    """The turn entered a stage. The first one is `receive`."""

    type: Literal["turn.stage"]
    data: StageEntered


class EventMemoryUsed(EventBase):
    """What the prompt contains beside the message, with the tokens of each part."""

    type: Literal["memory.used"]
    data: MemoryUsed


class EventEntitiesBase(EventBase):
    """The list of entities of the home that every later prompt contains. Later turns add only what
    has changed since.
    """

    type: Literal["entities.base"]
    data: EntityBase


class EventClarificationNeeded(EventBase):
    """The message is ambiguous. The next message answers the question."""

    type: Literal["clarification_needed"]
    data: Clarification


class EventStep(EventBase):
    """A step of the turn."""

    type: Literal["step"]
    data: Step


class EventApprovalRequest(EventBase):
    """A call needs approval."""

    type: Literal["approval.request"]
    data: ApprovalRequest


class EventApprovalResolved(EventBase):
    """A request for approval was settled."""

    type: Literal["approval.resolved"]
    data: ApprovalResolved


class EventMemoryWritten(EventBase):
    """Something was stored for later turns, or removed."""

    type: Literal["memory.written"]
    data: MemoryWritten


class EventMemorySummaryCreated(EventBase):
    """A new summary of the conversation was written."""

    type: Literal["memory.summary_created"]
    data: SummaryCreated


class EventActions(EventBase):
    """An agent or the user changed the desktop."""

    type: Literal["actions"]
    data: Actions


class EventUserInteraction(EventBase):
    """The user did something on the desktop. Its effects follow as `actions`."""

    type: Literal["user.interaction"]
    data: Interactions


class EventWindowAgent(EventBase):
    """The agent of a window changed."""

    type: Literal["window.agent"]
    data: WindowAgent


class EventRenderFeedback(EventBase):
    """A client could not render a window."""

    type: Literal["render.feedback"]
    data: RenderFailure


class EventDialogAnswered(EventBase):
    """A dialog or a prompt was answered. It disappears from all clients."""

    type: Literal["dialog.answered"]
    data: DialogAnswered


class EventToastAction(EventBase):
    """A toast was dismissed or its action was chosen. It disappears from all clients."""

    type: Literal["toast.action"]
    data: ToastActed


class EventAppReady(EventBase):
    """An app declared its capabilities."""

    type: Literal["app.ready"]
    data: AppManifest


class EventAppRequest(EventBase):
    """An app received a request."""

    type: Literal["app.request"]
    data: AppRequested


class EventAppAnswered(EventBase):
    """An app answered a request, or failed to answer in time."""

    type: Literal["app.answered"]
    data: AppAnswered


class EventSessionRestored(EventBase):
    """An earlier session was restored into this one."""

    type: Literal["session.restored"]
    data: SessionRestored


class EventResearchStarted(EventBase):
    """Research started."""

    type: Literal["research.started"]
    data: ResearchStarted


class EventResearchChunk(EventBase):
    """A source was found, read or skipped."""

    type: Literal["research.chunk"]
    data: ResearchChunk


class EventResearchDone(EventBase):
    """Research ended."""

    type: Literal["research.done"]
    data: ResearchDone


class EventClientRead(EventBase):
    """A client has read untrusted text. Its later calls need approval."""

    type: Literal["client.read"]
    data: ClientRead


class EventAgentThinking(EventBase):
    """A range of the model's reasoning. The live message has the same name and no number."""

    type: Literal["agent.thinking"]
    data: TextDelta


class EventChatToken(EventBase):
    """A range of the answer's text. The live message has the same name and no number."""

    type: Literal["chat.token"]
    data: TextDelta


class EventChatFinal(EventBase):
    """The complete answer."""

    type: Literal["chat.final"]
    data: Response


class EventTurnTools(EventBase):
    """The client replaced the tools that it offers to the turn."""

    type: Literal["turn.tools"]
    data: ClientToolOffer


class EventTurnStatus(EventBase):
    """The turn's status changed."""

    type: Literal["turn.status"]
    data: StatusChanged


class EventSchedule(EventBase):
    """Something happened to a schedule."""

    type: Literal["schedule"]
    data: ScheduleEvent


class EventAlert(EventBase):
    """Something happened to an alert."""

    type: Literal["alert"]
    data: AlertEvent


class SessionStarted(TypedDict):
    """How a session started."""

    #: The owner of the session.
    owner: OwnerId
    #: The client's own name for the session.
    key: NotRequired[SessionName | None]
    #: Settings of the session.
    settings: Settings
    #: The session that this one was forked from.
    forked_from: NotRequired[ForkOrigin | None]
    #: Where the session was imported from.
    imported: NotRequired[ImportOrigin | None]
    #: Whether the session is temporary: it is deleted when its turns have ended.
    temporary: NotRequired[bool]


class SettingsChanged(TypedDict):
    """The new settings of a session."""

    #: The complete settings from now on.
    settings: Settings


class SessionReset(TypedDict):
    """A reset of the conversation."""

    #: The caller's reason, as free text.
    reason: NotRequired[str | None]


class SessionEnded(TypedDict):
    """The end of a session."""

    #: The caller's reason, as free text.
    reason: NotRequired[str | None]
    #: Whether the session ended because it was idle for too long. Then its status is `expired`,
    #: otherwise `ended`.
    expired: NotRequired[bool]


class MessageAccepted(TypedDict):
    """A message that started a turn."""

    #: Id of the turn.
    turn_id: TurnId
    #: The agent that will run the turn.
    agent_id: AgentId
    #: The user's text.
    message: str
    #: The model for this turn only.
    model: NotRequired[str | None]
    #: Settings for calls of the model in this turn.
    model_settings: NotRequired[ModelSettings]
    #: Whether the model may call tools. Default: true.
    allow_tools: NotRequired[bool]
    #: Maximum number of rounds, within the session's budget.
    max_steps: NotRequired[int | None]
    #: Maximum duration in milliseconds. Default: the session's budget.
    time_budget_ms: NotRequired[int | None]
    #: Hints that steer how the turn is planned.
    planner_hints: NotRequired[PlannerHints | None]
    #: The client's tools.
    tools: NotRequired[list[ClientTool]]
    #: How the model uses the tools.
    tool_choice: NotRequired[ToolChoice]
    #: Whether one round may call several tools. Default: true.
    parallel_tool_calls: NotRequired[bool | None]
    #: JSON Schema of the answer. Default: plain text.
    response_schema: NotRequired[ResponseSchema | None]
    #: The tools of the owner's tool workers when the message was accepted.
    served: NotRequired[list[ServedTool]]
    #: Images that belong to the message.
    images: NotRequired[list[Image]]
    #: `true` starts the turn with web research, `false` forbids to search the web. Default: the
    #: model decides.
    use_web_search: NotRequired[bool | None]
    #: Maximum size of the context in tokens. Default: depends on the model.
    context_window: NotRequired[int | None]
    #: Tags of the message and of the answer. `important` messages leave the context last,
    #: `ephemeral` ones first.
    tags: NotRequired[list[Tag]]
    #: Only earlier messages with one of these tags are part of the context. Default: all.
    context_tags: NotRequired[list[Tag]]
    #: How long the client waits for the first text, in milliseconds.
    early_wait_ms: NotRequired[int | None]
    #: Whether it runs in the background: beside the conversation, with budgets of its own.
    background: NotRequired[bool]
    #: The monitor that the message belongs to. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: The window that the request is about, if a window's agent runs the turn.
    window: NotRequired[WindowRequest | None]
    #: Tool calls to run as they are, without a call of the model.
    calls: NotRequired[list[DirectCall]]
    #: Whether the request is trusted. It is untrusted if it was imported from a file, or if the
    #: client that sent it had read untrusted text. The channel decides this, never the message.
    origin: NotRequired[Origin]
    #: The channel through which the message arrived.
    via: NotRequired[MessageChannel]
    #: Digests of calls that the owner approved when the schedule of this turn was made.
    approved: NotRequired[list[str]]
    #: Whether the turn may only use tools that read: its message was sent with a token of the scope
    #: `talk`.
    reads_only: NotRequired[bool]
    #: Idempotency key of the message.
    idempotency_key: NotRequired[str | None]
    #: The turn that this one retries.
    retry_of: NotRequired[TurnId | None]
    #: The turn whose clarifying question this message answers.
    answers: NotRequired[TurnId | None]


class PlannerHints(TypedDict):
    """Hints that steer how a turn is planned."""

    #: What the model should consider first.
    focus_areas: NotRequired[list[str]]
    #: Names of tools to prefer.
    prefer_tools: NotRequired[list[str]]
    #: Names of tools that the model does not see.
    avoid_tools: NotRequired[list[str]]
    #: Maximum number of rounds, a further limit beside `max_steps`.
    max_depth: NotRequired[int | None]


class ClientTool(TypedDict):
    """A tool that the client runs itself."""

    #: Name of the tool: 1 to 64 letters, digits, `_` and `-`.
    name: str
    #: What the tool does and when to use it. The model reads this.
    description: NotRequired[str]
    #: JSON Schema of the arguments. Default: an object without properties.
    input_schema: NotRequired[Any]


class ToolChoiceTool(TypedDict):
    """The model must call this tool."""

    tool: str


class ServedTool(TypedDict):
    """A tool that a worker serves."""

    #: Name of the tool: 1 to 64 letters, digits, `_` and `-`.
    name: str
    #: What the tool does and when to use it. The model reads this.
    description: NotRequired[str]
    #: JSON Schema of the arguments. Default: an object without properties.
    input_schema: NotRequired[Any]
    #: What happens if a call runs more than once. Default: `at_most_once`.
    effect: NotRequired[ServedEffect]


class Image1(TypedDict):
    """The bytes of the image."""

    #: Media type, for example `image/png`.
    media_type: str
    #: The bytes in base64.
    data: str


class ImageUrl(TypedDict):
    """A URL. The server downloads the image before it accepts the message."""

    #: URL of the image.
    url: str


class WindowRequest(TypedDict):
    """The window that a turn is about."""

    #: The window.
    window_id: WindowId
    #: The action. Absent if the user sent a message.
    act: NotRequired[WindowPress | None]


class WindowPress(TypedDict):
    """An action that the user chose in a window."""

    #: Name of the action.
    action: str
    #: The client's own id of this action.
    action_id: NotRequired[str | None]
    #: Values of the form's fields, by name.
    form_data: NotRequired[dict[str, str]]
    #: Path of the component in the layout.
    component_path: NotRequired[str | None]
    #: Whether the action runs beside the running turn of the window's agent. Default: false.
    parallel: NotRequired[bool]


class DirectCall(TypedDict):
    """A tool call that a client makes itself. The same policy applies as to an agent's calls."""

    #: Name of the tool.
    tool: str
    #: Its arguments.
    arguments: NotRequired[dict[str, Any]]


class MessageChannelClient(TypedDict):
    """An MCP client, by the name it gives itself. Dwell records what it has read."""

    client: str


class MessageChannelSchedule(TypedDict):
    """A schedule has run."""

    schedule: ScheduleId


class MessageSteered(TypedDict):
    """A message that was added to a running turn."""

    #: The running turn.
    turn_id: TurnId
    #: The user's text.
    message: str
    #: The model for this turn only.
    model: NotRequired[str | None]
    #: Settings for calls of the model in this turn.
    model_settings: NotRequired[ModelSettings]
    #: Whether the model may call tools. Default: true.
    allow_tools: NotRequired[bool]
    #: Maximum number of rounds, within the session's budget.
    max_steps: NotRequired[int | None]
    #: Maximum duration in milliseconds. Default: the session's budget.
    time_budget_ms: NotRequired[int | None]
    #: Hints that steer how the turn is planned.
    planner_hints: NotRequired[PlannerHints | None]
    #: The client's tools.
    tools: NotRequired[list[ClientTool]]
    #: How the model uses the tools.
    tool_choice: NotRequired[ToolChoice]
    #: Whether one round may call several tools. Default: true.
    parallel_tool_calls: NotRequired[bool | None]
    #: JSON Schema of the answer. Default: plain text.
    response_schema: NotRequired[ResponseSchema | None]
    #: The tools of the owner's tool workers when the message was accepted.
    served: NotRequired[list[ServedTool]]
    #: Images that belong to the message.
    images: NotRequired[list[Image]]
    #: `true` starts the turn with web research, `false` forbids to search the web. Default: the
    #: model decides.
    use_web_search: NotRequired[bool | None]
    #: Maximum size of the context in tokens. Default: depends on the model.
    context_window: NotRequired[int | None]
    #: Tags of the message and of the answer. `important` messages leave the context last,
    #: `ephemeral` ones first.
    tags: NotRequired[list[Tag]]
    #: Only earlier messages with one of these tags are part of the context. Default: all.
    context_tags: NotRequired[list[Tag]]
    #: How long the client waits for the first text, in milliseconds.
    early_wait_ms: NotRequired[int | None]
    #: Whether it runs in the background: beside the conversation, with budgets of its own.
    background: NotRequired[bool]
    #: The monitor that the message belongs to. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: The window that the request is about, if a window's agent runs the turn.
    window: NotRequired[WindowRequest | None]
    #: Tool calls to run as they are, without a call of the model.
    calls: NotRequired[list[DirectCall]]
    #: Whether the request is trusted. It is untrusted if it was imported from a file, or if the
    #: client that sent it had read untrusted text. The channel decides this, never the message.
    origin: NotRequired[Origin]
    #: The channel through which the message arrived.
    via: NotRequired[MessageChannel]
    #: Digests of calls that the owner approved when the schedule of this turn was made.
    approved: NotRequired[list[str]]
    #: Whether the turn may only use tools that read: its message was sent with a token of the scope
    #: `talk`.
    reads_only: NotRequired[bool]
    #: Idempotency key of the message.
    idempotency_key: NotRequired[str | None]


class MessageQueued(TypedDict):
    """A turn that waits in the queue."""

    #: Id of the turn.
    turn_id: TurnId
    #: Position in the queue. 1 is next.
    position: int


class StageEntered(TypedDict):
    """A stage that a turn entered."""

    #: The stage.
    stage: Stage
    #: Details, depending on the stage.
    detail: NotRequired[Any]


class MemoryUsed(TypedDict):
    """What the prompt contains beside the message."""

    #: Items from memory.
    items: NotRequired[list[UsedItem]]
    #: The parts of the prompt, in order.
    sections: NotRequired[list[Section]]
    #: Tokens of all sections together.
    tokens: NotRequired[int]
    #: Maximum number of tokens of the context.
    tokens_max: NotRequired[int]
    #: Whether the prompt contains untrusted text.
    tainted: NotRequired[bool]
    #: Whether untrusted text is in this prompt only, beside what every prompt of the session
    #: contains. Then the answer counts as untrusted too.
    tainted_once: NotRequired[bool]
    #: Digest of the lasting part of the prompt: model, pins, profile, facts and the client's
    #: instructions. The same digest means the same knowledge.
    digest: NotRequired[str | None]
    #: Changes of entities since `entities.base`, as the prompt contains them.
    entities: NotRequired[str]
    #: Notices about the search in memory, for the user.
    notices: NotRequired[list[str]]


class UsedItem(TypedDict):
    """An item from memory in a prompt."""

    #: Level of memory that the item comes from.
    level: Level
    #: The text. A long text is shortened; the item with this `id` has all of it.
    text: str
    #: The turn that the item comes from.
    source: NotRequired[TurnId | None]
    #: The session that the item comes from.
    session_id: NotRequired[SessionId | None]
    #: Id of the item.
    id: NotRequired[ItemId | None]
    #: Key of the item, if it has one.
    key: NotRequired[str | None]
    #: When it happened, or since when it holds.
    at: NotRequired[Timestamp | None]
    #: Until when it held. Absent if it still holds.
    valid_until: NotRequired[Timestamp | None]
    #: How well the item matched.
    score: NotRequired[Score | None]


class Score(TypedDict):
    """Score of a result, part by part. `total` is the sum of `relevance`, `recency`, `pinned`,
    `conversation`, `entity` and `time`. `relevance` is computed from `lexical` and `semantic`.
    """

    #: The score by which results are ranked.
    total: NotRequired[float]
    #: 0.6 times the match of words and embeddings: 0 to 0.6.
    relevance: NotRequired[float]
    #: 0.05 times exp(-age / 30 days), or 0.3 times that where the query asks for what is new. The
    #: first factor is the setting `memory.recency`.
    recency: NotRequired[float]
    #: 0.2 for pins and profile lines.
    pinned: NotRequired[float]
    #: 0.1 for items of the same conversation.
    conversation: NotRequired[float]
    #: 0.1 for items that name the same people, places or things, and 0.05 for items that name them
    #: by another name: `sister` where the query says `Maria`.
    entity: NotRequired[float]
    #: At most 0.1 for items from the time that the query names. Negative for items that no longer
    #: hold.
    time: NotRequired[float]
    #: Match of words, 0 to 1.
    lexical: NotRequired[float]
    #: Similarity of embeddings, 0 to 1. 0 if embeddings were not used.
    semantic: NotRequired[float]


class Section(TypedDict):
    """A section of the prompt."""

    #: Name of the section, for example `system` or `recent`.
    name: str
    #: Number of tokens.
    tokens: int


class EntityBase(TypedDict):
    """The list of entities that every prompt contains."""

    #: The list as text.
    text: str
    #: State of each entity that is listed individually, by entity id. Later turns report
    #: differences from it.
    states: NotRequired[dict[str, str]]


class Clarification(TypedDict):
    """A question to the user about an ambiguous message."""

    #: The question.
    question: str
    #: Confidence that the message was understood, 0 to 1.
    confidence: float
    #: The most probable intent of the message.
    intent: str


class StepPlan(TypedDict):
    """The model's next calls."""

    type: Literal["plan"]
    detail: Plan


class StepToolCall(TypedDict):
    """A tool call is about to run."""

    type: Literal["tool_call"]
    detail: ToolCall


class StepToolResult(TypedDict):
    """The result of a tool call."""

    type: Literal["tool_result"]
    detail: ToolResult


class StepRetrieval(TypedDict):
    """A retrieval from a source."""

    type: Literal["retrieval"]
    detail: Any


class StepObservedEvent(TypedDict):
    """An observation of the agent."""

    type: Literal["observed_event"]
    detail: Observation


class StepSummary(TypedDict):
    """A text was summarized."""

    type: Literal["summary"]
    detail: Summary


class StepErrorForm(TypedDict):
    """An error that did not end the turn."""

    type: Literal["error"]
    detail: StepError


class Plan(TypedDict):
    """A round of the model: the calls that it requests after its text so far."""

    #: Number of the round, from 1.
    round: NotRequired[int]
    #: The requested calls. Empty if the model continues after a message that was added to the turn.
    calls: NotRequired[list[PlannedCall]]
    #: How many messages added to the turn the model had seen.
    steers: NotRequired[int]
    #: The model that answered.
    model: NotRequired[str | None]
    #: Usage of the round.
    usage: NotRequired[Usage | None]
    #: Why the round's text ended. After `length` the model is asked to continue.
    stop_reason: NotRequired[StopReason]


class PlannedCall(TypedDict):
    """A call that the model requests."""

    #: Id of the call within the turn.
    call_id: str
    #: Name of the tool as the model wrote it.
    tool: str
    #: The arguments as the model wrote them.
    arguments: Any
    #: Opaque data that the provider expects back with the call.
    signatures: NotRequired[list[str]]
    #: Whether the model had looked up the tool and called it through `use_tool`.
    looked_up: NotRequired[bool]


class Usage(TypedDict):
    """Tokens as counted by the provider, and their cost."""

    #: Input tokens.
    input_tokens: int
    #: Output tokens.
    output_tokens: int
    #: Input tokens that the provider read from its cache.
    cached_tokens: NotRequired[int]
    #: Input tokens that the provider wrote to its cache.
    cache_write_tokens: NotRequired[int]
    #: Cost in millionths of a US dollar, if the price is known.
    cost_micros: NotRequired[int | None]


class ToolCall(TypedDict):
    """A call that is about to run. It is in the journal before it runs."""

    #: Id of the call within the turn.
    call_id: str
    #: Name of the tool.
    tool: str
    #: The arguments.
    arguments: Any
    #: What happens if the call runs more than once.
    effect: NotRequired[Effect]
    #: Idempotency key for a tool that supports one.
    key: NotRequired[str]
    #: The approval under which the call runs.
    approval_id: NotRequired[ApprovalId | None]
    #: Deadline for the result, if the client or a tool worker runs the tool.
    client_until: NotRequired[Timestamp | None]
    #: Whether a tool worker runs the tool.
    served: NotRequired[bool]


class ToolResult(TypedDict):
    """The result of a tool call."""

    #: Id of the call within the turn.
    call_id: str
    #: Name of the tool.
    tool: str
    #: Status of the call.
    status: NotRequired[CallStatus]
    #: The result as the model reads it.
    content: str
    #: Whether the result is trusted.
    origin: NotRequired[Origin]
    #: The artifact with the complete result, if it was too large for the conversation.
    artifact_id: NotRequired[ArtifactId | None]
    #: Sources of the result. An answer cites them in square brackets.
    sources: NotRequired[list[Citation]]
    #: Duration of the call in milliseconds.
    duration_ms: NotRequired[int | None]


class Citation(TypedDict):
    """A source that an answer cites."""

    #: Title of the source.
    title: str
    #: URL or name of the source.
    source: str
    #: The text in square brackets that cites the source, if it is not `source`.
    mark: NotRequired[str | None]
    #: The cited passage, which the turn has stored.
    passage_id: NotRequired[PassageId | None]


class Observation(TypedDict):
    """An observation of the agent."""

    #: Kind of the observation.
    kind: ObservationKind
    #: The call that it is about.
    call_id: NotRequired[str | None]
    #: Description.
    message: NotRequired[str]
    #: Name of the tool worker that it is about. Absent for a worker without a name of its own.
    worker: NotRequired[str | None]


class Summary(TypedDict):
    """A summary of a text."""

    #: Purpose of the summary, for example `transfer`.
    kind: str
    #: The summary.
    text: str


class StepError(TypedDict):
    """An error that did not end the turn."""

    #: Error code.
    code: str
    #: Error message.
    message: NotRequired[str]
    #: The model that caused the error.
    model: NotRequired[str | None]
    #: Milliseconds until the same model is tried again.
    retry_in_ms: NotRequired[int | None]
    #: The model that is used instead.
    fallback: NotRequired[str | None]


class ApprovalRequest(TypedDict):
    """A call that needs approval. The approval covers exactly this call: the digest is computed
    from the tool and its arguments.
    """

    #: Id of the approval.
    approval_id: ApprovalId
    #: The turn that requested the call.
    turn_id: TurnId
    #: Id of the call within the turn.
    call_id: str
    #: Name of the tool.
    tool: str
    #: The complete arguments of the call.
    arguments: Any
    #: SHA-256 of tool and arguments in canonical form, in hexadecimal.
    digest: str
    #: What the call accesses or changes.
    safety: Safety
    #: What happens if the call runs more than once.
    effect: Effect
    #: Why the call needs approval.
    reason: str
    #: The question in plain words, in the user's language, such as "Shall I unlock the front
    #: door?". Absent if the tool has none for such arguments.
    question: NotRequired[str | None]
    #: When the request expires. A request without an answer is denied at this time.
    expires_at: Timestamp


class ApprovalResolved(TypedDict):
    """A request for approval was settled."""

    #: Id of the approval.
    approval_id: ApprovalId
    #: The decision.
    decision: ApprovalDecision
    #: How the request was settled.
    by: SettledBy


class MemoryWritten(TypedDict):
    """Something stored for later turns, or removed."""

    #: Level of memory. A `pin` is text that every later prompt of the session contains.
    level: Level
    #: Key of the item.
    key: str
    #: The text. Absent if the item was removed.
    value: NotRequired[str | None]
    #: Whether the text is trusted.
    origin: NotRequired[Origin]
    #: Id of the item.
    id: NotRequired[ItemId | None]
    #: The turn in which it was said.
    source: NotRequired[TurnId | None]


class SummaryCreated(TypedDict):
    """A summary of a conversation: a new version of its context document."""

    #: Id of the document.
    id: ItemId
    #: Always `context`.
    level: Level
    #: The memory that holds the conversation.
    memory_id: MemoryId
    #: Version of the document, from 1.
    version: int
    #: The text.
    value: str
    #: Author of the text: name of a model, or `extract`.
    written_by: str
    #: Whether the text is trusted.
    origin: NotRequired[Origin]


class Actions(TypedDict):
    """Changes of a desktop, in order. If the event has a turn, its agent made them, otherwise the
    user.
    """

    #: The monitor. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: The changes.
    actions: list[Action]
    #: Idempotency key of the changes.
    key: NotRequired[str | None]
    #: The turn whose actions are replayed.
    replay_of: NotRequired[TurnId | None]


class ActionWindowCreate(TypedDict):
    """Opens a window in front of the others."""

    type: Literal["window.create"]
    #: Name of the window.
    window_id: WindowId
    #: The group that the window joins. Default: a new group.
    group: NotRequired[WindowId | None]
    #: Title of the window.
    title: str
    #: Position and size.
    bounds: Bounds
    #: Content of the window.
    content: WindowContent
    #: Whether title and content are trusted.
    origin: NotRequired[Origin]
    #: With an app: the token that the app's messages must carry, so that no other frame can act as
    #: the app.
    token: NotRequired[str | None]


class ActionWindowClose(TypedDict):
    """Closes a window."""

    type: Literal["window.close"]
    #: The window.
    window_id: WindowId


class ActionWindowFocus(TypedDict):
    """Brings a window to the front."""

    type: Literal["window.focus"]
    #: The window.
    window_id: WindowId


class ActionWindowMove(TypedDict):
    """Moves a window."""

    type: Literal["window.move"]
    #: The window.
    window_id: WindowId
    #: Distance from the left edge, in desktop units.
    x: int
    #: Distance from the top edge, in desktop units.
    y: int


class ActionWindowResize(TypedDict):
    """Resizes a window."""

    type: Literal["window.resize"]
    #: The window.
    window_id: WindowId
    #: Width in desktop units.
    width: int
    #: Height in desktop units.
    height: int


class ActionWindowMinimize(TypedDict):
    """Minimizes a window."""

    type: Literal["window.minimize"]
    #: The window.
    window_id: WindowId


class ActionWindowMaximize(TypedDict):
    """Maximizes a window on its monitor."""

    type: Literal["window.maximize"]
    #: The window.
    window_id: WindowId


class ActionWindowRestore(TypedDict):
    """Restores a minimized or maximized window."""

    type: Literal["window.restore"]
    #: The window.
    window_id: WindowId


class ActionWindowTitle(TypedDict):
    """Changes the title of a window."""

    type: Literal["window.title"]
    #: The window.
    window_id: WindowId
    #: The new title.
    title: str
    #: Whether the title is trusted.
    origin: NotRequired[Origin]


class ActionWindowContent(TypedDict):
    """Replaces the content of a window."""

    type: Literal["window.content"]
    #: The window.
    window_id: WindowId
    #: The new content.
    content: WindowContent
    #: Whether the content is trusted.
    origin: NotRequired[Origin]
    #: With a new app: the token that the app's messages must carry.
    token: NotRequired[str | None]


class ActionWindowLock(TypedDict):
    """Locks a window. Only the holder can change it from now on."""

    type: Literal["window.lock"]
    #: The window.
    window_id: WindowId
    #: The holder of the lock.
    holder: LockHolder


class ActionWindowUnlock(TypedDict):
    """Unlocks a window."""

    type: Literal["window.unlock"]
    #: The window.
    window_id: WindowId


class Toast(TypedDict):
    """A toast: a short message that disappears by itself."""

    #: Id of the toast.
    toast_id: ToastId
    #: The text.
    text: str
    #: Tone of the message. Default: `plain`.
    level: NotRequired[Tone]
    #: A button on the toast.
    button: NotRequired[ToastButton | None]
    #: The turn whose actions were replayed from the cache, if the toast reports this.
    replay_of: NotRequired[TurnId | None]


class ActionToastShow(Toast):
    """Shows a toast."""

    type: Literal["toast.show"]


class Notification(TypedDict):
    """A notification: a message that stays until the user dismisses it."""

    #: Id of the notification.
    toast_id: ToastId
    #: The title.
    title: str
    #: The text.
    text: NotRequired[str]
    #: Tone of the message. Default: `plain`.
    level: NotRequired[Tone]


class ActionNotificationShow(Notification):
    """Shows a notification."""

    type: Literal["notification.show"]


class Dialog(TypedDict):
    """A question to the user. The turn waits for the answer."""

    #: Id of the dialog.
    dialog_id: DialogId
    #: The turn that asks.
    turn_id: TurnId
    #: The monitor of the dialog. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: The window that the dialog is about.
    window_id: NotRequired[WindowId | None]
    #: The title.
    title: str
    #: The question.
    text: NotRequired[str]
    #: How the dialog is answered.
    form: DialogForm
    #: When the dialog expires. Without an answer it is `unanswered` then.
    expires_at: Timestamp


class ActionDialogShow(Dialog):
    """Asks the user to choose."""

    type: Literal["dialog.show"]


class ActionPromptShow(Dialog):
    """Asks the user to fill in fields."""

    type: Literal["prompt.show"]


class ActionMonitorAdd(TypedDict):
    """Adds a monitor."""

    type: Literal["monitor.add"]
    #: The monitor.
    monitor_id: MonitorId


class ActionMonitorRemove(TypedDict):
    """Removes a monitor and everything on it."""

    type: Literal["monitor.remove"]
    #: The monitor.
    monitor_id: MonitorId


class Bounds(TypedDict):
    """Position and size of a window, in units of a desktop that is 7680 wide and 4320 high."""

    #: Distance from the left edge.
    x: int
    #: Distance from the top edge.
    y: int
    #: Width.
    width: int
    #: Height.
    height: int


class WindowContentMarkdown(TypedDict):
    """Markdown."""

    type: Literal["markdown"]
    #: The text.
    text: str


class WindowContentHtml(TypedDict):
    """HTML without scripts, external styles or other active content."""

    type: Literal["html"]
    #: The markup.
    html: str


class WindowContentText(TypedDict):
    """Plain text."""

    type: Literal["text"]
    #: The text.
    text: str


class WindowContentTable(TypedDict):
    """A table."""

    type: Literal["table"]
    #: Headers of the columns.
    columns: list[str]
    #: The rows. Each cell is a text, a number, a boolean or null.
    rows: list[list[Any]]


class WindowContentChart(TypedDict):
    """A chart."""

    type: Literal["chart"]
    #: Kind of the chart.
    kind: ChartKind
    #: Labels of the horizontal axis.
    labels: list[str]
    #: The series, each with one number per label.
    series: list[Series]


class WindowContentComponents(TypedDict):
    """Components such as texts, buttons and fields."""

    type: Literal["components"]
    #: Number of columns, 1 to 4. Default: 1.
    columns: NotRequired[int]
    #: The components, in order.
    components: list[Component]


class WindowContentArtifact(TypedDict):
    """An artifact: a report, a table or an image."""

    type: Literal["artifact"]
    #: Id of the artifact.
    artifact_id: ArtifactId
    #: Name of the artifact.
    name: str
    #: Media type, for example `text/csv`.
    media_type: str


class WindowContentApp(TypedDict):
    """An app in its own frame."""

    type: Literal["app"]
    #: Name of the app, one of those that the server offers.
    app: str
    #: Parameters of the app.
    params: NotRequired[Any]


class Series(TypedDict):
    """A series of numbers."""

    #: Name of the series.
    name: str
    #: The numbers.
    values: list[float]


class ComponentText(TypedDict):
    """A text."""

    type: Literal["text"]
    #: The text.
    text: str


class ComponentButton(TypedDict):
    """A button."""

    type: Literal["button"]
    #: Label of the button.
    label: str
    #: Name of the action.
    action: str
    #: Whether the action can run beside the running turn of the window's agent. Default: false.
    parallel: NotRequired[bool]
    #: Tone of the button. Default: `plain`.
    tone: NotRequired[Tone]


class ComponentInput(TypedDict):
    """A text field."""

    type: Literal["input"]
    #: Name of the field.
    name: str
    #: Label of the field.
    label: NotRequired[str]
    #: Current value.
    value: NotRequired[str]
    #: Text that is shown while the field is empty.
    placeholder: NotRequired[str]
    #: Whether the field has several lines. Default: false.
    multiline: NotRequired[bool]


class ComponentSelect(TypedDict):
    """A choice of one option."""

    type: Literal["select"]
    #: Name of the field.
    name: str
    #: Label of the field.
    label: NotRequired[str]
    #: The options.
    options: list[SelectOption]
    #: Value of the selected option.
    value: NotRequired[str | None]


class ComponentCheckbox(TypedDict):
    """A checkbox."""

    type: Literal["checkbox"]
    #: Name of the field.
    name: str
    #: Label of the checkbox.
    label: str
    #: Whether it is checked. Default: false.
    checked: NotRequired[bool]


class ComponentBadge(TypedDict):
    """A badge: a short highlighted text."""

    type: Literal["badge"]
    #: The text.
    text: str
    #: Tone of the badge. Default: `plain`.
    tone: NotRequired[Tone]


class ComponentProgress(TypedDict):
    """A progress bar."""

    type: Literal["progress"]
    #: Label of the bar.
    label: NotRequired[str]
    #: Progress in percent.
    percent: float


class ComponentImage(TypedDict):
    """An image."""

    type: Literal["image"]
    #: An artifact of the session as `artifact:ID`, or a `data:` URL.
    source: str
    #: Description of the image.
    alt: NotRequired[str]


class ComponentForm(TypedDict):
    """A form: components whose values are sent together when one of its buttons is pressed."""

    type: Literal["form"]
    #: Name of the form.
    name: str
    #: The components, in order.
    components: list[Component]


class ComponentColumns(TypedDict):
    """Columns side by side."""

    type: Literal["columns"]
    #: The columns, from left to right.
    columns: list[list[Component]]


class SelectOption(TypedDict):
    """An option of a choice."""

    #: Value of the option.
    value: str
    #: Label of the option.
    label: str


class LockHolderAgent(TypedDict):
    """An agent."""

    agent: AgentId


class ToastButton(TypedDict):
    """A button on a toast."""

    #: Label of the button.
    label: str
    #: Name of the action. `didnt_work` reports that a replay was wrong.
    action: str


class DialogFormChoices(TypedDict):
    """The user chooses one of these."""

    choices: list[DialogChoice]


class DialogFormFields(TypedDict):
    """The user fills in these fields."""

    fields: list[Component]


class DialogChoice(TypedDict):
    """A choice of a dialog."""

    #: Value of the choice in the answer.
    value: str
    #: Label of the choice.
    label: str


class Interactions(TypedDict):
    """What the user did, in order."""

    #: The monitor. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: The interactions.
    interactions: list[Interaction]


class InteractionWindowClose(TypedDict):
    """Closed a window."""

    type: Literal["window.close"]
    #: The window.
    window_id: WindowId


class InteractionWindowFocus(TypedDict):
    """Brought a window to the front."""

    type: Literal["window.focus"]
    #: The window.
    window_id: WindowId


class InteractionWindowMove(TypedDict):
    """Moved a window."""

    type: Literal["window.move"]
    #: The window.
    window_id: WindowId
    #: Distance from the left edge, in desktop units. Clamped to the desktop.
    x: int
    #: Distance from the top edge, in desktop units. Clamped to the desktop.
    y: int


class InteractionWindowResize(TypedDict):
    """Resized a window."""

    type: Literal["window.resize"]
    #: The window.
    window_id: WindowId
    #: Width in desktop units.
    width: int
    #: Height in desktop units.
    height: int


class InteractionWindowMinimize(TypedDict):
    """Minimized a window."""

    type: Literal["window.minimize"]
    #: The window.
    window_id: WindowId


class InteractionWindowMaximize(TypedDict):
    """Maximized a window on its monitor."""

    type: Literal["window.maximize"]
    #: The window.
    window_id: WindowId


class InteractionWindowRestore(TypedDict):
    """Restored a minimized or maximized window."""

    type: Literal["window.restore"]
    #: The window.
    window_id: WindowId


class InteractionWindowLock(TypedDict):
    """Locked a window, so that agents cannot change it."""

    type: Literal["window.lock"]
    #: The window.
    window_id: WindowId


class InteractionWindowUnlock(TypedDict):
    """Unlocked a window, regardless of the holder."""

    type: Literal["window.unlock"]
    #: The window.
    window_id: WindowId


class InteractionWindowDraw(TypedDict):
    """Drew on a window."""

    type: Literal["window.draw"]
    #: The window.
    window_id: WindowId
    #: Description of the drawing.
    text: str


class InteractionAppInteraction(TypedDict):
    """Did something in an app, as reported by the app."""

    type: Literal["app.interaction"]
    #: The app's window.
    window_id: WindowId
    #: Token of the app. It is not stored.
    token: NotRequired[str | None]
    #: Description of what the user did.
    text: NotRequired[str]
    #: The command with the same effect. It is stored like a command of an agent.
    did: NotRequired[AppCommand | None]


class AppCommand(TypedDict):
    """A command with its arguments."""

    #: Name of the command.
    name: str
    #: Arguments of the command.
    arguments: NotRequired[Any]


class WindowAgent(TypedDict):
    """A change of the agent of a window or of a group of windows."""

    #: The window.
    window_id: WindowId
    #: Its agent.
    agent_id: AgentId
    #: The new status.
    status: WindowAgentStatus


class RenderFailure(TypedDict):
    """A window that a client could not render."""

    #: The window.
    window_id: WindowId
    #: The monitor of the window. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: The client's error message.
    error: str


class DialogAnswered(TypedDict):
    """An answered dialog."""

    #: Id of the dialog.
    dialog_id: DialogId
    #: The answer.
    answer: DialogAnswer
    #: How the dialog was settled.
    by: SettledBy


class DialogAnswerChosen(TypedDict):
    """Value of the chosen choice."""

    chosen: str


class DialogAnswerFilled(TypedDict):
    """Values of the fields, by name."""

    filled: dict[str, str]


class ToastActed(TypedDict):
    """What the user did with a toast or a notification. It is no longer shown."""

    #: Id of the toast or notification.
    toast_id: ToastId
    #: `dismiss`, or the action of its button.
    action: str
    #: With `didnt_work`: the turn whose actions are no longer replayed from the cache.
    replay_of: NotRequired[TurnId | None]


class AppManifest(TypedDict):
    """Capabilities that an app declared."""

    #: The app's window.
    window_id: WindowId
    #: Capabilities of the app.
    manifest: Manifest


class Manifest(TypedDict):
    """Capabilities of an app, as declared by the app."""

    #: Name of the app.
    name: NotRequired[str]
    #: What the app is for.
    description: NotRequired[str]
    #: Parts of the state that can be queried.
    state: NotRequired[list[StateKey]]
    #: The commands that the app supports.
    commands: NotRequired[list[CommandSpec]]


class StateKey(TypedDict):
    """A part of an app's state that can be queried."""

    #: Name of the part.
    key: str
    #: What it holds.
    description: NotRequired[str]


class CommandSpec(TypedDict):
    """A command that an app supports."""

    #: Name of the command.
    name: str
    #: What the command does.
    description: NotRequired[str]
    #: JSON Schema of the arguments.
    input: NotRequired[Any]
    #: How the command is recorded. Default: `nothing`.
    keep: NotRequired[ReplayMode]
    #: The argument that identifies the object of the command, for example the id of a note.
    slot: NotRequired[str | None]


class AppRequested(TypedDict):
    """A request to an app in a window."""

    #: Id of the request. The answer repeats it.
    request_id: AppRequestId
    #: The app's window.
    window_id: WindowId
    #: The request.
    request: AppRequest
    #: Deadline for the answer.
    expires_at: Timestamp


class AppRequestQuery(TypedDict):
    """Reads a part of the state."""

    type: Literal["query"]
    #: Name of the part.
    key: str


class AppRequestCommand(AppCommand):
    """Runs a command."""

    type: Literal["command"]


class AppAnswered(TypedDict):
    """The outcome of a request to an app."""

    #: Id of the request.
    request_id: AppRequestId
    #: The app's window.
    window_id: WindowId
    #: The outcome.
    outcome: AppOutcome


class AppOutcomeOk(TypedDict):
    """The app's result."""

    ok: Any


class AppOutcomeError(TypedDict):
    """The app's error message."""

    error: str


class SessionRestored(TypedDict):
    """An earlier session that was restored into this one."""

    #: The earlier session.
    session_id: SessionId
    #: How its windows were restored.
    windows: RestoreMode
    #: Description of the windows that were open, if they were not opened again.
    summary: NotRequired[str]
    #: Whether that description is trusted.
    origin: NotRequired[Origin]


class ResearchStarted(TypedDict):
    """The start of a research."""

    #: The call that runs the research.
    call_id: str
    #: The question.
    query: str
    #: The questions that it was divided into.
    questions: NotRequired[list[str]]
    #: Names of the searched sources. Empty if none is configured.
    sources: NotRequired[list[str]]
    #: Maximum number of sources that are read.
    sources_max: int


class ResearchChunk(TypedDict):
    """A source and its status."""

    #: The call that runs the research.
    call_id: str
    #: Status of the source.
    status: ChunkStatus
    #: Number of the source, from 1. It stays the same when the status changes.
    number: int
    #: The round that found the source, from 1.
    round: int
    #: Kind of the source.
    kind: SourceKind
    #: Title of the source.
    title: str
    #: URL of the source, or `library:` and a path.
    source: str
    #: Number of passages that were read.
    passages: NotRequired[int | None]
    #: Whether the text came from the cache.
    cached: NotRequired[bool]
    #: Why the source could not be read.
    reason: NotRequired[str | None]


class ResearchDone(TypedDict):
    """The result of a research."""

    #: The call that ran the research.
    call_id: str
    #: The findings in at most 150 tokens, with marks in square brackets.
    notes: str
    #: The sources that the notes cite, in their order.
    citations: NotRequired[list[Citation]]
    #: All stored passages. Marks and citations refer to them.
    passages: NotRequired[list[Passage]]
    #: Contradictions between sources.
    contradictions: NotRequired[list[Contradiction]]
    #: Questions that remain open.
    open_questions: NotRequired[list[str]]
    #: Number of sources that were found.
    found: int
    #: Number of sources that were read.
    read: int
    #: Number of sources that could not be read.
    failed: int
    #: Number of rounds.
    rounds: int
    #: Notices about the search, for the user.
    notices: NotRequired[list[str]]
    #: Usage of language models.
    usage: NotRequired[Usage | None]


class Passage(TypedDict):
    """A passage of a source, as it was read. An answer can cite it."""

    #: Id of the passage. The same text in the same source has the same id.
    passage_id: PassageId
    #: The text in square brackets that cites the passage.
    mark: str
    #: Title of the source.
    title: str
    #: URL of the source, or `library:` and a path.
    source: str
    #: Kind of the source.
    kind: SourceKind
    #: Text of the passage.
    text: str
    #: Date of publication, as stated by the source.
    published: NotRequired[str | None]
    #: When the source was read.
    read_at: Timestamp


class Contradiction(TypedDict):
    """Sources that contradict each other."""

    #: What they disagree about.
    about: str
    #: Marks of the passages.
    marks: list[str]


class ClientRead(TypedDict):
    """A client that has read untrusted text."""

    #: Name of the client, as given by the client itself.
    client: str
    #: Name of the tool or resource that it read.
    what: str


class TextDelta(TypedDict):
    """A range of a turn's text."""

    #: Start of the range, in Unicode code points from the beginning of the turn's text.
    offset: int
    #: The text of the range.
    delta: str


class Response(TypedDict):
    """The answer of a turn."""

    #: The complete text.
    message: str
    #: The model that answered.
    model: str
    #: Usage, if the provider reported it.
    usage: NotRequired[Usage | None]
    #: Why the answer ended.
    stop_reason: NotRequired[StopReason]
    #: Notices about how the answer was made.
    notices: NotRequired[list[str]]
    #: A summary of the model's reasoning, if the provider returned it.
    reasoning_summary: NotRequired[str | None]
    #: The sources that the answer cites.
    citations: NotRequired[list[Citation]]
    #: Suggested next messages.
    suggestions: NotRequired[list[str]]
    #: The artifacts that the turn stored.
    artifacts: NotRequired[list[ArtifactId]]
    #: The intent of the message.
    intent: NotRequired[str | None]
    #: Confidence in the intent, 0 to 1.
    confidence: NotRequired[float | None]
    #: Whether the first text came after the client's `early_wait_ms`.
    late: NotRequired[bool]


class ClientToolOffer(TypedDict):
    """The tools that a client offers, how the model uses them, and the schema of the answer."""

    #: The client's tools.
    tools: NotRequired[list[ClientTool]]
    #: How the model uses the tools.
    tool_choice: NotRequired[ToolChoice]
    #: Whether one round may call several tools. Default: true.
    parallel_tool_calls: NotRequired[bool | None]
    #: JSON Schema of the answer. Default: plain text.
    response_schema: NotRequired[ResponseSchema | None]


class StatusChanged(TypedDict):
    """A change of a turn's status."""

    #: The change.
    status: Transition
    #: Reason of the change.
    reason: NotRequired[str | None]
    #: The error, with `failed`.
    error: NotRequired[TurnError | None]
    #: With `resumed`: number of the attempt.
    attempt: NotRequired[int | None]
    #: With `resumed`: text from this offset on is void and is sent again.
    text_offset: NotRequired[int | None]
    #: With `waiting`: the question.
    question: NotRequired[OutcomeQuestion | None]
    #: Usage of a turn that ended without an answer.
    usage: NotRequired[Usage | None]


class TurnError(TypedDict):
    """Why a turn failed, and whether a retry can succeed."""

    #: Error code.
    code: str
    #: Error message.
    message: str
    #: Whether a retry can succeed without any change.
    recoverable: bool
    #: Details, depending on the code.
    details: NotRequired[Any]


class OutcomeQuestion(TypedDict):
    """A question that only a person can answer: did these calls take effect?"""

    #: The question as text.
    text: str
    #: The calls it is about.
    calls: list[DoubtfulCall]


class DoubtfulCall(TypedDict):
    """A call whose outcome is unknown."""

    #: Id of the call within the turn.
    call_id: str
    #: Name of the tool.
    tool: str
    #: The complete arguments of the call.
    arguments: Any


class ScheduleEventCreated(TypedDict):
    """It is made."""

    event: Literal["created"]
    #: The schedule.
    schedule_id: ScheduleId
    #: What it is.
    spec: ScheduleSpec
    #: The owner's time zone, in which it is planned unless it has its own.
    owner_zone: str
    #: How many schedules lie between it and the owner's own word: 0 unless a run made it.
    generation: NotRequired[int]
    #: Whether it waits for the owner's approval.
    needs_approval: NotRequired[bool]
    #: Its first run; none if it waits for something.
    next_at: NotRequired[Timestamp | None]


class ScheduleEventApproved(TypedDict):
    """The owner has approved it, for exactly this call."""

    event: Literal["approved"]
    #: The schedule.
    schedule_id: ScheduleId
    #: The digest of the call; empty if it makes none.
    digest: str


class ScheduleEventChanged(TypedDict):
    """It is something else from now on."""

    event: Literal["changed"]
    #: The schedule.
    schedule_id: ScheduleId
    #: What it is now.
    spec: ScheduleSpec
    #: Whether it waits for the owner's approval again.
    needs_approval: NotRequired[bool]
    #: Its next run.
    next_at: NotRequired[Timestamp | None]


class ScheduleEventRezoned(TypedDict):
    """The owner's time zone has changed."""

    event: Literal["rezoned"]
    #: The schedule.
    schedule_id: ScheduleId
    #: The new zone of the owner.
    owner_zone: str
    #: Its next run.
    next_at: NotRequired[Timestamp | None]


class ScheduleEventPaused(TypedDict):
    """It does not run until it is resumed."""

    event: Literal["paused"]
    #: The schedule.
    schedule_id: ScheduleId
    #: For one that runs once after a while: how much of it is left, in milliseconds.
    left_ms: NotRequired[int | None]


class ScheduleEventResumed(TypedDict):
    """It runs again."""

    event: Literal["resumed"]
    #: The schedule.
    schedule_id: ScheduleId
    #: Its next run.
    next_at: NotRequired[Timestamp | None]


class ScheduleEventFired(TypedDict):
    """A run begins. It is open until it is settled."""

    event: Literal["fired"]
    #: Which one.
    key: RunKey
    #: How many milliseconds after its time.
    late_ms: int
    #: How many other late runs it stands for.
    stands_for: NotRequired[int]
    #: The next run.
    next_at: NotRequired[Timestamp | None]
    #: What started it, if it waited for something.
    cause: NotRequired[RunCause | None]


class ScheduleEventMissed(TypedDict):
    """Runs did not take place."""

    event: Literal["missed"]
    #: The schedule.
    schedule_id: ScheduleId
    #: The first of them.
    first_at: Timestamp
    #: How many, counted up to a limit.
    count: int
    #: Why.
    reason: MissReason
    #: The next run.
    next_at: NotRequired[Timestamp | None]


class ScheduleEventSettled(TypedDict):
    """It is known how a run went."""

    event: Literal["settled"]
    #: Which one.
    key: RunKey
    #: How it went.
    outcome: RunOutcome


class ScheduleEventCancelled(TypedDict):
    """It is taken back."""

    event: Literal["cancelled"]
    #: The schedule.
    schedule_id: ScheduleId


class ScheduleEventEnded(TypedDict):
    """It has no further run."""

    event: Literal["ended"]
    #: The schedule.
    schedule_id: ScheduleId
    #: Why.
    reason: EndReason


class ScheduleSpec(TypedDict):
    """What a schedule is, as its owner or an agent defines it."""

    #: What it is called. Default: nothing.
    name: NotRequired[str | None]
    #: When it runs.
    when: When
    #: Its time zone, as `Europe/Berlin`. Default: the owner's, also after the owner has changed it.
    zone: NotRequired[str | None]
    #: What it does.
    action: ScheduledAction
    #: What happens to late runs.
    catch_up: CatchUp
    #: It ends after this many runs. Default: no limit.
    runs_max: NotRequired[int | None]
    #: How often it runs at most, if it waits for something. Default: once a second and 60 times an
    #: hour.
    limits: NotRequired[RunLimits | None]
    #: The voice satellite that it was ordered from, where its alerts ring.
    satellite: NotRequired[str | None]
    #: Whether its text is trusted. It is not if a turn made it that had read untrusted text.
    origin: NotRequired[Origin]


class WhenAt(TypedDict):
    """Once, at this moment."""

    kind: Literal["at"]
    #: The moment.
    at: Timestamp


class WhenAfter(TypedDict):
    """Once, this long after the schedule is made, changed or resumed."""

    kind: Literal["after"]
    #: Milliseconds.
    after_ms: int


class WhenLocal(TypedDict):
    """Once, when the clock in the schedule's time zone shows this."""

    kind: Literal["local"]
    #: The date and time there.
    at: LocalTime


class WhenCron(TypedDict):
    """Again and again, by a cron expression of five fields: minute, hour, day of month, month, day
    of week.
    """

    kind: Literal["cron"]
    #: As `0 7 * * 1-5`.
    expression: str


class WhenRrule(TypedDict):
    """Again and again, by a recurrence rule of iCalendar (RFC 5545)."""

    kind: Literal["rrule"]
    #: As `FREQ=MONTHLY;BYMONTHDAY=-1`.
    rule: str
    #: From when on; also the time of day, unless the rule names one.
    start: LocalTime


class WhenEvent(TypedDict):
    """Each time something happens."""

    kind: Literal["event"]
    #: What.
    trigger: Trigger


#: A state of the home changes.
TriggerHome = TypedDict(
    "TriggerHome",
    {
        "on": 'Literal["home"]',
        #: The entity, as `binary_sensor.washing_machine`.
        "entity_id": "str",
        #: Only if this is the new state.
        "to": "NotRequired[str | None]",
        #: Only if this was the state before.
        "from": "NotRequired[str | None]",
    },
)


class TriggerHook(TypedDict):
    """A webhook arrives at `/hooks/{schedule_id}`, signed with the schedule's secret."""

    on: Literal["hook"]


class TriggerHomeEvent(TypedDict):
    """The home reports an event that is no state, as `zha_event` or `tag_scanned`."""

    on: Literal["home_event"]
    #: The type of the event.
    event_type: str
    #: Only if its data has these fields with these values.
    data: NotRequired[dict[str, Any]]


class TriggerTurnEnded(TypedDict):
    """A turn ends that no schedule has begun: one of the schedule's own session, unless another is
    named.
    """

    on: Literal["turn_ended"]
    #: Turns of this session of the same owner.
    session_id: NotRequired[SessionId | None]
    #: Turns of any session of the same owner.
    any_session: NotRequired[bool]


class ScheduledActionRemind(TypedDict):
    """The owner is reminded."""

    do: Literal["remind"]
    #: Of what; empty for a timer without a name.
    text: str
    #: Whether it counts down as a timer.
    timer: NotRequired[bool]


class ScheduledActionTurn(TypedDict):
    """A turn begins with this message."""

    do: Literal["turn"]
    #: The message.
    message: str


class ScheduledActionCall(TypedDict):
    """A tool is called."""

    do: Literal["call"]
    #: The tool.
    tool: str
    #: Exactly these arguments.
    arguments: Any
    #: The digest of tool and arguments, which an approval is bound to. Dwell calculates it.
    digest: NotRequired[str]


class CatchUpRunLate(TypedDict):
    """Each run that is at most this late still runs; older ones are missed."""

    policy: Literal["run_late"]
    #: Milliseconds.
    window_ms: int


class CatchUpSkip(TypedDict):
    """A run that is late is missed."""

    policy: Literal["skip"]


class CatchUpOnce(TypedDict):
    """All late runs together are one run, however late."""

    policy: Literal["once"]


class RunLimits(TypedDict):
    """How often a schedule runs that waits for something."""

    #: At least this many milliseconds lie between two runs; what happens in between starts none.
    #: Default: 1000.
    gap_ms: NotRequired[int]
    #: At most this many runs within an hour. Default: 60.
    hourly_max: NotRequired[int]


class RunKey(TypedDict):
    """Names one run of one schedule. A run with a key that is known never starts again."""

    #: The schedule.
    schedule_id: ScheduleId
    #: The moment that the run was planned for.
    planned_at: Timestamp


class RunCause(TypedDict):
    """What started a run."""

    #: Names what happened. The same name never starts a second run.
    id: str
    #: What is to be known about it; it becomes part of the message.
    text: NotRequired[str]
    #: Whether that text is trusted.
    origin: NotRequired[Origin]


class RunOutcomeStarted(TypedDict):
    """Its turn is accepted."""

    status: Literal["started"]
    #: The turn.
    turn_id: TurnId


class RunOutcomeDone(TypedDict):
    """The reminder is handed to the owner's notifications, or the call has ended."""

    status: Literal["done"]


class RunOutcomeFailed(TypedDict):
    """It could not be done."""

    status: Literal["failed"]
    #: Why.
    message: str


class AlertEventRaised(TypedDict):
    """It is raised."""

    event: Literal["raised"]
    #: The alert.
    alert: Alert


class AlertEventSending(TypedDict):
    """A channel is about to deliver it."""

    event: Literal["sending"]
    #: The alert.
    alert_id: AlertId
    #: The channel.
    channel: str
    #: The number of the attempt; the first is 1.
    attempt: int


class AlertEventDelivered(TypedDict):
    """A channel has delivered it."""

    event: Literal["delivered"]
    #: The alert.
    alert_id: AlertId
    #: The channel.
    channel: str


class AlertEventFailed(TypedDict):
    """A channel could not deliver it."""

    event: Literal["failed"]
    #: The alert.
    alert_id: AlertId
    #: The channel.
    channel: str
    #: Why.
    message: str
    #: When it is tried again; `None` if that is given up.
    retry_at: NotRequired[Timestamp | None]


class AlertEventDelayed(TypedDict):
    """Its channels wait until then: the owner wants to be left alone."""

    event: Literal["delayed"]
    #: The alert.
    alert_id: AlertId
    #: The channel.
    channel: str
    #: Until when.
    until: Timestamp


class AlertEventSeen(TypedDict):
    """A person has seen it."""

    event: Literal["seen"]
    #: The alert.
    alert_id: AlertId


class AlertEventClosed(TypedDict):
    """Every channel is done with it."""

    event: Literal["closed"]
    #: The alert.
    alert_id: AlertId


class Alert(TypedDict):
    """Something that needs a person."""

    #: Its id. The receiver of a webhook can recognise a repetition by it.
    alert_id: AlertId
    #: The session that it comes from.
    session_id: SessionId
    #: When it was raised.
    at: Timestamp
    #: Why.
    kind: AlertKind
    #: A line that says what it is.
    title: str
    #: More; may be empty.
    text: NotRequired[str]
    #: The turn that it is about.
    turn_id: NotRequired[TurnId | None]
    #: The approval that it is about.
    approval_id: NotRequired[ApprovalId | None]
    #: The schedule that it is about.
    schedule_id: NotRequired[ScheduleId | None]
    #: The voice satellite that the order came from.
    satellite: NotRequired[str | None]
    #: The language of its session, in which it is spoken.
    language: NotRequired[str | None]


class ImportedSession(TypedDict):
    """The answer to `session.import`: the new session and what the caller should know about it."""

    #: Id of the session.
    session_id: SessionId
    #: The owner of the session.
    owner: OwnerId
    #: The client's own name for the session.
    key: NotRequired[SessionName | None]
    #: Status of the session.
    status: SessionStatus
    #: Version of the session. It grows with every accepted message and every change of settings or
    #: status.
    version: int
    #: Sequence number of the newest event.
    last_seq: int
    #: When the session started.
    created_at: Timestamp
    #: Time of the last activity. Expiry does not count as activity.
    updated_at: Timestamp
    #: When the session ended or expired.
    ended_at: NotRequired[Timestamp | None]
    #: Settings of the session.
    settings: Settings
    #: Totals of the session.
    stats: Stats
    #: Turns that have not ended, oldest first.
    open_turns: list[TurnId]
    #: Title of the session: its preference `title`, or else the beginning of its first message.
    title: NotRequired[str | None]
    #: The session that this one was forked from.
    forked_from: NotRequired[ForkOrigin | None]
    #: Where the session was imported from.
    imported: NotRequired[ImportOrigin | None]
    #: Whether title and preferences are trusted.
    origin: NotRequired[Origin]
    #: Whether the session has ever contained untrusted text.
    tainted: NotRequired[bool]
    #: Clients that have read untrusted text, and when they last did. Only the session of direct
    #: calls has them.
    read_by: NotRequired[dict[str, Timestamp]]
    #: Number of items that were left out on purpose, by kind: `open_turns`, `windows`, `desktop`,
    #: `memory`, `other`.
    left_out: NotRequired[dict[str, int]]
    #: The damage that was found, if the file was imported nevertheless.
    damage: NotRequired[list[str]]
    #: Whether the text keeps its level of trust. True if the file is unchanged and this server
    #: wrote it for this owner.
    origins_kept: NotRequired[bool]


class TurnPage(TypedDict):
    """A page of a session's turns, oldest or newest first."""

    #: The turns.
    data: list[TurnView]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class TurnView(TypedDict):
    """A turn."""

    #: Id of the turn.
    turn_id: TurnId
    #: The session of the turn.
    session_id: SessionId
    #: Status of the turn.
    status: TurnStatus
    #: The agent that runs the turn.
    agent_id: AgentId
    #: The request.
    request: Request
    #: The text so far. Once the turn is completed, the answer.
    text: str
    #: The answer.
    response: NotRequired[Response | None]
    #: The error, if the turn failed.
    error: NotRequired[TurnError | None]
    #: Reason of the current status.
    reason: NotRequired[str | None]
    #: The question that the turn waits for, about calls whose outcome is unknown.
    question: NotRequired[OutcomeQuestion | None]
    #: The calls that the client has to run before the turn continues, and those that wait for a
    #: tool worker (`served`).
    calls_waiting: NotRequired[list[WaitingCall]]
    #: The steps of the turn.
    steps: list[Step]
    #: Statistics of the turn.
    stats: NotRequired[TurnStats]
    #: Whether the turn has read untrusted text, or its prompt contained some beside the message.
    tainted: NotRequired[bool]
    #: When a running turn in the background last showed that it is at work.
    heartbeat_at: NotRequired[Timestamp | None]
    #: Number of attempts.
    attempts: int
    #: The turn that this one retries.
    retry_of: NotRequired[TurnId | None]
    #: When the turn was accepted.
    created_at: Timestamp
    #: Time of the last change.
    updated_at: Timestamp
    #: Sequence number of the turn's newest event.
    last_seq: int


class Request(TypedDict):
    """The request of a turn. It is stored with the turn, so that the turn can be resumed and
    retried.
    """

    #: The user's text.
    message: str
    #: The model for this turn only.
    model: NotRequired[str | None]
    #: Settings for calls of the model in this turn.
    model_settings: NotRequired[ModelSettings]
    #: Whether the model may call tools. Default: true.
    allow_tools: NotRequired[bool]
    #: Maximum number of rounds, within the session's budget.
    max_steps: NotRequired[int | None]
    #: Maximum duration in milliseconds. Default: the session's budget.
    time_budget_ms: NotRequired[int | None]
    #: Hints that steer how the turn is planned.
    planner_hints: NotRequired[PlannerHints | None]
    #: The client's tools.
    tools: NotRequired[list[ClientTool]]
    #: How the model uses the tools.
    tool_choice: NotRequired[ToolChoice]
    #: Whether one round may call several tools. Default: true.
    parallel_tool_calls: NotRequired[bool | None]
    #: JSON Schema of the answer. Default: plain text.
    response_schema: NotRequired[ResponseSchema | None]
    #: The tools of the owner's tool workers when the message was accepted.
    served: NotRequired[list[ServedTool]]
    #: Images that belong to the message.
    images: NotRequired[list[Image]]
    #: `true` starts the turn with web research, `false` forbids to search the web. Default: the
    #: model decides.
    use_web_search: NotRequired[bool | None]
    #: Maximum size of the context in tokens. Default: depends on the model.
    context_window: NotRequired[int | None]
    #: Tags of the message and of the answer. `important` messages leave the context last,
    #: `ephemeral` ones first.
    tags: NotRequired[list[Tag]]
    #: Only earlier messages with one of these tags are part of the context. Default: all.
    context_tags: NotRequired[list[Tag]]
    #: How long the client waits for the first text, in milliseconds.
    early_wait_ms: NotRequired[int | None]
    #: Whether it runs in the background: beside the conversation, with budgets of its own.
    background: NotRequired[bool]
    #: The monitor that the message belongs to. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: The window that the request is about, if a window's agent runs the turn.
    window: NotRequired[WindowRequest | None]
    #: Tool calls to run as they are, without a call of the model.
    calls: NotRequired[list[DirectCall]]
    #: Whether the request is trusted. It is untrusted if it was imported from a file, or if the
    #: client that sent it had read untrusted text. The channel decides this, never the message.
    origin: NotRequired[Origin]
    #: The channel through which the message arrived.
    via: NotRequired[MessageChannel]
    #: Digests of calls that the owner approved when the schedule of this turn was made.
    approved: NotRequired[list[str]]
    #: Whether the turn may only use tools that read: its message was sent with a token of the scope
    #: `talk`.
    reads_only: NotRequired[bool]


class WaitingCall(TypedDict):
    """A call that waits for the client or for a tool worker."""

    #: Id of the call within the turn.
    call_id: str
    #: Name of the tool.
    tool: str
    #: The arguments as the model wrote them.
    arguments: Any
    #: Deadline for the client's result.
    until: Timestamp
    #: Whether a tool worker runs the call. The client that sent the message has nothing to do then.
    served: NotRequired[bool]


class TurnStats(TypedDict):
    """Statistics of a turn."""

    #: Milliseconds from acceptance to the first text in the journal.
    first_word_ms: NotRequired[int | None]
    #: Milliseconds from acceptance to the end.
    duration_ms: NotRequired[int | None]
    #: Rounds in which the model called tools.
    rounds: NotRequired[int]
    #: Tool calls.
    tool_calls: NotRequired[int]
    #: Errors, whether or not they ended the turn.
    errors: NotRequired[int]
    #: Tokens and cost of all rounds.
    usage: NotRequired[Usage]


class TurnAccepted(TypedDict):
    """The answer to `chat.send`, `turn.resume` and `turn.retry`. The command is durable when it
    arrives.
    """

    #: The session, also if the client named it by `conversation_id`.
    session_id: SessionId
    #: The turn.
    turn_id: TurnId
    #: The agent that runs the turn.
    agent_id: AgentId
    #: Sequence number of the turn's `message.accepted` event.
    seq: int
    #: Position in the queue, if the turn has to wait.
    position: NotRequired[int | None]
    #: Whether the idempotency key was known. Then this is the turn of the first message with that
    #: key.
    duplicate: bool
    #: With `early_wait_ms`: state of the turn when its first text arrived or the wait ended.
    early: NotRequired[EarlyAnswer | None]


class EarlyAnswer(TypedDict):
    """State of a turn after `early_wait_ms`."""

    #: Whether the first text did not arrive in time. Then the text follows in events.
    late: bool
    #: Status of the turn.
    status: TurnStatus
    #: The text so far.
    text: str


class ChatSend(TypedDict):
    """`chat.send`, and the body of `POST /sessions/{id}/turns`: a message of the user."""

    #: The user's text, at most 256 KiB. It may be empty if there are `calls`.
    message: NotRequired[str]
    #: The model for this turn only.
    model: NotRequired[str | None]
    #: Settings for calls of the model in this turn. A setting that is absent comes from the agent,
    #: the session or the server.
    model_settings: NotRequired[ModelSettings]
    #: Whether the model may call tools. Default: true.
    allow_tools: NotRequired[bool]
    #: Maximum number of rounds, each a model call with its tool calls. It cannot exceed the
    #: session's budget.
    max_steps: NotRequired[int | None]
    #: Maximum duration of the turn in milliseconds, 1 to 86400000. Default: the session's budget.
    time_budget_ms: NotRequired[int | None]
    #: Hints that steer how the turn is planned.
    planner_hints: NotRequired[PlannerHints | None]
    #: Tools that the client runs itself, at most 128. The turn waits for their results, which the
    #: client sends with `tool.answer`.
    tools: NotRequired[list[ClientTool]]
    #: How the model uses the client's tools.
    tool_choice: NotRequired[ToolChoice]
    #: Whether one round may call several tools. Default: true.
    parallel_tool_calls: NotRequired[bool | None]
    #: JSON Schema of the answer. The answer is then a JSON text that matches it, or the turn fails
    #: with `model_schema_unmet`. Default: plain text.
    response_schema: NotRequired[ResponseSchema | None]
    #: Images that belong to the message, at most 8.
    images: NotRequired[list[Image]]
    #: `true` starts the turn with web research, `false` forbids to search the web. Default: the
    #: model decides.
    use_web_search: NotRequired[bool | None]
    #: Maximum size of the context in tokens, within the session's limit.
    context_window: NotRequired[int | None]
    #: Tags of the message and of the answer, at most 8. `important` messages leave the context
    #: last, `ephemeral` ones first.
    tags: NotRequired[list[Tag]]
    #: Only earlier messages with one of these tags are part of the context. Default: all.
    context_tags: NotRequired[list[Tag]]
    #: How long the answer to this command waits for the first text of the turn: 1 to 60000
    #: milliseconds. After that time it is sent without text, and the text follows in events.
    #: Default: no wait.
    early_wait_ms: NotRequired[int | None]
    #: Idempotency key, 1 to 200 characters. For 24 hours a repeated message with the same key
    #: returns the same turn.
    idempotency_key: NotRequired[str | None]
    #: What happens if another turn runs. Default: `queue`.
    on_busy: NotRequired[OnBusy]
    #: Whether the turn runs in the background: at once, beside the conversation, for hours if need
    #: be, with the budgets for background turns (`budgets.background`). It can be paused, and its
    #: end raises an alert. `on_busy` does not apply. Default: false.
    background: NotRequired[bool]
    #: The monitor that the message belongs to. Default: `main`.
    monitor_id: NotRequired[MonitorId]
    #: Version of the session that the caller saw. The server refuses the message if the session has
    #: another version. Default: not checked.
    version: NotRequired[int | None]
    #: Tool calls to run as they are, without a call of the model. At most 8.
    calls: NotRequired[list[DirectCall]]


class ForgetResult(TypedDict):
    """The result of `memory.forget`."""

    #: Deleted items.
    items: NotRequired[list[ItemId]]
    #: Sessions in which text was redacted.
    sessions: NotRequired[list[SessionId]]
    #: Number of redacted records. They keep their sequence numbers.
    records: NotRequired[int]
    #: Number of deleted artifacts.
    artifacts: NotRequired[int]
    #: Number of deleted values of programs.
    values: NotRequired[int]


class CancelResult(TypedDict):
    """The answer to `agent.cancel`."""

    #: The outcome.
    status: CancelOutcome
    #: The cancelled turns.
    turn_ids: list[TurnId]


class PassagePage(TypedDict):
    """Passages that a turn can cite."""

    #: The passages, in the order in which they were found.
    data: list[Passage]


class PauseResult(TypedDict):
    """The answer to `turn.pause`."""

    #: The turn.
    turn_id: TurnId
    #: `paused`, or `running` until its running calls have their results.
    status: TurnStatus


class BackgroundPage(TypedDict):
    """The turns in the background, newest first."""

    #: The turns.
    data: list[BackgroundView]


class BackgroundView(TypedDict):
    """A turn in the background, in short."""

    #: Id of the turn.
    turn_id: TurnId
    #: The session of the turn.
    session_id: SessionId
    #: Status of the turn.
    status: TurnStatus
    #: Reason of the status.
    reason: NotRequired[str | None]
    #: The beginning of its message.
    message: str
    #: The beginning of its answer, or the end of what it has written so far.
    text: str
    #: What it did last: a tool that it called.
    tool: NotRequired[str | None]
    #: Number of rounds so far.
    rounds: int
    #: Number of tool calls so far.
    tool_calls: int
    #: Tokens so far.
    usage: NotRequired[Usage | None]
    #: Number of attempts.
    attempts: int
    #: When it was accepted.
    created_at: Timestamp
    #: Time of its newest event.
    updated_at: Timestamp
    #: When it last showed that it is at work. Absent unless it is running.
    heartbeat_at: NotRequired[Timestamp | None]


class ResumeBody(TypedDict):
    """The outcome of the calls in doubt."""

    #: The outcome.
    outcome: NotRequired[CallOutcome | None]
    #: Which call; all by default.
    call_id: NotRequired[str | None]


class ToolAnswered(TypedDict):
    """The answer to `tool.answer`. The results are durable when it arrives."""

    #: The session of the turn.
    session_id: SessionId
    #: The turn.
    turn_id: TurnId
    #: The agent that runs the turn.
    agent_id: AgentId
    #: Sequence number of the event with the last of these results. Events that follow from the
    #: results have higher numbers.
    seq: int
    #: Ids of the calls that still wait. The turn continues when the list is empty.
    calls_waiting: list[str]
    #: Whether all results were known already, so that nothing changed.
    duplicate: bool


class ToolResultsBody(TypedDict):
    """Results of calls that the client has run."""

    #: The results.
    results: list[ClientResult]
    #: The tools that the client offers from now on; unchanged by default.
    offer: NotRequired[ClientToolOffer | None]


class ClientResult(TypedDict):
    """The result of a call that the client has run."""

    #: Id of the call within the turn.
    call_id: str
    #: The result as the model reads it.
    content: str
    #: Whether the call failed. Default: false.
    is_error: NotRequired[bool]


class ToolPage(TypedDict):
    """The available tools."""

    #: The tools, ordered by name.
    data: list[ToolView]
    #: The configured external servers.
    servers: NotRequired[list[ToolServerView]]


class ToolView(TypedDict):
    """A tool."""

    #: Name of the tool.
    name: str
    #: What the tool does and when to use it.
    description: str
    #: JSON Schema of the arguments.
    input_schema: Any
    #: JSON Schema of the result.
    output_schema: NotRequired[Any]
    #: What happens if a call runs more than once.
    effect: Effect
    #: What the tool accesses or changes.
    safety: Safety
    #: Approximate cost of a call.
    cost: Cost
    #: Whether several calls may run at the same time.
    parallel: bool
    #: Maximum duration of a call in milliseconds.
    timeout_ms: int
    #: Maximum number of calls per minute. Absent if there is no limit.
    calls_per_minute_max: NotRequired[int | None]
    #: Whether the server's policy permits the tool.
    enabled: bool
    #: Why the policy does not permit it.
    disabled_because: NotRequired[str | None]
    #: Name of the external MCP server that provides the tool.
    server: NotRequired[str | None]
    #: Why the tool is not available at present, for example because its server is not connected.
    away_because: NotRequired[str | None]
    #: Name of the tool worker that serves the tool to the owner's sessions.
    worker: NotRequired[str | None]


class ToolServerView(TypedDict):
    """An external MCP server that provides tools."""

    #: Name of the server in the configuration.
    name: str
    #: Why the server is not available at present. Absent if it is available.
    away_because: NotRequired[str | None]
    #: Version of the protocol that the server speaks, if known.
    protocol_version: NotRequired[str | None]
    #: Tools of the server that are in use, by their names here.
    tools: list[str]
    #: Tools of the server that are not in use.
    left_out: list[LeftOutTool]


class LeftOutTool(TypedDict):
    """A tool of an external server that is not in use."""

    #: Name of the tool on its server.
    tool: str
    #: Reason.
    because: str


class ApprovalPage(TypedDict):
    """Open requests for approval, oldest first."""

    #: The requests.
    data: list[ApprovalView]


class ApprovalView(TypedDict):
    """An open request for approval."""

    #: The session of the turn that requested the call.
    session_id: SessionId
    #: Id of the approval.
    approval_id: ApprovalId
    #: The turn that requested the call.
    turn_id: TurnId
    #: Id of the call within the turn.
    call_id: str
    #: Name of the tool.
    tool: str
    #: The complete arguments of the call.
    arguments: Any
    #: SHA-256 of tool and arguments in canonical form, in hexadecimal.
    digest: str
    #: What the call accesses or changes.
    safety: Safety
    #: What happens if the call runs more than once.
    effect: Effect
    #: Why the call needs approval.
    reason: str
    #: The question in plain words, in the user's language, such as "Shall I unlock the front
    #: door?". Absent if the tool has none for such arguments.
    question: NotRequired[str | None]
    #: When the request expires. A request without an answer is denied at this time.
    expires_at: Timestamp


class ApprovalResult(TypedDict):
    """The accepted decision."""

    #: The approval.
    approval_id: ApprovalId
    #: The answer.
    decision: ApprovalDecision


class ApprovalBody(TypedDict):
    """The user's decision."""

    #: The decision.
    decision: ApprovalDecision
    #: The digest of the call; the answer is refused if the call has another.
    digest: NotRequired[str | None]


class ArtifactPage(TypedDict):
    """A page of artifacts, newest first."""

    #: The artifacts.
    data: list[ArtifactView]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class ArtifactView(TypedDict):
    """An artifact: data that is too large for the conversation."""

    #: Id of the artifact.
    artifact_id: ArtifactId
    #: The session it belongs to.
    session_id: SessionId
    #: The turn that created it.
    turn_id: NotRequired[TurnId | None]
    #: Name of the artifact.
    name: str
    #: Media type, for example `text/plain`.
    media_type: str
    #: Size in bytes.
    bytes: int
    #: Whether the content is trusted.
    origin: Origin
    #: When the artifact was created.
    created_at: Timestamp


class HomeView(TypedDict):
    """A home, as far as agents may see it."""

    #: Kind of home.
    home: HomeKind
    #: State of the connection.
    connection: HomeConnection
    #: Why the home is not connected, and what to do about it.
    why: NotRequired[str | None]
    #: What is wrong with the sentences that are understood without a model, with file and line.
    notices: NotRequired[list[str]]
    #: Name of the home.
    name: NotRequired[str | None]
    #: The areas that have entities, ordered by floor and name.
    areas: list[AreaView]
    #: The entities, ordered by id.
    entities: list[EntityView]


class AreaView(TypedDict):
    """An area of a home, for example a room."""

    #: Id of the area in the home.
    area_id: str
    #: Name of the area.
    name: str
    #: Name of the floor.
    floor: NotRequired[str | None]


class EntityView(TypedDict):
    """An entity of a home."""

    #: Id of the entity, for example `light.kitchen`.
    entity_id: str
    #: Name of the entity.
    name: str
    #: The area of the entity.
    area_id: NotRequired[str | None]
    #: Domain of the entity, for example `light`.
    domain: str
    #: Current state, for example `on` or `21.5`.
    state: str
    #: Unit of a numeric state, for example `°C`.
    unit: NotRequired[str | None]
    #: Device class within the domain, for example `battery` or `garage`.
    device_class: NotRequired[str | None]
    #: Further attributes of interest to people, for example `brightness` or `media_title`.
    attributes: NotRequired[dict[str, Any]]
    #: When the state last changed.
    changed_at: Timestamp
    #: Whether the entity is available.
    available: bool
    #: Whether the entity is auxiliary: it describes a device rather than being its main function,
    #: for example the charge of a battery.
    auxiliary: NotRequired[bool]


class ModelPage(TypedDict):
    """The available models."""

    #: Names of the available models.
    data: list[str]
    #: The server's default model.
    default: str
    #: The models that are tried after the default one, in order.
    fallbacks: NotRequired[list[str]]
    #: The settings of model calls that apply unless a session, an agent or a turn sets others.
    settings: NotRequired[ModelSettings]
    #: Facts about each model.
    models: NotRequired[list[ModelView]]
    #: The configured providers.
    providers: NotRequired[list[ProviderView]]


class ModelView(TypedDict):
    """A model and the known facts about it."""

    #: Full name, `provider/model`.
    name: str
    #: Name of the provider.
    provider: str
    #: Whether this is the server's default model.
    is_default: NotRequired[bool]
    #: Context window in tokens.
    context_tokens: ModelFigure
    #: The largest context window that the model supports, if it is known and larger than
    #: `context_tokens`.
    context_tokens_max: NotRequired[int | None]
    #: Maximum length of an answer in tokens, if known.
    output_tokens: NotRequired[ModelFigure | None]
    #: Whether the model can call tools. If not, Dwell describes the tools in the prompt.
    tools: ModelFigure
    #: Whether the model accepts images.
    images: ModelFigure
    #: Whether the model reasons before it answers.
    thinking: ModelFigure
    #: Price of a million input tokens in US dollars, if known.
    price_in: NotRequired[ModelFigure | None]
    #: Price of a million output tokens in US dollars, if known.
    price_out: NotRequired[ModelFigure | None]
    #: Price of a million input tokens from the provider's cache in US dollars, if known.
    price_cached: NotRequired[ModelFigure | None]
    #: Notices about these facts.
    notices: NotRequired[list[str]]


class ModelFigure(TypedDict):
    """A fact about a model and its source."""

    #: The value.
    value: FigureValue
    #: The source of the value.
    source: FigureSource


class ProviderView(TypedDict):
    """A configured provider of models and the result of the last request to it."""

    #: Name of the provider, the first part of its models' names.
    name: str
    #: The software or service behind the address.
    server: ModelServerKind
    #: URL of the provider's API.
    address: str
    #: The model that is used if only the provider is named.
    default_model: str
    #: Source of `default_model`: `set`, `asked` or `table`.
    default_source: FigureSource
    #: Number of models that the provider lists. Absent if the list is unknown; then any model name
    #: is accepted.
    models: NotRequired[int | None]
    #: When the provider last answered with its models.
    asked_at: NotRequired[Timestamp | None]
    #: Why the last request failed, and what to do about it.
    error: NotRequired[str | None]


class ProviderTried(TypedDict):
    """A provider that answered."""

    #: The provider's own names of its models, its default first. Empty if it lists none.
    models: list[str]
    #: The full name of the model that answered.
    model: str
    #: Milliseconds until it had answered.
    answered_ms: int


class ProviderTry(TypedDict):
    """A provider that is tried out with a real request. Nothing is stored."""

    #: The provider.
    provider: ProviderName
    #: The key. Without key and address the configured ones are tried.
    api_key: NotRequired[ProviderKey | None]
    #: The address, where it is not the provider's usual one.
    address: NotRequired[str | None]
    #: The model that has to answer; without it the provider's own default.
    model: NotRequired[str | None]


class ModelsChanged(TypedDict):
    """The models after a change."""

    #: The models.
    page: ModelPage
    #: The settings that the configuration, the environment or the command line sets, so that the
    #: change has no effect on them.
    overridden: list[OverriddenSetting]


#: A setting that takes precedence over a choice.
OverriddenSetting = TypedDict(
    "OverriddenSetting",
    {
        #: Its key.
        "key": "str",
        #: Where it is set.
        "from": "str",
    },
)


class ProviderPut(TypedDict):
    """A provider as it is set up."""

    #: The key. Without it a key that is stored stays, unless the address changes.
    api_key: NotRequired[ProviderKey | None]
    #: The address, where it is not the provider's usual one.
    address: NotRequired[str | None]
    #: The model that answers where only the provider is named.
    model: NotRequired[str | None]
    #: Whether it answers wherever no model is named.
    is_default: NotRequired[bool]


class DefaultModelPut(TypedDict):
    """The models that answer wherever none is named, and how they are called."""

    #: The full name of the default model.
    model: str
    #: The models that are tried after it, in order. Without them they stay as they are.
    fallbacks: NotRequired[list[str] | None]
    #: The settings of model calls that apply unless a session, an agent or a turn sets others.
    #: Without them they stay as they are.
    settings: NotRequired[ModelSettings | None]
    #: Facts about the default model that replace those of its provider, as its context window; an
    #: empty object removes them. Without them they stay as they are.
    overrides: NotRequired[ModelOverrides | None]


class ServerStats(TypedDict):
    """Statistics since the server started."""

    #: When the server started.
    since: Timestamp
    #: Sessions loaded in RAM.
    live_sessions: int
    #: Running turns.
    running_turns: int
    #: Turns that wait for a permit to run.
    waiting_turns: NotRequired[int]
    #: Durations of these waits.
    waits: NotRequired[Percentiles]
    #: The limits.
    limits: NotRequired[AgentLimits]
    #: Connections, streams and MCP sessions.
    connections: NotRequired[ConnectionStats]
    #: Totals of all turns that started or ended since then.
    totals: Stats
    #: Durations from a turn's start to its first text.
    first_word: Percentiles
    #: Durations from a turn's start to its end.
    duration: Percentiles
    #: Number of turns by route, for example `reflex` or `tool_loop`.
    ways: NotRequired[dict[str, int]]
    #: Statistics by model.
    models: dict[str, ModelStats]
    #: Statistics by purpose and model. `turn` answers messages, `research` evaluates sources,
    #: `memory` writes context documents, `summary` shortens long messages, `extraction` finds facts
    #: in messages.
    purposes: NotRequired[dict[str, dict[str, ModelStats]]]
    #: Statistics by tool.
    tools: dict[str, ToolStats]
    #: Number of errors that ended turns, by code.
    errors: dict[str, int]
    #: Usage and quota of the caller. The operator sees all owners.
    usage: NotRequired[ServerUsage | None]
    #: Results of the background check of the journal.
    journal: NotRequired[JournalStats]
    #: Why nothing is deleted by age at present, if the clock is in doubt.
    clock: NotRequired[ClockDoubt | None]
    #: Status of the scheduled backups, if they are configured.
    backup: NotRequired[BackupStatus | None]
    #: Sessions that expired or were deleted.
    retention: NotRequired[RetentionStats]
    #: The model that extracts facts from conversations.
    memory_model: NotRequired[MemoryModelStats]


class Percentiles(TypedDict):
    """Distribution of measured durations in milliseconds."""

    #: Number of measurements.
    count: NotRequired[int]
    #: Median.
    p50_ms: NotRequired[float]
    #: 95th percentile.
    p95_ms: NotRequired[float]
    #: Maximum.
    max_ms: NotRequired[float]


class AgentLimits(TypedDict):
    """Limits of the server's agents."""

    #: Maximum number of turns that run at the same time. Others wait.
    running_turns: NotRequired[int]
    #: Maximum number of turns of one owner that run at the same time.
    running_turns_of_owner: NotRequired[int]
    #: Maximum number of turns of one session that run at the same time.
    running_turns_of_session: NotRequired[int]
    #: Maximum number of turns of one session that run at the same time on monitors that no client
    #: shows.
    background_turns: NotRequired[int]
    #: Maximum number of desktop actions per minute on a monitor that no client shows.
    background_actions_per_minute: NotRequired[int]
    #: Maximum number of bytes of text per minute on a monitor that no client shows.
    background_bytes_per_minute: NotRequired[int]
    #: Maximum number of turns in the queue of an agent.
    queued_turns: NotRequired[int]
    #: Maximum number of ephemeral agents of a session.
    ephemeral_agents: NotRequired[int]
    #: Maximum number of actions in a session's windows that run beside the windows' own agents.
    parallel_actions: NotRequired[int]
    #: Maximum number of monitors of a session.
    monitors: NotRequired[int]
    #: Maximum number of windows of a session.
    windows: NotRequired[int]
    #: Maximum number of messages that can be added to a running turn.
    steers: NotRequired[int]
    #: Maximum number of attempts of a turn. After that a restart leaves the turn `interrupted`.
    attempts: NotRequired[int]
    #: Milliseconds until a request for approval expires.
    approval_wait_ms: NotRequired[int]
    #: Milliseconds that a turn waits for a client that runs a tool itself.
    client_wait_ms: NotRequired[int]


class ConnectionStats(TypedDict):
    """Numbers of connections, streams and MCP sessions, and their limits."""

    #: Open TCP connections.
    open: NotRequired[int]
    #: Open TCP connections that have not presented a valid credential.
    anonymous: NotRequired[int]
    #: Connections refused since the start because a limit was reached.
    refused: NotRequired[int]
    #: Connections without a credential that were closed since the start in favour of newer ones.
    displaced: NotRequired[int]
    #: Connections closed since the start because no data arrived in time.
    timed_out: NotRequired[int]
    #: Open WebSockets and event streams.
    streams: NotRequired[int]
    #: Open MCP sessions.
    mcp_sessions: NotRequired[int]
    #: The limits.
    limits: NotRequired[ConnectionLimits]
    #: Numbers per owner. The operator sees all owners, every other owner sees only its own.
    owners: NotRequired[dict[str, OwnerConnections]]


class ConnectionLimits(TypedDict):
    """Limits of connections, streams and MCP sessions."""

    #: Maximum number of TCP connections.
    connections: NotRequired[int]
    #: Maximum number of connections that have not presented a valid credential.
    anonymous_connections: NotRequired[int]
    #: Maximum number of connections from one peer address.
    peer_connections: NotRequired[int]
    #: Maximum number of connections of one owner.
    owner_connections: NotRequired[int]
    #: Maximum number of WebSockets and event streams.
    streams: NotRequired[int]
    #: Maximum number of WebSockets and event streams of one owner.
    owner_streams: NotRequired[int]
    #: Maximum number of MCP sessions.
    mcp_sessions: NotRequired[int]
    #: Maximum number of MCP sessions of one owner.
    owner_mcp_sessions: NotRequired[int]


class OwnerConnections(TypedDict):
    """Open connections of one owner."""

    #: TCP connections, without those through a trusted proxy.
    connections: NotRequired[int]
    #: WebSockets and event streams.
    streams: NotRequired[int]
    #: MCP sessions.
    mcp_sessions: NotRequired[int]


class ModelStats(TypedDict):
    """Statistics of a model since the server started."""

    #: Calls.
    calls: NotRequired[int]
    #: Failed calls.
    errors: NotRequired[int]
    #: Tokens and cost.
    usage: NotRequired[Usage]


class ToolStats(TypedDict):
    """Statistics of a tool since the server started."""

    #: Calls.
    calls: NotRequired[int]
    #: Calls that failed or were denied.
    errors: NotRequired[int]
    #: Durations of the calls.
    duration: NotRequired[Percentiles]


class ServerUsage(TypedDict):
    """Usage of the server."""

    #: Usage of the caller.
    own: OwnerUsage
    #: Usage of each owner. Only the operator sees it.
    owners: NotRequired[list[OwnerUsage]]
    #: Usage of the library. Only the operator sees it.
    library: NotRequired[LibraryUsage | None]


class OwnerUsage(TypedDict):
    """Usage and quotas of an owner."""

    #: The owner.
    owner: OwnerId
    #: Running turns.
    running_turns: QuotaUsage
    #: Turns that have not ended: running, queued, or waiting for a person. Only loaded sessions
    #: count.
    open_turns: QuotaUsage
    #: Sessions, including those that have ended.
    sessions: QuotaUsage
    #: Bytes of the events of all sessions.
    journal_bytes: QuotaUsage
    #: Vaults, memories, entries, facts and context documents.
    memory_records: QuotaUsage
    #: Bytes of these records.
    memory_bytes: QuotaUsage
    #: Bytes of all artifacts.
    artifact_bytes: QuotaUsage
    #: Bytes of the values of programs.
    value_bytes: QuotaUsage


class QuotaUsage(TypedDict):
    """Usage and its limit."""

    #: Current usage.
    used: int
    #: The limit. Absent if there is none.
    max: NotRequired[int | None]


class LibraryUsage(TypedDict):
    """Usage of the library."""

    #: Documents of all folders.
    documents: QuotaUsage
    #: Bytes of their files.
    bytes: QuotaUsage


class JournalStats(TypedDict):
    """Results of the journal's background check since the server started."""

    #: Sessions checked in the background.
    verified_sessions: NotRequired[int]
    #: Intact events of these sessions.
    verified_events: NotRequired[int]
    #: Complete passes over all sessions.
    passes: NotRequired[int]
    #: Sessions that were found damaged, by the background check or otherwise.
    damaged_sessions: NotRequired[int]
    #: Acknowledged writes that the database was found to have lost, for example in a failover.
    lost_writes: NotRequired[int]


class ClockDoubt(TypedDict):
    """Why nothing is deleted by age at present: the wall clock differs from the expected time."""

    #: What is wrong, and what to do about it.
    reason: str
    #: The time by the wall clock.
    wall: Timestamp
    #: The latest time that is not in doubt: the last trusted time plus the time that the server has
    #: run since.
    agreed: Timestamp
    #: Seconds for which the clock still has to run steadily until the server trusts it.
    settles_in_s: int


class BackupStatus(TypedDict):
    """Status of the scheduled backups."""

    #: When the newest complete backup was made. Absent if there is none.
    made_at: NotRequired[Timestamp | None]
    #: Size of that backup in bytes.
    bytes: NotRequired[int]
    #: Number of scheduled backups that are kept.
    kept: NotRequired[int]
    #: When a backup last failed. Absent if one has succeeded since. The log has the reason.
    failed_at: NotRequired[Timestamp | None]


class RetentionStats(TypedDict):
    """Sessions that expired or were deleted since the server started, as counts without content."""

    #: Expired sessions.
    expired: NotRequired[int]
    #: Sessions that were archived to a file and deleted.
    archived: NotRequired[int]
    #: Sessions that were deleted, by their owners or after expiry.
    deleted: NotRequired[int]
    #: Events of the archived and deleted sessions.
    events: NotRequired[int]
    #: Artifacts of these sessions.
    artifacts: NotRequired[int]
    #: Memory items that were deleted with them.
    memories: NotRequired[int]
    #: When a session was last archived or deleted.
    last_at: NotRequired[Timestamp | None]


class MemoryModelStats(TypedDict):
    """The model that extracts facts from conversations, since the server started."""

    #: Whether it works at present.
    state: NotRequired[MemoryModelState]
    #: The configured model. Absent if each session's own model is used.
    model: NotRequired[str | None]
    #: Calls of the model. One call reads all new messages of a session.
    calls: NotRequired[int]
    #: Messages that it has read.
    messages: NotRequired[int]
    #: Operations that were carried out, by kind: `add`, `change`, `end`, `contradict`.
    applied: NotRequired[dict[str, int]]
    #: Operations that were refused, by reason, for example `no_quote`: its words are not in the
    #: message.
    refused: NotRequired[dict[str, int]]
    #: Calls that failed, or whose answer did not match the schema.
    failed: NotRequired[int]
    #: Messages that were left to the rules because the model failed repeatedly.
    given_up: NotRequired[int]
    #: Sessions with messages that it has not read yet.
    waiting: NotRequired[int]
    #: Why the last call failed. Absent if one has succeeded since.
    last_error: NotRequired[str | None]
    #: When the last call failed.
    failed_at: NotRequired[Timestamp | None]


class ConfigPage(TypedDict):
    """The settings of the server."""

    #: The settings, ordered by name.
    data: list[SettingView]


#: A setting of the server.
SettingView = TypedDict(
    "SettingView",
    {
        #: Name of the setting, for example `agents.max`.
        "key": "str",
        #: The value. Secrets are not shown.
        "value": "Any",
        #: Source of the value: `default`, a file, the environment or a flag.
        "from": "str",
    },
)


class LogPage(TypedDict):
    """The lines of the log after a number, oldest first."""

    #: The lines.
    data: list[LogLine]
    #: The number to continue after.
    last: int
    #: Lines that were asked for, but are no longer kept.
    dropped: int


class LogLine(TypedDict):
    """A line of the log."""

    #: Its number since the server started, from 1.
    seq: int
    #: When it was logged.
    at: Timestamp
    #: How severe it is.
    level: LogLevel
    #: The part of the program that logged it.
    target: str
    #: What it says, with its fields as `name=value`.
    message: str


class NodePage(TypedDict):
    """The nodes that use the same database; none if the journal is in a data folder."""

    #: The nodes, by id.
    data: list[NodeView]


class NodeView(TypedDict):
    """A node that uses the same database."""

    #: Its id.
    node_id: str
    #: The version of its program.
    version: str
    #: Whether it answers this request.
    is_this: bool
    #: Whether it serves owners, hands them over before it ends, or is gone.
    status: NodeStatus
    #: Where it takes requests of other nodes.
    address: NotRequired[str | None]
    #: When it was started.
    started_at: Timestamp
    #: Milliseconds until its lease ends unless it is renewed; 0 if it has ended.
    lease_left_ms: int
    #: The owners that it serves.
    owners: int
    #: The sessions that it has loaded.
    sessions: int


class SweepResult(TypedDict):
    """The result of a sweep: what was deleted, archived or expired."""

    #: Deleted artifacts.
    artifacts: int
    #: Bytes of the deleted artifacts.
    bytes: int
    #: Deleted memory items whose time to live had passed.
    memories: int
    #: Why nothing was deleted, if the clock is in doubt.
    clock: NotRequired[ClockDoubt | None]
    #: Sessions that expired because they were idle for too long.
    expired: NotRequired[int]
    #: Expired sessions that were archived to a file and deleted.
    archived: NotRequired[int]
    #: Expired sessions that were deleted.
    deleted: NotRequired[int]


class DesktopView(TypedDict):
    """The desktop of a session."""

    #: The session.
    session_id: SessionId
    #: Sequence number of the newest event that is included. Later events apply on top.
    as_of: int
    #: The monitors.
    monitors: list[MonitorView]
    #: The windows, from the back to the front.
    windows: list[Window]
    #: The visible toasts.
    toasts: list[Toast]
    #: The notifications that are not dismissed.
    notifications: list[Notification]
    #: The open dialogs and prompts.
    dialogs: list[Dialog]
    #: The open requests for approval.
    approvals: list[ApprovalRequest]
    #: The open requests to apps.
    app_requests: list[AppRequested]
    #: The agents.
    agents: list[AgentView]
    #: Descriptions of changes that the main agents' prompts do not contain yet.
    timeline: list[str]


class MonitorView(TypedDict):
    """A monitor."""

    #: Name of the monitor.
    monitor_id: MonitorId
    #: Its main agent.
    agent_id: AgentId
    #: The window in front.
    focused: NotRequired[WindowId | None]


class Window(TypedDict):
    """A window."""

    #: Name of the window.
    window_id: WindowId
    #: The monitor of the window.
    monitor_id: MonitorId
    #: The first window of its group. Windows of a group share an agent.
    group: WindowId
    #: Title of the window.
    title: str
    #: Position and size.
    bounds: Bounds
    #: Display state.
    state: WindowState
    #: Content of the window.
    content: WindowContent
    #: Whether title and content are trusted.
    origin: Origin
    #: The holder of its lock. Absent if it is not locked.
    locked_by: NotRequired[LockHolder | None]
    #: The agent that opened it.
    opened_by: NotRequired[AgentId | None]
    #: When it was opened.
    opened_at: Timestamp
    #: Time of the last change.
    updated_at: Timestamp
    #: The app in the window.
    app: NotRequired[AppRegistered | None]


class AppRegistered(TypedDict):
    """The app in a window."""

    #: The token that the app's messages must carry.
    token: str
    #: Capabilities of the app, once it has declared them.
    manifest: NotRequired[Manifest | None]
    #: Commands that restore the app's state after it was loaded again.
    restore: NotRequired[list[AppCommand]]


class AgentView(TypedDict):
    """An agent of a session."""

    #: Id of the agent.
    agent_id: AgentId
    #: Kind of the agent.
    kind: AgentKind
    #: The monitor of the agent.
    monitor_id: MonitorId
    #: The windows of the agent.
    windows: NotRequired[list[WindowId]]
    #: The turn that the agent runs.
    turn_id: NotRequired[TurnId | None]
    #: The queued turns of the agent, in order.
    queue: NotRequired[list[TurnId]]


class WindowMessageBody(TypedDict):
    """A message to the agent of a window."""

    #: The text, at most 256 KiB.
    content: str
    #: The key that makes it safe to send it again.
    idempotency_key: NotRequired[str | None]


class InteractionsBody(TypedDict):
    """Interactions of the user."""

    #: The interactions, in order.
    interactions: list[Interaction]


class DialogAnswerBody(TypedDict):
    """The user's answer: a choice or form values; neither dismisses the question."""

    #: The chosen option.
    choice: NotRequired[str | None]
    #: The form values, by name.
    values: NotRequired[dict[str, str] | None]


class RestoreBody(TypedDict):
    """How an earlier session is restored."""

    #: What happens to its windows.
    windows: NotRequired[RestoreMode]
    #: A name for the new session.
    key: NotRequired[SessionName | None]


class FactPage(TypedDict):
    """Entries of the profile, or all values of one key."""

    #: The facts.
    data: list[Fact]


class Fact(TypedDict):
    """A statement with the time in which it holds. Every prompt contains the facts with level
    `profile`.
    """

    #: Id of the fact.
    fact_id: ItemId
    #: `profile` or `fact`.
    level: Level
    #: Who or what it is about, if not the user, for example `sister` or `Mia`.
    subject: NotRequired[str | None]
    #: The vault that it belongs to. Absent if it was said in a conversation of the user's own.
    vault_id: NotRequired[VaultId | None]
    #: What the fact is about, for example `diet` or `5k time`. A newer fact with the same key ends
    #: the older one.
    key: str
    #: The stated value.
    value: str
    #: The statement as it was made.
    text: str
    #: Importance, 0 to 100. More important facts come first in the prompt.
    priority: int
    #: Confidence in the fact, 0 to 1.
    confidence: float
    #: Since when it holds.
    valid_from: Timestamp
    #: Until when it held. Absent if it still holds.
    valid_until: NotRequired[Timestamp | None]
    #: The fact that ended it.
    superseded_by: NotRequired[ItemId | None]
    #: When it was stored.
    stored_at: Timestamp
    #: Source of the fact.
    source: NotRequired[ItemSource]
    #: Whether the text is trusted.
    origin: NotRequired[Origin]
    #: When the fact expires and is deleted.
    expires_at: NotRequired[Timestamp | None]
    #: Why it may no longer hold. Absent if nothing speaks against it.
    doubt: NotRequired[Doubt | None]


class ItemSource(TypedDict):
    """Source of a memory item."""

    #: The session in which it was said.
    session_id: NotRequired[SessionId | None]
    #: The turn in which it was said.
    turn_id: NotRequired[TurnId | None]
    #: Sequence number of the event that contains the text.
    seq: NotRequired[int | None]
    #: The item that this one was extracted from.
    item_id: NotRequired[ItemId | None]
    #: Whether that session was deleted since. Then the text exists only here.
    session_deleted: NotRequired[bool]
    #: The window in which it was said.
    window_id: NotRequired[WindowId | None]
    #: Whether that window was closed since. Then models are no longer given the text.
    window_closed: NotRequired[bool]
    #: The file, program or client that it was imported from.
    imported_from: NotRequired[str | None]
    #: The model that extracted it from the text. Absent if rules did, or if it was set as it is.
    extracted_by: NotRequired[str | None]


class Doubt(TypedDict):
    """Something that was said later and may have ended a fact."""

    #: What was said, word for word.
    text: str
    #: When it was said.
    at: Timestamp
    #: The entry in which it was said.
    item_id: NotRequired[ItemId | None]


class ProfileBody(TypedDict):
    """An entry of the profile."""

    #: The value of the key.
    value: str
    #: 0 to 100, 50 by default; the highest come first.
    priority: NotRequired[int | None]
    #: Seconds after which it expires.
    ttl_s: NotRequired[int | None]


class MemorySnapshot(TypedDict):
    """`memory.snapshot`: the answer to `memory.get` and `memory.search`."""

    #: The results, best first.
    items: NotRequired[list[MemoryHit]]
    #: How the items were matched.
    mode: NotRequired[SearchMode]
    #: Notices for the user, for example that there is no embedding model and how to install one.
    notices: NotRequired[list[str]]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class MemoryHit(TypedDict):
    """A result of a search in memory."""

    #: Id of the item.
    id: ItemId
    #: Level of the item.
    level: Level
    #: The text.
    text: str
    #: What the item is about, if it has a key.
    key: NotRequired[str | None]
    #: The stated value, if it has a key.
    value: NotRequired[str | None]
    #: Role of the speaker.
    role: NotRequired[str | None]
    #: The speaker's name.
    speaker: NotRequired[str | None]
    #: When it happened.
    at: Timestamp
    #: When it was stored.
    stored_at: Timestamp
    #: Since when it holds, where that is known.
    valid_from: NotRequired[Timestamp | None]
    #: Until when it held. Absent if it still holds.
    valid_until: NotRequired[Timestamp | None]
    #: The item that replaced this one: a newer fact, a correction or a newer version.
    superseded_by: NotRequired[ItemId | None]
    #: Why it may no longer hold. Absent if nothing speaks against it.
    doubt: NotRequired[Doubt | None]
    #: Who or what it is about, if not the user.
    subject: NotRequired[str | None]
    #: The memory of the item.
    memory_id: NotRequired[MemoryId | None]
    #: The vault of the item.
    vault_id: NotRequired[VaultId | None]
    #: Confidence in the item, 0 to 1.
    confidence: NotRequired[float | None]
    #: Importance, 0 to 100.
    priority: NotRequired[int | None]
    #: When the item expires and is deleted.
    expires_at: NotRequired[Timestamp | None]
    #: Source of the item.
    source: NotRequired[ItemSource]
    #: Whether the text is trusted.
    origin: NotRequired[Origin]
    #: Its score.
    score: Score


class MemorySearch(TypedDict):
    """`memory.search`: searches memory."""

    #: The query, in natural language.
    query: str
    #: Id of the session, assigned by Dwell.
    session_id: NotRequired[SessionId | None]
    #: The client's own name for the session, unique per owner. `chat.send` and `session.resume`
    #: create the session on first use.
    conversation_id: NotRequired[SessionName | None]
    #: Where to search. Default: `both`.
    scope: NotRequired[SearchScope]
    #: Only items of this vault.
    vault_id: NotRequired[VaultId | None]
    #: Only items of this memory.
    memory_id: NotRequired[MemoryId | None]
    #: Only items of these levels. Default: all.
    levels: NotRequired[list[Level]]
    #: Only items that have all of these tags.
    tags: NotRequired[dict[str, str]]
    #: Only items said in this role, for example `user` or `assistant`.
    role: NotRequired[str | None]
    #: Only items of this time or later.
    after: NotRequired[Timestamp | None]
    #: Only items before this time.
    before: NotRequired[Timestamp | None]
    #: Only items that fulfil this condition, beside those of the other fields.
    filter: NotRequired[MemoryFilter | None]
    #: How items are matched. Default: `hybrid`.
    mode: NotRequired[SearchMode]
    #: What counts as one result. Default: `item`.
    group: NotRequired[Grouping]
    #: Only results with at least this total score. Default: all.
    min_score: NotRequired[float | None]
    #: Maximum number of results: 1 to 100. Default: 8.
    limit: NotRequired[int | None]
    #: How many of the best results are left out: 0 to 900. Default: 0.
    offset: NotRequired[int | None]
    #: `next_cursor` of the previous page, instead of `offset`.
    cursor: NotRequired[str | None]


#: All of these hold.
MemoryFilterAnd = TypedDict(
    "MemoryFilterAnd",
    {
        "and": "list[MemoryFilter]",
    },
)


#: At least one of these holds.
MemoryFilterOr = TypedDict(
    "MemoryFilterOr",
    {
        "or": "list[MemoryFilter]",
    },
)


#: This does not hold.
MemoryFilterNot = TypedDict(
    "MemoryFilterNot",
    {
        "not": "MemoryFilter",
    },
)


class MemoryFilterLevel(TypedDict):
    """Items of this level."""

    level: Level


class MemoryFilterRole(TypedDict):
    """Items said in this role, for example `user` or `assistant`."""

    role: str


class MemoryFilterTag(TypedDict):
    """Items with this tag."""

    tag: TagCondition


class MemoryFilterVaultId(TypedDict):
    """Items of this vault."""

    vault_id: VaultId


class MemoryFilterMemoryId(TypedDict):
    """Items of this memory."""

    memory_id: MemoryId


class MemoryFilterSpeaker(TypedDict):
    """Items said by this speaker: the whole name or one word of it, in any case."""

    speaker: str


class MemoryFilterKey(TypedDict):
    """Items with this key, in any case."""

    key: str


class MemoryFilterSubject(TypedDict):
    """Items about this person or thing, in any case."""

    subject: str


class MemoryFilterAfter(TypedDict):
    """Items of this time or later."""

    after: Timestamp


class MemoryFilterBefore(TypedDict):
    """Items before this time."""

    before: Timestamp


class TagCondition(TypedDict):
    """A tag that an item has to have."""

    #: Name of the tag.
    name: str
    #: Its value. Default: any.
    value: NotRequired[str | None]


class MemoryGraph(TypedDict):
    """People, places and things, and the facts that join them."""

    #: The time at which the facts are true.
    as_of: Timestamp
    #: The time at which they are known.
    known_at: Timestamp
    #: The nodes of the edges on this page, the user first.
    nodes: list[GraphNode]
    #: The facts, those stored last first.
    edges: list[GraphEdge]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class GraphNode(TypedDict):
    """A person, a place or a thing."""

    #: Id of the node, for example `person:maria`. It is made of the name, so it changes when a name
    #: becomes known.
    id: str
    #: Kind of the node.
    kind: NodeKind
    #: The name to show.
    label: str
    #: Other names of the same: `sister` of Maria.
    aliases: NotRequired[list[str]]
    #: What it is to the user, for example `sister` or `car`.
    relation: NotRequired[str | None]
    #: Number of facts about it in the whole graph.
    facts: int


class GraphEdge(TypedDict):
    """A fact as an edge: from whom or what it is about to its value, with the two times of a fact.
    """

    #: The fact.
    fact_id: ItemId
    #: Id of the node that it is about.
    subject: str
    #: The attribute, for example `lives in`.
    relation: str
    #: Id of the node that is its value, if the value is a person, a place or a thing.
    object: NotRequired[str | None]
    #: The stated value.
    value: str
    #: The statement as it was made.
    text: str
    #: Its state at the time that is looked at.
    state: EdgeState
    #: Since when it is true.
    valid_from: Timestamp
    #: Until when it was true, as far as was known.
    valid_until: NotRequired[Timestamp | None]
    #: When it was said.
    said_at: Timestamp
    #: Since when it is known.
    known_from: Timestamp
    #: When it became known that it is over or wrong.
    known_until: NotRequired[Timestamp | None]
    #: The fact that replaced it.
    superseded_by: NotRequired[ItemId | None]
    #: Why it may no longer hold.
    doubt: NotRequired[Doubt | None]
    #: `profile` or `fact`.
    level: Level
    #: Confidence in the fact, 0 to 1.
    confidence: float
    #: Where it was said.
    source: NotRequired[ItemSource]
    #: Whether the text is trusted.
    origin: NotRequired[Origin]


class MemoryForget(TypedDict):
    """`memory.forget`: deletes items and redacts their text everywhere. At least one field is
    required.
    """

    #: These items, and the text that they come from.
    ids: NotRequired[list[ItemId]]
    #: All items with this key, including their history.
    key: NotRequired[str | None]
    #: This text, wherever it occurs.
    text: NotRequired[str | None]
    #: This memory with all its items.
    memory_id: NotRequired[MemoryId | None]
    #: This vault with all its memories and facts.
    vault_id: NotRequired[VaultId | None]


class Consistency(TypedDict):
    """Whether earlier writes are durable and searchable."""

    #: Whether all earlier writes are durable and searchable.
    consistent: bool
    #: Whether all earlier writes are on disk.
    durable: bool
    #: Whether all earlier writes can be found: by words and, if there is an embedding model, by
    #: embeddings.
    searchable: bool
    #: What cannot be found yet, with the reason. At most 20.
    missing: NotRequired[list[MissingItem]]
    #: Notices for the caller, for example that there is no embedding model.
    notices: NotRequired[list[str]]


class MissingItem(TypedDict):
    """An item that cannot be found yet."""

    #: Id of the item, or of the session whose messages have not all been processed.
    id: str
    #: Reason.
    why: str


class AwaitConsistency(TypedDict):
    """Waits until everything that was written can be found."""

    #: Only writes to this memory. Default: all.
    memory_id: NotRequired[MemoryId | None]
    #: Maximum time to wait in milliseconds, at most 60000. Default: 10000.
    timeout_ms: NotRequired[int | None]


class IngestResult(TypedDict):
    """The result of an ingested conversation."""

    #: The vault.
    vault_id: VaultId
    #: The memory.
    memory_id: MemoryId
    #: New entries.
    entries: int
    #: Messages that were known already.
    known: int
    #: New versions of the context document.
    contexts: int
    #: The context document as it was before, if there was one.
    previous: NotRequired[ContextDocument | None]


class ContextDocument(TypedDict):
    """One version of a memory's summary. Earlier versions stay readable."""

    #: Id of this version.
    context_id: ItemId
    #: The memory that it summarizes.
    memory_id: MemoryId
    #: Version, from 1 without gaps.
    version: int
    #: The text.
    content: str
    #: When it was stored.
    stored_at: Timestamp
    #: Time of the latest event that it covers.
    conversation_time: Timestamp
    #: Author of the text: name of a model, `extract` or `client`.
    written_by: str
    #: Whether the text is trusted.
    origin: NotRequired[Origin]


class Ingest(TypedDict):
    """A conversation from another program."""

    #: Title of the vault. It is created on first use. Default: `imported`.
    vault: NotRequired[str | None]
    #: Title of the memory. It is created on first use.
    title: str
    #: The messages, in order. Known messages are skipped.
    messages: list[IngestMessage]
    #: Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
    #: is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
    origin: NotRequired[Origin | None]
    #: Whether the conversation has ended, so that all of it is summarized. Default: true.
    end: NotRequired[bool]


class IngestMessage(TypedDict):
    """A message of a conversation from another program."""

    #: Role of the speaker: `user`, `assistant`, or another role.
    role: str
    #: The text.
    content: str
    #: The speaker's name.
    speaker: NotRequired[str | None]
    #: When it was said. Default: now.
    at: NotRequired[Timestamp | None]


class MemoryArchive(TypedDict):
    """The whole memory of one owner. `memory.export` returns it and `memory.import` accepts it.
    Forgotten items are not included.
    """

    #: Always `dwell.memory`.
    format: str
    #: Version of the archive format, currently 1.
    version: int
    #: When the archive was exported.
    exported_at: Timestamp
    #: Vaults, oldest first.
    vaults: NotRequired[list[Vault]]
    #: Memories, oldest first. Each belongs to one of `vaults`.
    memories: NotRequired[list[Memory]]
    #: Entries, ordered by the time they happened. Each belongs to one of `memories`.
    entries: NotRequired[list[Entry]]
    #: All versions of all context documents.
    contexts: NotRequired[list[ContextDocument]]
    #: Facts and profile lines, including those that no longer hold.
    facts: NotRequired[list[Fact]]
    #: Counts and checksums, by which an import detects damage.
    manifest: NotRequired[ArchiveManifest | None]


class Vault(TypedDict):
    """A vault: a collection of memories."""

    #: Id of the vault.
    vault_id: VaultId
    #: Title, unique per owner.
    title: str
    #: Purpose of the vault.
    description: NotRequired[str]
    #: When the vault was created.
    created_at: Timestamp
    #: Whether title and description are trusted.
    origin: NotRequired[Origin]


class Memory(TypedDict):
    """A memory: entries and context documents that belong together, for example those of one
    conversation.
    """

    #: Id of the memory.
    memory_id: MemoryId
    #: The vault of the memory.
    vault_id: VaultId
    #: Title, unique in its vault.
    title: str
    #: What the memory is about.
    description: NotRequired[str]
    #: The session that the memory follows.
    session_id: NotRequired[SessionId | None]
    #: When the memory was created.
    created_at: Timestamp
    #: Whether title and description are trusted.
    origin: NotRequired[Origin]


class Entry(TypedDict):
    """A message or a note, verbatim. It never changes: a correction is a new entry."""

    #: Id of the entry.
    entry_id: ItemId
    #: The memory of the entry.
    memory_id: MemoryId
    #: The text.
    raw_entry: str
    #: A short form of the text.
    summary: str
    #: Role of the speaker: `user`, `assistant`, or another role.
    role: str
    #: The speaker's name.
    speaker: NotRequired[str | None]
    #: Labels, with any keys and values.
    tags: NotRequired[dict[str, str]]
    #: When it happened.
    conversation_time: Timestamp
    #: When it was stored.
    stored_at: Timestamp
    #: Source of the entry.
    source: NotRequired[ItemSource]
    #: Whether the text is trusted.
    origin: NotRequired[Origin]
    #: The entry that this one corrects.
    corrects: NotRequired[ItemId | None]
    #: The entry that corrects this one.
    corrected_by: NotRequired[ItemId | None]
    #: When the entry expires and is deleted.
    expires_at: NotRequired[Timestamp | None]


class ArchiveManifest(TypedDict):
    """Counts and checksums of an archive."""

    #: Number of items of each kind. The keys are `vaults`, `memories`, `entries`, `contexts` and
    #: `facts`.
    counts: dict[str, int]
    #: The first eight hexadecimal digits of each item's SHA-256, concatenated. They identify the
    #: damaged item.
    marks: str
    #: SHA-256 of all items. Each item is serialized without spaces and followed by a line feed.
    digest: str
    #: Signature over owner and digest, made with a key of the server that wrote the archive. If it
    #: is missing or from another server, the import treats all text of the archive as untrusted.
    signature: NotRequired[str | None]


class MemoryImportResult(TypedDict):
    """Result of `memory.import`: how many items of each kind are new."""

    #: New vaults.
    vaults: NotRequired[int]
    #: New memories.
    memories: NotRequired[int]
    #: New entries.
    entries: NotRequired[int]
    #: New versions of context documents.
    contexts: NotRequired[int]
    #: New facts.
    facts: NotRequired[int]
    #: Items that existed already.
    known: NotRequired[int]
    #: Notices for the caller, for example that a memory was given another title.
    notices: NotRequired[list[str]]
    #: The damage that was found, if the archive was imported nevertheless.
    damage: NotRequired[list[str]]
    #: Whether the text keeps its level of trust. True if the archive is unchanged and this server
    #: wrote it for this owner, or if the owner vouches for it.
    origins_kept: NotRequired[bool]


class MemoryImport(TypedDict):
    """`memory.import`: an archive of Dwell, or a file of another program."""

    #: An archive as `memory.export` returns it. Give either this or `text`.
    archive: NotRequired[MemoryArchive | None]
    #: The text of a file: an archive, or a file of another program.
    text: NotRequired[str | None]
    #: Format of `text`: `dwell.memory`, `mem0`, `langchain`, `langgraph`, `openai` or `ingest`.
    #: Default: detected from the text.
    format: NotRequired[str | None]
    #: The vault for conversations and notes of another program. Default: `imported`.
    vault: NotRequired[str | None]
    #: The title of the new memory, if the file of another program holds one conversation. Default:
    #: the title in the file.
    title: NotRequired[str | None]
    #: Where the items come from. Each new item records it. Default: the format.
    imported_from: NotRequired[str | None]
    #: Idempotency key. A repeated request with the same key changes nothing.
    idempotency_key: NotRequired[str | None]
    #: `trusted` if the owner vouches for the file: then an archive keeps the origins in it, and a
    #: file of another program is the owner's own words. Default: only an unchanged archive that
    #: this server wrote for this owner keeps them.
    origin: NotRequired[Origin | None]
    #: Imports the intact part of a damaged archive. The answer lists the damage. Default: false.
    accept_damage: NotRequired[bool]


class Audit(TypedDict):
    """The result of an audit of memory."""

    #: Number of items by level.
    counts: NotRequired[dict[str, int]]
    #: Items with the same text as another.
    duplicates: NotRequired[Finding]
    #: Items with nearly the same text as another.
    near_duplicates: NotRequired[Finding]
    #: Facts that hold and contradict each other.
    contradictions: NotRequired[Finding]
    #: Facts that hold and whose confidence has become low.
    stale: NotRequired[Finding]
    #: Items that seem to contain a secret.
    secrets: NotRequired[Finding]
    #: Items that have no embedding yet.
    unsearchable: NotRequired[Finding]


class Finding(TypedDict):
    """One kind of finding of an audit."""

    #: Number of findings.
    count: NotRequired[int]
    #: Some examples, each with the items that belong together.
    examples: NotRequired[list[Example]]


class Example(TypedDict):
    """An example of a finding. It does not repeat the text, which may be confidential."""

    #: The items.
    ids: list[ItemId]
    #: Level of the items.
    level: Level
    #: Key of the items, if they have one.
    key: NotRequired[str | None]


class MemoryItem(TypedDict):
    """An item of memory, of any level."""

    #: Id of the item.
    id: ItemId
    #: Level of the item.
    level: Level
    #: The text.
    text: str
    #: What the item is about, if it has a key.
    key: NotRequired[str | None]
    #: The stated value, if it has a key.
    value: NotRequired[str | None]
    #: Role of the speaker.
    role: NotRequired[str | None]
    #: The speaker's name.
    speaker: NotRequired[str | None]
    #: When it happened.
    at: Timestamp
    #: When it was stored.
    stored_at: Timestamp
    #: Since when it holds, where that is known.
    valid_from: NotRequired[Timestamp | None]
    #: Until when it held. Absent if it still holds.
    valid_until: NotRequired[Timestamp | None]
    #: The item that replaced this one: a newer fact, a correction or a newer version.
    superseded_by: NotRequired[ItemId | None]
    #: Why it may no longer hold. Absent if nothing speaks against it.
    doubt: NotRequired[Doubt | None]
    #: Who or what it is about, if not the user.
    subject: NotRequired[str | None]
    #: The memory of the item.
    memory_id: NotRequired[MemoryId | None]
    #: The vault of the item.
    vault_id: NotRequired[VaultId | None]
    #: Confidence in the item, 0 to 1.
    confidence: NotRequired[float | None]
    #: Importance, 0 to 100.
    priority: NotRequired[int | None]
    #: When the item expires and is deleted.
    expires_at: NotRequired[Timestamp | None]
    #: Source of the item.
    source: NotRequired[ItemSource]
    #: Whether the text is trusted.
    origin: NotRequired[Origin]


class CorrectionBody(TypedDict):
    """A correction."""

    #: The new value of a fact, or the new text of an entry.
    text: str
    #: Sending again with the same key changes nothing.
    idempotency_key: NotRequired[str | None]


class VaultPage(TypedDict):
    """A page of vaults."""

    #: The vaults, oldest first.
    data: list[Vault]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class NewVault(TypedDict):
    """A vault to create."""

    #: Title, unique per owner.
    title: str
    #: Purpose of the vault.
    description: NotRequired[str]


class TitleUpdate(TypedDict):
    """A new title or description of a vault or a memory."""

    #: The new title. Default: unchanged.
    title: NotRequired[str | None]
    #: The new description. Default: unchanged.
    description: NotRequired[str | None]


class MemoryPage(TypedDict):
    """A page of memories."""

    #: The memories, oldest first.
    data: list[Memory]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class NewMemory(TypedDict):
    """A memory to create."""

    #: Title, unique in its vault.
    title: str
    #: What the memory is about.
    description: NotRequired[str]


class ControlResult(TypedDict):
    """What an invocation of the memory agent did."""

    #: The control state that was run.
    control: ControlState
    #: The tools that were called, in order.
    tools: list[AgentTool]
    #: The entry that was stored.
    entry: NotRequired[Entry | None]
    #: Facts that the entry added or ended.
    facts: NotRequired[list[Fact]]
    #: The context document: the existing one at the start, the new one after a flush.
    context: NotRequired[ContextDocument | None]
    #: The newest entries, at the start.
    recent: NotRequired[list[Entry]]


class ControlRequest(TypedDict):
    """Runs the memory agent in a control state."""

    #: The control state. Default: the message is processed, and flushed where that is due (after
    #: six messages or 4000 tokens).
    control: NotRequired[ControlState | None]
    #: The message to process. Only the two states that process one take it.
    message: NotRequired[ControlMessage | None]
    #: Idempotency key. For 24 hours a repeated request with the same key stores nothing again.
    idempotency_key: NotRequired[str | None]


class ControlMessage(TypedDict):
    """A message that the memory agent processes."""

    #: Role of the speaker: `user`, `assistant`, or another role.
    role: str
    #: The text, at most 256 KiB.
    content: str
    #: The speaker's name.
    speaker: NotRequired[str | None]
    #: When it was said. Default: now.
    at: NotRequired[Timestamp | None]
    #: Whether the text is the owner's own. Default: `untrusted`.
    origin: NotRequired[Origin | None]


class EntryPage(TypedDict):
    """A page of entries."""

    #: The entries. Default order: newest first.
    data: list[Entry]
    #: Cursor of the next page. Absent on the last page.
    next_cursor: NotRequired[str | None]


class AddEntry(TypedDict):
    """An entry to add."""

    #: The text, at most 256 KiB.
    raw_entry: str
    #: A short form of the text. Default: made from the text.
    summary: NotRequired[str | None]
    #: Role of the speaker. Default: `user`.
    role: NotRequired[str | None]
    #: The speaker's name.
    speaker: NotRequired[str | None]
    #: Labels, with any keys and values.
    tags: NotRequired[dict[str, str]]
    #: When it happened. Default: now.
    conversation_time: NotRequired[Timestamp | None]
    #: Time to live in seconds, after which the entry is deleted. Default: unlimited.
    ttl_s: NotRequired[int | None]
    #: Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
    #: is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
    origin: NotRequired[Origin | None]
    #: Idempotency key. For 24 hours a repeated request with the same key returns the same entry.
    idempotency_key: NotRequired[str | None]


class ContextPage(TypedDict):
    """The versions of a context document."""

    #: The versions, oldest first.
    data: list[ContextDocument]


class PutContext(TypedDict):
    """A new version of a context document."""

    #: The text, at most 64 KiB.
    content: str
    #: Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
    #: is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
    origin: NotRequired[Origin | None]


class SchedulePage(TypedDict):
    """The owner's schedules, the next run first."""

    #: The schedules.
    data: list[ScheduleView]
    #: The owner's time zone.
    zone: str


class ScheduleView(TypedDict):
    """A schedule."""

    #: Its id.
    schedule_id: ScheduleId
    #: The session that it belongs to.
    session_id: SessionId
    #: What it is called. Default: nothing.
    name: NotRequired[str | None]
    #: When it runs.
    when: When
    #: Its time zone, as `Europe/Berlin`. Default: the owner's, also after the owner has changed it.
    zone: NotRequired[str | None]
    #: What it does.
    action: ScheduledAction
    #: What happens to late runs.
    catch_up: CatchUp
    #: It ends after this many runs. Default: no limit.
    runs_max: NotRequired[int | None]
    #: How often it runs at most, if it waits for something. Default: once a second and 60 times an
    #: hour.
    limits: NotRequired[RunLimits | None]
    #: The voice satellite that it was ordered from, where its alerts ring.
    satellite: NotRequired[str | None]
    #: Whether its text is trusted. It is not if a turn made it that had read untrusted text.
    origin: NotRequired[Origin]
    #: The zone in which it is planned.
    planned_in: str
    #: Whether it runs.
    status: ScheduleStatus
    #: Its next run.
    next_at: NotRequired[Timestamp | None]
    #: While it is paused, if it runs once after a while: how much of that is left, in milliseconds.
    left_ms: NotRequired[int | None]
    #: Its next runs, at most five.
    upcoming: NotRequired[list[Timestamp]]
    #: When it was made.
    created_at: Timestamp
    #: How often it has run.
    runs: int
    #: How many of its runs were missed.
    missed: int
    #: Its last run.
    last_run: NotRequired[RunView | None]


class RunView(TypedDict):
    """A run of a schedule."""

    #: The moment that it was planned for.
    planned_at: Timestamp
    #: How it went, once that is known.
    outcome: NotRequired[RunOutcome | None]


class ScheduleCreate(TypedDict):
    """`schedule.create`: makes a schedule."""

    #: Id of the session, assigned by Dwell.
    session_id: NotRequired[SessionId | None]
    #: The client's own name for the session, unique per owner. `chat.send` and `session.resume`
    #: create the session on first use.
    conversation_id: NotRequired[SessionName | None]
    #: What it is called. Default: nothing.
    name: NotRequired[str | None]
    #: When it runs.
    when: When
    #: Its time zone, as `Europe/Berlin`. Default: the owner's.
    zone: NotRequired[str | None]
    #: What it does.
    action: ScheduledAction
    #: What happens to late runs. Default: `run_late` within an hour for what runs once, `once` for
    #: reminders and turns that recur, `skip` for calls that recur.
    catch_up: NotRequired[CatchUp | None]
    #: It ends after this many runs. Default: no limit.
    runs_max: NotRequired[int | None]
    #: How often it runs at most, if it waits for something.
    limits: NotRequired[RunLimits | None]
    #: A repetition with the same key makes no second schedule.
    idempotency_key: NotRequired[str | None]


class ScheduleTimes(TypedDict):
    """The next runs."""

    #: The zone in which they were calculated.
    zone: str
    #: When it would run.
    runs: list[Timestamp]


class SchedulePreview(TypedDict):
    """`schedule.preview`: when a schedule would run."""

    #: When it runs.
    when: When
    #: Its time zone. Default: the owner's.
    zone: NotRequired[str | None]
    #: How many runs, at most 50. Default: 5.
    runs: NotRequired[int | None]


class ScheduleChange(TypedDict):
    """`schedule.update`: changes what is given."""

    #: What it is called.
    name: NotRequired[str | None]
    #: When it runs.
    when: NotRequired[When | None]
    #: Its time zone.
    zone: NotRequired[str | None]
    #: What it does.
    action: NotRequired[ScheduledAction | None]
    #: What happens to late runs.
    catch_up: NotRequired[CatchUp | None]
    #: It ends after this many runs.
    runs_max: NotRequired[int | None]
    #: How often it runs at most, if it waits for something.
    limits: NotRequired[RunLimits | None]


class ScheduleStepPause(TypedDict):
    """It does not run until it is resumed."""

    do: Literal["pause"]


class ScheduleStepResume(TypedDict):
    """It runs again."""

    do: Literal["resume"]


class ScheduleStepCancel(TypedDict):
    """It is taken back."""

    do: Literal["cancel"]


class ScheduleStepRun(TypedDict):
    """It runs now, besides its plan."""

    do: Literal["run"]


class ScheduleStepApprove(TypedDict):
    """Its owner approves it, with what it was shown to do."""

    do: Literal["approve"]
    #: The digest of the call, as the schedule shows it; empty if it makes none.
    digest: NotRequired[str]


class ScheduleStepSnooze(TypedDict):
    """A reminder that has run is repeated."""

    do: Literal["snooze"]
    #: After how many milliseconds.
    after_ms: int


class HookView(TypedDict):
    """Where a schedule that waits for webhooks receives them."""

    #: The path, below the server's address.
    path: str
    #: The secret that the sender signs with, as Standard Webhooks describes it.
    secret: str


class AlertPage(TypedDict):
    """The owner's alerts, newest first."""

    #: The alerts.
    data: list[AlertView]


class AlertView(TypedDict):
    """An alert with what became of it."""

    #: Its id. The receiver of a webhook can recognise a repetition by it.
    alert_id: AlertId
    #: The session that it comes from.
    session_id: SessionId
    #: When it was raised.
    at: Timestamp
    #: Why.
    kind: AlertKind
    #: A line that says what it is.
    title: str
    #: More; may be empty.
    text: NotRequired[str]
    #: The turn that it is about.
    turn_id: NotRequired[TurnId | None]
    #: The approval that it is about.
    approval_id: NotRequired[ApprovalId | None]
    #: The schedule that it is about.
    schedule_id: NotRequired[ScheduleId | None]
    #: The voice satellite that the order came from.
    satellite: NotRequired[str | None]
    #: The language of its session, in which it is spoken.
    language: NotRequired[str | None]
    #: Whether a person has seen it.
    seen: bool
    #: What each channel has done.
    deliveries: dict[str, DeliveryView]


class DeliveryViewSending(TypedDict):
    """It is being delivered."""

    state: Literal["sending"]


class DeliveryViewDelivered(TypedDict):
    """It is delivered."""

    state: Literal["delivered"]


class DeliveryViewLater(TypedDict):
    """It is tried later."""

    state: Literal["later"]
    #: When.
    at: Timestamp
    #: Why it was not delivered before.
    message: NotRequired[str | None]


class DeliveryViewFailed(TypedDict):
    """It is given up."""

    state: Literal["failed"]
    #: Why.
    message: str


class PushView(TypedDict):
    """What a page needs to subscribe its browser, and the browsers that the owner has subscribed.
    """

    #: The server's public key in Base64url, which is the page's `applicationServerKey`. Absent if
    #: the server has no channel of Web Push.
    public_key: NotRequired[str | None]
    #: The browsers, oldest first.
    devices: list[PushDevice]


class PushDevice(TypedDict):
    """A browser that is subscribed."""

    #: Its id: the first 16 bytes of the SHA-256 digest of its endpoint, as hexadecimal digits.
    device_id: str
    #: What it is called.
    name: NotRequired[str | None]
    #: The host of its push service.
    service: str
    #: When it was subscribed.
    added_at: NotRequired[Timestamp | None]


class PushSubscribe(TypedDict):
    """A browser's subscription, with the fields that browsers give it."""

    #: The address at the browser's push service.
    endpoint: str
    #: The keys that messages are encrypted with.
    keys: PushKeys
    #: What the browser is called. Default: nothing.
    name: NotRequired[str | None]


class PushKeys(TypedDict):
    """The keys of a subscription."""

    #: The browser's public key (P-256, uncompressed) in Base64url.
    p256dh: str
    #: The secret that it shares with senders: 16 bytes in Base64url.
    auth: str


class ValueWriteResult(TypedDict):
    """The result of a write of values."""

    #: Number of values that were stored.
    written: int
    #: Number of values that were deleted.
    deleted: int


class ValueWrite(TypedDict):
    """Changes of values, made together or not at all. Deletions come first."""

    #: Keys whose values are deleted. Keys without a value are ignored.
    deletes: NotRequired[list[ValueKey]]
    #: All values are deleted whose keys begin with one of these and have further parts.
    deletes_below: NotRequired[list[ValueKey]]
    #: Values to store.
    puts: NotRequired[list[PutValue]]
    #: Keys whose time to live starts again.
    refreshes: NotRequired[list[ValueKey]]


class PutValue(TypedDict):
    """A value to store."""

    #: The key; an earlier value under it is replaced.
    key: ValueKey
    #: The bytes as Base64, at most 32 MiB of them.
    value: str
    #: Time to live in seconds, after which the value is deleted. Default: unlimited.
    ttl_s: NotRequired[int | None]
    #: Embeddings by which `near` finds it, all of the same length.
    vectors: NotRequired[list[list[float]]]
    #: Leave a value that is there already as it is.
    keep: NotRequired[bool]


class ValuePage(TypedDict):
    """A page of values."""

    #: The values.
    data: list[StoredValue]
    #: Cursor of the next page.
    next_cursor: NotRequired[str | None]


class StoredValue(TypedDict):
    """A value."""

    #: Its key.
    key: ValueKey
    #: The bytes as Base64; absent if only keys were asked for.
    value: NotRequired[str | None]
    #: Number of the bytes.
    size: int
    #: When there first was a value under the key.
    created_at: Timestamp
    #: When the value was stored.
    updated_at: Timestamp
    #: When it will be deleted.
    expires_at: NotRequired[Timestamp | None]
    #: With `near`: the similarity, from -1 to 1.
    score: NotRequired[float | None]


class ValueRead(TypedDict):
    """Values to read."""

    #: Their keys.
    keys: NotRequired[list[ValueKey]]


class ValueList(TypedDict):
    """Values to list."""

    #: Only values whose keys begin with these parts and have further ones. Default: all.
    below: NotRequired[list[str]]
    #: The order.
    order: NotRequired[ValueOrder]
    #: Only values whose keys come before this one.
    before: NotRequired[ValueKey | None]
    #: The most similar values first, by the cosine of this embedding and theirs; those without an
    #: embedding of the same length come last.
    near: NotRequired[list[float] | None]
    #: Leave the bytes out.
    keys_only: NotRequired[bool]
    #: Maximum number of values: 100 by default, up to 1000. A page with many bytes ends earlier.
    limit: NotRequired[int | None]
    #: Continue from this `next_cursor`.
    cursor: NotRequired[str | None]


class TokenPage(TypedDict):
    """`GET /api/v1/tokens`: the tokens, oldest first."""

    #: The tokens.
    data: list[TokenView]


class TokenView(TypedDict):
    """A token without its secret text, of which only a digest is stored."""

    #: Its id.
    token_id: TokenId
    #: What it is called.
    name: str
    #: The owner it is for.
    owner: OwnerId
    #: What it may do.
    scope: Scope
    #: When it was made.
    created_at: Timestamp
    #: When it ends, if it does by itself.
    expires_at: NotRequired[Timestamp | None]
    #: When it was last used, to the minute; absent if it never was.
    last_used_at: NotRequired[Timestamp | None]


class IssuedToken(TypedDict):
    """A token that was just made."""

    #: The token. It is shown this once.
    token: str
    #: Its id.
    token_id: TokenId
    #: What it is called.
    name: str
    #: The owner it is for.
    owner: OwnerId
    #: What it may do.
    scope: Scope
    #: When it was made.
    created_at: Timestamp
    #: When it ends, if it does by itself.
    expires_at: NotRequired[Timestamp | None]
    #: When it was last used, to the minute; absent if it never was.
    last_used_at: NotRequired[Timestamp | None]


class TokenSpec(TypedDict):
    """`POST /api/v1/tokens`: the token that is to be made."""

    #: What it is called, for the list.
    name: str
    #: What it may do.
    scope: Scope
    #: Days after which it ends, at most 3650. Default: it does not end by itself.
    expires_in_days: NotRequired[int | None]
    #: The owner it is for. Only the operator can name another than themselves.
    owner: NotRequired[OwnerId | None]


class LibraryView(TypedDict):
    """The library."""

    #: The folders, oldest first.
    folders: list[FolderView]
    #: Why the library is searched by words only. Absent if embeddings are used.
    without_meaning: NotRequired[str | None]


class FolderView(TypedDict):
    """A folder of the library."""

    #: Id of the folder.
    folder_id: FolderId
    #: Path on the server's machine.
    path: str
    #: Whether all owners can search the folder.
    shared: NotRequired[bool]
    #: When the folder was added.
    added_at: Timestamp
    #: Number of documents.
    documents: int
    #: Number of passages.
    passages: int
    #: Number of passages that have no embedding yet. They are found by words only.
    waiting: int
    #: When the folder was last scanned.
    scanned_at: NotRequired[Timestamp | None]
    #: The first documents that cannot be read, with the reason.
    troubles: NotRequired[list[UnreadableDocument]]
    #: Number of documents that cannot be read.
    troubled: NotRequired[int]


class UnreadableDocument(TypedDict):
    """A document that cannot be read."""

    #: Path within the folder.
    path: str
    #: Reason.
    reason: str


class AddFolder(TypedDict):
    """A folder to add to the library."""

    #: Absolute path on the server's machine.
    path: str
    #: Whether all owners can search the folder. Default: false.
    shared: NotRequired[bool]


class LibraryHits(TypedDict):
    """Passages of the library that match a query."""

    #: The passages, best match first.
    data: list[LibraryHit]


class LibraryHit(TypedDict):
    """A passage of the library that matches a query."""

    #: Title of the document.
    title: str
    #: `library:` and the path of the document.
    source: str
    #: Text of the passage.
    text: str
    #: How well the passage matches, 0 to 1.
    score: float


class HomeChanged(TypedDict):
    """What changed in a home since the last message."""

    #: Entities that changed or are new, with their current state.
    entities: list[EntityView]
    #: Ids of entities that no longer exist.
    removed: NotRequired[list[str]]
    #: All areas, if one of them changed.
    areas: NotRequired[list[AreaView] | None]
    #: State of the connection, if it changed.
    connection: NotRequired[HomeConnection | None]
    #: With `connection`: why the home is not connected.
    why: NotRequired[str | None]


class Problem(TypedDict):
    """An error."""

    #: Error code.
    code: Code
    #: Error message.
    message: str
    #: What to do about it.
    hint: str
    #: The turn that the error is about.
    turn_id: NotRequired[TurnId | None]
    #: Milliseconds to wait before a retry.
    retry_after_ms: NotRequired[int | None]


#: Error code, the same in all APIs.
Code: TypeAlias = Literal["invalid_request", "unauthorized", "forbidden", "not_found", "method_not_allowed", "idempotency_conflict", "version_conflict", "name_conflict", "session_ended", "session_expired", "busy", "queue_full", "already_final", "turn_open", "not_resumable", "outcome_needed", "approval_settled", "locked", "policy_denied", "unknown_model", "too_large", "too_deep", "request_timeout", "rate_limited", "too_many_connections", "quota_exceeded", "unavailable", "damaged", "internal"]


#: Id of a turn: one message and its answer. A ULID.
TurnId: TypeAlias = str


#: A time in UTC with millisecond precision, as RFC 3339.
Timestamp: TypeAlias = str


#: Owner of sessions and memory. It comes from the credential, never from a payload. 1 to 64
#: characters without control characters.
OwnerId: TypeAlias = str


#: What a token may do. Each scope includes the ones before it.
Scope: TypeAlias = Literal["read", "talk", "act", "admin"]


#: A browser's credential.
Proof: TypeAlias = ProofInvitation | ProofToken


#: Id of a session: the long-lived conversation of one owner. A ULID.
SessionId: TypeAlias = str


#: The client's own name for a session, unique per owner (`key`, `conversation_id`). 1 to 200
#: characters without control characters.
SessionName: TypeAlias = str


#: Status of a session.
SessionStatus: TypeAlias = Literal["active", "ended", "expired"]


#: How much a model reasons before it answers.
ReasoningEffort: TypeAlias = Literal["none", "minimal", "low", "medium", "high"]


#: What happens to a turn that a restart interrupted.
OnRestart: TypeAlias = Literal["resume", "wait"]


#: Format of an exported session.
ExportFormat: TypeAlias = Literal["ndjson", "openai", "langchain", "langgraph"]


#: Whether a text is trusted, by its origin.
Origin: TypeAlias = Literal["trusted", "untrusted"]


#: The result of ending a session.
SessionEndView: TypeAlias = SessionView | DeletedSession


#: An event of a session.
Event: TypeAlias = EventSessionStarted | EventSessionUpdated | EventSessionReset | EventSessionEnded | EventMessageAccepted | EventMessageSteered | EventMessageQueued | EventTurnStage | EventMemoryUsed | EventEntitiesBase | EventClarificationNeeded | EventStep | EventApprovalRequest | EventApprovalResolved | EventMemoryWritten | EventMemorySummaryCreated | EventActions | EventUserInteraction | EventWindowAgent | EventRenderFeedback | EventDialogAnswered | EventToastAction | EventAppReady | EventAppRequest | EventAppAnswered | EventSessionRestored | EventResearchStarted | EventResearchChunk | EventResearchDone | EventClientRead | EventAgentThinking | EventChatToken | EventChatFinal | EventTurnTools | EventTurnStatus | EventSchedule | EventAlert


#: Id of an agent, for example `main` or `window-settings@work`. 1 to 128 characters without control
#: characters.
AgentId: TypeAlias = str


#: How the model uses the client's tools.
ToolChoice: TypeAlias = Literal["auto", "none", "required"] | ToolChoiceTool


#: A JSON Schema that an answer matches.
ResponseSchema: TypeAlias = dict[str, Any]


#: What happens if a call of a worker's tool runs more than once.
ServedEffect: TypeAlias = Literal["at_most_once", "idempotent"]


#: An image: its bytes or its URL.
Image: TypeAlias = Image1 | ImageUrl


#: A tag of a message, for example `important` or `context:lights`. 1 to 64 characters without
#: spaces and control characters.
Tag: TypeAlias = str


#: Name of a monitor: a desktop within a session that has its own main agent. 1 to 32 lowercase
#: letters, digits, `-` and `_`; the first is a letter or a digit.
MonitorId: TypeAlias = str


#: Name of a window on a desktop. 1 to 48 lowercase letters, digits, `-` and `_`; the first is a
#: letter or a digit.
WindowId: TypeAlias = str


#: The channel through which a message arrived, as determined by the server.
MessageChannel: TypeAlias = Literal["token", "page"] | MessageChannelClient | MessageChannelSchedule


#: Id of a schedule. A ULID.
ScheduleId: TypeAlias = str


#: Stages of a turn.
Stage: TypeAlias = Literal["receive", "understand", "plan", "execute", "complete"]


#: Level of memory.
Level: TypeAlias = Literal["pin", "profile", "fact", "entry", "context"]


#: Id of a memory item that can be found, corrected and forgotten: a fact, an entry or a context
#: document. A ULID.
ItemId: TypeAlias = str


#: A step of a turn.
Step: TypeAlias = StepPlan | StepToolCall | StepToolResult | StepRetrieval | StepObservedEvent | StepSummary | StepErrorForm


#: Why an answer ended.
StopReason: TypeAlias = Literal["complete", "length", "content_filter", "refusal", "empty", "budget"]


#: What happens if a call runs more than once. It decides what happens to a call that a crash
#: interrupted.
Effect: TypeAlias = Literal["pure", "idempotent", "verifiable", "at_most_once"]


#: Id of a request for approval. A ULID.
ApprovalId: TypeAlias = str


#: Status of a tool call.
CallStatus: TypeAlias = Literal["ok", "error", "denied", "cancelled", "assumed"]


#: Id of an artifact: data that is too large for the conversation. A ULID.
ArtifactId: TypeAlias = str


#: Id of a passage of a source. The same text in the same source has the same id. A ULID.
PassageId: TypeAlias = str


#: Kind of an observation.
ObservationKind: TypeAlias = Literal["call_did_not_happen", "budget_spent", "call_delivered"]


#: What a tool accesses or changes. It decides what a call needs before it runs.
Safety: TypeAlias = Literal["observes", "keeps", "acts", "sends"]


#: The answer to a request for approval.
ApprovalDecision: TypeAlias = Literal["once", "always", "deny", "never"]


#: How a request was settled.
SettledBy: TypeAlias = Literal["owner", "expiry", "turn_end"]


#: Id of a memory: entries and context documents that belong together. A ULID.
MemoryId: TypeAlias = str


#: A change of a desktop.
Action: TypeAlias = ActionWindowCreate | ActionWindowClose | ActionWindowFocus | ActionWindowMove | ActionWindowResize | ActionWindowMinimize | ActionWindowMaximize | ActionWindowRestore | ActionWindowTitle | ActionWindowContent | ActionWindowLock | ActionWindowUnlock | ActionToastShow | ActionNotificationShow | ActionDialogShow | ActionPromptShow | ActionMonitorAdd | ActionMonitorRemove


#: Content of a window.
WindowContent: TypeAlias = WindowContentMarkdown | WindowContentHtml | WindowContentText | WindowContentTable | WindowContentChart | WindowContentComponents | WindowContentArtifact | WindowContentApp


#: Kind of a chart.
ChartKind: TypeAlias = Literal["bar", "line", "area", "pie", "scatter"]


#: A component of a layout.
Component: TypeAlias = ComponentText | ComponentButton | ComponentInput | ComponentSelect | ComponentCheckbox | ComponentBadge | ComponentProgress | ComponentImage | ComponentForm | ComponentColumns


#: Tone of a component or message.
Tone: TypeAlias = Literal["plain", "info", "success", "warning", "danger"]


#: Holder of a window's lock. While it is locked, no other agent can change the window.
LockHolder: TypeAlias = Literal["user"] | LockHolderAgent


#: Id of a toast or a notification on the desktop. A ULID.
ToastId: TypeAlias = str


#: Id of a dialog or a prompt on the desktop. A ULID.
DialogId: TypeAlias = str


#: How a dialog is answered.
DialogForm: TypeAlias = DialogFormChoices | DialogFormFields


#: Something that the user did on a desktop.
Interaction: TypeAlias = InteractionWindowClose | InteractionWindowFocus | InteractionWindowMove | InteractionWindowResize | InteractionWindowMinimize | InteractionWindowMaximize | InteractionWindowRestore | InteractionWindowLock | InteractionWindowUnlock | InteractionWindowDraw | InteractionAppInteraction


#: Status of a window's agent.
WindowAgentStatus: TypeAlias = Literal["assigned", "active", "released"]


#: The answer to a dialog.
DialogAnswer: TypeAlias = Literal["dismissed", "unanswered"] | DialogAnswerChosen | DialogAnswerFilled


#: How a command is recorded. The recorded commands are replayed when the app is loaded again.
ReplayMode: TypeAlias = Literal["nothing", "last", "all", "clear", "clear_slot"]


#: Id of a request to an app in a window. A ULID.
AppRequestId: TypeAlias = str


#: A request to an app.
AppRequest: TypeAlias = AppRequestQuery | AppRequestCommand


#: Outcome of a request to an app.
AppOutcome: TypeAlias = Literal["timed_out", "gone"] | AppOutcomeOk | AppOutcomeError


#: How the windows of a session are restored.
RestoreMode: TypeAlias = Literal["whole", "summarized"]


#: Status of a source.
ChunkStatus: TypeAlias = Literal["found", "read", "failed"]


#: Kind of a source.
SourceKind: TypeAlias = Literal["library", "search", "page"]


#: A change of a turn's status.
Transition: TypeAlias = Literal["resumed", "waiting", "interrupted", "pausing", "paused", "completed", "failed", "cancelled", "expired"]


#: What happened to a schedule. `next_at` is always the run that is planned afterwards.
ScheduleEvent: TypeAlias = ScheduleEventCreated | ScheduleEventApproved | ScheduleEventChanged | ScheduleEventRezoned | ScheduleEventPaused | ScheduleEventResumed | ScheduleEventFired | ScheduleEventMissed | ScheduleEventSettled | ScheduleEventCancelled | ScheduleEventEnded


#: When a schedule runs.
When: TypeAlias = WhenAt | WhenAfter | WhenLocal | WhenCron | WhenRrule | WhenEvent


#: A date and time on the clock of a place, without a time zone: `2026-11-18T07:00:00`.
LocalTime: TypeAlias = str


#: What a schedule waits for that runs each time something happens.
Trigger: TypeAlias = TriggerHome | TriggerHook | TriggerHomeEvent | TriggerTurnEnded


#: What a schedule does when it runs.
ScheduledAction: TypeAlias = ScheduledActionRemind | ScheduledActionTurn | ScheduledActionCall


#: What happens to runs that could not start at their time, because the server was down.
CatchUp: TypeAlias = CatchUpRunLate | CatchUpSkip | CatchUpOnce


#: Why runs were missed.
MissReason: TypeAlias = Literal["late", "not_approved"]


#: How a run went.
RunOutcome: TypeAlias = RunOutcomeStarted | RunOutcomeDone | RunOutcomeFailed


#: Why a schedule has ended by itself.
EndReason: TypeAlias = Literal["done", "runs_max"]


#: What happened to an alert.
AlertEvent: TypeAlias = AlertEventRaised | AlertEventSending | AlertEventDelivered | AlertEventFailed | AlertEventDelayed | AlertEventSeen | AlertEventClosed


#: Id of an alert. A ULID.
AlertId: TypeAlias = str


#: Why there is an alert.
AlertKind: TypeAlias = Literal["reminder", "timer", "answer", "turn_failed", "turn_waiting", "turn_ended", "approval_waiting", "schedule_waiting", "schedule_fired", "schedule_failed"]


#: Status of a turn.
TurnStatus: TypeAlias = Literal["pending", "running", "streaming", "waiting", "completed", "failed", "cancelled", "expired", "interrupted", "paused"]


#: What happens to a message that arrives while the agent is busy.
OnBusy: TypeAlias = Literal["queue", "reject", "steer", "fork", "interrupt"]


#: Outcome of `agent.cancel`.
CancelOutcome: TypeAlias = Literal["cancelled", "not_found", "already_final"]


#: What happened to a call that a crash interrupted, as found out by a person.
CallOutcome: TypeAlias = Literal["happened", "did_not_happen"]


#: Approximate cost of a call.
Cost: TypeAlias = Literal["free", "low", "high"]


#: Kind of home.
HomeKind: TypeAlias = Literal["simulated", "home_assistant"]


#: State of the connection to a home.
HomeConnection: TypeAlias = Literal["connected", "connecting", "reconnecting", "refused"]


#: Value of a fact: tokens, US dollars per million tokens, or a capability.
FigureValue: TypeAlias = bool | int | float


#: Source of a fact about a model. If several sources have it, the first one in this order wins.
FigureSource: TypeAlias = Literal["set", "asked", "table", "assumed"]


#: The software or service that serves models, recognised by its responses.
ModelServerKind: TypeAlias = Literal["openai", "anthropic", "gemini", "azure", "openrouter", "ollama", "llama_cpp", "vllm", "lm_studio", "other"]


#: A provider that can be set up.
ProviderName: TypeAlias = Literal["openai", "anthropic", "gemini", "openrouter", "ollama"]


#: A provider's key. It is never shown.
ProviderKey: TypeAlias = str


#: Whether a model extracts facts at present.
MemoryModelState: TypeAlias = Literal["off", "ready", "failing", "out_of_budget"]


#: How severe a line of the log is, the most severe first.
LogLevel: TypeAlias = Literal["error", "warn", "info", "debug", "trace"]


#: What a node does.
NodeStatus: TypeAlias = Literal["serving", "leaving", "gone"]


#: Display state of a window.
WindowState: TypeAlias = Literal["normal", "minimized", "maximized"]


#: Kind of an agent.
AgentKind: TypeAlias = Literal["main", "ephemeral", "background", "window", "parallel"]


#: Id of a vault: a collection of memories. A ULID.
VaultId: TypeAlias = str


#: How items are matched.
SearchMode: TypeAlias = Literal["hybrid", "lexical", "semantic"]


#: Where to search.
SearchScope: TypeAlias = Literal["user", "conversation", "both"]


#: A condition on items of memory, as a tree: an object with one field. For example `{"and":
#: [{"level": "entry"}, {"not": {"role": "assistant"}}]}`.
MemoryFilter: TypeAlias = MemoryFilterAnd | MemoryFilterOr | MemoryFilterNot | MemoryFilterLevel | MemoryFilterRole | MemoryFilterTag | MemoryFilterVaultId | MemoryFilterMemoryId | MemoryFilterSpeaker | MemoryFilterKey | MemoryFilterSubject | MemoryFilterAfter | MemoryFilterBefore


#: What counts as one result.
Grouping: TypeAlias = Literal["item", "memory"]


#: The kind of a node.
NodeKind: TypeAlias = Literal["user", "person", "animal", "place", "thing"]


#: The state of a fact at the time that is looked at.
EdgeState: TypeAlias = Literal["holds", "doubtful", "ended", "corrected"]


#: A control state: what one invocation of the memory agent does.
ControlState: TypeAlias = Literal["start_session", "process_message", "process_message_and_flush", "end_session"]


#: The tools of the memory agent.
AgentTool: TypeAlias = Literal["get_context", "list_entries", "add_entry", "await_consistency", "put_context"]


#: Whether a schedule runs.
ScheduleStatus: TypeAlias = Literal["active", "waiting", "paused", "cancelled", "ended"]


#: What is done with a schedule.
ScheduleStep: TypeAlias = ScheduleStepPause | ScheduleStepResume | ScheduleStepCancel | ScheduleStepRun | ScheduleStepApprove | ScheduleStepSnooze


#: What a channel has done with an alert.
DeliveryView: TypeAlias = DeliveryViewSending | DeliveryViewDelivered | DeliveryViewLater | DeliveryViewFailed


#: The key of a value: its parts, from the general to the particular. A part may be any text, also
#: an empty one.
ValueKey: TypeAlias = list[str]


#: The order of a list of values.
ValueOrder: TypeAlias = Literal["key", "key_descending", "newest"]


#: Id of a scoped token. A ULID.
TokenId: TypeAlias = str


#: Id of a folder in the library. A ULID.
FolderId: TypeAlias = str


#: The input of a response.
ResponseInput: TypeAlias = str | list[dict[str, Any]]
