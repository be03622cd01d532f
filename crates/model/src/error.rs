//! What went wrong with a model, by what the caller can do next.

use std::time::Duration;

/// What went wrong with a model. Messages quote the provider in short and carry no secrets and no prompts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Try again later.
    #[error("the model's provider limits the rate: {message}")]
    RateLimited {
        /// How long it asked to wait.
        retry_after: Option<Duration>,
        /// What it said.
        message: String,
    },
    /// Try again, it is their fault.
    #[error("the model's provider failed with status {status}: {message}")]
    Failed {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// Try again, or check the address.
    #[error("the model's provider cannot be reached: {message}")]
    Unreachable {
        /// What the network said.
        message: String,
    },
    /// Correct the configuration or the request.
    #[error("the model's provider refused with status {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// The answer does not end.
    #[error("the model's answer has more than {bytes_max} bytes")]
    TooLong {
        /// What was allowed.
        bytes_max: usize,
    },
    /// The answer broke off.
    #[error("the model's answer broke off in the middle")]
    Cut,
    /// The answer makes no sense.
    #[error("the model's answer cannot be read: {message}")]
    Malformed {
        /// Where.
        message: String,
    },
}

impl Error {
    /// A word for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "model_rate_limited",
            Self::Failed { .. } => "model_failed",
            Self::Unreachable { .. } => "model_unreachable",
            Self::Refused { .. } => "model_refused",
            Self::TooLong { .. } => "model_too_long",
            Self::Cut => "model_cut_off",
            Self::Malformed { .. } => "model_malformed",
        }
    }

    /// Whether the same request may succeed without anybody changing anything.
    pub const fn is_transient(&self) -> bool {
        !matches!(self, Self::Refused { .. })
    }

    /// How long the provider asked to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
