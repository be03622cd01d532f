//! What went wrong with a model, by what the caller can do next.

use std::time::Duration;

use crate::provider;

/// What went wrong with a model. Messages quote the provider in short and carry no secrets and no prompts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Try again later.
    #[error("{provider}: the model's provider limits the rate: {message}")]
    RateLimited {
        /// Who.
        provider: String,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
        /// What it said.
        message: String,
    },
    /// Try again, it is their fault.
    #[error("{provider}: the model's provider failed with status {status}: {message}")]
    Failed {
        /// Who.
        provider: String,
        /// The HTTP status; 200 where it failed in the middle of an answer.
        status: u16,
        /// What it said.
        message: String,
    },
    /// Try again, or check the address.
    #[error("{provider}: the model's provider cannot be reached: {message}")]
    Unreachable {
        /// Who.
        provider: String,
        /// What the network said.
        message: String,
    },
    /// Correct the configuration or the request.
    #[error(
        "{provider}: the model's provider refused with status {status}: {message}{}",
        provider::advice(provider, *status)
    )]
    Refused {
        /// Who.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// Send less.
    #[error("{provider}: the conversation is longer than the model can read: {message}")]
    TooMuchContext {
        /// Who.
        provider: String,
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
    #[error("{provider}: the model's answer broke off in the middle")]
    Cut {
        /// Who.
        provider: String,
    },
    /// The answer makes no sense.
    #[error("{provider}: the model's answer cannot be read: {message}")]
    Malformed {
        /// Who.
        provider: String,
        /// Where.
        message: String,
    },
    /// Configure the provider, or ask for another model.
    #[error("{provider}: this model provider is not configured: {hint}")]
    Unconfigured {
        /// Who.
        provider: String,
        /// What to do.
        hint: String,
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
            Self::TooMuchContext { .. } => "model_context_exceeded",
            Self::TooLong { .. } => "model_too_long",
            Self::Cut { .. } => "model_cut_off",
            Self::Malformed { .. } => "model_malformed",
            Self::Unconfigured { .. } => "model_unconfigured",
        }
    }

    /// The provider's name, where one is to blame.
    pub fn provider(&self) -> Option<&str> {
        match self {
            Self::TooLong { .. } => None,
            Self::RateLimited { provider, .. }
            | Self::Failed { provider, .. }
            | Self::Unreachable { provider, .. }
            | Self::Refused { provider, .. }
            | Self::TooMuchContext { provider, .. }
            | Self::Cut { provider }
            | Self::Malformed { provider, .. }
            | Self::Unconfigured { provider, .. } => Some(provider),
        }
    }

    /// Whether the same request may succeed without anybody changing anything.
    pub const fn is_transient(&self) -> bool {
        !matches!(self, Self::Refused { .. } | Self::TooMuchContext { .. } | Self::Unconfigured { .. })
    }

    /// Whether another model may do better with the same request. A request that is wrong in itself (400, 422) is
    /// wrong everywhere, unless the provider blames its own side: the key, the model, what the model supports.
    pub fn falls_back(&self) -> bool {
        match self {
            Self::TooLong { .. } | Self::Unconfigured { .. } => false,
            Self::Refused { status: 400 | 422, message, .. } => {
                let message = message.to_lowercase();
                ["api key", "api_key", "model", "support"].iter().any(|blamed| message.contains(blamed))
            }
            _ => true,
        }
    }

    /// Whether the model, or the server it runs on, takes no tools at all: it may answer when it is shown none.
    pub fn is_about_tools(&self) -> bool {
        let (Self::Refused { message, .. } | Self::Failed { message, .. }) = self else { return false };
        let message = message.to_lowercase();
        let names_them = message.contains("tool") || message.contains("function call");
        names_them
            && ["support", "require", "enable", "not allowed", "unknown", "unrecognized"]
                .iter()
                .any(|word| message.contains(word))
    }

    /// How long the provider asked to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
