//! Where the last answer comes from: the items of memory that its turn had in its context and that
//! it tells.

use std::collections::BTreeSet;

use journal::Record;
use memory::{language::requests::RequestWords, long_term::OwnerRecords};
use protocol::{Body, Entry, Fact, ItemId, Level, SessionId, UsedItem};

use super::{
    super::{
        recalled_memory::{cut, day},
        state::TurnState,
    },
    request::plain,
    targets::used_fact,
};

/// Items that are named as the source of one answer.
const SOURCES_MAX: usize = 3;
/// Characters of an entry that the answer has to quote, and characters that are shown of it.
const QUOTED_CHARS: usize = 40;
const SHOWN_CHARS_MAX: usize = 200;

/// The sources of the last answer in words.
pub(super) struct Sources {
    pub(super) words: String,
    pub(super) used: Vec<UsedItem>,
}

/// The items of memory that the last turn knew, and the text of its answer.
struct LastAnswer {
    ids: BTreeSet<ItemId>,
    /// The message and the answer, in lower case.
    message: String,
    answer: String,
}

async fn last_answer(state: &TurnState) -> Option<LastAnswer> {
    let last = state.input.recent.last()?;
    let events = state.services.store.turn(last.turn_id).await.ok()?;
    let mut ids = BTreeSet::new();
    for event in &events {
        match &event.body {
            Body::MemoryUsed(used) => ids.extend(used.items.iter().filter_map(|item| item.id)),
            Body::MemoryWritten(written) => ids.extend(written.id),
            _ => {}
        }
    }
    Some(LastAnswer { ids, message: last.message.to_lowercase(), answer: last.answer.to_lowercase() })
}

/// The facts that an answer tells, the most fitting first.
fn facts<'r>(records: &'r OwnerRecords, last: &LastAnswer) -> Vec<&'r Fact> {
    let told = last.ids.iter().filter_map(|id| match records.record(*id)? {
        Record::Fact(fact) => Some(fact),
        Record::Entry(_) | Record::Context(_) => None,
    });
    let mut told: Vec<&Fact> =
        told.filter(|fact| fact.is_current() && last.answer.contains(&fact.value.to_lowercase())).collect();
    // The question names what it is about.
    let named: Vec<&Fact> = told.iter().copied().filter(|fact| is_named(&fact.key, &last.message)).collect();
    if !named.is_empty() {
        told = named;
    }
    told.sort_by_key(|fact| std::cmp::Reverse((fact.valid_from, fact.fact_id)));
    told
}

/// Whether a text has all words of a key.
fn is_named(key: &str, text: &str) -> bool {
    let words: BTreeSet<String> = text.split(|c: char| !c.is_alphanumeric()).map(plain).collect();
    key.to_lowercase().split_whitespace().all(|word| words.contains(&plain(word)))
}

/// The fact that was told last, if it is clear which.
pub(super) async fn last_fact(state: &TurnState) -> Option<Fact> {
    let last = last_answer(state).await?;
    let found = state.services.long_term.read(&state.input.owner, |records| match facts(records, &last)[..] {
        [only] => Some(only.clone()),
        _ => None,
    });
    found.await.ok().flatten()
}

/// Where the last answer comes from: what was said, when and in which session.
pub(super) async fn told(state: &TurnState, language: &'static RequestWords) -> Option<Sources> {
    let last = last_answer(state).await?;
    let found = state.services.long_term.read(&state.input.owner, |records| {
        let facts = facts(records, &last);
        let facts = facts.into_iter().take(SOURCES_MAX).map(|fact| of_fact(records, language, fact));
        let mut sources: Vec<(String, Vec<UsedItem>)> = facts.collect();
        if sources.is_empty() {
            let entries = last.ids.iter().filter_map(|id| match records.record(*id)? {
                Record::Entry(entry) if is_quoted(entry, &last.answer) => Some(entry),
                _ => None,
            });
            sources.extend(entries.take(SOURCES_MAX).map(|entry| of_entry(records, language, entry)));
        }
        sources
    });
    let (lines, used): (Vec<String>, Vec<Vec<UsedItem>>) = found.await.ok()?.into_iter().unzip();
    (!lines.is_empty()).then(|| Sources { words: lines.join("\n"), used: used.concat() })
}

fn is_quoted(entry: &Entry, answer: &str) -> bool {
    let beginning: String = entry.raw_entry.to_lowercase().chars().take(QUOTED_CHARS).collect();
    answer.contains(beginning.trim())
}

fn of_fact(records: &OwnerRecords, language: &RequestWords, fact: &Fact) -> (String, Vec<UsedItem>) {
    let mut used = vec![used_fact(fact)];
    let [key, value] = [("key", fact.key.as_str()), ("value", fact.value.as_str())];
    if let Some(Record::Fact(wrong)) = fact.source.item_id.and_then(|id| records.record(id)) {
        used.push(used_fact(wrong));
        let at = day(fact.stored_at);
        return (language.answer("source_corrected", &[key, value, ("day", &at), ("old", &wrong.value)]), used);
    }
    let date = day(fact.valid_from);
    let words = match fact.source.session_id {
        Some(session) => {
            let session = title(records, session);
            language.answer("source_said", &[key, value, ("text", &fact.text), ("day", &date), ("session", &session)])
        }
        None => language.answer("source_set", &[key, value, ("day", &date)]),
    };
    (words, used)
}

fn of_entry(records: &OwnerRecords, language: &RequestWords, entry: &Entry) -> (String, Vec<UsedItem>) {
    let words = cut(&entry.raw_entry.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN_CHARS_MAX);
    let (name, who) = match (entry.speaker.as_deref(), entry.role.as_str()) {
        (Some(speaker), _) => ("other_said", speaker),
        (None, "user") if entry.origin.is_trusted() => ("you_said", ""),
        (None, "assistant") => ("i_said", ""),
        (None, role) => ("unknown_said", role),
    };
    let date = day(entry.conversation_time);
    let session = entry.source.session_id.map(|session| title(records, session));
    let name = if session.is_some() { format!("{name}_in") } else { name.to_owned() };
    let session = session.unwrap_or_default();
    let places = [("text", words.as_str()), ("day", date.as_str()), ("who", who), ("session", session.as_str())];
    let line = language.answer(&name, &places);
    let used = UsedItem { id: Some(entry.entry_id), ..UsedItem::text(Level::Entry, words) };
    (line, vec![used])
}

/// The session by its name, or by its id.
fn title(records: &OwnerRecords, session: SessionId) -> String {
    records.memory_of(session).map_or_else(|| session.to_string(), |memory| memory.title.clone())
}
