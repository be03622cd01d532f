//! Results of a search that something said later has replaced or made doubtful.
//!
//! A fact that was replaced brings its successor, a doubtful one what was said since. Among the
//! results a statement that a later one touches is marked as doubtful and ranked behind it: only
//! there, and it never ends anything.

use std::{collections::HashMap, sync::Arc};

use protocol::{Doubt, ItemId, Level, MemoryHit, MemoryItem, Score, SearchMode, SearchScope, Timestamp};

use super::{doubtful::Place, owner_records::OwnerRecords};
use crate::{
    search::Query,
    statements::{
        Comparison, Likeness, PreparedText, SpokenMessage, asks_whether_still, is_about, topics_in, words_of,
    },
};

/// The longest statement, in bytes; longer texts make nothing doubtful.
const STATEMENT_BYTES_MAX: usize = 2 * 1024;
/// The most characters of what was said that are shown beside a doubtful item.
const SHOWN_CHARS_MAX: usize = 300;
/// The longest chain of successors that is followed.
const CHAIN_MAX: usize = 1_000;
/// The penalty on the score of a doubtful item.
const HELD_BACK: f32 = 0.25;
/// The score of a fact whose topic the query names.
const ENTITY: f32 = 0.1;
/// The most statements of a topic that are added.
const STATEMENTS_MAX: usize = 8;
/// How far a doubtful item ranks behind what made it so.
const BEHIND: f32 = 0.01;
/// What was said longer ago was not said just before.
const RECENT: std::time::Duration = std::time::Duration::from_secs(60 * 60);

/// Adds what replaced the results that were found, and what made them doubtful: a user who asks for
/// the old value wants the new one, though its text may differ.
pub(super) fn bring_successors(owner_records: &OwnerRecords, query: &Query, found: &mut Vec<MemoryHit>) {
    let is_asked = asks_whether_still(&query.text);
    for hit in found.iter_mut().filter(|hit| hit.item.doubt.is_none()) {
        hit.item.doubt = owner_records.later_doubt(&hit.item, is_asked);
    }
    let mut brought: Vec<MemoryHit> = Vec::new();
    for old in found.iter() {
        let doubted = || old.item.doubt.as_ref().and_then(|doubt| owner_records.item(doubt.item_id?));
        let ended = || old.item.valid_until.and_then(|_| newest(owner_records, old.item.superseded_by));
        let Some(by) = ended().or_else(doubted) else { continue };
        if !is_wanted(query, &by) || brought.iter().any(|known| known.item.id == by.id) {
            continue;
        }
        let mut score = old.score;
        score.time = score.time.max(0.0);
        score.total = score.relevance + score.recency + score.pinned + score.conversation + score.entity + score.time;
        let known = found.iter().find(|known| known.item.id == by.id);
        if known.is_none_or(|known| known.score.total < score.total) {
            brought.push(MemoryHit { item: by, score });
        }
    }
    if !brought.is_empty() {
        found.retain(|known| !brought.iter().any(|brought| brought.item.id == known.item.id));
        found.extend(brought);
        found.sort_by(|a, b| b.score.total.total_cmp(&a.score.total));
        found.truncate(query.limit);
    }
}

/// Whether a query may be answered by an item that it did not find by itself.
fn is_wanted(query: &Query, item: &MemoryItem) -> bool {
    let is_level = query.levels.is_empty() || query.levels.contains(&item.level);
    let is_in_vault = query.vault_id.is_none_or(|vault| item.vault_id == Some(vault));
    let is_in_memory = query.memory_id.is_none_or(|memory| item.memory_id == Some(memory));
    let is_free = query.tags.is_empty() && query.role.is_none() && query.filter.is_none();
    is_level && is_in_vault && is_in_memory && is_free && query.after.is_none() && query.before.is_none()
}

/// Adds facts of the topics that a query names in other words: "What is my address?" asks for what
/// "I rent a studio on Marlow Street" states.
pub(super) fn bring_topics(owner_records: &OwnerRecords, query: &Query, now: Timestamp, found: &mut Vec<MemoryHit>) {
    if query.scope == SearchScope::Conversation {
        return;
    }
    let topics = topics_in(&query.text);
    for id in owner_records.fact_words().about(&topics) {
        let known = found.iter().any(|known| known.item.id == id) || found.len() >= query.limit;
        if let Some(mut item) = owner_records.item(id).filter(|item| !known && is_wanted(query, item)) {
            item.doubt = item.doubt.take().or_else(|| owner_records.later_doubt(&item, false));
            found.push(MemoryHit { item, score: Score { total: ENTITY, entity: ENTITY, ..Score::default() } });
        }
    }
    if query.mode == SearchMode::Lexical && !topics.is_empty() {
        bring_statements(owner_records, query, &topics, now, found);
    }
}

/// Adds what the user said about these topics in other words than the query's, behind the rest:
/// without embeddings only the topic's words lead from "What do I do for work?" to "I'm a barista".
fn bring_statements(
    owner_records: &OwnerRecords,
    query: &Query,
    topics: &[&'static str],
    now: Timestamp,
    found: &mut Vec<MemoryHit>,
) {
    let wide = Query { text: words_of(&query.text, topics), limit: STATEMENTS_MAX, ..query.clone() };
    for hit in owner_records.index.search(&wide, now) {
        let is_known = found.iter().any(|known| known.item.id == hit.id) || found.len() >= query.limit;
        let Some(mut item) = owner_records.item(hit.id).filter(|_| !is_known) else { continue };
        if !is_said_by_user(&item) || !is_about(&item.text, topics) {
            continue;
        }
        item.doubt = item.doubt.take().or_else(|| owner_records.later_doubt(&item, false));
        let entity = ENTITY * hit.score.relevance.clamp(0.0, 1.0) / 2.0;
        found.push(MemoryHit { item, score: Score { total: entity, entity, ..Score::default() } });
    }
}

/// The current item at the end of the chain of successors.
fn newest(owner_records: &OwnerRecords, by: Option<ItemId>) -> Option<MemoryItem> {
    let mut item = owner_records.item(by?)?;
    // A chain has one link for each change of the key. It has no cycles; the limit ends the loop
    // even if it had.
    for _ in 0..CHAIN_MAX {
        match item.superseded_by.and_then(|by| owner_records.item(by)) {
            Some(next) => item = next,
            None => break,
        }
    }
    Some(item)
}

/// Marks results that a later statement among them makes doubtful, and ranks the later one first.
pub(super) fn mark(owner_records: &OwnerRecords, found: &mut [MemoryHit]) {
    let prepare =
        |item: &MemoryItem| is_said_by_user(item).then(|| owner_records.prepared_texts.of(item.id, &item.text));
    let texts: Vec<Option<Arc<PreparedText>>> = found.iter().map(|found| prepare(&found.item)).collect();
    let said: Vec<Option<&SpokenMessage<'_>>> = texts.iter().map(|text| text.as_ref()?.said()).collect();
    let aliases = owner_records.aliases();
    let mut is_marked = false;
    for older in 0..found.len() {
        let newer = match &found[older].item.doubt {
            Some(doubt) => found.iter().position(|newer| Some(newer.item.id) == doubt.item_id),
            None => touching(owner_records, found, &said, &aliases, older),
        };
        let Some(newer) = newer else { continue };
        let (by, lead) = (&found[newer], found[newer].score.total);
        let doubt = Doubt { text: shown(&by.item.text), at: by.item.at, item_id: Some(by.item.id) };
        let old = &mut found[older];
        let penalty = HELD_BACK.max(old.score.total - lead + BEHIND);
        old.item.doubt.get_or_insert(doubt);
        old.score.time -= penalty;
        old.score.total -= penalty;
        is_marked = true;
    }
    if is_marked {
        hold_back_siblings(found);
        found.sort_by(|a, b| b.score.total.total_cmp(&a.score.total));
    }
}

/// Ranks what was said in the same words as a doubtful result behind what made that doubtful: the
/// sister's name still holds, but the sentence it is from says what she used to study.
fn hold_back_siblings(found: &mut [MemoryHit]) {
    let doubtful: Vec<(String, Option<ItemId>)> =
        found.iter().filter_map(|hit| Some((hit.item.text.clone(), hit.item.doubt.as_ref()?.item_id))).collect();
    for at in 0..found.len() {
        let hit = &found[at];
        let same = doubtful.iter().find(|(text, _)| hit.item.doubt.is_none() && *text == hit.item.text);
        let lead = same.and_then(|(_, by)| found.iter().find(|newer| Some(newer.item.id) == *by));
        if let Some(lead) = lead.map(|lead| lead.score.total).filter(|lead| *lead <= hit.score.total) {
            let penalty = hit.score.total - lead + BEHIND;
            found[at].score.time -= penalty;
            found[at].score.total -= penalty;
        }
    }
}

/// The latest result that touches this one.
fn touching(
    owner_records: &OwnerRecords,
    found: &[MemoryHit],
    said: &[Option<&SpokenMessage<'_>>],
    aliases: &HashMap<String, String>,
    older: usize,
) -> Option<usize> {
    let old = &found[older].item;
    let is_statement = matches!(old.level, Level::Profile | Level::Fact) || is_said_by_user(old);
    if !is_statement || old.valid_until.is_some() {
        return None;
    }
    let known = owner_records.prepared(old);
    let touches = |newer: &usize| {
        let new = &found[*newer].item;
        // What was extracted from a message is not touched by it.
        let is_its_own = old.source.item_id == Some(new.id)
            || old.source.turn_id.is_some() && old.source.turn_id == new.source.turn_id;
        if new.at <= old.at || is_its_own {
            return false;
        }
        let place = |item: &MemoryItem| owner_records.place_of(&item.source).or(item.memory_id.map(Place::Memory));
        let is_recent = place(old).is_some() && place(old) == place(new) && new.at.since(old.at) <= RECENT;
        said[*newer].is_some_and(|said| {
            let alike = owner_records.index.alike(new.id, old.id).map_or(Likeness::Absent, Likeness::Known);
            let comparison =
                Comparison { said, known: &known, aliases, is_recent, is_elsewhere: false, alike, is_asked: false };
            comparison.touch(old.value.as_deref().unwrap_or_default()).is_some()
        })
    };
    (0..found.len()).filter(touches).max_by_key(|newer| found[*newer].item.at)
}

/// Whether an item is a statement in the user's own words.
fn is_said_by_user(item: &MemoryItem) -> bool {
    let is_user = item.level == Level::Entry && item.role.as_deref() == Some("user");
    is_user && item.origin.is_trusted() && item.text.len() <= STATEMENT_BYTES_MAX
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
