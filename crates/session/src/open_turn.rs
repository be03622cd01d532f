//! A turn that has not ended.

use protocol::{AgentId, Request, Response, StatusChanged, Text, Timestamp, Transition, TurnId, TurnStatus};
use serde::{Deserialize, Serialize};

/// A turn that has not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// Its id.
    pub id: TurnId,
    /// Who runs it.
    pub agent_id: AgentId,
    /// What was asked.
    pub request: Request,
    /// Where it stands; never a final status.
    pub status: TurnStatus,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// The number of its `message.accepted`.
    pub accepted_seq: u64,
    /// How many times it was begun.
    pub attempts: u32,
    /// The text that is in the journal so far.
    pub text: String,
    /// Length of that text in code points.
    pub text_chars: u64,
    /// The turn it tries again.
    pub retry_of: Option<TurnId>,
    /// The answer, between `chat.final` and the end.
    pub(crate) response: Option<Response>,
}

impl OpenTurn {
    /// The status change that lets it go on after an interruption.
    pub(crate) fn resumed(&self) -> StatusChanged {
        StatusChanged {
            attempt: Some(self.attempts + 1),
            // The model starts its answer over, so nothing of the earlier text can be kept.
            text_offset: Some(0),
            ..StatusChanged::to(Transition::Resumed)
        }
    }

    /// The milliseconds it may take, given the session's budget.
    pub fn time_budget_ms(&self, session_max: u64) -> u64 {
        self.request.time_budget_ms.map_or(session_max, |own| own.min(session_max))
    }

    pub(crate) fn append(&mut self, range: &Text) {
        self.status = TurnStatus::Streaming;
        self.text.push_str(&range.delta);
        self.text_chars += range.delta.chars().count() as u64;
    }

    pub(crate) fn cut_text(&mut self, offset: u64) {
        self.text = self.text.chars().take(usize::try_from(offset).unwrap_or(usize::MAX)).collect();
        self.text_chars = self.text.chars().count() as u64;
    }
}
