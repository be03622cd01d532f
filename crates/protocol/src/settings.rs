//! What a session is set to: model, budgets, policy, preferences.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ModelOverrides, ModelSettings};

/// What one turn may use up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Rounds of thinking and acting.
    pub max_steps: u32,
    /// Tool calls.
    pub max_tool_calls: u32,
    /// Milliseconds from the turn's start to its end.
    pub max_duration_ms: u64,
    /// Tokens sent and received.
    pub max_tokens: u64,
    /// Tokens of context at most; none means the model's share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// US dollars, where the model's price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
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
        }
    }
}

/// What happens to a turn that a restart interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnRestart {
    /// It goes on by itself, at most three attempts in all.
    #[default]
    Resume,
    /// It stays `interrupted` until somebody resumes or cancels it.
    Wait,
}

/// What a session's turns may do without being asked. It can only be stricter than the server's own policy: what that
/// forbids stays forbidden.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// After a restart: go on, or wait to be told.
    pub on_restart: OnRestart,
    /// Whether tools may change the world outside; none means as the server allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actuation: Option<bool>,
    /// The only tools that may be called, as `tool` or `tool:service` with `*`; none means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Tools that may not be called, as `tool` or `tool:service` with `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Tools that need an approval each time, as `tool` or `tool:service` with `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirm: Vec<String>,
    /// Whether the session keeps the model it has.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub fixed_model: bool,
}

/// All that is set for a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The model by name; none means the server's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the model is asked.
    #[serde(skip_serializing_if = "ModelSettings::is_empty")]
    pub model_settings: ModelSettings,
    /// How the models of single agents are asked, by the agent's id; `*` stands for any letters. What is not set here is
    /// taken from the session's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agent_settings: BTreeMap<String, ModelSettings>,
    /// What is known of models in this session, by `provider/model` or by the provider alone.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub model_overrides: BTreeMap<String, ModelOverrides>,
    /// The tools that the model is always shown, by name with `*`; it can look up the others. Where there are none, Dwell
    /// chooses for each turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned_tools: Vec<String>,
    /// Budgets of each turn.
    pub budgets: Budgets,
    /// Policy of the session.
    pub policy: Policy,
    /// Free key-value preferences of the client. Two of them are told to every turn: `instructions`, what the client asks of
    /// every answer, as text; and `earlier`, what was said in the conversation before it came here, as a list of messages
    /// with `role` and `content`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preferences: BTreeMap<String, serde_json::Value>,
    /// The names of preferences that were taken in from a file and that nobody has set here since: their words are untrusted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub imported: BTreeSet<String>,
}

impl Settings {
    /// The preference that says what the client asks of every answer.
    pub const INSTRUCTIONS: &str = "instructions";
    /// The preference that tells what was said before the conversation came here.
    pub const EARLIER: &str = "earlier";
    /// The preference that is the session's title, in place of the beginning of its first message.
    pub const TITLE: &str = "title";
    /// The preference that keeps a session from expiring, and from being removed after it has: `true`.
    pub const KEEP: &str = "keep";
    /// The preference that says after how many idle days a session expires, in place of the server's own setting.
    pub const EXPIRES_AFTER_DAYS: &str = "expires_after_days";
    /// The preference that names the door by which a session was begun, where it matters.
    pub const DOOR: &str = "door";

    /// Whether the session is kept however long it is idle.
    pub fn is_kept(&self) -> bool {
        self.preferences.get(Self::KEEP).and_then(serde_json::Value::as_bool) == Some(true)
    }

    /// After how many idle days the session expires, where it says so itself. What is no number of days says nothing.
    pub fn expires_after_days(&self) -> Option<u32> {
        let days = self.preferences.get(Self::EXPIRES_AFTER_DAYS)?.as_u64()?;
        u32::try_from(days).ok().filter(|days| *days > 0)
    }
}
