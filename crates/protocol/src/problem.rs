//! What went wrong, said so that the reader knows what to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TurnId;

/// A word for programs, the same on every door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request cannot be understood.
    InvalidRequest,
    /// No token, or a wrong one.
    Unauthorized,
    /// A foreign Host or Origin.
    Forbidden,
    /// No such thing for this owner.
    NotFound,
    /// The path knows other methods.
    MethodNotAllowed,
    /// The idempotency key was used with another body.
    IdempotencyConflict,
    /// Somebody changed the session in between.
    VersionConflict,
    /// The name is taken by a session with other settings.
    NameConflict,
    /// The session is over.
    SessionEnded,
    /// The session was idle for too long and is over.
    SessionExpired,
    /// Another turn runs, and `on_busy` said `reject`.
    Busy,
    /// The queue of the session is full.
    QueueFull,
    /// The turn has ended.
    AlreadyFinal,
    /// The turn has not ended.
    TurnOpen,
    /// The turn runs or waits its turn already.
    NotResumable,
    /// The turn waits to be told what became of a call.
    OutcomeNeeded,
    /// The question is settled, or was about something else.
    ApprovalSettled,
    /// Somebody else holds the lock of the window.
    Locked,
    /// Policy forbids it.
    PolicyDenied,
    /// No provider is configured for that model.
    UnknownModel,
    /// More bytes than allowed.
    TooLarge,
    /// JSON nested deeper than allowed.
    TooDeep,
    /// The request's body did not come in time.
    RequestTimeout,
    /// Too many requests.
    RateLimited,
    /// Too many connections.
    TooManyConnections,
    /// The owner uses all that they may of something.
    QuotaExceeded,
    /// The server cannot write or read its store, or is stopping.
    Unavailable,
    /// What is stored is damaged: it is not what was written. Trying again does not help.
    Damaged,
    /// A fault of ours.
    Internal,
}

/// An error as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// A word for programs.
    pub code: Code,
    /// What was wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// The turn it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// How long to wait before trying again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Problem {
    /// An error with its advice.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), turn_id: None, retry_after_ms: None }
    }

    /// The same, about one turn.
    #[must_use]
    pub const fn about(mut self, turn_id: TurnId) -> Self {
        self.turn_id = Some(turn_id);
        self
    }
}
