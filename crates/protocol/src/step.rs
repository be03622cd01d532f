//! Steps: the durable things that happen inside a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ApprovalId, ArtifactId, Citation, Effect, Origin, StopReason, Timestamp, Usage};

/// One durable thing that happened inside a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "detail", rename_all = "snake_case")]
pub enum Step {
    /// What the model means to do next.
    Plan(Plan),
    /// A tool is about to be called.
    ToolCall(ToolCall),
    /// What came of a call.
    ToolResult(ToolResult),
    /// Something was looked up.
    Retrieval(Value),
    /// Something happened that the agent took note of.
    ObservedEvent(Observed),
    /// Something was condensed.
    Summary(Summary),
    /// Something went wrong and the turn went on.
    Error(StepError),
}

/// A round of the model: its words so far, and the calls it asks for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Plan {
    /// Which round, from 1.
    pub round: u32,
    /// The calls it asks for; none when it goes on after a message that came in between.
    pub calls: Vec<PlannedCall>,
    /// How many of the messages that came in between the model had seen.
    #[serde(skip_serializing_if = "is_zero")]
    pub steers: u32,
    /// Who answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the round took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why its words ended; after `length` the model is asked to go on where it stopped.
    #[serde(skip_serializing_if = "StopReason::is_complete")]
    pub stop_reason: StopReason,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A call that the model asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCall {
    /// Names the call within the turn.
    pub call_id: String,
    /// The tool, as the model wrote it.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: Value,
    /// What the provider wants to see again with the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
    /// Whether the model had looked the tool up and called it by `use_tool`.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub looked_up: bool,
}

/// A call that is about to run. It is in the journal before it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// What running it again would do.
    #[serde(default)]
    pub effect: Effect,
    /// The key that makes running it again harmless where the tool understands it.
    #[serde(default)]
    pub key: String,
    /// The approval it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// How long the client is waited for, where the tool is the client's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_until: Option<Timestamp>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It ran.
    #[default]
    Ok,
    /// It ran and failed, or could not run.
    Error,
    /// Policy or a person refused it.
    Denied,
    /// The turn ended before it ran or while it ran.
    Cancelled,
    /// It was cut off, and a person said that it had happened.
    Assumed,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// What became of it.
    #[serde(default)]
    pub status: CallStatus,
    /// What the model is told.
    pub content: String,
    /// Whose words that is.
    #[serde(default)]
    pub origin: Origin,
    /// Where the whole answer is, when it was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<ArtifactId>,
    /// What it rests on, to be cited by its source in square brackets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Citation>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Something the agent took note of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// What kind of thing.
    pub kind: ObservedKind,
    /// The call it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// In words.
    #[serde(default)]
    pub message: String,
}

/// A kind of thing that an agent takes note of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObservedKind {
    /// A person says that a call in doubt did not happen: it is run anew.
    CallDidNotHappen,
    /// A budget ran out: the turn ends with what it has.
    BudgetSpent,
}

/// Something condensed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// What for, as in `transfer`.
    pub kind: String,
    /// The condensed text.
    pub text: String,
}

/// Something that went wrong and did not end the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepError {
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    #[serde(default)]
    pub message: String,
    /// The model it happened with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How long until the same is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_in_ms: Option<u64>,
    /// The model that is asked instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}
