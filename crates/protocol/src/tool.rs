//! Properties of tools: the effect of a repeated call, what a call accesses, and whether its result
//! is trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens if a call runs more than once. It decides what happens to a call that a crash
/// interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The call changes nothing. It is run again.
    Pure,
    /// The call's key makes a repetition harmless. It is run again with the same key.
    Idempotent,
    /// The tool can check whether the call took effect. It is run again only if it did not.
    Verifiable,
    /// The call must not run twice, and its outcome cannot be checked. A person is asked.
    #[default]
    AtMostOnce,
}

/// What a tool accesses or changes. It decides what a call needs before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// It only reads.
    Observes,
    /// It writes to Dwell's own store.
    Keeps,
    /// It changes the outside world. It needs permission for actuation.
    #[default]
    Acts,
    /// It sends data to the outside.
    Sends,
}

impl Safety {
    /// Whether it has effects outside Dwell. Then a turn that has read untrusted text needs
    /// approval.
    pub const fn reaches_out(self) -> bool {
        matches!(self, Self::Acts | Self::Sends)
    }
}

/// Whether a text is trusted, by its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Text of the user, or computed from such text only.
    Trusted,
    /// Text from another source: the web, a tool, a file. It may contain instructions that the user
    /// has not given.
    #[default]
    Untrusted,
}

impl Origin {
    /// Default for text that was typed or computed here.
    pub(crate) const fn trusted() -> Self {
        Self::Trusted
    }

    /// Whether no part of the text comes from another source.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub const fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted)
    }

    /// Untrusted if the condition holds.
    pub const fn untrusted_if(is_untrusted: bool) -> Self {
        if is_untrusted { Self::Untrusted } else { Self::Trusted }
    }

    /// Origin of a text that combines both: untrusted if one of them is.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self::untrusted_if(!self.is_trusted() || !other.is_trusted())
    }
}

/// Approximate cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Negligible.
    #[default]
    Free,
    /// Some time or money.
    Low,
    /// Considerable time or money.
    High,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolView {
    /// Name of the tool.
    pub name: String,
    /// What the tool does and when to use it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: serde_json::Value,
    /// JSON Schema of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<serde_json::Value>,
    /// What happens if a call runs more than once.
    pub effect: Effect,
    /// What the tool accesses or changes.
    pub safety: Safety,
    /// Approximate cost of a call.
    pub cost: Cost,
    /// Whether several calls may run at the same time.
    pub parallel: bool,
    /// Maximum duration of a call in milliseconds.
    pub timeout_ms: u64,
    /// Maximum number of calls per minute. Absent if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_minute_max: Option<u32>,
    /// Whether the server's policy permits the tool.
    pub enabled: bool,
    /// Why the policy does not permit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_because: Option<String>,
    /// Name of the external MCP server that provides the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Why the tool is not available at present, for example because its server is not connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_because: Option<String>,
    /// Name of the tool worker that serves the tool to the owner's sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

/// The available tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolPage {
    /// The tools, ordered by name.
    pub data: Vec<ToolView>,
    /// The configured external servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ToolServerView>,
}

/// An external MCP server that provides tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolServerView {
    /// Name of the server in the configuration.
    pub name: String,
    /// Why the server is not available at present. Absent if it is available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_because: Option<String>,
    /// Version of the protocol that the server speaks, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// Tools of the server that are in use, by their names here.
    pub tools: Vec<String>,
    /// Tools of the server that are not in use.
    pub left_out: Vec<LeftOutTool>,
}

/// A tool of an external server that is not in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutTool {
    /// Name of the tool on its server.
    pub tool: String,
    /// Reason.
    pub because: String,
}

/// An artifact: data that is too large for the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactView {
    /// Id of the artifact.
    pub artifact_id: crate::ArtifactId,
    /// The session it belongs to.
    pub session_id: crate::SessionId,
    /// The turn that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<crate::TurnId>,
    /// Name of the artifact.
    pub name: String,
    /// Media type, for example `text/plain`.
    pub media_type: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Whether the content is trusted.
    pub origin: Origin,
    /// When the artifact was created.
    pub created_at: crate::Timestamp,
}

/// A page of artifacts, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactPage {
    /// The artifacts.
    pub data: Vec<ArtifactView>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
