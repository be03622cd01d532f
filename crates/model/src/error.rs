//! What went wrong with a model, by what the caller can do next.

use std::time::Duration;

use crate::provider;

/// What is said of a provider that says nothing.
pub(crate) const SILENT: &str = "silent for";

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
    /// Say it otherwise, or ask another model: the provider lets no word of the answer through.
    #[error("{provider}: the model's provider held the whole answer back by its content filter: {message}")]
    Filtered {
        /// Who.
        provider: String,
        /// What it said.
        message: String,
    },
    /// Say it otherwise: the model declines, and does not say why.
    #[error("{provider}: the model declined to answer and said nothing; say it in other words, or ask another model")]
    Declined {
        /// Who.
        provider: String,
    },
    /// Try again, or ask another model: there was no answer in the answer.
    #[error("{provider}: the model ended without a word{}; try again, or choose another model", spent(*is_cut))]
    Empty {
        /// Who.
        provider: String,
        /// Whether it reached the longest answer allowed before its first word, as one that reasons may.
        is_cut: bool,
    },
    /// Configure the provider, or ask for another model.
    #[error("{provider}: this model provider is not configured: {hint}")]
    Unconfigured {
        /// Who.
        provider: String,
        /// What to do.
        hint: String,
    },
    /// Ask for a model that is there.
    #[error("model `{model}` not found{hint}")]
    UnknownModel {
        /// The name that was asked for.
        model: String,
        /// What to do, as the end of the sentence: the nearest names, or what to configure.
        hint: String,
    },
}

/// Signs by which a refusal with status 400 is about what was asked, rather than how.
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
    if is_cut { ", having used up the longest answer allowed before the first one" } else { "" }
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
            Self::Unsupported { .. } => "model_setting_unsupported",
            Self::Filtered { .. } => "model_filtered",
            Self::Declined { .. } => "model_declined",
            Self::Empty { .. } => "model_empty",
            Self::Unconfigured { .. } => "model_unconfigured",
            Self::UnknownModel { .. } => "unknown_model",
        }
    }

    /// The provider's name, where one is to blame.
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

    /// Whether the same request may succeed without anybody changing anything.
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

    /// The same, and where a refusal is about what was asked rather than how, as what it is.
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

    /// Whether another model may do better with the same request. A request that is wrong in itself (400, 422) is
    /// wrong everywhere, unless the provider blames its own side: the key, the model, what the model supports.
    pub fn falls_back(&self) -> bool {
        match self {
            // A model that declines is not got round by asking another.
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

    /// The HTTP status that the provider failed or refused with, where it was one.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::RateLimited { .. } => Some(429),
            // Failures in the middle of an answer come after a status that says that all is well.
            Self::Failed { status, .. } | Self::Refused { status, .. } if *status >= 300 => Some(*status),
            _ => None,
        }
    }

    /// Whether it took too long rather than failed.
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
            Self::RateLimited { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
