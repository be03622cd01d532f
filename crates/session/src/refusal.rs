//! Why a command is refused. Nothing is written then.

use protocol::TurnId;

use crate::limits::{EXCERPT_CHARS_MAX, IDEMPOTENCY_KEY_CHARS_MAX, MESSAGE_BYTES_MAX, QUEUE_MAX, TIME_BUDGET_MS_MAX};

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The session is over.
    #[error("the session has ended")]
    Ended,
    /// Nothing was said.
    #[error("the message is empty")]
    EmptyMessage,
    /// Too much was said.
    #[error("the message has {bytes} bytes; at most {MESSAGE_BYTES_MAX} are taken")]
    MessageTooLarge {
        /// How much.
        bytes: usize,
    },
    /// Not a usable key.
    #[error("an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARS_MAX} characters")]
    BadKey,
    /// Not a usable time budget.
    #[error("a time budget lies between 1 and {TIME_BUDGET_MS_MAX} ms")]
    BadTimeBudget,
    /// Not a usable number of steps.
    #[error("a turn needs at least one step")]
    NoSteps,
    /// The key was used for something else.
    #[error("the idempotency key was used before with another body")]
    KeyConflict {
        /// The turn it made then.
        turn_id: TurnId,
    },
    /// Somebody was faster.
    #[error("the session is at version {actual}, not {expected}")]
    VersionConflict {
        /// What the caller had seen.
        expected: u64,
        /// What it is.
        actual: u64,
    },
    /// Another turn runs and the caller did not want to wait.
    #[error("the agent is busy with turn {running}")]
    Busy {
        /// Which.
        running: TurnId,
    },
    /// The line is too long.
    #[error("{QUEUE_MAX} turns are waiting already; the message \"{excerpt}\" was not accepted")]
    QueueFull {
        /// The beginning of the message.
        excerpt: String,
    },
    /// The turn has ended.
    #[error("the turn has ended")]
    AlreadyFinal,
    /// The turn has not ended.
    #[error("the turn has not ended")]
    TurnOpen,
    /// The turn runs or waits in the queue.
    #[error("the turn is not interrupted")]
    NotInterrupted,
}

impl Refusal {
    pub(crate) fn queue_full(message: &str) -> Self {
        let mut excerpt: String = message.chars().take(EXCERPT_CHARS_MAX).collect();
        if excerpt.len() < message.len() {
            excerpt.push('…');
        }
        Self::QueueFull { excerpt }
    }
}
