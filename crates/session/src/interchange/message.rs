//! The common form of a message, independent of the format it was written in.

use std::collections::BTreeMap;

use protocol::{Image, SessionId, SessionName, Timestamp, TurnId, Usage};
use serde_json::Value;

/// The role of a message's author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The system prompt.
    System,
    /// The user.
    User,
    /// The agent.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The role of its author.
    pub role: Role,
    /// The text.
    pub text: String,
    /// The images of a user's message.
    pub images: Vec<Image>,
    /// The calls that an agent's message asks for.
    pub calls: Vec<MessageCall>,
    /// The call that a tool's message answers.
    pub answers: Option<AnsweredCall>,
    /// Metadata.
    pub about: MessageMeta,
}

/// A call that an agent asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageCall {
    /// Identifies the call among the calls of its message.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
}

/// The call that a tool's message answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredCall {
    /// The call.
    pub call_id: String,
    /// The tool, if it is named.
    pub tool: Option<String>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// Metadata of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MessageMeta {
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The turn it is part of.
    pub turn_id: Option<TurnId>,
    /// The model that wrote it, if one did.
    pub model: Option<String>,
    /// The usage of the round that wrote it. All of a turn together are the usage of the turn.
    pub usage: Option<Usage>,
}

impl MessageMeta {
    /// Adds the usage of another message that is joined with this one.
    #[must_use]
    pub(super) fn with_usage_of(mut self, other: Option<Usage>) -> Self {
        self.usage = match (self.usage, other) {
            (Some(own), Some(other)) => Some(other.plus(own)),
            (own, other) => own.or(other),
        };
        self
    }
}

impl Message {
    /// A message of plain text.
    pub fn text(role: Role, text: impl Into<String>, about: MessageMeta) -> Self {
        Self { role, text: text.into(), images: Vec::new(), calls: Vec::new(), answers: None, about }
    }
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversation {
    /// Its id, if it is a session.
    pub session_id: Option<SessionId>,
    /// The client's own name for the session.
    pub name: Option<SessionName>,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// The time of the last event.
    pub updated_at: Option<Timestamp>,
    /// The sequence number of its newest event.
    pub last_seq: u64,
    /// The model that is configured for it.
    pub model: Option<String>,
    /// The latest summary.
    pub summary: Option<String>,
    /// Other values that the client has set for it.
    pub values: BTreeMap<String, Value>,
    /// The messages.
    pub messages: Vec<Message>,
}
