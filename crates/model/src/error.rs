//! Errors of models, named after what the caller can do next.

use std::time::Duration;

use crate::provider;

/// The part of a message that marks a provider's silence; [`Error::is_timeout`] looks for it.
pub(crate) const SILENT: &str = "silent for";

/// Why a model did not answer. Messages quote the provider in short and contain neither secrets nor
/// prompts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Try again later.
    #[error("{provider}: the model's provider limits the rate: {message}")]
    RateLimited {
        /// The provider.
        provider: String,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
        /// Its message.
        message: String,
    },
    /// Try again: the provider failed.
    #[error("{provider}: the model's provider failed with status {status}: {message}")]
    Failed {
        /// The provider.
        provider: String,
        /// The HTTP status; 200 where it failed in the middle of an answer.
        status: u16,
        /// How long the provider asked to wait.
        retry_after: Option<Duration>,
        /// Its message.
        message: String,
    },
    /// Try again, or check the address.
    #[error("{provider}: the model's provider cannot be reached: {message}")]
    Unreachable {
        /// The provider.
        provider: String,
        /// The network error.
        message: String,
    },
    /// Correct the configuration or the request: the provider refused it.
    #[error(
        "{provider}: the model's provider refused with status {status}: {message}{}",
        provider::advice(provider, *status)
    )]
    Refused {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// Its message.
        message: String,
    },
    /// Send less: the prompt exceeds the context window.
    #[error("{provider}: the conversation is longer than the model can read: {message}")]
    TooMuchContext {
        /// The provider.
        provider: String,
        /// Its message.
        message: String,
    },
    /// The answer does not end.
    #[error("the model's answer has more than {bytes_max} bytes")]
    TooLong {
        /// The limit.
        bytes_max: usize,
    },
    /// The answer broke off.
    #[error("{provider}: the model's answer broke off in the middle")]
    Cut {
        /// The provider.
        provider: String,
    },
    /// The answer does not follow the protocol.
    #[error("{provider}: the model's answer cannot be read: {message}")]
    Malformed {
        /// The provider.
        provider: String,
        /// What is wrong with it.
        message: String,
    },
    /// Change the setting, or ask another model.
    #[error("{model}: `{setting}` {why}")]
    Unsupported {
        /// Which model.
        model: String,
        /// The setting's name.
        setting: &'static str,
        /// Why not, and what to do.
        why: String,
    },
    /// Rephrase the message, or ask another model: the provider filtered the whole answer.
    #[error("{provider}: the provider's content filter blocked the whole answer: {message}")]
    Filtered {
        /// The provider.
        provider: String,
        /// Its message.
        message: String,
    },
    /// Rephrase the message: the model declined without a reason.
    #[error("{provider}: the model declined to answer without a reason; rephrase the message, or ask another model")]
    Declined {
        /// The provider.
        provider: String,
    },
    /// Try again, or ask another model: the answer was empty.
    #[error("{provider}: the model's answer is empty{}; try again, or choose another model", spent(*is_cut))]
    Empty {
        /// The provider.
        provider: String,
        /// Whether it reached the output limit before its first word, as a reasoning model may.
        is_cut: bool,
    },
    /// Configure the provider, or ask for another model.
    #[error("{provider}: this model provider is not configured: {hint}")]
    Unconfigured {
        /// The provider.
        provider: String,
        /// What to do.
        hint: String,
    },
    /// Ask for a model that exists.
    #[error("model `{model}` not found{hint}")]
    UnknownModel {
        /// The name that was asked for.
        model: String,
        /// What to do, as the end of the sentence: the most similar names, or what to configure.
        hint: String,
    },
}

/// Texts that show that a refusal with status 400 is about the content of the request.
const POLICIES: [&str; 8] = [
    "content management policy",
    "content policy",
    "content_policy",
    "content_filter",
    "content filter",
    "usage policies",
    "safety system",
    "responsible ai",
];

const fn spent(is_cut: bool) -> &'static str {
    if is_cut { ": it reached the output limit before its first word" } else { "" }
}

impl Error {
    /// A stable code for programs.
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
            Self::Unsupported { .. } => "model_setting_unsupported",
            Self::Filtered { .. } => "model_filtered",
            Self::Declined { .. } => "model_declined",
            Self::Empty { .. } => "model_empty",
            Self::Unconfigured { .. } => "model_unconfigured",
            Self::UnknownModel { .. } => "unknown_model",
        }
    }

    /// The provider's name, where a provider caused it.
    pub fn provider(&self) -> Option<&str> {
        match self {
            Self::TooLong { .. } | Self::UnknownModel { .. } => None,
            Self::Unsupported { model, .. } => model.split('/').next(),
            Self::RateLimited { provider, .. }
            | Self::Failed { provider, .. }
            | Self::Unreachable { provider, .. }
            | Self::Refused { provider, .. }
            | Self::TooMuchContext { provider, .. }
            | Self::Cut { provider }
            | Self::Malformed { provider, .. }
            | Self::Filtered { provider, .. }
            | Self::Declined { provider }
            | Self::Empty { provider, .. }
            | Self::Unconfigured { provider, .. } => Some(provider),
        }
    }

    /// Whether the same request may succeed later without a change.
    pub const fn is_transient(&self) -> bool {
        !matches!(
            self,
            Self::Refused { .. }
                | Self::TooMuchContext { .. }
                | Self::Unsupported { .. }
                | Self::Filtered { .. }
                | Self::Declined { .. }
                | Self::Unconfigured { .. }
                | Self::UnknownModel { .. }
        )
    }

    /// The same error; a refusal because of the content becomes [`Error::Filtered`].
    #[must_use]
    pub fn sorted(self) -> Self {
        match self {
            Self::Refused { provider, status: 400 | 403, message }
                if POLICIES.iter().any(|sign| message.to_lowercase().contains(sign)) =>
            {
                Self::Filtered { provider, message }
            }
            other => other,
        }
    }

    /// Whether another model may succeed with the same request. An invalid request (400, 422) fails
    /// everywhere, unless the provider's error is about the key, the model, or what the model
    /// supports.
    pub fn falls_back(&self) -> bool {
        match self {
            // When a model declines, no other is asked instead.
            Self::TooLong { .. }
            | Self::Declined { .. }
            | Self::Unsupported { .. }
            | Self::Unconfigured { .. }
            | Self::UnknownModel { .. } => false,
            Self::Refused { status: 400 | 422, message, .. } => {
                let message = message.to_lowercase();
                ["api key", "api_key", "model", "support"].iter().any(|blamed| message.contains(blamed))
            }
            _ => true,
        }
    }

    /// Whether the model or its server supports no tools: it may answer without them.
    pub fn is_about_tools(&self) -> bool {
        let (Self::Refused { message, .. } | Self::Failed { message, .. }) = self else { return false };
        let message = message.to_lowercase();
        let names_them = message.contains("tool") || message.contains("function call");
        names_them
            && ["support", "require", "enable", "not allowed", "unknown", "unrecognized"]
                .iter()
                .any(|word| message.contains(word))
    }

    /// The HTTP status that the provider failed or refused with, if any.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::RateLimited { .. } => Some(429),
            // A failure in the middle of an answer comes after a status of success.
            Self::Failed { status, .. } | Self::Refused { status, .. } if *status >= 300 => Some(*status),
            _ => None,
        }
    }

    /// Whether it is a timeout.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Unreachable { message, .. } => message.contains(SILENT) || message.contains("timed out"),
            Self::Failed { status, .. } => matches!(status, 408 | 504),
            _ => false,
        }
    }

    /// How long the provider asked to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Failed { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
