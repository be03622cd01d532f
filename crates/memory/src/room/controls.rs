//! What owners do with what is remembered of them: correct, forget, let expire.

use std::collections::{BTreeMap, BTreeSet};

use journal::{Change, Record};
use protocol::{
    FORGOTTEN, Fact, Item, ItemId, MemoryCorrect, MemoryForget, MemoryId, OwnerId, SessionId, Source, Timestamp, TurnId,
};

use super::{Error, Keyed, Room, Shelf};

/// Words shorter than this, and fewer of them, stand in many texts that have nothing to do with each other.
const SPECIFIC_CHARS_MIN: usize = 12;
const SPECIFIC_WORDS_MIN: usize = 3;
/// Words to be forgotten wherever they stand have at least this many characters.
const TEXT_CHARS_MIN: usize = 3;

/// What goes when something is forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Going {
    /// Items that are taken away.
    pub items: BTreeSet<ItemId>,
    /// Memories that are taken away.
    pub memories: BTreeSet<MemoryId>,
    /// Words that go wherever the owner has them.
    pub texts: BTreeSet<String>,
    /// Records of sessions that lose all that was said in them.
    pub records: BTreeSet<(SessionId, u64)>,
    /// Words whose sentences go from a turn.
    pub turns: BTreeMap<(SessionId, TurnId), BTreeSet<String>>,
    /// Words whose sentences go from wherever the item was told or summed up.
    pub words: BTreeMap<ItemId, BTreeSet<String>>,
    /// Sessions in which words are struck out: their memories may say the same.
    pub sessions: BTreeSet<SessionId>,
    /// Facts that stay, since something else states them too: where they come from instead.
    pub(super) restated: BTreeMap<ItemId, Source>,
    /// Memories whose documents may sum up what goes.
    touched: BTreeSet<MemoryId>,
}

impl Room {
    /// Puts right what is wrong. The old item stays readable as history.
    pub async fn correct(&self, owner: &OwnerId, asked: MemoryCorrect) -> Result<Item, Error> {
        if asked.text.trim().is_empty() {
            return Err(Error::Invalid("say in `text` what is right".to_owned()));
        }
        let keyed = Keyed::under(asked.idempotency_key.as_deref(), &asked)?;
        let record = self.read(owner, |shelf| shelf.record(asked.id).cloned()).await?;
        let id = match record.ok_or(Error::NoItem(asked.id))? {
            Record::Entry(entry) => self.correct_entry(owner, entry, asked.text, keyed).await?.entry.entry_id,
            Record::Fact(fact) => self.correct_fact(owner, fact, asked.text, keyed).await?.fact_id,
            Record::Context(_) => {
                return Err(Error::Unfit("a context document is not corrected; write its next version".to_owned()));
            }
        };
        self.item(owner, id).await
    }

    /// Something as clients see it.
    pub async fn item(&self, owner: &OwnerId, id: ItemId) -> Result<Item, Error> {
        self.read(owner, |shelf| shelf.item(id)).await?.ok_or(Error::NoItem(id))
    }

    /// What goes when this is forgotten.
    pub async fn going(&self, owner: &OwnerId, asked: &MemoryForget) -> Result<Going, Error> {
        let is_empty = asked.ids.is_empty() && asked.key.is_none() && asked.text.is_none() && asked.memory_id.is_none();
        if is_empty {
            return Err(Error::Invalid("say what to forget: `ids`, `key`, `text` or `memory_id`".to_owned()));
        }
        let text = asked.text.as_deref().map(str::trim);
        if text.is_some_and(|text| text.chars().count() < TEXT_CHARS_MIN) {
            return Err(Error::Invalid(format!("`text` has at least {TEXT_CHARS_MIN} characters")));
        }
        self.read(owner, |shelf| {
            let mut going = Going::default();
            for id in &asked.ids {
                going.take(shelf, *id)?;
            }
            if let Some(key) = &asked.key {
                let ids: Vec<ItemId> = shelf.facts().filter(|fact| fact.key == *key).map(|fact| fact.fact_id).collect();
                if ids.is_empty() {
                    return Err(Error::Invalid(format!("nothing is kept under the key `{key}`")));
                }
                ids.into_iter().try_for_each(|id| going.take(shelf, id))?;
            }
            if let Some(id) = asked.memory_id {
                shelf.memory(id).ok_or(Error::NoMemory(id))?;
                going.memories.insert(id);
                let inside: Vec<ItemId> =
                    shelf.records().filter(|it| it.memory_id() == Some(id)).map(Record::id).collect();
                inside.into_iter().try_for_each(|id| going.take(shelf, id))?;
            }
            if let Some(text) = text {
                going.take_text(shelf, text)?;
            }
            Ok(going)
        })
        .await?
    }

    /// Takes away what goes, and strikes words out of what stays. `strike` gives a text without the words that go, given
    /// the words whose sentences go too.
    pub async fn forget(
        &self,
        owner: &OwnerId,
        going: Going,
        strike: impl Fn(&str, &[String]) -> Option<String> + Send + 'static,
    ) -> Result<(), Error> {
        let librarian = self.librarian(owner).await?;
        librarian
            .write(move |shelf| {
                let all_words: Vec<String> = going.words.values().flatten().cloned().collect();
                let told = going.sessions.iter().filter_map(|id| shelf.memory_of(*id)).map(|memory| memory.memory_id);
                let touched: BTreeSet<MemoryId> = going.touched.iter().copied().chain(told).collect();
                let mut changes: Vec<Change> = going.items.iter().map(|id| Change::Remove(*id)).collect();
                changes.extend(going.restated.iter().filter_map(|(id, source)| match shelf.record(*id)? {
                    Record::Fact(fact) => {
                        Some(Change::Put(Record::Fact(Fact { source: source.clone(), ..fact.clone() })))
                    }
                    _ => None,
                }));
                for record in shelf.records().filter(|record| !going.items.contains(&record.id())) {
                    let is_touched = record.memory_id().is_some_and(|id| touched.contains(&id));
                    let words = if is_touched { all_words.as_slice() } else { &[] };
                    changes.extend(struck(record, |text| strike(text, words)).map(|left| match is_empty(&left) {
                        true => Change::Remove(left.id()),
                        false => Change::Put(left),
                    }));
                }
                // Somebody else may have taken one away meanwhile.
                let memories = going.memories.iter().filter(|id| shelf.memory(**id).is_some());
                changes.extend(memories.map(|id| Change::RemoveMemory(*id)));
                changes.push(Change::RemoveKeys { texts: going.texts.iter().cloned().collect() });
                Ok((changes, ()))
            })
            .await
    }

    /// What should have been forgotten by itself by `now`.
    pub async fn expired(&self, owner: &OwnerId, now: Timestamp) -> Result<Vec<ItemId>, Error> {
        let expires_at = |record: &Record| match record {
            Record::Entry(entry) => entry.expires_at,
            Record::Fact(fact) => fact.expires_at,
            Record::Context(_) => None,
        };
        let is_over = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        self.read(owner, |shelf| shelf.records().filter(|record| is_over(expires_at(record))).map(Record::id).collect())
            .await
    }
}

impl Going {
    pub(super) fn take(&mut self, shelf: &Shelf, id: ItemId) -> Result<(), Error> {
        if !self.items.insert(id) {
            return Ok(());
        }
        match shelf.record(id).ok_or(Error::NoItem(id))? {
            Record::Entry(entry) => {
                self.touched.insert(entry.memory_id);
                self.words.entry(id).or_default();
                if is_specific(&entry.raw_entry) {
                    self.texts.insert(entry.raw_entry.clone());
                }
                for sentence in crate::summary::sentences(&entry.raw_entry) {
                    if is_specific(sentence) {
                        self.words.entry(id).or_default().insert(sentence.to_owned());
                    }
                }
                if let (Some(session_id), Some(seq)) = (entry.source.session_id, entry.source.seq) {
                    self.records.insert((session_id, seq));
                }
                let linked = entry.corrects.into_iter().chain(entry.corrected_by);
                let others: Vec<ItemId> = linked.chain(shelf.facts_of(id)).collect();
                others.into_iter().filter(|id| shelf.record(*id).is_some()).try_for_each(|id| self.take(shelf, id))
            }
            Record::Fact(fact) => {
                self.take_fact(shelf, fact);
                Ok(())
            }
            Record::Context(context) => {
                self.touched.insert(context.memory_id);
                self.texts.insert(context.content.clone());
                self.words.entry(id).or_default();
                Ok(())
            }
        }
    }

    fn take_fact(&mut self, shelf: &Shelf, fact: &Fact) {
        self.words.entry(fact.fact_id).or_default().insert(fact.value.clone());
        if is_specific(&fact.text) {
            self.texts.insert(fact.text.clone());
        }
        if let Some(memory) = fact.source.item_id.and_then(|id| shelf.record(id)).and_then(Record::memory_id) {
            self.touched.insert(memory);
        }
        if let (Some(session_id), Some(turn_id)) = (fact.source.session_id, fact.source.turn_id) {
            self.turns.entry((session_id, turn_id)).or_default().insert(fact.value.clone());
            if let Some(memory) = shelf.memory_of(session_id) {
                self.touched.insert(memory.memory_id);
            }
        }
    }

    fn take_text(&mut self, shelf: &Shelf, text: &str) -> Result<(), Error> {
        self.texts.insert(text.to_owned());
        let needle = text.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&needle);
        let going: Vec<ItemId> = shelf
            .records()
            .filter(|record| match record {
                // A fact without its words states nothing, and nor does an entry that is nothing else.
                Record::Fact(fact) => has(&fact.value) || has(&fact.text) || has(&fact.key),
                Record::Entry(entry) => entry.raw_entry.trim().to_lowercase() == needle,
                Record::Context(_) => false,
            })
            .map(Record::id)
            .collect();
        going.into_iter().try_for_each(|id| self.take(shelf, id))
    }
}

pub(super) fn is_specific(text: &str) -> bool {
    text.chars().count() >= SPECIFIC_CHARS_MIN && text.split_whitespace().count() >= SPECIFIC_WORDS_MIN
}

/// Whether nothing is left of an entry but that something was forgotten.
fn is_empty(record: &Record) -> bool {
    match record {
        Record::Entry(entry) => {
            entry.raw_entry.replace(FORGOTTEN, "").trim_matches(|c: char| !c.is_alphanumeric()).is_empty()
        }
        Record::Context(_) | Record::Fact(_) => false,
    }
}

/// What is left of a record; none if it has none of the words.
fn struck(record: &Record, strike: impl Fn(&str) -> Option<String>) -> Option<Record> {
    let mut left = record.clone();
    let mut is_struck = false;
    let mut go = |text: &mut String| {
        if let Some(rest) = strike(text) {
            *text = rest;
            is_struck = true;
        }
    };
    match &mut left {
        Record::Entry(entry) => {
            go(&mut entry.raw_entry);
            go(&mut entry.summary);
            entry.tags.values_mut().for_each(&mut go);
        }
        Record::Context(context) => go(&mut context.content),
        Record::Fact(fact) => {
            go(&mut fact.value);
            go(&mut fact.text);
        }
    }
    is_struck.then_some(left)
}
