//! Choosing providers and models while the server runs.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ModelOverrides, ModelPage, ModelSettings};

/// A provider that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderName {
    /// OpenAI, or any server that speaks its API, at its address.
    Openai,
    /// Anthropic.
    Anthropic,
    /// Google Gemini.
    Gemini,
    /// OpenRouter.
    Openrouter,
    /// Ollama.
    Ollama,
}

impl ProviderName {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Openai, Self::Anthropic, Self::Gemini, Self::Openrouter, Self::Ollama];

    /// The name, which begins the names of the provider's models.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Openrouter => "openrouter",
            Self::Ollama => "ollama",
        }
    }
}

impl FromStr for ProviderName {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, UnknownProvider> {
        Self::ALL.into_iter().find(|known| known.as_str() == name).ok_or(UnknownProvider)
    }
}

/// No provider has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the providers are openai, anthropic, gemini, openrouter and ollama")]
pub struct UnknownProvider;

/// A provider's key. It is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ProviderKey(String);

impl ProviderKey {
    /// A key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderKey")
    }
}

/// A provider that is tried out with a real request. Nothing is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderTry {
    /// The provider.
    pub provider: ProviderName,
    /// The key. Without key and address the configured ones are tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ProviderKey>,
    /// The address, where it is not the provider's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The model that has to answer; without it the provider's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A provider that answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderTried {
    /// The provider's own names of its models, its default first. Empty if it lists none.
    pub models: Vec<String>,
    /// The full name of the model that answered.
    pub model: String,
    /// Milliseconds until it had answered.
    pub answered_ms: u64,
}

/// A provider as it is set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderPut {
    /// The key. Without it a key that is stored stays, unless the address changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ProviderKey>,
    /// The address, where it is not the provider's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The model that answers where only the provider is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether it answers wherever no model is named.
    #[serde(default)]
    pub is_default: bool,
}

/// The models that answer wherever none is named, and how they are called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefaultModelPut {
    /// The full name of the default model.
    pub model: String,
    /// The models that are tried after it, in order. Without them they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallbacks: Option<Vec<String>>,
    /// The settings of model calls that apply unless a session, an agent or a turn sets others.
    /// Without them they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<ModelSettings>,
    /// Facts about the default model that replace those of its provider, as its context window; an
    /// empty object removes them. Without them they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrides: Option<ModelOverrides>,
}

/// The models after a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsChanged {
    /// The models.
    pub page: ModelPage,
    /// The settings that the configuration, the environment or the command line sets, so that the
    /// change has no effect on them.
    pub overridden: Vec<OverriddenSetting>,
}

/// A setting that takes precedence over a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverriddenSetting {
    /// Its key.
    pub key: String,
    /// Where it is set.
    pub from: String,
}
