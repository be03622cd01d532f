//! Tools that a client brings along and runs itself: what it offers, which calls wait for it, and what it answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AgentId, SessionId, Timestamp, TurnId};

/// A tool that the client runs itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientTool {
    /// Its name: 1 to 64 letters, digits, `_` and `-`.
    pub name: String,
    /// What it does and when to use it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of its arguments.
    #[serde(default = "no_arguments")]
    pub input_schema: Value,
}

fn no_arguments() -> Value {
    serde_json::json!({ "type": "object", "properties": {} })
}

/// What a model is to do with the client's tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It is not shown them.
    None,
    /// It has to call one of them.
    Required,
    /// It has to call this one.
    Tool(String),
}

impl ToolChoice {
    /// Whether it is left to the model.
    pub const fn is_auto(&self) -> bool {
        matches!(self, Self::Auto)
    }

    /// Whether the model has to call something.
    pub const fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }
}

/// All that a client offers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Offer {
    /// Its tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ClientTool>,
    /// What the model is to do with them.
    #[serde(skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// Whether one round may call several tools; true unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
}

impl Offer {
    /// The tools that a model is shown.
    pub fn shown(&self) -> &[ClientTool] {
        if self.tool_choice == ToolChoice::None { &[] } else { &self.tools }
    }

    /// Whether a round may call one tool only.
    pub fn is_one_at_a_time(&self) -> bool {
        self.parallel_tool_calls == Some(false)
    }
}

/// A call that waits for the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitingCall {
    /// Names the call within its turn.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: Value,
    /// How long the client is waited for.
    pub until: Timestamp,
}

/// `tool.answer`, and with the turn in its path `POST /turns/{id}/tool-results`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolAnswer {
    /// Which turn.
    pub turn_id: TurnId,
    /// What came of its calls.
    pub results: Vec<ClientResult>,
    /// What the client offers from now on; as before unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Offer>,
}

/// What came of a call that the client has run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientResult {
    /// The call.
    pub call_id: String,
    /// What the model is told.
    pub content: String,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub is_error: bool,
}

/// The answer to `tool.answer`: the results are durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolAnswered {
    /// The session.
    pub session_id: SessionId,
    /// The turn.
    pub turn_id: TurnId,
    /// Who runs it.
    pub agent_id: AgentId,
    /// What comes of the results has numbers after this one.
    pub seq: u64,
    /// The calls that still wait; the turn goes on once there are none.
    pub calls_waiting: Vec<String>,
    /// Whether all of it had been told before.
    pub duplicate: bool,
}
