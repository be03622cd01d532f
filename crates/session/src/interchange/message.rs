//! A message, whoever wrote it down.

use std::collections::BTreeMap;

use protocol::{Image, SessionId, SessionName, Timestamp, TurnId, Usage};
use serde_json::Value;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Whoever has set the conversation up.
    System,
    /// The user.
    User,
    /// The agent.
    Assistant,
    /// A tool that was called.
    Tool,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The words.
    pub text: String,
    /// Pictures of a user's message.
    pub images: Vec<Image>,
    /// Calls that an agent's message asks for.
    pub calls: Vec<Called>,
    /// What a tool's message answers.
    pub answers: Option<Answered>,
    /// What else is known of it.
    pub about: About,
}

/// A call that an agent asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// Names it among the calls of its message.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
}

/// The call that a tool's message answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The call.
    pub call_id: String,
    /// The tool, where it is named.
    pub tool: Option<String>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// What else is known of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct About {
    /// When it was said.
    pub at: Option<Timestamp>,
    /// The turn it is part of.
    pub turn_id: Option<TurnId>,
    /// Who wrote it, where a model did.
    pub model: Option<String>,
    /// What its turn has used, with the last message of one.
    pub usage: Option<Usage>,
}

impl Message {
    /// Plain words.
    pub fn text(role: Role, text: impl Into<String>, about: About) -> Self {
        Self { role, text: text.into(), images: Vec::new(), calls: Vec::new(), answers: None, about }
    }
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversation {
    /// Its id, if it is a session.
    pub session_id: Option<SessionId>,
    /// The client's own name for it.
    pub name: Option<SessionName>,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// The number of its newest event.
    pub last_seq: u64,
    /// The model that it is set to.
    pub model: Option<String>,
    /// What it came to, in the words of whoever summed it up last.
    pub summary: Option<String>,
    /// What else the client has set for it.
    pub values: BTreeMap<String, Value>,
    /// What was said.
    pub messages: Vec<Message>,
}
