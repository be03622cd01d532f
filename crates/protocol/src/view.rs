//! What can be read: sessions and turns as they stand, computed from the journal.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentId, BackupStatus, ClockDoubt, ConnectionStats, Event, ForkOrigin, ImportOrigin, Origin, OwnerId, Question,
    Request, Response, ServerUsage, SessionId, SessionName, Settings, Step, Timestamp, TurnError, TurnId, TurnStatus,
    Usage, WaitingCall,
};

/// Whether a session still takes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It does.
    Active,
    /// Somebody ended it.
    Ended,
    /// It was idle for too long.
    Expired,
}

/// What a session has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Stats {
    /// Turns accepted.
    pub turns: u64,
    /// Turns answered.
    pub completed: u64,
    /// Turns ended by an error or by running out of time.
    pub failed: u64,
    /// Turns cancelled.
    pub cancelled: u64,
    /// Steps taken.
    pub steps: u64,
    /// Tools called.
    pub tool_calls: u64,
    /// Tokens sent to models.
    pub input_tokens: u64,
    /// Tokens received from models.
    pub output_tokens: u64,
    /// Those of the sent that providers had in their caches.
    pub cached_tokens: u64,
    /// Those of the sent that providers have put into their caches.
    pub cache_write_tokens: u64,
    /// What they cost in millionths of a US dollar, as far as prices are known.
    pub cost_micros: u64,
    /// Things that went wrong, whether or not they ended a turn.
    pub errors: u64,
}

impl Stats {
    /// Counts in what a turn took.
    pub fn count(&mut self, usage: Usage) {
        self.input_tokens += usage.input_tokens;
        self.output_tokens += usage.output_tokens;
        self.cached_tokens += usage.cached_tokens;
        self.cache_write_tokens += usage.cache_write_tokens;
        self.cost_micros += usage.cost_micros.unwrap_or(0);
    }
}

/// What a turn took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TurnStats {
    /// Milliseconds from being accepted to the first word that is in the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_word_ms: Option<u64>,
    /// Milliseconds from being accepted to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Rounds of the model that called tools.
    pub rounds: u32,
    /// Tools called.
    pub tool_calls: u32,
    /// Things that went wrong on the way.
    pub errors: u32,
    /// Tokens and cost of all rounds.
    pub usage: Usage,
}

/// The middle and the end of what was measured, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Percentiles {
    /// How many were measured.
    pub count: u64,
    /// Half were faster.
    pub p50_ms: f64,
    /// Nineteen of twenty were faster.
    pub p95_ms: f64,
    /// The slowest.
    pub max_ms: f64,
}

/// What a model has done since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelStats {
    /// Times it was asked.
    pub calls: u64,
    /// Times that failed.
    pub errors: u64,
    /// Tokens and cost.
    pub usage: Usage,
}

/// What a tool has done since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolStats {
    /// Times it was called.
    pub calls: u64,
    /// Times that failed or were refused.
    pub errors: u64,
    /// How long it took.
    pub duration: Percentiles,
}

/// What bounds the agents of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentLimits {
    /// Turns at work at once, over all sessions; the others wait.
    pub running_turns: u64,
    /// Turns at work at once, of one owner.
    pub running_turns_of_owner: u64,
    /// Turns at work at once, of one session.
    pub running_turns_of_session: u64,
    /// Turns at work at once on monitors that nobody looks at, per session.
    pub background_turns: u64,
    /// What agents may do a minute on a monitor that nobody looks at.
    pub background_actions_per_minute: u64,
    /// Bytes of text that agents may say a minute on a monitor that nobody looks at.
    pub background_bytes_per_minute: u64,
    /// Turns that may wait in line for an agent.
    pub queued_turns: u64,
    /// Agents of a session that work beside the main ones.
    pub ephemeral_agents: u64,
    /// Actions in a session's windows that run beside the windows' own agents.
    pub parallel_actions: u64,
    /// Monitors of a session.
    pub monitors: u64,
    /// Windows of a session.
    pub windows: u64,
    /// Messages that may go into a running turn.
    pub steers: u64,
    /// Times a turn is begun before a restart leaves it to somebody to decide.
    pub attempts: u64,
    /// Milliseconds that a question whether a call may run stays open.
    pub approval_wait_ms: u64,
    /// Milliseconds that a client is waited for that is to run a tool of its own.
    pub client_wait_ms: u64,
}

/// What the server has done since it started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStats {
    /// Since when.
    pub since: Timestamp,
    /// Sessions in memory.
    pub live_sessions: u64,
    /// Turns at work.
    pub running_turns: u64,
    /// Turns that wait until there is room for one more agent.
    #[serde(default)]
    pub waiting_turns: u64,
    /// How long turns have waited for that.
    #[serde(default)]
    pub waits: Percentiles,
    /// What bounds that.
    #[serde(default)]
    pub limits: AgentLimits,
    /// Connections, streams and MCP sessions.
    #[serde(default)]
    pub connections: ConnectionStats,
    /// Totals of all turns that ended or began since then.
    pub totals: Stats,
    /// From a turn's start to its first word.
    pub first_word: Percentiles,
    /// From a turn's start to its end.
    pub duration: Percentiles,
    /// Turns by the way they went, as `reflex` or `tool_loop`.
    #[serde(default)]
    pub ways: BTreeMap<String, u64>,
    /// By model.
    pub models: BTreeMap<String, ModelStats>,
    /// By purpose, then by model: `turn` for what answers, `research` for what calls think about, `memory` for documents of
    /// what a conversation comes to, `summary` for gists of long messages.
    #[serde(default)]
    pub purposes: BTreeMap<String, BTreeMap<String, ModelStats>>,
    /// By tool.
    pub tools: BTreeMap<String, ToolStats>,
    /// Errors that ended turns, by code.
    pub errors: BTreeMap<String, u64>,
    /// What the asker uses and may use; the operator is told it of every owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<ServerUsage>,
    /// What checking the journal in the background has found.
    #[serde(default)]
    pub journal: JournalStats,
    /// Why nothing is deleted by age at present, where the clock is in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockDoubt>,
    /// How the scheduled backups stand, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<BackupStatus>,
    /// Sessions that have expired or were removed.
    #[serde(default)]
    pub retention: RetentionStats,
}

/// What checking the journal has found since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JournalStats {
    /// Sessions that were checked in the background.
    pub verified_sessions: u64,
    /// Events of them that are whole.
    pub verified_events: u64,
    /// How often all sessions were gone through.
    pub passes: u64,
    /// Sessions that were found damaged, in whatever way.
    pub damaged_sessions: u64,
}

/// What became of whole sessions since the server started: counts, and no words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetentionStats {
    /// Sessions that have expired.
    pub expired: u64,
    /// Sessions that were written to a file and removed.
    pub archived: u64,
    /// Sessions that were deleted for good, by their owners or after they had expired.
    pub deleted: u64,
    /// Events that are gone with those that were archived or deleted.
    pub events: u64,
    /// Artifacts that are gone with them.
    pub artifacts: u64,
    /// Items of memory that are gone with them.
    pub memories: u64,
    /// When a session was last removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<Timestamp>,
}

/// A setting of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingView {
    /// Its name, as `agents.max`.
    pub key: String,
    /// What it is set to; a secret is not shown.
    pub value: serde_json::Value,
    /// Where that comes from: `default`, a file, the environment or a flag.
    pub from: String,
}

/// The settings of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigPage {
    /// The settings, by name.
    pub data: Vec<SettingView>,
}

/// A session as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionView {
    /// Its id.
    pub session_id: SessionId,
    /// Whose it is.
    pub owner: OwnerId,
    /// The client's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
    /// Whether it takes messages.
    pub status: SessionStatus,
    /// Grows with every accepted message and every change of settings or status.
    pub version: u64,
    /// The number of its newest event.
    pub last_seq: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// When something last happened; for a session that has expired, the last thing before that.
    pub updated_at: Timestamp,
    /// When it was ended, or has expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// What it is set to.
    pub settings: Settings,
    /// What it has used.
    pub stats: Stats,
    /// Turns that have not ended, oldest first.
    pub open_turns: Vec<TurnId>,
    /// What it is called: its preference `title`, else the beginning of its first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
    /// Where it was taken in from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportOrigin>,
    /// Whose words its title and its preferences are.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
    /// Whether some of what was ever said or read in it may be anybody's words.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub tainted: bool,
    /// Clients that have read text which may be anybody's, and when they last did. Only the session of direct calls has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read_by: BTreeMap<String, Timestamp>,
}

/// The context window of a session: what its next turn is told of the conversation, beside what memory adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WindowView {
    /// Messages in it: the instructions, the pins, what was said, each round of calls with its results.
    pub messages: u64,
    /// Tokens they take, with the tools the model is shown.
    pub tokens: u64,
    /// Tokens it may have with the session's model.
    pub tokens_max: u64,
    /// How much of that is taken, in percent.
    pub utilisation: f64,
    /// How many messages have each tag.
    pub tags: BTreeMap<String, u64>,
    /// Messages of the last turns that have left it.
    pub evicted: u64,
    /// What somebody should know about it, in words.
    pub health: Vec<String>,
}

/// A turn as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnView {
    /// Its id.
    pub turn_id: TurnId,
    /// Its session.
    pub session_id: SessionId,
    /// Where it stands.
    pub status: TurnStatus,
    /// Who runs it.
    pub agent_id: AgentId,
    /// What was asked.
    pub request: Request,
    /// The text so far; once completed, the answer.
    pub text: String,
    /// What was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// Why it stands where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it waits to be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// The calls whose results it waits to be told by its client.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls_waiting: Vec<WaitingCall>,
    /// What happened inside it.
    pub steps: Vec<Step>,
    /// What it took.
    #[serde(default)]
    pub stats: TurnStats,
    /// Whether it was told or has read words that may be anybody's, beside its message.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub tainted: bool,
    /// How many times it was begun.
    pub attempts: u32,
    /// The turn it tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<TurnId>,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When something last happened in it.
    pub updated_at: Timestamp,
    /// The number of its newest event.
    pub last_seq: u64,
}

/// A page of sessions, newest activity first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPage {
    /// The sessions.
    pub data: Vec<SessionView>,
    /// Where the next page begins; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of a session's turns, from the oldest on or from the newest back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnPage {
    /// The turns.
    pub data: Vec<TurnView>,
    /// Where the next page begins; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of the events of a session or of one of its turns, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventPage {
    /// The events.
    pub data: Vec<Event>,
    /// The number of the newest event of the session, or of the turn.
    pub last_seq: u64,
    /// The number to pass as `after` for the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
