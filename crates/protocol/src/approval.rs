//! Approvals: a person decides before a call runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ApprovalId, Effect, Safety, SessionId, Timestamp, TurnId};

/// A call that needs approval. The approval covers exactly this call: the digest is computed from
/// the tool and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequest {
    /// Id of the approval.
    pub approval_id: ApprovalId,
    /// The turn that requested the call.
    pub turn_id: TurnId,
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// The complete arguments of the call.
    pub arguments: serde_json::Value,
    /// SHA-256 of tool and arguments in canonical form, in hexadecimal.
    pub digest: String,
    /// What the call accesses or changes.
    pub safety: Safety,
    /// What happens if the call runs more than once.
    pub effect: Effect,
    /// Why the call needs approval.
    pub reason: String,
    /// The question in plain words, in the user's language, such as "Shall I unlock the front
    /// door?". Absent if the tool has none for such arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// When the request expires. A request without an answer is denied at this time.
    pub expires_at: Timestamp,
}

/// The answer to a request for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// The call may run once.
    Once,
    /// The call may run. Later calls of the same tool with the same arguments may run in this
    /// session without a new request.
    Always,
    /// The call may not run.
    Deny,
    /// The call may not run. Later calls of the same tool are denied in this session without a new
    /// request.
    Never,
}

impl ApprovalDecision {
    /// Whether the call may run.
    pub const fn allows(self) -> bool {
        matches!(self, Self::Once | Self::Always)
    }
}

/// How a request was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettledBy {
    /// The owner answered.
    Owner,
    /// No answer came in time.
    Expiry,
    /// The turn ended.
    TurnEnd,
}

/// A request for approval was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalResolved {
    /// Id of the approval.
    pub approval_id: ApprovalId,
    /// The decision.
    pub decision: ApprovalDecision,
    /// How the request was settled.
    pub by: SettledBy,
}

/// `approval.answer`: answers a request for approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAnswer {
    /// Id of the approval.
    pub approval_id: ApprovalId,
    /// The decision.
    pub decision: ApprovalDecision,
    /// Digest of the call that the caller saw. The server refuses the answer if the request has
    /// another digest. Default: not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// An open request for approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalView {
    /// The session of the turn that requested the call.
    pub session_id: SessionId,
    /// The request.
    #[serde(flatten)]
    pub request: ApprovalRequest,
}

/// Open requests for approval, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalPage {
    /// The requests.
    pub data: Vec<ApprovalView>,
}
