//! Taking memory out and in: the own archive, and what other programs write.
//!
//! [`check`] says whether an archive can be taken in, [`links`] gives its things ids that are free here; the room does the
//! rest. [`read`] turns what other programs write into one [`Foreign`] form, whatever the dialect: `message` reads one
//! message, `states` finds conversations, `mem0` finds notes. [`out`] writes conversations in others' forms, [`ingest`]
//! makes of a [`Foreign`] what the hub takes in. Everything here is a function of its arguments.

pub mod check;
mod content;
mod detect;
mod error;
pub mod ingest;
pub mod links;
mod mem0;
pub(crate) mod merge;
mod message;
pub mod out;
mod states;
#[cfg(test)]
mod tests;
mod times;
pub(crate) mod trust;

pub use detect::{Format, detect};
pub use error::ExchangeError;
use protocol::{Said, Timestamp};
use serde_json::{Map, Value};

/// What another program kept, in one form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Foreign {
    /// Conversations, each in order.
    pub conversations: Vec<Conversation>,
    /// Single notes.
    pub notes: Vec<Note>,
    /// What the importer should know: as that a time was read as UTC.
    pub notices: Vec<String>,
}

/// A conversation that happened elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its title; the same file gives the same one again.
    pub title: String,
    /// The vault it asks for.
    pub vault: Option<String>,
    /// What was said, in order.
    pub messages: Vec<Said>,
    /// Whether it is over.
    pub end: bool,
}

/// A note that another program made.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its id there.
    pub id: Option<String>,
    /// The words.
    pub text: String,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    pub updated_at: Option<Timestamp>,
    /// What the program kept beside it.
    pub metadata: Map<String, Value>,
    /// What it was filed under.
    pub categories: Vec<String>,
}

/// Reads what another program wrote, in the format it is in unless told.
pub fn read(text: &str, format: Option<Format>) -> Result<Foreign, ExchangeError> {
    let value = detect::parse(text)?;
    let format = format.or_else(|| detect::of(&value)).ok_or(ExchangeError::Unknown)?;
    let mut notices = times::Notices::default();
    let mut foreign = match format {
        Format::Archive => return Err(ExchangeError::Archive),
        Format::Mem0 => Foreign { notes: mem0::notes(&value, &mut notices)?, ..Foreign::default() },
        Format::Ingest => Foreign { conversations: states::ingested(&value)?, ..Foreign::default() },
        Format::LangChain | Format::LangGraph | Format::OpenAi => {
            Foreign { conversations: states::conversations(&value, format, &mut notices)?, ..Foreign::default() }
        }
    };
    if foreign.conversations.is_empty() && foreign.notes.is_empty() {
        return Err(ExchangeError::Empty(format.as_str()));
    }
    foreign.notices = notices.told();
    Ok(foreign)
}
