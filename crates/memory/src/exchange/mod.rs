//! Export and import of memory: Dwell's own archive, and the formats of other programs.
//!
//! [`check`] validates an archive, [`links`] maps its ids to free ones; [`crate::long_term`] does
//! the rest. [`read`] parses other programs' files into one [`ForeignExport`], whatever the format:
//! `message` reads one message, `states` finds conversations, `mem0` finds notes. [`export`] writes
//! conversations in other programs' formats, [`ingest`] turns a [`ForeignExport`] into what the hub
//! ingests. Everything here is a pure function.

pub mod check;
mod content;
mod detect;
mod error;
pub mod export;
pub mod ingest;
pub mod links;
mod mem0;
pub(crate) mod merge;
mod message;
mod states;
#[cfg(test)]
mod tests;
mod times;
pub(crate) mod trust;

pub use detect::{ImportFormat, detect};
pub use error::ExchangeError;
use protocol::{IngestMessage, Timestamp};
use serde_json::{Map, Value};

/// The contents of another program's file, in one form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForeignExport {
    /// Conversations, each in order.
    pub conversations: Vec<ImportedConversation>,
    /// Single notes.
    pub notes: Vec<ImportedNote>,
    /// Notices for the user, for example that a time was read as UTC.
    pub notices: Vec<String>,
}

/// A conversation from another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedConversation {
    /// Its title; the same file gives the same one again.
    pub title: String,
    /// The vault it asks for.
    pub vault: Option<String>,
    /// Its messages, in order.
    pub messages: Vec<IngestMessage>,
    /// Whether it is over.
    pub end: bool,
}

/// A note from another program.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedNote {
    /// Its id there.
    pub id: Option<String>,
    /// The text.
    pub text: String,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    pub updated_at: Option<Timestamp>,
    /// The program's metadata.
    pub metadata: Map<String, Value>,
    /// Its categories.
    pub categories: Vec<String>,
}

/// Parses another program's file; without a format, it is detected.
pub fn read(text: &str, format: Option<ImportFormat>) -> Result<ForeignExport, ExchangeError> {
    let value = detect::parse(text)?;
    let format = format.or_else(|| detect::of(&value)).ok_or(ExchangeError::Unknown)?;
    let mut notices = times::Notices::default();
    let mut foreign = match format {
        ImportFormat::Archive => return Err(ExchangeError::Archive),
        ImportFormat::Mem0 => ForeignExport { notes: mem0::notes(&value, &mut notices)?, ..ForeignExport::default() },
        ImportFormat::Ingest => ForeignExport { conversations: states::ingested(&value)?, ..ForeignExport::default() },
        ImportFormat::LangChain | ImportFormat::LangGraph | ImportFormat::OpenAi => ForeignExport {
            conversations: states::conversations(&value, format, &mut notices)?,
            ..ForeignExport::default()
        },
    };
    if foreign.conversations.is_empty() && foreign.notes.is_empty() {
        return Err(ExchangeError::Empty(format.as_str()));
    }
    foreign.notices = notices.told();
    Ok(foreign)
}
