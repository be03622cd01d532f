//! What clients ask for, as the data of their messages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentId, Budgets, ClientTool, DirectCall, Image, ModelOverrides, ModelSettings, MonitorId, Offer, Policy, Request,
    SessionId, SessionName, SessionStatus, Tags, ToolChoice, TurnId, TurnStatus, WayIn,
};

/// Which session is meant: Dwell's id, or the client's own name for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionRef {
    /// Dwell's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The client's own name, unique per owner; `chat.send` and `session.resume` create it on first use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<SessionName>,
}

impl From<SessionId> for SessionRef {
    fn from(id: SessionId) -> Self {
        Self { session_id: Some(id), conversation_id: None }
    }
}

/// `session.window`: whose context window.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRef {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which agent; none means the main agent of the first monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Which turn is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnRef {
    /// Its id.
    pub turn_id: TurnId,
}

/// `session.start`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// The client's own name for the session. Starting again with the same key gives the same session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
    /// The model, if not the server's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the model is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_settings: Option<ModelSettings>,
    /// How the models of single agents are asked, by the agent's id; `*` stands for any letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_settings: Option<BTreeMap<String, ModelSettings>>,
    /// What is known of models in this session, by `provider/model` or by the provider alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_overrides: Option<BTreeMap<String, ModelOverrides>>,
    /// The tools that the model is always shown, by name with `*`; it can look up the others. An empty list lets Dwell
    /// choose for each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_tools: Option<Vec<String>>,
    /// Budgets of each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budgets: Option<Budgets>,
    /// Policy of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Free preferences.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preferences: BTreeMap<String, serde_json::Value>,
    /// Whether the session is removed, with all that was said in it, once it is ended or its turns have ended and nobody
    /// looks at it.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub temporary: bool,
}

/// `session.update`: what is given is replaced, what is absent stays.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Update {
    /// Refuse if the session has another version by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the model is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_settings: Option<ModelSettings>,
    /// How the models of single agents are asked, by the agent's id; `*` stands for any letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_settings: Option<BTreeMap<String, ModelSettings>>,
    /// What is known of models in this session, by `provider/model` or by the provider alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_overrides: Option<BTreeMap<String, ModelOverrides>>,
    /// The tools that the model is always shown, by name with `*`; it can look up the others. An empty list lets Dwell
    /// choose for each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_tools: Option<Vec<String>>,
    /// Budgets of each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budgets: Option<Budgets>,
    /// Policy of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Preferences to add or replace; `null` removes one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preferences: BTreeMap<String, serde_json::Value>,
}

/// `session.resume`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The client's own name for its user. It is taken and not looked at: the token decides whose sessions are meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The last number the client has; every later event follows, then live. None: from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Only what happens on these monitors, and what concerns all; none means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitors: Vec<MonitorId>,
}

/// `session.end` and `session.reset`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Why, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Refuse if the session has another version by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// `session.delete`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Whether what memory has made of it goes as well. Otherwise that stays, and says that its session was deleted.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub memories: bool,
    /// Refuse if the session has another version by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// What deleting a session took away: counts, and no words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deleted {
    /// The session that is gone.
    pub session_id: SessionId,
    /// Its events.
    pub events: u64,
    /// Its artifacts.
    pub artifacts: u64,
    /// Items of memory that are gone with it.
    pub memories: u64,
    /// Other sessions in which words that came from those items were redacted.
    pub redacted_sessions: u64,
}

/// `session.fork`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The last turn the new session takes along.
    pub turn_id: TurnId,
    /// A name for the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct List {
    /// Go on after this cursor of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// At most this many, 50 unless told, 200 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// `session.list`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionList {
    /// Go on after this cursor of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// At most this many, 50 unless told, 200 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only sessions in whose title or name all of these words occur, in whatever case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Only sessions that stand like this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<SessionStatus>,
}

/// From which end a list begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// From the oldest on.
    #[default]
    Oldest,
    /// From the newest back.
    Newest,
}

/// What happens to a message that comes while the agent is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnBusy {
    /// It waits in line.
    #[default]
    Queue,
    /// It is refused.
    Reject,
    /// It goes into the running turn, which takes it into account.
    Steer,
    /// An agent of its own answers it, beside the running turn.
    Fork,
    /// The running turn is cancelled, and this one comes next.
    Interrupt,
}

/// Hints for the planner.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlannerHints {
    /// What to look at first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus_areas: Vec<String>,
    /// Tools to prefer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prefer_tools: Vec<String>,
    /// Tools to avoid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avoid_tools: Vec<String>,
    /// How deep to dig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
}

/// The message of `chat.send`, and the body of `POST /sessions/{id}/turns`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatSend {
    /// The user's words. They may be left out where there are calls.
    #[serde(default)]
    pub message: String,
    /// A model for this turn only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the model is asked in this turn; what is not set is the agent's, the session's or the server's.
    #[serde(default, skip_serializing_if = "ModelSettings::is_empty")]
    pub model_settings: ModelSettings,
    /// Whether tools may be called; true unless told.
    #[serde(default = "crate::turn::yes")]
    pub allow_tools: bool,
    /// Rounds of thinking and acting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Milliseconds the turn may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_ms: Option<u64>,
    /// Hints for the planner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_hints: Option<PlannerHints>,
    /// Tools that the client runs itself: the turn waits for their results, which come by `tool.answer`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ClientTool>,
    /// What the model is to do with the client's tools.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// Whether one round may call several tools; true unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// Pictures that go with the words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Whether the web may, or must not, be searched for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_web_search: Option<bool>,
    /// Tokens of context at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Tags of the message and of what comes of it: `important` stays in context longest, `ephemeral` leaves it first.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Of what was said before, only what has one of these tags is told; none means all.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub context_tags: Tags,
    /// How long to wait for the first words; past it, the answer to this message is a handle and the words come later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_wait_ms: Option<u64>,
    /// Sending again with the same key gives the same turn for 24 hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// What to do while another turn runs.
    #[serde(default)]
    pub on_busy: OnBusy,
    /// The monitor it is asked on.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// Refuse if the session has another version by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Calls to make as they are: there is nothing to understand, and no model is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<DirectCall>,
    /// How it came in: set by the server that takes it, and never read from the wire.
    #[serde(skip)]
    #[schemars(skip)]
    pub way: WayIn,
}

impl ChatSend {
    /// A plain message.
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
            images: Vec::new(),
            use_web_search: None,
            context_window: None,
            tags: Tags::new(),
            context_tags: Tags::new(),
            early_wait_ms: None,
            idempotency_key: None,
            on_busy: OnBusy::Queue,
            monitor_id: MonitorId::primary(),
            version: None,
            calls: Vec::new(),
            way: WayIn::default(),
        }
    }

    /// What the client offers.
    pub fn offer(&self) -> Offer {
        Offer {
            tools: self.tools.clone(),
            tool_choice: self.tool_choice.clone(),
            parallel_tool_calls: self.parallel_tool_calls,
        }
    }

    /// The part that is kept with the turn.
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
            images: self.images.clone(),
            use_web_search: self.use_web_search,
            context_window: self.context_window,
            tags: self.tags.clone(),
            context_tags: self.context_tags.clone(),
            early_wait_ms: self.early_wait_ms,
            monitor_id: self.monitor_id.clone(),
            window: None,
            calls: self.calls.clone(),
            origin: self.way.origin,
            via: self.way.via.clone(),
        }
    }
}

/// The answer to `chat.send`, `turn.resume` and `turn.retry`: it is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// The session, also when it was named by `conversation_id`.
    pub session_id: SessionId,
    /// The turn.
    pub turn_id: TurnId,
    /// Who runs it.
    pub agent_id: AgentId,
    /// The number of its `message.accepted`.
    pub seq: u64,
    /// Its place in the queue, when it has to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Whether the key was known and this is the turn of the first time.
    pub duplicate: bool,
    /// With `early_wait_ms`: the turn as it stands when the first words are there, or the patience is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<Early>,
}

/// What an early wait came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Early {
    /// Whether the first words were late: then this is a handle, and the answer is told when it is there.
    pub late: bool,
    /// Where the turn stands.
    pub status: TurnStatus,
    /// The words so far.
    pub text: String,
}

/// `turn.resume`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnResume {
    /// Which turn.
    pub turn_id: TurnId,
    /// For a turn that waits to be told what became of a call: what became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<CallOutcome>,
    /// Which call, if not all that are in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

/// What became of a call that a crash cut off, as a person found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// It happened; it is not run again.
    Happened,
    /// It did not happen; it is run now.
    DidNotHappen,
}

/// `agent.interrupt`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Whose turn; none means every agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// `provider.set`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderSet {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The model from now on.
    pub model: String,
}

/// `agent.cancel`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which turn; none means all open turns of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Why, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a cancel came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelOutcome {
    /// It was open and is now cancelled.
    Cancelled,
    /// There is no such turn.
    NotFound,
    /// It had ended before.
    AlreadyFinal,
}

/// The answer to `agent.cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// What it came to.
    pub status: CancelOutcome,
    /// The turns that were cancelled by it.
    pub turn_ids: Vec<TurnId>,
}
