//! Turns another program's file into what the hub ingests.

use std::collections::BTreeMap;

use protocol::{Ingest, IngestMessage, ItemId, ItemSource, MemoryId, Origin};
use serde_json::Value;
use ulid::Ulid;

use super::{ForeignExport, ImportFormat, ImportedNote};
use crate::long_term::{NewEntry, digest};

/// The longest message, in bytes; longer ones become several.
const WORDS_BYTES_MAX: usize = 200 * 1024;
/// The most tags of an entry, and the longest tag in characters.
const TAGS_MAX: usize = 32;
const TAG_CHARS_MAX: usize = 200;

/// What to import: conversations in the hub's form, and notes as entries of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportPlan {
    /// Conversations, each for a memory of its own.
    pub conversations: Vec<Ingest>,
    /// The title of the memory that the notes go to.
    pub notes_title: String,
    /// The notes.
    pub notes: Vec<ImportedNote>,
    /// The name of the format.
    pub imported_from: &'static str,
    /// Notices for the user.
    pub notices: Vec<String>,
}

/// The plan for importing a file of this format.
pub fn import_plan(foreign: ForeignExport, format: ImportFormat) -> ImportPlan {
    let conversations = foreign.conversations.into_iter().map(|conversation| Ingest {
        vault: conversation.vault,
        title: conversation.title,
        messages: conversation.messages.into_iter().flat_map(pieces).collect(),
        origin: None,
        end: conversation.end,
    });
    ImportPlan {
        conversations: conversations.collect(),
        notes_title: format.as_str().to_owned(),
        notes: foreign.notes,
        imported_from: format.as_str(),
        notices: foreign.notices,
    }
}

/// A note as entries of a memory; one, unless it is too long for an entry. The same note gives the
/// same ids.
pub fn entries(note: &ImportedNote, memory_id: MemoryId, imported_from: &str, origin: Origin) -> Vec<NewEntry> {
    let tags = tags(note);
    let entry = |(place, words): (usize, &str)| {
        let mark = digest(&(memory_id, &note.id, note.created_at, place, words));
        let stamp = note.created_at.and_then(|at| u64::try_from(at.as_millis()).ok()).unwrap_or(0);
        NewEntry {
            tags: tags.clone(),
            conversation_time: note.created_at,
            source: ItemSource { imported_from: Some(imported_from.to_owned()), ..ItemSource::default() },
            origin,
            entry_id: Some(ItemId::new(Ulid::from_parts(stamp, mark))),
            ..NewEntry::said("user", words)
        }
    };
    split(&note.text).into_iter().enumerate().map(entry).collect()
}

/// The metadata of a note as tags: plain values as they are, lists with commas, nested values by
/// their path.
fn tags(note: &ImportedNote) -> BTreeMap<String, String> {
    let mut tags = BTreeMap::new();
    if let Some(id) = &note.id {
        tags.insert("id".to_owned(), id.clone());
    }
    if !note.categories.is_empty() {
        tags.insert("categories".to_owned(), note.categories.join(", "));
    }
    if let Some(at) = note.updated_at.filter(|at| Some(*at) != note.created_at) {
        tags.insert("updated_at".to_owned(), at.to_string());
    }
    for (key, value) in &note.metadata {
        flatten(key, value, &mut tags);
    }
    let short = |text: String| text.chars().filter(|c| !c.is_control()).take(TAG_CHARS_MAX).collect::<String>();
    let fit = tags.into_iter().map(|(key, value)| (short(key), short(value)));
    fit.filter(|(key, value)| !key.is_empty() && !value.is_empty()).take(TAGS_MAX).collect()
}

fn flatten(key: &str, value: &Value, tags: &mut BTreeMap<String, String>) {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match value {
        Value::Null => {}
        Value::Object(inner) => inner.iter().for_each(|(name, value)| flatten(&format!("{key}.{name}"), value, tags)),
        Value::Array(list) => {
            let joined = list.iter().map(plain).collect::<Vec<_>>().join(", ");
            tags.entry(key.to_owned()).or_insert(joined);
        }
        other => {
            tags.entry(key.to_owned()).or_insert_with(|| plain(other));
        }
    }
}

fn pieces(said: IngestMessage) -> Vec<IngestMessage> {
    if said.content.len() <= WORDS_BYTES_MAX {
        return vec![said];
    }
    split(&said.content).into_iter().map(|piece| IngestMessage { content: piece.to_owned(), ..said.clone() }).collect()
}

/// Splits a text into pieces that fit an entry, between words where there are any.
fn split(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > WORDS_BYTES_MAX {
        let head = &rest[..rest.floor_char_boundary(WORDS_BYTES_MAX)];
        let cut = head.rfind('\n').or_else(|| head.rfind(' ')).filter(|cut| *cut > 0).unwrap_or(head.len());
        pieces.push(&rest[..cut]);
        rest = &rest[cut..];
    }
    pieces.push(rest);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}
