//! Keeps what is stored of the index beside the records: written while nothing else is, and never
//! left behind when a text changes.

use std::sync::{PoisonError, RwLock};

use journal::{Change, Memories, Record};
use protocol::OwnerId;

use super::owner_records::OwnerRecords;
use crate::search::STORED_WORDS;

/// Documents whose words are stored in one write.
const BATCH: usize = 256;

/// Adds changes that clear what was derived from texts that are replaced: a redacted text leaves
/// neither its words nor its vectors.
pub(super) fn clear_outdated(changes: &mut Vec<Change>, owner_records: &OwnerRecords, model: Option<&str>) {
    let is_other = |record: &Record| owner_records.record(record.id()).is_some_and(|known| text(known) != text(record));
    let outdated: Vec<_> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Put(record) if is_other(record) => Some(record.id()),
            _ => None,
        })
        .collect();
    for item_id in outdated {
        let clear = |name: &str| Change::Vector { item_id, model: name.to_owned(), bytes: Vec::new() };
        changes.extend(std::iter::once(STORED_WORDS).chain(model).map(clear));
    }
}

/// Stores the words of some documents. They are derived again after the next start if that fails.
pub(super) async fn save(store: &dyn Memories, owner: &OwnerId, owner_records: &RwLock<OwnerRecords>) {
    let unsaved = owner_records.write().unwrap_or_else(PoisonError::into_inner).take_unsaved(BATCH);
    let words = |(item_id, bytes)| Change::Vector { item_id, model: STORED_WORDS.to_owned(), bytes };
    if let Err(error) = store.change(owner, unsaved.into_iter().map(words).collect()).await {
        tracing::warn!(%error, "failed to store the words of memory for the next start");
    }
}

fn text(record: &Record) -> &str {
    match record {
        Record::Entry(entry) => &entry.raw_entry,
        Record::Context(context) => &context.content,
        Record::Fact(fact) => &fact.text,
    }
}
