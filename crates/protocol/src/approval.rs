//! Approvals: a person is asked before a call runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ApprovalId, Effect, Safety, SessionId, Timestamp, TurnId};

/// A call that a person has to allow. It stands for exactly this call: tool and arguments are what the digest is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequest {
    /// Its id.
    pub approval_id: ApprovalId,
    /// The turn that asks.
    pub turn_id: TurnId,
    /// The call within the turn.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The exact arguments, whole.
    pub arguments: serde_json::Value,
    /// SHA-256 of tool and arguments in canonical form.
    pub digest: String,
    /// What it touches.
    pub safety: Safety,
    /// What running it again would do.
    pub effect: Effect,
    /// Why it needs asking.
    pub reason: String,
    /// When silence becomes a no.
    pub expires_at: Timestamp,
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// This call may run, once.
    Once,
    /// This call may run, and in this session the same tool with the same arguments may again.
    Always,
    /// This call may not run.
    Deny,
    /// This call may not run, and in this session the tool may not any more.
    Never,
}

impl Decision {
    /// Whether the call may run.
    pub const fn allows(self) -> bool {
        matches!(self, Self::Once | Self::Always)
    }
}

/// How a question was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettledBy {
    /// The owner said so.
    Owner,
    /// Nobody answered in time.
    Expiry,
    /// The turn ended.
    TurnEnd,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalResolved {
    /// The question.
    pub approval_id: ApprovalId,
    /// The answer.
    pub decision: Decision,
    /// Who settled it.
    pub by: SettledBy,
}

/// `approval.answer`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAnswer {
    /// The question.
    pub approval_id: ApprovalId,
    /// The answer.
    pub decision: Decision,
    /// Refuse if the question is not about this digest: whoever answers means exactly what they saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// An open question as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalView {
    /// The session it came up in.
    pub session_id: SessionId,
    /// The question.
    #[serde(flatten)]
    pub request: ApprovalRequest,
}

/// Open questions, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalPage {
    /// The questions.
    pub data: Vec<ApprovalView>,
}
