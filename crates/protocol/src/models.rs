//! The available models, and where each fact about them comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ModelSettings, Timestamp};

/// Source of a fact about a model. If several sources have it, the first one in this order wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureSource {
    /// The configuration or the session.
    Set,
    /// The provider's API.
    Asked,
    /// Dwell's table of known models.
    Table,
    /// No source has it. The value is a conservative default.
    Assumed,
}

/// Value of a fact: tokens, US dollars per million tokens, or a capability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FigureValue {
    /// Whether the model has the capability.
    Flag(bool),
    /// Number of tokens.
    Tokens(u64),
    /// US dollars per million tokens.
    Dollars(f64),
}

/// A fact about a model and its source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelFigure {
    /// The value.
    pub value: FigureValue,
    /// The source of the value.
    pub source: FigureSource,
}

/// The software or service that serves models, recognised by its responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum ModelServerKind {
    /// OpenAI itself.
    #[serde(rename = "openai")]
    OpenAi,
    /// Anthropic.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// Google's Gemini.
    #[serde(rename = "gemini")]
    Gemini,
    /// Azure OpenAI.
    #[serde(rename = "azure")]
    Azure,
    /// OpenRouter.
    #[serde(rename = "openrouter")]
    OpenRouter,
    /// Ollama.
    #[serde(rename = "ollama")]
    Ollama,
    /// llama.cpp's server.
    #[serde(rename = "llama_cpp")]
    LlamaCpp,
    /// vLLM.
    #[serde(rename = "vllm")]
    Vllm,
    /// LM Studio.
    #[serde(rename = "lm_studio")]
    LmStudio,
    /// Another server, or one that has not responded yet.
    #[default]
    #[serde(rename = "other")]
    Other,
}

impl ModelServerKind {
    /// Name as people write it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Azure => "Azure",
            Self::OpenRouter => "OpenRouter",
            Self::Ollama => "Ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
            Self::LmStudio => "LM Studio",
            Self::Other => "other",
        }
    }

    /// Whether it usually runs on the user's own machine, where its models can change at any time.
    pub const fn is_local(self) -> bool {
        matches!(self, Self::Ollama | Self::LlamaCpp | Self::Vllm | Self::LmStudio)
    }
}

/// A model and the known facts about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelView {
    /// Full name, `provider/model`.
    pub name: String,
    /// Name of the provider.
    pub provider: String,
    /// Whether this is the server's default model.
    #[serde(default)]
    pub is_default: bool,
    /// Context window in tokens.
    pub context_tokens: ModelFigure,
    /// The largest context window that the model supports, if it is known and larger than
    /// `context_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens_max: Option<u64>,
    /// Maximum length of an answer in tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<ModelFigure>,
    /// Whether the model can call tools. If not, Dwell describes the tools in the prompt.
    pub tools: ModelFigure,
    /// Whether the model accepts images.
    pub images: ModelFigure,
    /// Whether the model reasons before it answers.
    pub thinking: ModelFigure,
    /// Price of a million input tokens in US dollars, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_in: Option<ModelFigure>,
    /// Price of a million output tokens in US dollars, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_out: Option<ModelFigure>,
    /// Price of a million input tokens from the provider's cache in US dollars, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_cached: Option<ModelFigure>,
    /// Notices about these facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A configured provider of models and the result of the last request to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderView {
    /// Name of the provider, the first part of its models' names.
    pub name: String,
    /// The software or service behind the address.
    pub server: ModelServerKind,
    /// URL of the provider's API.
    pub address: String,
    /// The model that is used if only the provider is named.
    pub default_model: String,
    /// Source of `default_model`: `set`, `asked` or `table`.
    pub default_source: FigureSource,
    /// Number of models that the provider lists. Absent if the list is unknown; then any model name
    /// is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<u64>,
    /// When the provider last answered with its models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Timestamp>,
    /// Why the last request failed, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The available models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelPage {
    /// Names of the available models.
    pub data: Vec<String>,
    /// The server's default model.
    pub default: String,
    /// The models that are tried after the default one, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// The settings of model calls that apply unless a session, an agent or a turn sets others.
    #[serde(default, skip_serializing_if = "ModelSettings::is_empty")]
    pub settings: ModelSettings,
    /// Facts about each model.
    #[serde(default)]
    pub models: Vec<ModelView>,
    /// The configured providers.
    #[serde(default)]
    pub providers: Vec<ProviderView>,
}
