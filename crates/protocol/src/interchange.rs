//! Taking sessions out and in, also as other programs know conversations.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SessionId, SessionName, SessionRef};

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
