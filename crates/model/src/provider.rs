//! Providers of models: address, API, and what to do when one is missing.

use std::time::Duration;

use secrecy::SecretString;

/// Silence after which a provider counts as hung.
const IDLE_MAX: Duration = Duration::from_secs(120);
/// A local server may first have to load many gigabytes.
const IDLE_MAX_LOCAL: Duration = Duration::from_secs(300);

/// The name of the offline model, which always exists.
pub(crate) const OFFLINE: &str = "offline";

/// Names of providers, even if not configured, with the variable that configures each.
const KNOWN: [(&str, &str); 6] = [
    ("openai", "OPENAI_API_KEY"),
    ("openrouter", "OPENROUTER_API_KEY"),
    ("azure", "AZURE_OPENAI_API_KEY"),
    ("anthropic", "ANTHROPIC_API_KEY"),
    ("gemini", "GEMINI_API_KEY"),
    ("ollama", "OLLAMA_HOST"),
];

/// The API of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderKind {
    /// `/chat/completions`: OpenAI, OpenRouter, vLLM, llama.cpp, LM Studio and many more.
    OpenAi,
    /// The same below deployments; the model is the deployment's name.
    Azure {
        /// The version of the API, such as `2024-10-21`. An address that ends in `/openai/v1` needs
        /// none.
        api_version: String,
    },
    /// `/messages`.
    Anthropic,
    /// `:streamGenerateContent`.
    Gemini,
    /// Ollama's own `/api/chat`.
    Ollama,
}

impl ProviderKind {
    /// The default address of this API; an Azure resource has none.
    pub const fn default_base_url(&self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Azure { .. } => None,
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
        }
    }
}

/// A provider of models.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Its name, the first part of its models' names. It has no slash.
    pub name: String,
    /// Its API.
    pub kind: ProviderKind,
    /// Its address: up to `/v1` for OpenAI and Anthropic, up to `/v1beta` for Gemini, the resource
    /// for Azure, the host for Ollama.
    pub base_url: String,
    /// The key; local servers often need none.
    pub api_key: Option<SecretString>,
    /// The model it answers with when only the provider is named.
    pub default_model: String,
    /// Whether the configuration names that model; otherwise one is picked that the provider really
    /// has.
    pub default_is_set: bool,
    /// How long it may be silent before it counts as hung.
    pub idle_max: Duration,
}

impl Provider {
    /// A provider with the usual address and limits.
    pub fn new(name: impl Into<String>, kind: ProviderKind, default_model: impl Into<String>) -> Self {
        let idle_max = if kind == ProviderKind::Ollama { IDLE_MAX_LOCAL } else { IDLE_MAX };
        Self {
            name: name.into(),
            base_url: kind.default_base_url().unwrap_or_default().to_owned(),
            kind,
            api_key: None,
            default_model: default_model.into(),
            default_is_set: false,
            idle_max,
        }
    }

    /// The same at another address.
    #[must_use]
    pub fn at(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// The same with a key.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<SecretString>) -> Self {
        self.api_key = Some(key.into());
        self
    }
}

/// The names that stand for a provider, whether it is configured or not.
pub(crate) fn known_names<'a>() -> impl Iterator<Item = &'a str> {
    KNOWN.iter().map(|(name, _)| *name)
}

/// The variable that configures the provider of that name.
pub(crate) fn variable(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == name).map(|(_, variable)| *variable)
}

/// What to do about a refusal, as the end of a sentence.
pub(crate) fn advice(provider: &str, status: u16) -> String {
    match (status, variable(provider)) {
        (401 | 403, Some(variable)) => format!("; check its key ({variable})"),
        (401 | 403, None) => "; check its key".to_owned(),
        (402 | 429, _) => "; check the account's balance".to_owned(),
        (404, _) => "; check the model's name and the provider's address".to_owned(),
        (300..=399, _) => "; configure the address it redirects to".to_owned(),
        _ => String::new(),
    }
}
