//! Changes of a turn's status.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{TurnError, TurnStatus, Usage};

/// A change of a turn's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transition {
    /// The turn continues after an interruption. Text from `text_offset` on is sent again.
    Resumed,
    /// The turn waits for an answer of a person.
    Waiting,
    /// The server stopped while the turn ran.
    Interrupted,
    /// The turn is to be paused once its running calls have their results.
    Pausing,
    /// The turn was paused.
    Paused,
    /// The turn was answered.
    Completed,
    /// The turn failed with an error.
    Failed,
    /// The turn was cancelled.
    Cancelled,
    /// The turn exceeded its time.
    Expired,
}

impl Transition {
    /// The turn's status after the change.
    pub const fn status(self) -> TurnStatus {
        match self {
            Self::Resumed | Self::Pausing => TurnStatus::Running,
            Self::Waiting => TurnStatus::Waiting,
            Self::Interrupted => TurnStatus::Interrupted,
            Self::Paused => TurnStatus::Paused,
            Self::Completed => TurnStatus::Completed,
            Self::Failed => TurnStatus::Failed,
            Self::Cancelled => TurnStatus::Cancelled,
            Self::Expired => TurnStatus::Expired,
        }
    }
}

/// A change of a turn's status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusChanged {
    /// The change.
    pub status: Transition,
    /// Reason of the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The error, with `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// With `resumed`: number of the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// With `resumed`: text from this offset on is void and is sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_offset: Option<u64>,
    /// With `waiting`: the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<OutcomeQuestion>,
    /// Usage of a turn that ended without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A question that only a person can answer: did these calls take effect?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeQuestion {
    /// The question as text.
    pub text: String,
    /// The calls it is about.
    pub calls: Vec<DoubtfulCall>,
}

/// A call whose outcome is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DoubtfulCall {
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// The complete arguments of the call.
    pub arguments: serde_json::Value,
}

impl StatusChanged {
    /// A change without further details.
    pub const fn to(status: Transition) -> Self {
        Self { status, reason: None, error: None, attempt: None, text_offset: None, question: None, usage: None }
    }

    /// Adds a reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}
