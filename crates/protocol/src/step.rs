//! Steps of a turn. Each is stored in the journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ApprovalId, ArtifactId, Citation, Effect, Origin, StopReason, Timestamp, Usage};

/// A step of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "detail", rename_all = "snake_case")]
pub enum Step {
    /// The model's next calls.
    Plan(Plan),
    /// A tool call is about to run.
    ToolCall(ToolCall),
    /// The result of a tool call.
    ToolResult(ToolResult),
    /// A retrieval from a source.
    Retrieval(Value),
    /// An observation of the agent.
    ObservedEvent(Observation),
    /// A text was summarized.
    Summary(Summary),
    /// An error that did not end the turn.
    Error(StepError),
}

/// A round of the model: the calls that it requests after its text so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Plan {
    /// Number of the round, from 1.
    pub round: u32,
    /// The requested calls. Empty if the model continues after a message that was added to the
    /// turn.
    pub calls: Vec<PlannedCall>,
    /// How many messages added to the turn the model had seen.
    #[serde(skip_serializing_if = "is_zero")]
    pub steers: u32,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Usage of the round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why the round's text ended. After `length` the model is asked to continue.
    #[serde(skip_serializing_if = "StopReason::is_complete")]
    pub stop_reason: StopReason,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A call that the model requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCall {
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool as the model wrote it.
    pub tool: String,
    /// The arguments as the model wrote them.
    pub arguments: Value,
    /// Opaque data that the provider expects back with the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
    /// Whether the model had looked up the tool and called it through `use_tool`.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub looked_up: bool,
}

/// A call that is about to run. It is in the journal before it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// What happens if the call runs more than once.
    #[serde(default)]
    pub effect: Effect,
    /// Idempotency key for a tool that supports one.
    #[serde(default)]
    pub key: String,
    /// The approval under which the call runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// Deadline for the result, if the client or a tool worker runs the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_until: Option<Timestamp>,
    /// Whether a tool worker runs the tool.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub served: bool,
}

/// Status of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The call ran.
    #[default]
    Ok,
    /// The call failed or could not run.
    Error,
    /// The policy or a person denied the call.
    Denied,
    /// The turn ended before the call ran or while it ran.
    Cancelled,
    /// The call was interrupted, and a person stated that it took effect.
    Assumed,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult {
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// Status of the call.
    #[serde(default)]
    pub status: CallStatus,
    /// The result as the model reads it.
    pub content: String,
    /// Whether the result is trusted.
    #[serde(default)]
    pub origin: Origin,
    /// The artifact with the complete result, if it was too large for the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<ArtifactId>,
    /// Sources of the result. An answer cites them in square brackets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Citation>,
    /// Duration of the call in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// An observation of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Kind of the observation.
    pub kind: ObservationKind,
    /// The call that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Description.
    #[serde(default)]
    pub message: String,
    /// Name of the tool worker that it is about. Absent for a worker without a name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

/// Kind of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObservationKind {
    /// A person stated that a call with an unknown outcome did not take effect. It is run again.
    CallDidNotHappen,
    /// A budget is exhausted. The turn ends with its results so far.
    BudgetSpent,
    /// A call is about to be sent to a tool worker. From here on it may have run.
    CallDelivered,
}

/// A summary of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Purpose of the summary, for example `transfer`.
    pub kind: String,
    /// The summary.
    pub text: String,
}

/// An error that did not end the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepError {
    /// Error code.
    pub code: String,
    /// Error message.
    #[serde(default)]
    pub message: String,
    /// The model that caused the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Milliseconds until the same model is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_in_ms: Option<u64>,
    /// The model that is used instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}
