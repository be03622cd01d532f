//! What is known of the models there are, and where each figure comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Where a figure comes from. The first of these that has one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureSource {
    /// The configuration or the session sets it.
    Set,
    /// The provider said so when it was asked.
    Asked,
    /// Dwell's table of known models.
    Table,
    /// Nothing is known, so it is a cautious guess.
    Assumed,
}

/// A figure's value: tokens, US dollars for a million tokens, or whether a model can do something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FigureValue {
    /// Whether it can.
    Flag(bool),
    /// Tokens.
    Tokens(u64),
    /// US dollars for a million tokens.
    Dollars(f64),
}

/// Something that is known of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelFigure {
    /// What.
    pub value: FigureValue,
    /// Where from.
    pub source: FigureSource,
}

/// The software or service that serves models, recognised by what it answers.
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
    /// Another one, or one that could not be asked yet.
    #[default]
    #[serde(rename = "other")]
    Other,
}

impl ModelServerKind {
    /// Its name as people write it.
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

    /// Whether it usually runs on a machine of one's own, where what it serves may change at any time.
    pub const fn is_local(self) -> bool {
        matches!(self, Self::Ollama | Self::LlamaCpp | Self::Vllm | Self::LmStudio)
    }
}

/// A model, and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelView {
    /// Its whole name, `provider/model`.
    pub name: String,
    /// Its provider's name.
    pub provider: String,
    /// Whether it answers unless another one is named.
    #[serde(default)]
    pub is_default: bool,
    /// Tokens that question and answer may have together.
    pub context_tokens: ModelFigure,
    /// The most that the model itself takes, where that is known and more than its window here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens_max: Option<u64>,
    /// Tokens that one answer may have, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<ModelFigure>,
    /// Whether it calls tools itself; otherwise Dwell describes them to it in words.
    pub tools: ModelFigure,
    /// Whether it sees pictures.
    pub images: ModelFigure,
    /// Whether it reasons before it answers.
    pub thinking: ModelFigure,
    /// US dollars for a million tokens sent, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_in: Option<ModelFigure>,
    /// US dollars for a million tokens received, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_out: Option<ModelFigure>,
    /// US dollars for a million tokens sent that the provider had in its cache, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_cached: Option<ModelFigure>,
    /// What a reader should know about these figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A provider of models, and what came of asking it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderView {
    /// Its name, the first part of its models' names.
    pub name: String,
    /// What serves the models there.
    pub server: ModelServerKind,
    /// Its address.
    pub address: String,
    /// The model that answers when only the provider is named.
    pub default_model: String,
    /// Where that comes from: set, asked, or the table.
    pub default_source: FigureSource,
    /// How many models it lists; none means that its list is not known, and any name is passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<u64>,
    /// When it last told what it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Timestamp>,
    /// Why it could not be asked the last time, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The models there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelPage {
    /// The names of the models that can be named.
    pub data: Vec<String>,
    /// The one that answers unless a session or a turn names another.
    pub default: String,
    /// What is known of each.
    #[serde(default)]
    pub models: Vec<ModelView>,
    /// The providers that are configured.
    #[serde(default)]
    pub providers: Vec<ProviderView>,
}
