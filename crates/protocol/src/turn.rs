//! The parts of a turn: request, stages, steps, response, error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command::PlannerHints;

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Accepted, waiting for the agent.
    Pending,
    /// The agent works on it.
    Running,
    /// The first words are out.
    Streaming,
    /// It needs an answer from somebody.
    Waiting,
    /// Answered.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended by a cancel.
    Cancelled,
    /// Ended because its time ran out.
    Expired,
    /// The server stopped while it ran; it can be resumed.
    Interrupted,
}

impl TurnStatus {
    /// Whether nothing can change it any more.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Expired)
    }

    /// Whether it goes on by itself, so that waiting for it makes sense.
    pub const fn is_moving(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Streaming)
    }
}

/// The five stages of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The message is taken up.
    Receive,
    /// What is meant.
    Understand,
    /// Which way to go.
    Plan,
    /// Thinking and acting.
    Execute,
    /// The answer is given and written down.
    Complete,
}

/// What a turn was asked: kept with it, so that it can be resumed and retried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The user's words.
    pub message: String,
    /// A model for this turn only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether tools may be called.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub allow_tools: bool,
    /// Rounds of thinking and acting, if other than the session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Milliseconds this turn may take, if other than the session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_ms: Option<u64>,
    /// Hints for the planner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_hints: Option<PlannerHints>,
}

pub(crate) const fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_yes(value: &bool) -> bool {
    *value
}

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// What the agent means to do.
    Plan,
    /// A tool is about to be called.
    ToolCall,
    /// What the tool answered.
    ToolResult,
    /// Something was looked up.
    Retrieval,
    /// Something happened that the agent took note of.
    ObservedEvent,
    /// Something was condensed.
    Summary,
    /// Something went wrong and the turn went on.
    Error,
}

/// One durable thing that happened inside a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: StepKind,
    /// What happened.
    pub detail: serde_json::Value,
}

/// Tokens a model counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
}

/// What a turn answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The whole answer.
    pub message: String,
    /// Who answered.
    pub model: String,
    /// Tokens, where the provider counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Why a turn failed, and whether trying again can help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnError {
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// Whether a retry may succeed without anybody changing anything.
    pub recoverable: bool,
    /// More, by code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}
