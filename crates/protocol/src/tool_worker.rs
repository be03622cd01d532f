//! Tool workers: clients that serve tools to every session of their owner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AgentId, ClientTool, Effect, SessionId, Timestamp, TurnId, client_tool::no_arguments};

/// A tool that a worker serves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServedTool {
    /// Name of the tool: 1 to 64 letters, digits, `_` and `-`.
    pub name: String,
    /// What the tool does and when to use it. The model reads this.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of the arguments. Default: an object without properties.
    #[serde(default = "no_arguments")]
    pub input_schema: Value,
    /// What happens if a call runs more than once. Default: `at_most_once`.
    #[serde(default, skip_serializing_if = "ServedEffect::is_at_most_once")]
    pub effect: ServedEffect,
}

impl ServedTool {
    /// The tool as a client that sends a message would offer it.
    pub fn as_client_tool(&self) -> ClientTool {
        let Self { name, description, input_schema, .. } = self.clone();
        ClientTool { name, description, input_schema }
    }
}

/// What happens if a call of a worker's tool runs more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServedEffect {
    /// The call must not run twice. After a lost connection only the same worker gets it again.
    #[default]
    AtMostOnce,
    /// A repetition is harmless. After a lost connection any worker of the tool gets the call.
    Idempotent,
}

impl ServedEffect {
    /// Whether this is the default.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    const fn is_at_most_once(&self) -> bool {
        matches!(self, Self::AtMostOnce)
    }
}

impl From<ServedEffect> for Effect {
    fn from(effect: ServedEffect) -> Self {
        match effect {
            ServedEffect::AtMostOnce => Self::AtMostOnce,
            ServedEffect::Idempotent => Self::Idempotent,
        }
    }
}

/// `tool.serve`: the tools that this connection serves from now on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolServe {
    /// The tools, at most 128. They replace the connection's earlier ones; an empty list stops
    /// serving.
    pub tools: Vec<ServedTool>,
    /// Name of the worker across connections, 1 to 64 characters. Default: a new one for each
    /// connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

/// The answer to `tool.serve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolServing {
    /// Name of the worker.
    pub worker: String,
    /// Names of the tools that it serves now.
    pub tools: Vec<String>,
}

/// `tool.call`: a call that the worker has to run. Its result is sent with `tool.answer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServedCall {
    /// The session.
    pub session_id: SessionId,
    /// The turn that waits for the result.
    pub turn_id: TurnId,
    /// The agent that runs the turn.
    pub agent_id: AgentId,
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// The arguments as the model wrote them.
    pub arguments: Value,
    /// Deadline for the result.
    pub until: Timestamp,
    /// Idempotency key of the call, the same in every delivery.
    pub key: String,
    /// Whether the call was delivered before, to this worker or another, so that it may have run.
    pub redelivered: bool,
}

/// `tool.cancel`: a delivered call whose result is no longer needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServedCallCancel {
    /// The turn.
    pub turn_id: TurnId,
    /// Id of the call within the turn.
    pub call_id: String,
    /// Why: the turn's status (`cancelled`, `expired`, `failed`, `completed`), `deadline` if the
    /// call's own time is over, `answered` if another client has sent the result, `replaced` if
    /// another connection serves as this worker now, or `deleted` with its session.
    pub reason: String,
}

/// `tool.progress` of a worker: progress of a call, for those who follow the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServedCallProgress {
    /// The turn.
    pub turn_id: TurnId,
    /// Id of the call within the turn.
    pub call_id: String,
    /// What the tool is doing. At most 500 characters are shown.
    #[serde(default)]
    pub message: String,
    /// Part of the work that is done, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
}

/// The answer to `tool.progress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgressTaken {
    /// Whether it was passed on. More than ten reports of a call in a second are dropped.
    pub shown: bool,
}
