//! Tools as everybody in the house speaks of them: what running one again would do, what it touches, whose words it
//! brings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What running a call again would do; it decides what happens to a call that a crash cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing: it changes nothing. It is run again.
    Pure,
    /// Nothing new: the call's key makes the second time the first. It is run again with the same key.
    Idempotent,
    /// It can be looked up whether it happened. It is looked up, and run again only if it did not.
    Verifiable,
    /// It may not happen twice and nobody can tell whether it happened. A person is asked.
    #[default]
    AtMostOnce,
}

/// What a tool touches; it decides what a call needs before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// It looks at things.
    Observes,
    /// It keeps something in Dwell's own store.
    Keeps,
    /// It changes the world outside: off unless actuation is allowed.
    #[default]
    Acts,
    /// It sends data out.
    Sends,
}

impl Safety {
    /// Whether it reaches beyond Dwell: then a turn that has read untrusted text must ask.
    pub const fn reaches_out(self) -> bool {
        matches!(self, Self::Acts | Self::Sends)
    }
}

/// Whose words a text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user's own, or computed here from nothing else.
    Trusted,
    /// Anybody's: from the web, a tool, a memory. It may carry instructions that nobody here has given.
    #[default]
    Untrusted,
}

impl Origin {
    /// What is meant where nothing is said of words that were typed or computed here.
    pub(crate) const fn trusted() -> Self {
        Self::Trusted
    }

    /// Whether nobody from outside has a part in the words.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub const fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted)
    }

    /// Untrusted where this is so.
    pub const fn untrusted_if(is_untrusted: bool) -> Self {
        if is_untrusted { Self::Untrusted } else { Self::Trusted }
    }

    /// Whose words a text is that is made of both: it can only lose trust.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self::untrusted_if(!self.is_trusted() || !other.is_trusted())
    }
}

/// What a call costs, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Next to nothing.
    #[default]
    Free,
    /// Some time or some money.
    Low,
    /// Enough to think twice.
    High,
}

/// A tool as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolView {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: serde_json::Value,
    /// JSON Schema of its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<serde_json::Value>,
    /// What running a call again would do.
    pub effect: Effect,
    /// What it touches.
    pub safety: Safety,
    /// What a call costs, roughly.
    pub cost: Cost,
    /// Whether several calls may run at once.
    pub parallel: bool,
    /// How long a call may take.
    pub timeout_ms: u64,
    /// How many calls a minute are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_minute_max: Option<u32>,
    /// Whether the server's policy lets it be called at all.
    pub enabled: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_because: Option<String>,
    /// The external server that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Why it cannot be called just now, as when its server is away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_because: Option<String>,
}

/// The tools there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolPage {
    /// All of them, by name.
    pub data: Vec<ToolView>,
    /// The external servers that may bring some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ToolServerView>,
}

/// An external server whose tools are used here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolServerView {
    /// Its name in the configuration.
    pub name: String,
    /// Why it cannot be used just now; none while it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_because: Option<String>,
    /// The version of the protocol that it speaks, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// Its tools that are used, by their names here.
    pub tools: Vec<String>,
    /// Its tools that are not.
    pub left_out: Vec<LeftOutTool>,
}

/// A tool of an external server that is not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutTool {
    /// Its name there.
    pub tool: String,
    /// Why not.
    pub because: String,
}

/// An artifact: something too large for the conversation, kept beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactView {
    /// Its id.
    pub artifact_id: crate::ArtifactId,
    /// The session it belongs to.
    pub session_id: crate::SessionId,
    /// The turn that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<crate::TurnId>,
    /// What it is called.
    pub name: String,
    /// Its kind, as in `text/plain`.
    pub media_type: String,
    /// How large it is.
    pub bytes: u64,
    /// Whose words it is made of.
    pub origin: Origin,
    /// When it was made.
    pub created_at: crate::Timestamp,
}

/// A page of artifacts, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactPage {
    /// The artifacts.
    pub data: Vec<ArtifactView>,
    /// Where the next page begins; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
