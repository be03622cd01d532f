//! State that outlives its turn: saved approvals, pins, an open question to the user.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ApprovalDecision, ApprovalRequest, MemoryWritten, Origin, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

use crate::limits::SAVED_APPROVALS_MAX;

/// Decisions that are saved for the rest of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SavedApprovals {
    always: BTreeSet<String>,
    never: BTreeSet<String>,
}

impl SavedApprovals {
    /// Whether this exact call, by its digest, is always allowed.
    pub fn allows(&self, digest: &str) -> bool {
        self.always.contains(digest)
    }

    /// Whether the tool is forbidden.
    pub fn forbids(&self, tool: &str) -> bool {
        self.never.contains(tool)
    }

    pub(crate) fn take_in(&mut self, request: &ApprovalRequest, decision: ApprovalDecision) {
        match decision {
            // An approval covers a single call, so there may be many. Beyond the limit each call is
            // asked about again.
            ApprovalDecision::Always if self.always.len() < SAVED_APPROVALS_MAX => {
                self.always.insert(request.digest.clone());
            }
            ApprovalDecision::Never => {
                self.never.insert(request.tool.clone());
            }
            _ => {}
        }
    }
}

/// Text that is in the prompt of every later turn of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The text.
    pub text: String,
    /// The origin of the text.
    pub origin: Origin,
    /// When it was pinned.
    pub at: Timestamp,
    /// The turn that pinned it.
    pub turn_id: Option<TurnId>,
}

/// Pins by name.
pub type Pins = BTreeMap<String, Pin>;

pub(crate) fn pin(pins: &mut Pins, written: &MemoryWritten, at: Timestamp, turn_id: Option<TurnId>) {
    match &written.value {
        Some(text) => {
            let pin = Pin { text: text.clone(), origin: written.origin, at, turn_id };
            pins.insert(written.key.clone(), pin);
        }
        None => {
            pins.remove(&written.key);
        }
    }
}

/// A question to the user that the next message answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The turn that asked.
    pub turn_id: TurnId,
    /// The message that was not clear.
    pub message: String,
    /// The question.
    pub question: String,
}

/// A change of the session's model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSwitch {
    /// The model before the change; `None` is the server's default.
    pub from: Option<String>,
    /// The sequence number of the change.
    pub seq: u64,
}
