//! What outlives the turn that brought it up: standing answers, pins, a question to the user.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ApprovalRequest, Decision, MemoryWritten, Origin, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

use crate::limits::STANDING_MAX;

/// Answers that hold for the rest of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Standing {
    always: BTreeSet<String>,
    never: BTreeSet<String>,
}

impl Standing {
    /// Whether exactly this call, by its digest, may always run.
    pub fn allows(&self, digest: &str) -> bool {
        self.always.contains(digest)
    }

    /// Whether the tool may not run any more.
    pub fn forbids(&self, tool: &str) -> bool {
        self.never.contains(tool)
    }

    pub(crate) fn take_in(&mut self, request: &ApprovalRequest, decision: Decision) {
        match decision {
            // A permission is narrow, so there may be many; past the limit each is simply asked for again.
            Decision::Always if self.always.len() < STANDING_MAX => {
                self.always.insert(request.digest.clone());
            }
            Decision::Never => {
                self.never.insert(request.tool.clone());
            }
            _ => {}
        }
    }
}

/// Text that every later turn of the session is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The text.
    pub text: String,
    /// Whose words it is.
    pub origin: Origin,
    /// Since when.
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
pub struct Switched {
    /// The model before, by name; none is the server's default.
    pub from: Option<String>,
    /// The number of the change.
    pub seq: u64,
}
