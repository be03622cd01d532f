//! Settings for model calls, overrides of known facts about models, and why an answer ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a model reasons before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    /// Not at all, if the model allows it.
    None,
    /// As little as possible.
    Minimal,
    /// A little.
    Low,
    /// A fair amount.
    Medium,
    /// A lot.
    High,
}

impl ReasoningEffort {
    /// Name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Settings for calls of a model. A setting that is absent comes from the next wider level (turn,
/// agent, session, server). A setting that no level has is left to the provider.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    /// Sampling temperature, 0 to 2. A higher value gives more varied answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Nucleus sampling: only the most probable tokens with this total probability are considered.
    /// Above 0, at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub top_p: Option<f64>,
    /// Maximum length of an answer in tokens, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_output_tokens: Option<u64>,
    /// Stop sequences. The answer ends before the first of them. At most 16, each of 1 to 256
    /// bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16), inner(length(min = 1, max = 256)))]
    pub stop: Option<Vec<String>>,
    /// Seed for sampling. The same seed and request give the same answer, if the provider supports
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// How much the model reasons before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether the model may call several tools in one round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
}

impl ModelSettings {
    /// Maximum number of stop sequences.
    pub const STOPS_MAX: usize = 16;
    /// Maximum length of a stop sequence in bytes.
    pub const STOP_BYTES_MAX: usize = 256;

    /// Whether no setting is present.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These settings. Those that are absent come from the wider level.
    #[must_use]
    pub fn or(self, wider: &Self) -> Self {
        Self {
            temperature: self.temperature.or(wider.temperature),
            top_p: self.top_p.or(wider.top_p),
            max_output_tokens: self.max_output_tokens.or(wider.max_output_tokens),
            stop: self.stop.or_else(|| wider.stop.clone()),
            seed: self.seed.or(wider.seed),
            reasoning_effort: self.reasoning_effort.or(wider.reasoning_effort),
            parallel_tool_calls: self.parallel_tool_calls.or(wider.parallel_tool_calls),
        }
    }

    /// Checks the values. The error names the field of the first bad one.
    pub fn check(&self) -> Result<(), String> {
        let within = |value: Option<f64>, low: f64, high: f64| value.is_none_or(|value| (low..=high).contains(&value));
        if !within(self.temperature, 0.0, 2.0) {
            return Err("`temperature` must be a number from 0 to 2".to_owned());
        }
        if !within(self.top_p, 0.0, 1.0) || self.top_p == Some(0.0) {
            return Err("`top_p` must be a number above 0 and up to 1".to_owned());
        }
        if self.max_output_tokens == Some(0) {
            return Err("`max_output_tokens` must be at least 1".to_owned());
        }
        let stops = self.stop.as_deref().unwrap_or_default();
        if stops.len() > Self::STOPS_MAX {
            return Err(format!("`stop` must have at most {} texts", Self::STOPS_MAX));
        }
        if stops.iter().any(|stop| stop.is_empty() || stop.len() > Self::STOP_BYTES_MAX) {
            return Err(format!("each text of `stop` must have 1 to {} bytes", Self::STOP_BYTES_MAX));
        }
        Ok(())
    }
}

/// Facts about a model from the configuration or the session. They replace those of the provider
/// and of Dwell's table.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelOverrides {
    /// Context window of the model in tokens, at least 512.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 512))]
    pub context_tokens: Option<u64>,
    /// Maximum length of an answer in tokens, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub output_tokens: Option<u64>,
    /// Whether the model can call tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// Whether the model accepts images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether the model reasons before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<bool>,
    /// Price of a million input tokens in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub price_in: Option<f64>,
    /// Price of a million output tokens in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub price_out: Option<f64>,
    /// Price of a million input tokens from the provider's cache in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub price_cached: Option<f64>,
}

impl ModelOverrides {
    /// These values. Those that are absent come from the wider level.
    #[must_use]
    pub fn or(self, wider: Self) -> Self {
        Self {
            context_tokens: self.context_tokens.or(wider.context_tokens),
            output_tokens: self.output_tokens.or(wider.output_tokens),
            tools: self.tools.or(wider.tools),
            images: self.images.or(wider.images),
            thinking: self.thinking.or(wider.thinking),
            price_in: self.price_in.or(wider.price_in),
            price_out: self.price_out.or(wider.price_out),
            price_cached: self.price_cached.or(wider.price_cached),
        }
    }

    /// Checks the values. The error names the field of the first bad one.
    pub fn check(&self) -> Result<(), String> {
        if self.context_tokens.is_some_and(|tokens| tokens < Self::CONTEXT_TOKENS_MIN) {
            return Err(format!("`context_tokens` must be at least {}", Self::CONTEXT_TOKENS_MIN));
        }
        if self.output_tokens == Some(0) {
            return Err("`output_tokens` must be at least 1".to_owned());
        }
        let prices = [("price_in", self.price_in), ("price_out", self.price_out), ("price_cached", self.price_cached)];
        match prices.iter().find(|(_, price)| price.is_some_and(|price| !(0.0..=1e6).contains(&price))) {
            Some((name, _)) => Err(format!("`{name}` must be US dollars per million tokens, 0 or more")),
            None => Ok(()),
        }
    }

    /// The smallest context window that holds the instructions and a message.
    pub const CONTEXT_TOKENS_MIN: u64 = 512;
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    #[default]
    Complete,
    /// The answer reached its maximum length and was not continued.
    Length,
    /// The provider withheld the answer or a part of it.
    ContentFilter,
    /// The model declined to answer.
    Refusal,
    /// The model returned no text.
    Empty,
    /// A budget of the turn ran out.
    Budget,
}

impl StopReason {
    /// Whether the answer is complete.
    pub const fn is_complete(&self) -> bool {
        matches!(self, Self::Complete)
    }

    /// Name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Refusal => "refusal",
            Self::Empty => "empty",
            Self::Budget => "budget",
        }
    }
}
