//! What owners can do with their memory: correct, forget, let expire.

use std::collections::{BTreeMap, BTreeSet};

use journal::{Change, Record};
use protocol::{
    Doubt, FORGOTTEN, Fact, ItemId, ItemSource, MemoryCorrect, MemoryForget, MemoryId, MemoryItem, OwnerId, SessionId,
    Timestamp, TurnId, VaultId,
};

use super::{CONVERSATIONS, Error, IdempotencyKey, LongTermMemory, OwnerRecords};

/// Texts with fewer characters or words than this occur in many unrelated texts, so they are not
/// redacted elsewhere.
const SPECIFIC_CHARS_MIN: usize = 12;
const SPECIFIC_WORDS_MIN: usize = 3;
/// The shortest `text` that can be forgotten everywhere, in characters.
const TEXT_CHARS_MIN: usize = 3;

/// What is deleted and redacted when something is forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgetPlan {
    /// Items to delete.
    pub items: BTreeSet<ItemId>,
    /// Memories to delete.
    pub memories: BTreeSet<MemoryId>,
    /// Vaults to delete.
    pub vaults: BTreeSet<VaultId>,
    /// Texts to redact in all of the owner's data.
    pub texts: BTreeSet<String>,
    /// Events of sessions whose whole text is redacted.
    pub records: BTreeSet<(SessionId, u64)>,
    /// For each turn, the words whose sentences are redacted in it.
    pub turns: BTreeMap<(SessionId, TurnId), BTreeSet<String>>,
    /// For each item, the words whose sentences are redacted wherever the item was quoted or
    /// summarized.
    pub words: BTreeMap<ItemId, BTreeSet<String>>,
    /// Sessions in which texts are redacted: their memories may say the same.
    pub sessions: BTreeSet<SessionId>,
    /// Facts that stay because another item states them too, with their new source.
    pub(super) restated: BTreeMap<ItemId, ItemSource>,
    /// Memories whose context documents may summarize what is forgotten.
    touched: BTreeSet<MemoryId>,
}

impl LongTermMemory {
    /// Corrects an item. The old one stays readable as history.
    pub async fn correct(&self, owner: &OwnerId, asked: MemoryCorrect) -> Result<MemoryItem, Error> {
        if asked.text.trim().is_empty() {
            return Err(Error::Invalid("`text` is empty: give the corrected text".to_owned()));
        }
        let idempotency_key = IdempotencyKey::under(asked.idempotency_key.as_deref(), &asked)?;
        let record = self.read(owner, |owner_records| owner_records.record(asked.id).cloned()).await?;
        let id = match record.ok_or(Error::NoItem(asked.id))? {
            Record::Entry(entry) => self.correct_entry(owner, entry, asked.text, idempotency_key).await?.entry.entry_id,
            Record::Fact(fact) => self.correct_fact(owner, fact, asked.text, idempotency_key).await?.fact_id,
            Record::Context(_) => {
                return Err(Error::Unfit("a context document cannot be corrected; write its next version".to_owned()));
            }
        };
        self.item(owner, id).await
    }

    /// The items of a vault, of a memory, or of both, newest first.
    pub async fn contents(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        memory_id: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<MemoryItem>, Error> {
        let is_inside = |item: &MemoryItem| {
            vault_id.is_none_or(|id| item.vault_id == Some(id)) && memory_id.is_none_or(|id| item.memory_id == Some(id))
        };
        self.read(owner, |owner_records| {
            let all = owner_records.records().filter_map(|record| owner_records.item(record.id()));
            let mut inside: Vec<MemoryItem> = all.filter(is_inside).collect();
            inside.sort_by_key(|item| std::cmp::Reverse((item.at, item.id)));
            inside.truncate(limit);
            inside
        })
        .await
    }

    /// An item as clients see it.
    pub async fn item(&self, owner: &OwnerId, id: ItemId) -> Result<MemoryItem, Error> {
        self.read(owner, |owner_records| owner_records.item(id)).await?.ok_or(Error::NoItem(id))
    }

    /// Works out what forgetting this deletes and redacts.
    pub async fn forget_plan(&self, owner: &OwnerId, asked: &MemoryForget) -> Result<ForgetPlan, Error> {
        let is_empty = asked.ids.is_empty() && asked.key.is_none() && asked.text.is_none();
        if is_empty && asked.memory_id.is_none() && asked.vault_id.is_none() {
            let rule = "say what to forget: `ids`, `key`, `text`, `memory_id` or `vault_id`";
            return Err(Error::Invalid(rule.to_owned()));
        }
        let text = asked.text.as_deref().map(str::trim);
        if text.is_some_and(|text| text.chars().count() < TEXT_CHARS_MIN) {
            return Err(Error::Invalid(format!("`text` has at least {TEXT_CHARS_MIN} characters")));
        }
        self.read(owner, |owner_records| {
            let mut forget_plan = ForgetPlan::default();
            for id in &asked.ids {
                forget_plan.take(owner_records, *id)?;
            }
            if let Some(key) = &asked.key {
                let ids: Vec<ItemId> =
                    owner_records.facts().filter(|fact| fact.key == *key).map(|fact| fact.fact_id).collect();
                if ids.is_empty() {
                    return Err(Error::Invalid(format!("there is no fact with the key `{key}`")));
                }
                ids.into_iter().try_for_each(|id| forget_plan.take(owner_records, id))?;
            }
            if let Some(id) = asked.memory_id {
                owner_records.memory(id).ok_or(Error::NoMemory(id))?;
                forget_plan.take_memory(owner_records, id)?;
            }
            if let Some(id) = asked.vault_id {
                forget_plan.take_vault(owner_records, id)?;
            }
            if let Some(text) = text {
                forget_plan.take_text(owner_records, text)?;
            }
            Ok(forget_plan)
        })
        .await?
    }

    /// Carries out a plan: deletes items and redacts texts in the others. `redact` returns a text
    /// without what is forgotten, given the words whose sentences are removed too; none if nothing
    /// changes.
    pub async fn forget(
        &self,
        owner: &OwnerId,
        forget_plan: ForgetPlan,
        redact: impl Fn(&str, &[String]) -> Option<String> + Send + 'static,
    ) -> Result<(), Error> {
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write(move |owner_records| {
                let all_words: Vec<String> = forget_plan.words.values().flatten().cloned().collect();
                let told = forget_plan
                    .sessions
                    .iter()
                    .filter_map(|id| owner_records.memory_of(*id))
                    .map(|memory| memory.memory_id);
                let touched: BTreeSet<MemoryId> = forget_plan.touched.iter().copied().chain(told).collect();
                let mut changes: Vec<Change> = forget_plan.items.iter().map(|id| Change::Remove(*id)).collect();
                changes.extend(forget_plan.restated.iter().filter_map(
                    |(id, source)| match owner_records.record(*id)? {
                        Record::Fact(fact) => {
                            Some(Change::Put(Record::Fact(Fact { source: source.clone(), ..fact.clone() })))
                        }
                        _ => None,
                    },
                ));
                // What made a fact doubtful is forgotten with its message.
                let is_gone = |doubt: &Doubt| doubt.item_id.is_some_and(|id| forget_plan.items.contains(&id));
                for record in owner_records.records().filter(|record| !forget_plan.items.contains(&record.id())) {
                    let settled = match record {
                        Record::Fact(fact) if fact.doubt.as_ref().is_some_and(is_gone) => {
                            Some(Record::Fact(Fact { doubt: None, ..fact.clone() }))
                        }
                        _ => None,
                    };
                    changes.extend(settled.clone().map(Change::Put));
                    let record = settled.as_ref().unwrap_or(record);
                    let is_touched = record.memory_id().is_some_and(|id| touched.contains(&id));
                    let words = if is_touched { all_words.as_slice() } else { &[] };
                    changes.extend(redacted(record, |text| redact(text, words)).map(|left| match is_empty(&left) {
                        true => Change::Remove(left.id()),
                        false => Change::Put(left),
                    }));
                }
                // Another write may have deleted one meanwhile.
                let memories = forget_plan.memories.iter().filter(|id| owner_records.memory(**id).is_some());
                changes.extend(memories.map(|id| Change::RemoveMemory(*id)));
                let vaults = forget_plan.vaults.iter().filter(|id| owner_records.vault(**id).is_some());
                changes.extend(vaults.map(|id| Change::RemoveVault(*id)));
                changes.push(Change::RemoveKeys { texts: forget_plan.texts.iter().cloned().collect() });
                Ok((changes, ()))
            })
            .await
    }

    /// Items whose expiry is before `now`.
    pub async fn expired(&self, owner: &OwnerId, now: Timestamp) -> Result<Vec<ItemId>, Error> {
        let expires_at = |record: &Record| match record {
            Record::Entry(entry) => entry.expires_at,
            Record::Fact(fact) => fact.expires_at,
            Record::Context(_) => None,
        };
        let is_over = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        self.read(owner, |owner_records| {
            owner_records.records().filter(|record| is_over(expires_at(record))).map(Record::id).collect()
        })
        .await
    }
}

impl ForgetPlan {
    pub(super) fn take(&mut self, owner_records: &OwnerRecords, id: ItemId) -> Result<(), Error> {
        if !self.items.insert(id) {
            return Ok(());
        }
        match owner_records.record(id).ok_or(Error::NoItem(id))? {
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
                let others: Vec<ItemId> = linked.chain(owner_records.facts_of(id)).collect();
                others
                    .into_iter()
                    .filter(|id| owner_records.record(*id).is_some())
                    .try_for_each(|id| self.take(owner_records, id))
            }
            Record::Fact(fact) => {
                self.take_fact(owner_records, fact);
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

    fn take_memory(&mut self, owner_records: &OwnerRecords, id: MemoryId) -> Result<(), Error> {
        self.memories.insert(id);
        let inside = owner_records.records().filter(|it| it.memory_id() == Some(id));
        inside.map(Record::id).collect::<Vec<_>>().into_iter().try_for_each(|id| self.take(owner_records, id))
    }

    /// A vault goes with its memories and with all facts that belong to it.
    fn take_vault(&mut self, owner_records: &OwnerRecords, id: VaultId) -> Result<(), Error> {
        let vault = owner_records.vault(id).ok_or(Error::NoVault(id))?;
        if vault.title == CONVERSATIONS {
            let why = format!("the vault `{CONVERSATIONS}` cannot be removed: remove its memories one by one");
            return Err(Error::Unfit(why));
        }
        self.vaults.insert(id);
        for memory in owner_records.memories().filter(|memory| memory.vault_id == id) {
            self.take_memory(owner_records, memory.memory_id)?;
        }
        let facts = owner_records.facts().filter(|fact| owner_records.vault_of(fact) == Some(id));
        facts.map(|fact| fact.fact_id).collect::<Vec<_>>().into_iter().try_for_each(|id| self.take(owner_records, id))
    }

    fn take_fact(&mut self, owner_records: &OwnerRecords, fact: &Fact) {
        self.words.entry(fact.fact_id).or_default().insert(fact.value.clone());
        if is_specific(&fact.text) {
            self.texts.insert(fact.text.clone());
        }
        if let Some(memory) = fact.source.item_id.and_then(|id| owner_records.record(id)).and_then(Record::memory_id) {
            self.touched.insert(memory);
        }
        if let (Some(session_id), Some(turn_id)) = (fact.source.session_id, fact.source.turn_id) {
            self.turns.entry((session_id, turn_id)).or_default().insert(fact.value.clone());
            if let Some(memory) = owner_records.memory_of(session_id) {
                self.touched.insert(memory.memory_id);
            }
        }
    }

    fn take_text(&mut self, owner_records: &OwnerRecords, text: &str) -> Result<(), Error> {
        self.texts.insert(text.to_owned());
        let needle = text.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&needle);
        let forget_plan: Vec<ItemId> = owner_records
            .records()
            .filter(|record| match record {
                // A fact without its words states nothing, nor does an entry that consists of
                // nothing else.
                Record::Fact(fact) => has(&fact.value) || has(&fact.text) || has(&fact.key),
                Record::Entry(entry) => entry.raw_entry.trim().to_lowercase() == needle,
                Record::Context(_) => false,
            })
            .map(Record::id)
            .collect();
        forget_plan.into_iter().try_for_each(|id| self.take(owner_records, id))
    }
}

pub(super) fn is_specific(text: &str) -> bool {
    text.chars().count() >= SPECIFIC_CHARS_MIN && text.split_whitespace().count() >= SPECIFIC_WORDS_MIN
}

/// Whether nothing is left of an entry but the mark of redaction.
fn is_empty(record: &Record) -> bool {
    match record {
        Record::Entry(entry) => {
            entry.raw_entry.replace(FORGOTTEN, "").trim_matches(|c: char| !c.is_alphanumeric()).is_empty()
        }
        Record::Context(_) | Record::Fact(_) => false,
    }
}

/// The record after redaction; none if nothing in it changes.
fn redacted(record: &Record, strike: impl Fn(&str) -> Option<String>) -> Option<Record> {
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
            if let Some(doubt) = &mut fact.doubt {
                go(&mut doubt.text);
            }
        }
    }
    is_struck.then_some(left)
}
