//! Export and import of sessions, also in the formats of other programs.

use std::{collections::BTreeMap, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SessionId, SessionName, SessionRef, SessionView};

/// Format of an exported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// The journal: all events, one JSON value per line. Lossless.
    #[default]
    Ndjson,
    /// A list of chat messages as in OpenAI's API.
    Openai,
    /// A list of messages as written by LangChain's `messages_to_dict` and read by
    /// `messages_from_dict`.
    Langchain,
    /// A state of LangGraph: `messages` as accepted by `add_messages`, the thread's name and
    /// further data.
    Langgraph,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Ndjson, Self::Openai, Self::Langchain, Self::Langgraph];

    /// Name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Openai => "openai",
            Self::Langchain => "langchain",
            Self::Langgraph => "langgraph",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is not the name of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a format of a session: ndjson, openai, langchain, langgraph")]
pub struct BadFormat(String);

impl FromStr for ExportFormat {
    type Err = BadFormat;

    fn from_str(text: &str) -> Result<Self, BadFormat> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| BadFormat(text.chars().take(64).collect()))
    }
}

/// `session.export`: exports a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionExport {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The format. Default: `ndjson`.
    #[serde(default)]
    pub format: ExportFormat,
}

/// `session.import`: imports a conversation as a new session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionImport {
    /// Format of `text`. Default: `ndjson`.
    #[serde(default)]
    pub format: ExportFormat,
    /// The text of an export or of another program's file.
    pub text: String,
    /// The client's own name for the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<SessionName>,
    /// Idempotency key. A repeated request with the same key changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Imports the intact part of a damaged file. The answer lists the damage. Default: false.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub accept_damage: bool,
}

/// The first line of an exported session: counts and checksums, by which an import detects damage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionManifest {
    /// Version of the file format, currently 1.
    pub version: u32,
    /// Number of events that follow.
    pub events: u64,
    /// Number of artifacts that follow the events.
    pub artifacts: u64,
    /// The first eight hexadecimal digits of the SHA-256 of each following line, concatenated. They
    /// identify the damaged line.
    pub lines: String,
    /// SHA-256 of all following lines, each with its line feed.
    pub digest: String,
    /// Signature over owner and digest, made with a key of the server that wrote the file. If it is
    /// missing or from another server, the import treats all text of the file as untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl SessionManifest {
    /// Value of `type` in the manifest's line.
    pub const TYPE: &'static str = "manifest";
    /// The version that is written, and the newest version that can be read.
    pub const VERSION: u32 = 1;

    /// The manifest as the first line of the file.
    pub fn line(&self) -> serde_json::Value {
        let mut line = serde_json::json!(self);
        line["type"] = Self::TYPE.into();
        line
    }
}

/// The answer to `session.import`: the new session and what the caller should know about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedSession {
    /// The session.
    #[serde(flatten)]
    pub session: SessionView,
    /// Number of items that were left out on purpose, by kind: `open_turns`, `windows`, `desktop`,
    /// `memory`, `other`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// The damage that was found, if the file was imported nevertheless.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
    /// Whether the text keeps its level of trust. True if the file is unchanged and this server
    /// wrote it for this owner.
    #[serde(default)]
    pub origins_kept: bool,
}

/// Where a session was imported from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportOrigin {
    /// Format of the file.
    pub format: ExportFormat,
    /// Digest of the whole file. It prevents that the same file is imported twice.
    pub digest: String,
    /// Original id of the session, if it was exported by Dwell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}
