//! The items of memory that a request is about.

use std::collections::BTreeSet;

use journal::Record;
use memory::{language::requests::RequestWords, long_term::OwnerRecords};
use protocol::{Entry, Fact, ItemId, Level, TurnId, UsedItem};

use super::{
    super::recalled_memory::{cut, day},
    request::plain,
};

/// Characters of an entry that are shown.
const SHOWN_CHARS_MAX: usize = 200;

/// Items that would be forgotten, as lines for the user.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Targets {
    /// The items, oldest first.
    pub(super) ids: Vec<ItemId>,
    /// A line for each item.
    pub(super) lines: Vec<String>,
    /// The names of the facts among them.
    pub(super) keys: BTreeSet<String>,
    /// The items as the journal records them.
    pub(super) used: Vec<UsedItem>,
}

impl Targets {
    /// What the user has said about something in conversations, in facts and in messages. The
    /// messages of the given turns only ask for it to be forgotten.
    pub(super) fn named(records: &OwnerRecords, language: &RequestWords, names: &[String], asking: &[TurnId]) -> Self {
        let mut targets = Self::default();
        let facts = records.facts().filter(|fact| records.vault_of(fact).is_none());
        let mut facts: Vec<&Fact> = facts.filter(|fact| has_all(&fact_text(fact), names)).collect();
        facts.sort_by_key(|fact| (fact.valid_from, fact.fact_id));
        let sources: BTreeSet<ItemId> = facts.iter().filter_map(|fact| fact.source.item_id).collect();
        let is_said = |entry: &&Entry| {
            let is_asking = entry.source.turn_id.is_some_and(|turn| asking.contains(&turn));
            let is_statement = entry.role == "user" && !entry.raw_entry.trim_end().ends_with('?');
            let is_own = records.vault_of_memory(entry.memory_id).is_none();
            let is_told = sources.contains(&entry.entry_id);
            is_statement && is_own && !is_asking && !is_told && has_all(&entry.raw_entry, names)
        };
        let entries = records.records().filter_map(|record| match record {
            Record::Entry(entry) => Some(entry),
            Record::Context(_) | Record::Fact(_) => None,
        });
        let mut entries: Vec<&Entry> = entries.filter(is_said).collect();
        entries.sort_by_key(|entry| (entry.conversation_time, entry.entry_id));
        facts.into_iter().for_each(|fact| targets.add_fact(language, fact));
        entries.into_iter().for_each(|entry| targets.add_entry(language, entry));
        targets
    }

    fn add_fact(&mut self, language: &RequestWords, fact: &Fact) {
        let said_on = day(fact.valid_from);
        let places = [("key", fact.key.as_str()), ("value", fact.value.as_str()), ("day", said_on.as_str())];
        let line = match fact.valid_until {
            Some(until) => {
                let [key, value, said_on] = places;
                language.answer("ended_fact", &[key, value, said_on, ("until", &day(until))])
            }
            None => language.answer("fact", &places),
        };
        self.keys.insert(fact.key.clone());
        self.used.push(used_fact(fact));
        self.ids.push(fact.fact_id);
        self.lines.push(line);
    }

    fn add_entry(&mut self, language: &RequestWords, entry: &Entry) {
        let words = cut(&entry.raw_entry.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN_CHARS_MAX);
        self.used.push(UsedItem {
            source: entry.source.turn_id,
            session_id: entry.source.session_id,
            id: Some(entry.entry_id),
            at: Some(entry.conversation_time),
            ..UsedItem::text(Level::Entry, words.clone())
        });
        self.ids.push(entry.entry_id);
        self.lines.push(language.answer("entry", &[("text", &words), ("day", &day(entry.conversation_time))]));
    }
}

/// A fact as the journal records it.
pub(super) fn used_fact(fact: &Fact) -> UsedItem {
    UsedItem {
        source: fact.source.turn_id,
        session_id: fact.source.session_id,
        id: Some(fact.fact_id),
        key: Some(fact.key.clone()),
        at: Some(fact.valid_from),
        valid_until: fact.valid_until,
        ..UsedItem::text(fact.level, fact.value.clone())
    }
}

fn fact_text(fact: &Fact) -> String {
    format!("{} {} {} {}", fact.key, fact.value, fact.text, fact.subject.as_deref().unwrap_or_default())
}

/// Whether a text has all of these words.
fn has_all(text: &str, names: &[String]) -> bool {
    let lower = text.to_lowercase();
    let words: BTreeSet<String> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').map(plain).collect();
    names.iter().all(|name| words.contains(name))
}
