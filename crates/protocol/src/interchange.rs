//! Taking sessions out and in, also as other programs know conversations.

use std::{collections::BTreeMap, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SessionId, SessionName, SessionRef, SessionView};

/// What a session is written as when it is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// The journal: all events, one JSON value a line. Nothing is lost.
    #[default]
    Ndjson,
    /// OpenAI's list of chat messages.
    Openai,
    /// The list that `messages_to_dict` of LangChain writes and `messages_from_dict` reads.
    Langchain,
    /// A state of LangGraph: `messages` that `add_messages` takes, the thread's name, and what else is known.
    Langgraph,
}

impl ExportFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ndjson, Self::Openai, Self::Langchain, Self::Langgraph];

    /// Its name.
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

/// A name of no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format of a session: ndjson, openai, langchain, langgraph")]
pub struct BadFormat(String);

impl FromStr for ExportFormat {
    type Err = BadFormat;

    fn from_str(text: &str) -> Result<Self, BadFormat> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| BadFormat(text.chars().take(64).collect()))
    }
}

/// `session.export`: which session, and as what.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionExport {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// As what; the journal unless told.
    #[serde(default)]
    pub format: ExportFormat,
}

/// `session.import`: a conversation that becomes a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionImport {
    /// What the text is.
    #[serde(default)]
    pub format: ExportFormat,
    /// The text, as an export gave it or another program wrote it.
    pub text: String,
    /// A name for the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<SessionName>,
    /// Sending again with the same key changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Takes what there is of a file that is damaged. What is wrong with it is told in the answer.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub accept_damage: bool,
}

/// What a session's file says of itself in its first line, so that damage is noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionManifest {
    /// [`SessionManifest::VERSION`].
    pub version: u32,
    /// How many events follow.
    pub events: u64,
    /// How many artifacts follow them.
    pub artifacts: u64,
    /// The first eight hexadecimal digits of the SHA-256 of each line that follows, one after the other: by them the line that is
    /// wrong is named.
    pub lines: String,
    /// The SHA-256 of all lines that follow, each ended by a line feed.
    pub digest: String,
    /// What only the server that wrote the file can make of owner and digest. Without it, or elsewhere, all words of the file
    /// are untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl SessionManifest {
    /// What the `type` of its line says.
    pub const TYPE: &'static str = "manifest";
    /// The version that is written, and the newest that is read.
    pub const VERSION: u32 = 1;

    /// Its line, which comes before all others.
    pub fn line(&self) -> serde_json::Value {
        let mut line = serde_json::json!(self);
        line["type"] = Self::TYPE.into();
        line
    }
}

/// `session.import` is answered with the new session and what the importer should know of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedSession {
    /// The session.
    #[serde(flatten)]
    pub session: SessionView,
    /// What was left out on purpose, and how much of it: `open_turns`, `windows`, `desktop`, `memory`, `other`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// What is wrong with the file, where it was taken in all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
    /// Whether its words are trusted as they were: the file is unchanged, and this server wrote it for this owner.
    #[serde(default)]
    pub origins_kept: bool,
}

/// Where a session was taken in from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportOrigin {
    /// What it was written as.
    pub format: ExportFormat,
    /// What stands for all of it, so that the same is taken in once.
    pub digest: String,
    /// Its id where it came from, if that was a Dwell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}
