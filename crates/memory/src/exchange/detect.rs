//! Detects which program wrote a file.

use protocol::MemoryArchive;
use serde_json::Value;

use super::{ExchangeError, message, states};

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportFormat {
    /// Dwell's own archive.
    Archive,
    /// Mem0: a list of memories.
    Mem0,
    /// LangChain: messages as `messages_to_dict` or `dumpd` write them.
    LangChain,
    /// LangGraph: states, checkpoints, histories of threads.
    LangGraph,
    /// Chat messages with `role` and `content`.
    OpenAi,
    /// Dwell's own form of a conversation to ingest.
    Ingest,
}

impl ImportFormat {
    /// Every format.
    pub const ALL: [Self; 6] =
        [Self::Archive, Self::Mem0, Self::LangChain, Self::LangGraph, Self::OpenAi, Self::Ingest];

    /// Its name; also the `imported_from` of its entries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Archive => MemoryArchive::FORMAT,
            Self::Mem0 => "mem0",
            Self::LangChain => "langchain",
            Self::LangGraph => "langgraph",
            Self::OpenAi => "openai",
            Self::Ingest => "ingest",
        }
    }
}

impl std::str::FromStr for ImportFormat {
    type Err = ExchangeError;

    fn from_str(text: &str) -> Result<Self, ExchangeError> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or(ExchangeError::Unknown)
    }
}

/// The format of a text; none if it is unknown.
pub fn detect(text: &str) -> Option<ImportFormat> {
    parse(text).ok().as_ref().and_then(of)
}

/// JSON, or lines of JSON as a list.
pub(super) fn parse(text: &str) -> Result<Value, ExchangeError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let whole = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < 2 || serde_json::from_str::<Value>(lines[0]).is_err() {
        return Err(ExchangeError::NotJson(whole.to_string()));
    }
    let read = |(index, line): (usize, &&str)| {
        serde_json::from_str(line).map_err(|error| ExchangeError::NotJson(format!("line {}: {error}", index + 1)))
    };
    lines.iter().enumerate().map(read).collect::<Result<Vec<Value>, _>>().map(Value::Array)
}

pub(super) fn of(value: &Value) -> Option<ImportFormat> {
    if let Value::Array(all) = value {
        // The first item decides for all; the reader of that format refuses a mixed list.
        return message::dialect(value).or_else(|| all.iter().find_map(of_one));
    }
    of_one(value)
}

fn of_one(value: &Value) -> Option<ImportFormat> {
    let has = |key: &str| value.get(key).is_some();
    if value.get("format").and_then(Value::as_str) == Some(MemoryArchive::FORMAT) {
        return Some(ImportFormat::Archive);
    }
    if has("memory") && value["memory"].is_string() {
        return Some(ImportFormat::Mem0);
    }
    for list in ["results", "memories"] {
        if let Some(Value::Array(all)) = value.get(list)
            && all.iter().all(|one| one.get("memory").is_some_and(Value::is_string))
        {
            return Some(ImportFormat::Mem0);
        }
    }
    if has("title") && value.get("messages").is_some_and(Value::is_array) && states::is_ingest(value) {
        return Some(ImportFormat::Ingest);
    }
    if states::is_state(value) {
        return Some(ImportFormat::LangGraph);
    }
    if let Some(messages) = states::plain_messages(value) {
        return message::dialect(messages);
    }
    message::dialect(value)
}
