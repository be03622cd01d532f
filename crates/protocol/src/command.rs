//! Commands: the data of the messages that clients send, and the answers to them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentId, Budgets, ClientTool, ClientToolOffer, DirectCall, Image, MessageTrust, ModelOverrides, ModelSettings,
    MonitorId, Policy, Request, ResponseSchema, ServedTool, SessionId, SessionName, SessionStatus, Tags, ToolChoice,
    TurnId, TurnStatus,
};

/// Names a session by `session_id` or by `conversation_id`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionRef {
    /// Id of the session, assigned by Dwell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The client's own name for the session, unique per owner. `chat.send` and `session.resume`
    /// create the session on first use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<SessionName>,
}

impl From<SessionId> for SessionRef {
    fn from(id: SessionId) -> Self {
        Self { session_id: Some(id), conversation_id: None }
    }
}

/// `session.window`: names the agent whose context window is requested.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRef {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The agent. Default: the main agent of the primary monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Names a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnRef {
    /// Id of the turn.
    pub turn_id: TurnId,
}

/// `session.start`: starts a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionStart {
    /// The client's own name for the session, unique per owner. A start with a known key returns
    /// the existing session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
    /// The model. Default: the server's default model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Settings for calls of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_settings: Option<ModelSettings>,
    /// Settings for calls of the model by single agents, by agent id. `*` matches any characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_settings: Option<BTreeMap<String, ModelSettings>>,
    /// Facts about models that replace the known ones in this session, by `provider/model` or by
    /// provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_overrides: Option<BTreeMap<String, ModelOverrides>>,
    /// The tools that the model always sees, by name; `*` matches any characters. The model can
    /// look up the other tools. With an empty list, Dwell chooses the tools for each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_tools: Option<Vec<String>>,
    /// Budgets of each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budgets: Option<Budgets>,
    /// Policy of the session. It can only be stricter than the server's policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Preferences of the client, with any keys and values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preferences: BTreeMap<String, serde_json::Value>,
    /// Whether the session is temporary. The server deletes a temporary session and its text when
    /// the session is ended, or when its turns have ended and no client follows it. Default: false.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub temporary: bool,
}

/// `session.update`: replaces the given settings. Absent ones stay as they are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Update {
    /// Version of the session that the caller saw. The server refuses the update if the session has
    /// another version. Default: not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Settings for calls of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_settings: Option<ModelSettings>,
    /// Settings for calls of the model by single agents, by agent id. `*` matches any characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_settings: Option<BTreeMap<String, ModelSettings>>,
    /// Facts about models that replace the known ones in this session, by `provider/model` or by
    /// provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_overrides: Option<BTreeMap<String, ModelOverrides>>,
    /// The tools that the model always sees, by name; `*` matches any characters. The model can
    /// look up the other tools. With an empty list, Dwell chooses the tools for each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_tools: Option<Vec<String>>,
    /// Budgets of each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budgets: Option<Budgets>,
    /// Policy of the session. It can only be stricter than the server's policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Preferences to add or replace. `null` removes a preference.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preferences: BTreeMap<String, serde_json::Value>,
}

/// `session.resume`: follows a session from a given event on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionResume {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The client's own name for its user. The server ignores it: the token alone decides which
    /// owner's sessions are accessible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Sequence number of the last event that the client has. The server sends all later events and
    /// then the live ones. Default: from the first event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Only events of these monitors and events that concern all monitors. Default: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitors: Vec<MonitorId>,
}

/// `session.end` and `session.reset`: ends a session, or resets its conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionEnd {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The caller's reason, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Version of the session that the caller saw. The server refuses the command if the session
    /// has another version. Default: not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// `session.delete`: deletes a session with its events and artifacts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionDelete {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Whether memory items that come from the session are deleted too. Otherwise they stay and
    /// note that their session was deleted. Default: false.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub memories: bool,
    /// Version of the session that the caller saw. The server refuses the command if the session
    /// has another version. Default: not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// Result of `session.delete`: what was deleted, as counts without content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeletedSession {
    /// The deleted session.
    pub session_id: SessionId,
    /// Deleted events.
    pub events: u64,
    /// Deleted artifacts.
    pub artifacts: u64,
    /// Deleted memory items.
    pub memories: u64,
    /// Other sessions in which text of the deleted memory items was redacted.
    pub redacted_sessions: u64,
}

/// `session.fork`: starts a new session with a copy of the conversation up to a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionFork {
    /// The session to copy.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The last turn that is copied.
    pub turn_id: TurnId,
    /// The client's own name for the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
}

/// Selects a page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PageRequest {
    /// `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Maximum number of entries: 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// `session.list`: the owner's sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionList {
    /// `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Maximum number of entries: 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only sessions whose title or name contains all of these words. Case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Only sessions with this status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<SessionStatus>,
}

/// Order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
}

/// What happens to a message that arrives while the agent is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnBusy {
    /// The message waits in the queue.
    #[default]
    Queue,
    /// The message is refused.
    Reject,
    /// The running turn takes the message into account.
    Steer,
    /// An ephemeral agent answers the message beside the running turn.
    Fork,
    /// The running turn is cancelled, and the message comes next.
    Interrupt,
}

/// Hints that steer how a turn is planned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlannerHints {
    /// What the model should consider first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus_areas: Vec<String>,
    /// Names of tools to prefer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prefer_tools: Vec<String>,
    /// Names of tools that the model does not see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avoid_tools: Vec<String>,
    /// Maximum number of rounds, a further limit beside `max_steps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
}

/// `chat.send`, and the body of `POST /sessions/{id}/turns`: a message of the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatSend {
    /// The user's text, at most 256 KiB. It may be empty if there are `calls`.
    #[serde(default)]
    #[schemars(length(max = 262_144))]
    pub message: String,
    /// The model for this turn only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Settings for calls of the model in this turn. A setting that is absent comes from the agent,
    /// the session or the server.
    #[serde(default, skip_serializing_if = "ModelSettings::is_empty")]
    pub model_settings: ModelSettings,
    /// Whether the model may call tools. Default: true.
    #[serde(default = "crate::turn::yes")]
    pub allow_tools: bool,
    /// Maximum number of rounds, each a model call with its tool calls. It cannot exceed the
    /// session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// Maximum duration of the turn in milliseconds, 1 to 86400000. Default: the session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400_000))]
    pub time_budget_ms: Option<u64>,
    /// Hints that steer how the turn is planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_hints: Option<PlannerHints>,
    /// Tools that the client runs itself, at most 128. The turn waits for their results, which the
    /// client sends with `tool.answer`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 128))]
    pub tools: Vec<ClientTool>,
    /// How the model uses the client's tools.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// Whether one round may call several tools. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// JSON Schema of the answer. The answer is then a JSON text that matches it, or the turn fails
    /// with `model_schema_unmet`. Default: plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<ResponseSchema>,
    /// Images that belong to the message, at most 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    pub images: Vec<Image>,
    /// `true` starts the turn with web research, `false` forbids to search the web. Default: the
    /// model decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_web_search: Option<bool>,
    /// Maximum size of the context in tokens, within the session's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Tags of the message and of the answer, at most 8. `important` messages leave the context
    /// last, `ephemeral` ones first.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    #[schemars(length(max = 8))]
    pub tags: Tags,
    /// Only earlier messages with one of these tags are part of the context. Default: all.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    #[schemars(length(max = 8))]
    pub context_tags: Tags,
    /// How long the answer to this command waits for the first text of the turn: 1 to 60000
    /// milliseconds. After that time it is sent without text, and the text follows in events.
    /// Default: no wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 60_000))]
    pub early_wait_ms: Option<u64>,
    /// Idempotency key, 1 to 200 characters. For 24 hours a repeated message with the same key
    /// returns the same turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub idempotency_key: Option<String>,
    /// What happens if another turn runs. Default: `queue`.
    #[serde(default)]
    pub on_busy: OnBusy,
    /// Whether the turn runs in the background: at once, beside the conversation, for hours if need
    /// be, with the budgets for background turns (`budgets.background`). It can be paused, and its
    /// end raises an alert. `on_busy` does not apply. Default: false.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub background: bool,
    /// The monitor that the message belongs to. Default: `main`.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// Version of the session that the caller saw. The server refuses the message if the session
    /// has another version. Default: not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Tool calls to run as they are, without a call of the model. At most 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    pub calls: Vec<DirectCall>,
    /// Origin and channel of the message. The server sets it; it is never read from the wire.
    #[serde(skip)]
    #[schemars(skip)]
    pub way: MessageTrust,
    /// The tools of the owner's tool workers. The server sets them.
    #[serde(skip)]
    #[schemars(skip)]
    pub served: Vec<ServedTool>,
    /// Digests of calls that were approved in advance. The server sets them.
    #[serde(skip)]
    #[schemars(skip)]
    pub approved: Vec<String>,
}

impl ChatSend {
    /// A message that has only text.
    pub fn text(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            model: None,
            model_settings: ModelSettings::default(),
            allow_tools: true,
            max_steps: None,
            time_budget_ms: None,
            planner_hints: None,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            parallel_tool_calls: None,
            response_schema: None,
            images: Vec::new(),
            use_web_search: None,
            context_window: None,
            tags: Tags::new(),
            context_tags: Tags::new(),
            early_wait_ms: None,
            idempotency_key: None,
            on_busy: OnBusy::Queue,
            background: false,
            monitor_id: MonitorId::primary(),
            version: None,
            calls: Vec::new(),
            way: MessageTrust::default(),
            served: Vec::new(),
            approved: Vec::new(),
        }
    }

    /// The tools that the client offers.
    pub fn offer(&self) -> ClientToolOffer {
        ClientToolOffer {
            tools: self.tools.clone(),
            tool_choice: self.tool_choice.clone(),
            parallel_tool_calls: self.parallel_tool_calls,
            response_schema: self.response_schema.clone(),
        }
    }

    /// The part that is stored with the turn.
    pub fn request(&self) -> Request {
        Request {
            message: self.message.clone(),
            model: self.model.clone(),
            model_settings: self.model_settings.clone(),
            allow_tools: self.allow_tools,
            max_steps: self.max_steps,
            time_budget_ms: self.time_budget_ms,
            planner_hints: self.planner_hints.clone(),
            offer: self.offer(),
            served: self.served.clone(),
            images: self.images.clone(),
            use_web_search: self.use_web_search,
            context_window: self.context_window,
            tags: self.tags.clone(),
            context_tags: self.context_tags.clone(),
            early_wait_ms: self.early_wait_ms,
            background: self.background,
            monitor_id: self.monitor_id.clone(),
            window: None,
            calls: self.calls.clone(),
            origin: self.way.origin,
            via: self.way.via.clone(),
            approved: self.approved.clone(),
            reads_only: self.way.reads_only,
        }
    }
}

/// The answer to `chat.send`, `turn.resume` and `turn.retry`. The command is durable when it
/// arrives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnAccepted {
    /// The session, also if the client named it by `conversation_id`.
    pub session_id: SessionId,
    /// The turn.
    pub turn_id: TurnId,
    /// The agent that runs the turn.
    pub agent_id: AgentId,
    /// Sequence number of the turn's `message.accepted` event.
    pub seq: u64,
    /// Position in the queue, if the turn has to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Whether the idempotency key was known. Then this is the turn of the first message with that
    /// key.
    pub duplicate: bool,
    /// With `early_wait_ms`: state of the turn when its first text arrived or the wait ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<EarlyAnswer>,
}

/// State of a turn after `early_wait_ms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlyAnswer {
    /// Whether the first text did not arrive in time. Then the text follows in events.
    pub late: bool,
    /// Status of the turn.
    pub status: TurnStatus,
    /// The text so far.
    pub text: String,
}

/// `turn.resume`: continues an interrupted turn, or one that waits for the outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnResume {
    /// The turn.
    pub turn_id: TurnId,
    /// What happened to a call whose outcome is unknown, if the turn waits for this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<CallOutcome>,
    /// Id of that call. Default: all calls whose outcome is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

/// What happened to a call that a crash interrupted, as found out by a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The call took effect. It is not run again.
    Happened,
    /// The call took no effect. It is run now.
    DidNotHappen,
}

/// `agent.interrupt`: interrupts running turns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The agent whose turn is interrupted. Default: all agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// `provider.set`: changes the model of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderSet {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The model from now on, as `provider/model`.
    pub model: String,
}

/// `agent.cancel`: cancels turns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The turn. Default: all open turns of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The caller's reason, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Outcome of `agent.cancel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelOutcome {
    /// The turn was open and is now cancelled.
    Cancelled,
    /// There is no such turn.
    NotFound,
    /// The turn had already ended.
    AlreadyFinal,
}

/// The answer to `agent.cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelResult {
    /// The outcome.
    pub status: CancelOutcome,
    /// The cancelled turns.
    pub turn_ids: Vec<TurnId>,
}
