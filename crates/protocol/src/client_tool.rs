//! Tools that the client runs itself: the tools it offers, the calls that wait for it, and its
//! results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AgentId, ResponseSchema, SessionId, Timestamp, TurnId};

/// A tool that the client runs itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientTool {
    /// Name of the tool: 1 to 64 letters, digits, `_` and `-`.
    #[schemars(regex(pattern = crate::patterns::CLIENT_TOOL))]
    pub name: String,
    /// What the tool does and when to use it. The model reads this.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of the arguments. Default: an object without properties.
    #[serde(default = "no_arguments")]
    pub input_schema: Value,
}

pub(crate) fn no_arguments() -> Value {
    serde_json::json!({ "type": "object", "properties": {} })
}

/// How the model uses the client's tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model does not see the client's tools.
    None,
    /// The model must call one of the client's tools.
    Required,
    /// The model must call this tool.
    Tool(String),
}

impl ToolChoice {
    /// Whether the model decides.
    pub const fn is_auto(&self) -> bool {
        matches!(self, Self::Auto)
    }

    /// Whether the model must call a tool.
    pub const fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }
}

/// The tools that a client offers, how the model uses them, and the schema of the answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClientToolOffer {
    /// The client's tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 128))]
    pub tools: Vec<ClientTool>,
    /// How the model uses the tools.
    #[serde(skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// Whether one round may call several tools. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// JSON Schema of the answer. Default: plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<ResponseSchema>,
}

impl ClientToolOffer {
    /// The tools that the model sees.
    pub fn shown(&self) -> &[ClientTool] {
        if self.tool_choice == ToolChoice::None { &[] } else { &self.tools }
    }

    /// Whether a round may call only one tool.
    pub fn is_one_at_a_time(&self) -> bool {
        self.parallel_tool_calls == Some(false)
    }
}

/// A call that waits for the client or for a tool worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitingCall {
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// The arguments as the model wrote them.
    pub arguments: Value,
    /// Deadline for the client's result.
    pub until: Timestamp,
    /// Whether a tool worker runs the call. The client that sent the message has nothing to do
    /// then.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub served: bool,
}

/// `tool.answer`, and the body of `POST /turns/{id}/tool-results`: results of calls that the client
/// has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolAnswer {
    /// The turn that waits for the results.
    pub turn_id: TurnId,
    /// The results.
    #[schemars(length(min = 1))]
    pub results: Vec<ClientResult>,
    /// Replaces the tools that the client offers, and the schema of the answer. Default: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<ClientToolOffer>,
}

/// The result of a call that the client has run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientResult {
    /// Id of the call within the turn.
    pub call_id: String,
    /// The result as the model reads it.
    pub content: String,
    /// Whether the call failed. Default: false.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub is_error: bool,
}

/// The answer to `tool.answer`. The results are durable when it arrives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolAnswered {
    /// The session of the turn.
    pub session_id: SessionId,
    /// The turn.
    pub turn_id: TurnId,
    /// The agent that runs the turn.
    pub agent_id: AgentId,
    /// Sequence number of the event with the last of these results. Events that follow from the
    /// results have higher numbers.
    pub seq: u64,
    /// Ids of the calls that still wait. The turn continues when the list is empty.
    pub calls_waiting: Vec<String>,
    /// Whether all results were known already, so that nothing changed.
    pub duplicate: bool,
}
