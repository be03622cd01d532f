//! What a session is set to: model, budgets, policy, preferences.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

impl Default for Budgets {
    fn default() -> Self {
        Self { max_steps: 8, max_tool_calls: 16, max_duration_ms: 120_000, max_tokens: 100_000, context_tokens: None }
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
    /// Budgets of each turn.
    pub budgets: Budgets,
    /// Policy of the session.
    pub policy: Policy,
    /// Free key-value preferences of the client. Two of them are told to every turn: `instructions`, what the client asks of
    /// every answer, as text; and `earlier`, what was said in the conversation before it came here, as a list of messages
    /// with `role` and `content`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preferences: BTreeMap<String, serde_json::Value>,
}

impl Settings {
    /// The preference that says what the client asks of every answer.
    pub const INSTRUCTIONS: &str = "instructions";
    /// The preference that tells what was said before the conversation came here.
    pub const EARLIER: &str = "earlier";
    /// The preference that is the session's title, in place of the beginning of its first message.
    pub const TITLE: &str = "title";
    /// The preference that names the door by which a session was begun, where it matters.
    pub const DOOR: &str = "door";
}
