//! What can be read: sessions and turns as they stand, computed from the journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Event, ForkOrigin, OwnerId, Request, Response, SessionId, SessionName, Settings, Step, Timestamp, TurnError,
    TurnId, TurnStatus,
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
    /// When something last happened.
    pub updated_at: Timestamp,
    /// What it is set to.
    pub settings: Settings,
    /// What it has used.
    pub stats: Stats,
    /// Turns that have not ended, oldest first.
    pub open_turns: Vec<TurnId>,
    /// The beginning of its first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
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
    /// What happened inside it.
    pub steps: Vec<Step>,
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

/// A page of a session's turns, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnPage {
    /// The turns.
    pub data: Vec<TurnView>,
    /// Where the next page begins; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of a session's events, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventPage {
    /// The events.
    pub data: Vec<Event>,
    /// The number of the session's newest event.
    pub last_seq: u64,
    /// The number to pass as `after` for the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
