//! Views: sessions, turns and statistics as clients read them, computed from the journal.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentId, BackupStatus, ClockDoubt, ConnectionStats, Event, ForkOrigin, ImportOrigin, MemoryModelStats, Origin,
    OutcomeQuestion, OwnerId, Request, Response, ServerUsage, SessionId, SessionName, Settings, Step, Timestamp,
    TurnError, TurnId, TurnStatus, Usage, WaitingCall,
};

/// Status of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// The session accepts messages.
    Active,
    /// A client ended the session.
    Ended,
    /// The session was idle for too long.
    Expired,
}

/// Totals of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Stats {
    /// Accepted turns.
    pub turns: u64,
    /// Answered turns.
    pub completed: u64,
    /// Turns that failed or exceeded their time.
    pub failed: u64,
    /// Cancelled turns.
    pub cancelled: u64,
    /// Steps.
    pub steps: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens that providers read from their caches.
    pub cached_tokens: u64,
    /// Input tokens that providers wrote to their caches.
    pub cache_write_tokens: u64,
    /// Cost in millionths of a US dollar, as far as prices are known.
    pub cost_micros: u64,
    /// Errors, whether or not they ended a turn.
    pub errors: u64,
}

impl Stats {
    /// Adds the usage of a turn.
    pub fn count(&mut self, usage: Usage) {
        self.input_tokens += usage.input_tokens;
        self.output_tokens += usage.output_tokens;
        self.cached_tokens += usage.cached_tokens;
        self.cache_write_tokens += usage.cache_write_tokens;
        self.cost_micros += usage.cost_micros.unwrap_or(0);
    }
}

/// Statistics of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TurnStats {
    /// Milliseconds from acceptance to the first text in the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_word_ms: Option<u64>,
    /// Milliseconds from acceptance to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Rounds in which the model called tools.
    pub rounds: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Errors, whether or not they ended the turn.
    pub errors: u32,
    /// Tokens and cost of all rounds.
    pub usage: Usage,
}

/// Distribution of measured durations in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Percentiles {
    /// Number of measurements.
    pub count: u64,
    /// Median.
    pub p50_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// Maximum.
    pub max_ms: f64,
}

/// Statistics of a model since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelStats {
    /// Calls.
    pub calls: u64,
    /// Failed calls.
    pub errors: u64,
    /// Tokens and cost.
    pub usage: Usage,
}

/// Statistics of a tool since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolStats {
    /// Calls.
    pub calls: u64,
    /// Calls that failed or were denied.
    pub errors: u64,
    /// Durations of the calls.
    pub duration: Percentiles,
}

/// Limits of the server's agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentLimits {
    /// Maximum number of turns that run at the same time. Others wait.
    pub running_turns: u64,
    /// Maximum number of turns of one owner that run at the same time.
    pub running_turns_of_owner: u64,
    /// Maximum number of turns of one session that run at the same time.
    pub running_turns_of_session: u64,
    /// Maximum number of turns of one session that run at the same time on monitors that no client
    /// shows.
    pub background_turns: u64,
    /// Maximum number of desktop actions per minute on a monitor that no client shows.
    pub background_actions_per_minute: u64,
    /// Maximum number of bytes of text per minute on a monitor that no client shows.
    pub background_bytes_per_minute: u64,
    /// Maximum number of turns in the queue of an agent.
    pub queued_turns: u64,
    /// Maximum number of ephemeral agents of a session.
    pub ephemeral_agents: u64,
    /// Maximum number of actions in a session's windows that run beside the windows' own agents.
    pub parallel_actions: u64,
    /// Maximum number of monitors of a session.
    pub monitors: u64,
    /// Maximum number of windows of a session.
    pub windows: u64,
    /// Maximum number of messages that can be added to a running turn.
    pub steers: u64,
    /// Maximum number of attempts of a turn. After that a restart leaves the turn `interrupted`.
    pub attempts: u64,
    /// Milliseconds until a request for approval expires.
    pub approval_wait_ms: u64,
    /// Milliseconds that a turn waits for a client that runs a tool itself.
    pub client_wait_ms: u64,
}

/// Statistics since the server started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStats {
    /// When the server started.
    pub since: Timestamp,
    /// Sessions loaded in RAM.
    pub live_sessions: u64,
    /// Running turns.
    pub running_turns: u64,
    /// Turns that wait for a permit to run.
    #[serde(default)]
    pub waiting_turns: u64,
    /// Durations of these waits.
    #[serde(default)]
    pub waits: Percentiles,
    /// The limits.
    #[serde(default)]
    pub limits: AgentLimits,
    /// Connections, streams and MCP sessions.
    #[serde(default)]
    pub connections: ConnectionStats,
    /// Totals of all turns that started or ended since then.
    pub totals: Stats,
    /// Durations from a turn's start to its first text.
    pub first_word: Percentiles,
    /// Durations from a turn's start to its end.
    pub duration: Percentiles,
    /// Number of turns by route, for example `reflex` or `tool_loop`.
    #[serde(default)]
    pub ways: BTreeMap<String, u64>,
    /// Statistics by model.
    pub models: BTreeMap<String, ModelStats>,
    /// Statistics by purpose and model. `turn` answers messages, `research` evaluates sources,
    /// `memory` writes context documents, `summary` shortens long messages, `extraction` finds
    /// facts in messages.
    #[serde(default)]
    pub purposes: BTreeMap<String, BTreeMap<String, ModelStats>>,
    /// Statistics by tool.
    pub tools: BTreeMap<String, ToolStats>,
    /// Number of errors that ended turns, by code.
    pub errors: BTreeMap<String, u64>,
    /// Usage and quota of the caller. The operator sees all owners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<ServerUsage>,
    /// Results of the background check of the journal.
    #[serde(default)]
    pub journal: JournalStats,
    /// Why nothing is deleted by age at present, if the clock is in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockDoubt>,
    /// Status of the scheduled backups, if they are configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<BackupStatus>,
    /// Sessions that expired or were deleted.
    #[serde(default)]
    pub retention: RetentionStats,
    /// The model that extracts facts from conversations.
    #[serde(default)]
    pub memory_model: MemoryModelStats,
}

/// Results of the journal's background check since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JournalStats {
    /// Sessions checked in the background.
    pub verified_sessions: u64,
    /// Intact events of these sessions.
    pub verified_events: u64,
    /// Complete passes over all sessions.
    pub passes: u64,
    /// Sessions that were found damaged, by the background check or otherwise.
    pub damaged_sessions: u64,
    /// Acknowledged writes that the database was found to have lost, for example in a failover.
    pub lost_writes: u64,
}

/// Sessions that expired or were deleted since the server started, as counts without content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetentionStats {
    /// Expired sessions.
    pub expired: u64,
    /// Sessions that were archived to a file and deleted.
    pub archived: u64,
    /// Sessions that were deleted, by their owners or after expiry.
    pub deleted: u64,
    /// Events of the archived and deleted sessions.
    pub events: u64,
    /// Artifacts of these sessions.
    pub artifacts: u64,
    /// Memory items that were deleted with them.
    pub memories: u64,
    /// When a session was last archived or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<Timestamp>,
}

/// A setting of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingView {
    /// Name of the setting, for example `agents.max`.
    pub key: String,
    /// The value. Secrets are not shown.
    pub value: serde_json::Value,
    /// Source of the value: `default`, a file, the environment or a flag.
    pub from: String,
}

/// The settings of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigPage {
    /// The settings, ordered by name.
    pub data: Vec<SettingView>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionView {
    /// Id of the session.
    pub session_id: SessionId,
    /// The owner of the session.
    pub owner: OwnerId,
    /// The client's own name for the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
    /// Status of the session.
    pub status: SessionStatus,
    /// Version of the session. It grows with every accepted message and every change of settings or
    /// status.
    pub version: u64,
    /// Sequence number of the newest event.
    pub last_seq: u64,
    /// When the session started.
    pub created_at: Timestamp,
    /// Time of the last activity. Expiry does not count as activity.
    pub updated_at: Timestamp,
    /// When the session ended or expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Settings of the session.
    pub settings: Settings,
    /// Totals of the session.
    pub stats: Stats,
    /// Turns that have not ended, oldest first.
    pub open_turns: Vec<TurnId>,
    /// Title of the session: its preference `title`, or else the beginning of its first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The session that this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
    /// Where the session was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportOrigin>,
    /// Whether title and preferences are trusted.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
    /// Whether the session has ever contained untrusted text.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub tainted: bool,
    /// Clients that have read untrusted text, and when they last did. Only the session of direct
    /// calls has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read_by: BTreeMap<String, Timestamp>,
}

/// The context window of an agent: what its next prompt contains of the conversation, without what
/// memory adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextWindowView {
    /// Number of messages: the instructions, the pins, the conversation, and each round of calls
    /// with its results.
    pub messages: u64,
    /// Tokens of these messages and of the tools that the model sees.
    pub tokens: u64,
    /// Maximum number of tokens with the session's model.
    pub tokens_max: u64,
    /// Used share of `tokens_max` in percent.
    pub utilisation: f64,
    /// Number of messages by tag.
    pub tags: BTreeMap<String, u64>,
    /// Messages of recent turns that are no longer in the window.
    pub evicted: u64,
    /// Warnings about the window, as text.
    pub health: Vec<String>,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnView {
    /// Id of the turn.
    pub turn_id: TurnId,
    /// The session of the turn.
    pub session_id: SessionId,
    /// Status of the turn.
    pub status: TurnStatus,
    /// The agent that runs the turn.
    pub agent_id: AgentId,
    /// The request.
    pub request: Request,
    /// The text so far. Once the turn is completed, the answer.
    pub text: String,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// The error, if the turn failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// Reason of the current status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The question that the turn waits for, about calls whose outcome is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<OutcomeQuestion>,
    /// The calls that the client has to run before the turn continues, and those that wait for a
    /// tool worker (`served`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls_waiting: Vec<WaitingCall>,
    /// The steps of the turn.
    pub steps: Vec<Step>,
    /// Statistics of the turn.
    #[serde(default)]
    pub stats: TurnStats,
    /// Whether the turn has read untrusted text, or its prompt contained some beside the message.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub tainted: bool,
    /// When a running turn in the background last showed that it is at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_at: Option<Timestamp>,
    /// Number of attempts.
    pub attempts: u32,
    /// The turn that this one retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<TurnId>,
    /// When the turn was accepted.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Sequence number of the turn's newest event.
    pub last_seq: u64,
}

impl TurnView {
    /// The waiting calls that are up to the client which sent the message. Those of tool workers
    /// are not.
    pub fn client_calls(&self) -> impl Iterator<Item = &WaitingCall> {
        self.calls_waiting.iter().filter(|call| !call.served)
    }
}

/// A page of sessions, latest activity first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPage {
    /// The sessions.
    pub data: Vec<SessionView>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of a session's turns, oldest or newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnPage {
    /// The turns.
    pub data: Vec<TurnView>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of the events of a session or of a turn, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventPage {
    /// The events.
    pub data: Vec<Event>,
    /// Sequence number of the newest event of the session or of the turn.
    pub last_seq: u64,
    /// Value of `after` for the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
