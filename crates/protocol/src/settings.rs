//! Settings of a session: model, budgets, policy and preferences.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ModelOverrides, ModelSettings};

/// Limits for one turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Maximum number of rounds, each a model call with its tool calls. Default: 8.
    #[schemars(range(min = 1))]
    pub max_steps: u32,
    /// Maximum number of tool calls. Default: 16.
    pub max_tool_calls: u32,
    /// Maximum duration in milliseconds. Default: 120000.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub max_duration_ms: u64,
    /// Maximum number of input and output tokens together. Default: 100000.
    pub max_tokens: u64,
    /// Maximum size of the context in tokens. Default: depends on the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 256))]
    pub context_tokens: Option<u64>,
    /// Maximum cost in US dollars. It applies only if the model's price is known. Default: no
    /// limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_cost: Option<f64>,
    /// Limits for one turn in the background. A limit that is absent is the server's.
    #[serde(skip_serializing_if = "BackgroundBudgets::is_empty")]
    pub background: BackgroundBudgets,
}

/// Limits for one turn in the background, in place of those for a turn in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BackgroundBudgets {
    /// Maximum number of rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// Maximum number of tool calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// Maximum duration in milliseconds, without the time in which it is paused or waits for a
    /// person. It starts again when the turn is resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400_000))]
    pub max_duration_ms: Option<u64>,
    /// Maximum number of input and output tokens together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Maximum cost in US dollars. Default: as for other turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_cost: Option<f64>,
}

impl BackgroundBudgets {
    /// Whether no limit is set.
    pub const fn is_empty(&self) -> bool {
        self.max_steps.is_none()
            && self.max_tool_calls.is_none()
            && self.max_duration_ms.is_none()
            && self.max_tokens.is_none()
            && self.max_cost.is_none()
    }
}

impl Budgets {
    /// The limits for a turn in the background, with those of the server where the session has
    /// none.
    #[must_use]
    pub fn in_background(&self, server: &BackgroundBudgets) -> Self {
        let own = self.background;
        Self {
            max_steps: own.max_steps.or(server.max_steps).unwrap_or(self.max_steps),
            max_tool_calls: own.max_tool_calls.or(server.max_tool_calls).unwrap_or(self.max_tool_calls),
            max_duration_ms: own.max_duration_ms.or(server.max_duration_ms).unwrap_or(self.max_duration_ms),
            max_tokens: own.max_tokens.or(server.max_tokens).unwrap_or(self.max_tokens),
            max_cost: own.max_cost.or(server.max_cost).or(self.max_cost),
            ..self.clone()
        }
    }
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            max_steps: 8,
            max_tool_calls: 16,
            max_duration_ms: 120_000,
            max_tokens: 100_000,
            context_tokens: None,
            max_cost: None,
            background: BackgroundBudgets::default(),
        }
    }
}

/// What happens to a turn that a restart interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnRestart {
    /// The turn resumes by itself, with at most three attempts in all.
    #[default]
    Resume,
    /// The turn stays `interrupted` until a client resumes or cancels it.
    Wait,
}

/// What a session's turns may do without approval. A session's policy can only be stricter than the
/// server's: it cannot permit what the server forbids.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// What happens to a turn that a restart interrupted. Default: `resume`.
    pub on_restart: OnRestart,
    /// Whether tools may change the outside world. Default: as the server permits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actuation: Option<bool>,
    /// The only tools that may be called, as `tool` or `tool:service` with `*`. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(max = 200), regex(pattern = crate::patterns::TOOLS)))]
    pub allow: Option<Vec<String>>,
    /// Tools that may not be called, as `tool` or `tool:service` with `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(max = 200), regex(pattern = crate::patterns::TOOLS)))]
    pub deny: Vec<String>,
    /// Tools that need an approval for each call, as `tool` or `tool:service` with `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(max = 200), regex(pattern = crate::patterns::TOOLS)))]
    pub confirm: Vec<String>,
    /// Whether the session's model cannot be changed. Default: false.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub fixed_model: bool,
}

/// Settings of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Name of the model. Default: the server's default model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Settings for calls of the model.
    #[serde(skip_serializing_if = "ModelSettings::is_empty")]
    pub model_settings: ModelSettings,
    /// Settings for calls of the model by single agents, by agent id. `*` matches any characters. A
    /// setting that is absent comes from `model_settings`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agent_settings: BTreeMap<String, ModelSettings>,
    /// Facts about models that replace the known ones in this session, by `provider/model` or by
    /// provider.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub model_overrides: BTreeMap<String, ModelOverrides>,
    /// The tools that the model always sees, by name; `*` matches any characters. The model can
    /// look up the other tools. If the list is empty, Dwell chooses the tools for each turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned_tools: Vec<String>,
    /// Budgets of each turn.
    pub budgets: Budgets,
    /// Policy of the session.
    pub policy: Policy,
    /// Preferences of the client, with any keys and values. Two of them are part of every prompt:
    /// `instructions`, the client's instructions as text, and `earlier`, a list of messages with
    /// `role` and `content` that precede the conversation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preferences: BTreeMap<String, serde_json::Value>,
    /// Names of preferences that were imported from a file and not set since. Their text is
    /// untrusted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub imported: BTreeSet<String>,
}

impl Settings {
    /// Preference: the language that the person speaks.
    pub const LANGUAGE: &str = "language";

    /// The language that the person speaks. One from an imported file does not count.
    pub fn language(&self) -> Option<&str> {
        let language = self.preferences.get(Self::LANGUAGE).filter(|_| !self.imported.contains(Self::LANGUAGE));
        language.and_then(serde_json::Value::as_str)
    }

    /// Preference: the client's instructions for every answer.
    pub const INSTRUCTIONS: &str = "instructions";
    /// Preference: the messages that precede the conversation.
    pub const EARLIER: &str = "earlier";
    /// Preference: the title of the session, instead of the beginning of its first message.
    pub const TITLE: &str = "title";
    /// Preference: if `true`, the session does not expire and is not deleted after expiry.
    pub const KEEP: &str = "keep";
    /// Preference: days without activity after which the session expires, instead of the server's
    /// setting.
    pub const EXPIRES_AFTER_DAYS: &str = "expires_after_days";
    /// Preference: the API through which the session was started, where it matters.
    pub const DOOR: &str = "door";

    /// Whether the session is kept regardless of how long it is idle.
    pub fn is_kept(&self) -> bool {
        self.preferences.get(Self::KEEP).and_then(serde_json::Value::as_bool) == Some(true)
    }

    /// Days without activity after which the session expires. `None` if the preference is absent or
    /// not a number of days.
    pub fn expires_after_days(&self) -> Option<u32> {
        let days = self.preferences.get(Self::EXPIRES_AFTER_DAYS)?.as_u64()?;
        u32::try_from(days).ok().filter(|days| *days > 0)
    }
}
