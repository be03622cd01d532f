//! Errors as clients see them, each with a hint on what to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TurnId;

/// Error code, the same in all APIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request is malformed.
    InvalidRequest,
    /// The token is missing or wrong.
    Unauthorized,
    /// `Host` or `Origin` is not the server's own.
    Forbidden,
    /// The owner has no such resource.
    NotFound,
    /// The path does not support this method.
    MethodNotAllowed,
    /// The idempotency key was used with another request.
    IdempotencyConflict,
    /// The session was changed in the meantime.
    VersionConflict,
    /// The name belongs to a session with other settings.
    NameConflict,
    /// The session has ended.
    SessionEnded,
    /// The session has expired.
    SessionExpired,
    /// Another turn runs, and `on_busy` is `reject`.
    Busy,
    /// The queue of the session is full.
    QueueFull,
    /// The turn has already ended.
    AlreadyFinal,
    /// The turn has not ended yet.
    TurnOpen,
    /// The turn is already running or queued.
    NotResumable,
    /// The turn waits for the outcome of a call.
    OutcomeNeeded,
    /// The request for approval is settled, or has another digest.
    ApprovalSettled,
    /// Another client or agent holds the lock of the window.
    Locked,
    /// The policy forbids it.
    PolicyDenied,
    /// No provider is configured for that model.
    UnknownModel,
    /// The request is too large.
    TooLarge,
    /// The JSON is nested too deeply.
    TooDeep,
    /// The request's body did not arrive in time.
    RequestTimeout,
    /// Too many requests.
    RateLimited,
    /// Too many connections.
    TooManyConnections,
    /// The owner's quota is exhausted.
    QuotaExceeded,
    /// The server cannot write or read its store, or is stopping.
    Unavailable,
    /// The stored data is damaged. A retry does not help.
    Damaged,
    /// Internal error of the server.
    Internal,
}

/// An error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// Error code.
    pub code: Code,
    /// Error message.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The turn that the error is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Milliseconds to wait before a retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Problem {
    /// An error with its hint.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), turn_id: None, retry_after_ms: None }
    }

    /// Adds the turn that the error is about.
    #[must_use]
    pub const fn about(mut self, turn_id: TurnId) -> Self {
        self.turn_id = Some(turn_id);
        self
    }
}
