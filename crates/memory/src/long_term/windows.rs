//! What was said in windows that are closed: models are no longer given its words. What users have
//! stated there about themselves stays known, told without the sentence that stated it.

use std::collections::BTreeMap;

use journal::{Change, Record};
use protocol::{Doubt, Fact, ItemSource, Level, MemoryHit, MemoryItem, OwnerId, SessionId, Timestamp, WindowId};

use super::{Error, LongTermMemory, OwnerRecords};
use crate::language::{
    lexicon::{Lexicon, tokens},
    words::TokenizedText,
};

/// The open windows of a session, with the time at which each was opened.
pub type OpenWindows = BTreeMap<WindowId, Timestamp>;

/// Bytes of a sentence in which the speaker is looked for.
const SENTENCE_BYTES_MAX: usize = 2 * 1024;

/// Stands for words that were said in a closed window.
const UNQUOTED: &str = "something said in a window that is closed now";

/// Which windows are closed, as one session sees it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WindowView<'a> {
    session_id: Option<SessionId>,
    /// Closing is noted in the store a little later than it happens, so the session's own windows
    /// are looked up here.
    open: Option<&'a OpenWindows>,
}

impl LongTermMemory {
    /// Marks what was said in windows of a session that are no longer open; returns the number of
    /// items that were marked.
    pub async fn mark_closed_windows(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        open: OpenWindows,
    ) -> Result<u64, Error> {
        let unmarked = move |owner_records: &OwnerRecords| -> Vec<Change> {
            let view = WindowView::of(Some(session_id), Some(&open));
            let records = owner_records.records().filter(|record| said_in(record) == Some(session_id));
            records.filter_map(|record| view.marked(record)).map(Change::Put).collect()
        };
        self.mark(owner, unmarked).await
    }

    /// Those of the items that models may be given in a session, without words of closed windows.
    pub async fn told_items(
        &self,
        owner: &OwnerId,
        items: Vec<MemoryHit>,
        session_id: SessionId,
        open: &OpenWindows,
    ) -> Result<Vec<MemoryHit>, Error> {
        let view = WindowView::of(Some(session_id), Some(open));
        self.read(owner, |owner_records| {
            let told = |hit: MemoryHit| Some(MemoryHit { item: view.told(owner_records, hit.item)?, ..hit });
            items.into_iter().filter_map(told).collect()
        })
        .await
    }
}

impl<'a> WindowView<'a> {
    pub(super) const fn of(session_id: Option<SessionId>, open: Option<&'a OpenWindows>) -> Self {
        Self { session_id, open }
    }

    /// Whether something was said in a window that is closed. A window that was opened later under
    /// the same name is another one.
    fn is_closed(self, source: &ItemSource, at: Timestamp) -> bool {
        let Some(window_id) = &source.window_id else { return false };
        let is_here = source.session_id.is_some() && source.session_id == self.session_id;
        let is_gone = |open: &OpenWindows| open.get(window_id).is_none_or(|opened_at| *opened_at > at);
        source.window_closed || (is_here && self.open.is_some_and(is_gone))
    }

    fn is_closed_entry(self, owner_records: &OwnerRecords, id: protocol::ItemId) -> bool {
        let Some(Record::Entry(entry)) = owner_records.record(id) else { return false };
        self.is_closed(&entry.source, entry.conversation_time)
    }

    /// An item as models may know it; none if a closed window alone says it.
    pub(super) fn told(self, owner_records: &OwnerRecords, mut item: MemoryItem) -> Option<MemoryItem> {
        self.unquote(owner_records, item.doubt.as_mut());
        match owner_records.record(item.id) {
            Some(Record::Entry(_)) if self.is_closed(&item.source, item.at) => None,
            Some(Record::Fact(fact)) if self.is_closed(&fact.source, fact.stored_at) => {
                item.text = format!("{}: {}", fact.key, fact.value);
                is_about_user(fact).then_some(item)
            }
            _ => Some(item),
        }
    }

    /// The same for a fact. What is told of it is its key and its value.
    pub(super) fn told_fact(self, owner_records: &OwnerRecords, mut fact: Fact) -> Option<Fact> {
        self.unquote(owner_records, fact.doubt.as_mut());
        (!self.is_closed(&fact.source, fact.stored_at) || is_about_user(&fact)).then_some(fact)
    }

    fn unquote(self, owner_records: &OwnerRecords, doubt: Option<&mut Doubt>) {
        if let Some(doubt) = doubt
            && doubt.item_id.is_some_and(|id| self.is_closed_entry(owner_records, id))
        {
            UNQUOTED.clone_into(&mut doubt.text);
        }
    }

    /// The record, marked as one of a closed window; none if there is nothing to mark.
    fn marked(self, record: &Record) -> Option<Record> {
        let mut record = record.clone();
        let (source, at) = match &mut record {
            Record::Entry(entry) => (&mut entry.source, entry.conversation_time),
            Record::Fact(fact) => (&mut fact.source, fact.stored_at),
            Record::Context(_) => return None,
        };
        if source.window_closed || !self.is_closed(source, at) {
            return None;
        }
        source.window_closed = true;
        Some(record)
    }
}

/// The session in one of whose windows a record was said.
const fn said_in(record: &Record) -> Option<SessionId> {
    let source = match record {
        Record::Entry(entry) => &entry.source,
        Record::Fact(fact) => &fact.source,
        Record::Context(_) => return None,
    };
    match source.window_id {
        Some(_) => source.session_id,
        None => None,
    }
}

/// Whether a fact is about the user: a line of the profile, or the user speaks of themself in the
/// sentence. "The boiler is serviced by Hartmann" is not.
fn is_about_user(fact: &Fact) -> bool {
    // A model names the subject where it is another one.
    let is_extracted = fact.source.extracted_by.is_some() && fact.subject.is_none();
    if fact.level == Level::Profile || is_extracted {
        return true;
    }
    let text = TokenizedText::read(&fact.text, SENTENCE_BYTES_MAX);
    let tokens = tokens(&text);
    let lexicon = Lexicon::of(&tokens);
    tokens.iter().any(|token| lexicon.first.contains(&token.lower) || lexicon.own.contains(&token.lower))
}
