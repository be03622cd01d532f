//! The control states of the memory agent, for clients that run conversations of their own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ContextDocument, Entry, Fact, Origin, Timestamp};

/// A control state: what one invocation of the memory agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlState {
    /// A conversation begins or continues: its context document and newest entries are read.
    StartSession,
    /// A message is stored.
    ProcessMessage,
    /// A message is stored, and the context document is written anew.
    ProcessMessageAndFlush,
    /// The conversation is over: its context document is written.
    EndSession,
}

/// The tools of the memory agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentTool {
    /// The newest context document.
    GetContext,
    /// The newest entries.
    ListEntries,
    /// Store a message.
    AddEntry,
    /// Wait until earlier writes are durable and searchable.
    AwaitConsistency,
    /// Write the next version of the context document.
    PutContext,
}

/// Runs the memory agent in a control state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlRequest {
    /// The control state. Default: the message is processed, and flushed where that is due (after
    /// six messages or 4000 tokens).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlState>,
    /// The message to process. Only the two states that process one take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<ControlMessage>,
    /// Idempotency key. For 24 hours a repeated request with the same key stores nothing again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), regex(pattern = crate::patterns::NO_CONTROL))]
    pub idempotency_key: Option<String>,
}

/// A message that the memory agent processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlMessage {
    /// Role of the speaker: `user`, `assistant`, or another role.
    #[schemars(length(min = 1, max = 40))]
    pub role: String,
    /// The text, at most 256 KiB.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub content: String,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When it was said. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Whether the text is the owner's own. Default: `untrusted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// What an invocation of the memory agent did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ControlResult {
    /// The control state that was run.
    pub control: ControlState,
    /// The tools that were called, in order.
    pub tools: Vec<AgentTool>,
    /// The entry that was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<Entry>,
    /// Facts that the entry added or ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// The context document: the existing one at the start, the new one after a flush.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextDocument>,
    /// The newest entries, at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<Entry>,
}
