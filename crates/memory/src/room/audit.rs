//! Looking memory through: what is there twice, what contradicts itself, what is stale, what should not be there.

mod likeness;

use std::collections::{BTreeMap, HashMap};

use journal::Record;
use protocol::{Audit, Example, Fact, Finding, ItemId, Level, OwnerId};

use super::{Error, Room, Shelf, facts};
use crate::statements;

/// Examples of each kind that are named.
const EXAMPLES_MAX: usize = 20;
/// Items that one example names.
const IDS_MAX: usize = 20;
/// Facts that one fact is held against.
const RIVALS_MAX: usize = 50;

/// Something that is told to somebody as it stands: not corrected, not ended, not an earlier version.
struct Standing {
    id: ItemId,
    level: Level,
    role: String,
    key: Option<String>,
    text: String,
}

impl Room {
    /// Looks memory through. `is_secret` says whether a text holds something that looks like a secret.
    pub async fn audit(&self, owner: &OwnerId, is_secret: impl Fn(&str) -> bool) -> Result<Audit, Error> {
        let has_meaning = self.without_meaning().is_none();
        let expired = self.expired(owner, self.now()).await?;
        let (mut audit, standing) = self
            .read(owner, |shelf| {
                let audit = Audit {
                    counts: counts(shelf),
                    contradictions: contradictions(shelf),
                    stale: self.stale(shelf, expired),
                    secrets: secrets(shelf, is_secret),
                    // Where meaning is not looked at, nothing waits for it.
                    unsearchable: if has_meaning { unsearchable(shelf) } else { Finding::default() },
                    ..Audit::default()
                };
                (audit, standing(shelf))
            })
            .await?;
        // Holding texts against each other takes its time, and nobody should wait for the shelf meanwhile.
        let alike = tokio::task::spawn_blocking(move || {
            let (duplicates, distinct) = duplicates(standing);
            (duplicates, likeness::near_duplicates(&distinct))
        });
        (audit.duplicates, audit.near_duplicates) = alike.await.map_err(|_| Error::Closed)?;
        Ok(audit)
    }

    /// What holds on paper and is hardly believed, and what should have been forgotten by now.
    fn stale(&self, shelf: &Shelf, mut stale: Vec<ItemId>) -> Finding {
        let faded = shelf.facts().filter(|fact| fact.is_current() && self.belief(fact) < facts::BELIEF_MIN);
        stale.extend(faded.map(|fact| fact.fact_id));
        stale.sort_unstable();
        stale.dedup();
        each(shelf, stale.into_iter())
    }
}

fn counts(shelf: &Shelf) -> BTreeMap<String, u64> {
    let levels = [Level::Profile, Level::Fact, Level::Entry, Level::Context];
    let mut counts: BTreeMap<String, u64> = levels.into_iter().map(|level| (level.as_str().to_owned(), 0)).collect();
    for record in shelf.records() {
        *counts.entry(record.level().as_str().to_owned()).or_default() += 1;
    }
    counts
}

fn standing(shelf: &Shelf) -> Vec<Standing> {
    let stands = |record: &Record| match record {
        Record::Entry(entry) => entry.corrected_by.is_none().then(|| (entry.role.clone(), entry.raw_entry.clone())),
        Record::Fact(fact) => fact.is_current().then(|| (String::new(), fact.text.clone())),
        Record::Context(context) => {
            let newest = shelf.newest_context(context.memory_id);
            let is_newest = newest.is_some_and(|newest| newest.context_id == context.context_id);
            is_newest.then(|| (String::new(), context.content.clone()))
        }
    };
    let mut standing: Vec<Standing> = shelf
        .records()
        .filter_map(|record| {
            let (role, text) = stands(record).filter(|(_, text)| !text.trim().is_empty())?;
            Some(Standing { id: record.id(), level: record.level(), role, key: key(record), text })
        })
        .collect();
    standing.sort_by_key(|it| it.id);
    standing
}

/// What is there in the same words, and the first of each.
fn duplicates(standing: Vec<Standing>) -> (Finding, Vec<Standing>) {
    let mut groups: HashMap<(Level, String, String), Vec<ItemId>> = HashMap::new();
    let mut distinct = Vec::new();
    for item in standing {
        let print = statements::fingerprint(&item.text);
        // What has no words of any letters is told apart as it is written.
        let words = if print.as_str().is_empty() { item.text.trim().to_owned() } else { print.as_str().to_owned() };
        let group = groups.entry((item.level, item.role.clone(), words)).or_default();
        group.push(item.id);
        if group.len() == 1 {
            distinct.push(item);
        }
    }
    let by_first: HashMap<ItemId, Vec<ItemId>> =
        groups.into_values().filter(|ids| ids.len() > 1).map(|ids| (ids[0], ids)).collect();
    let repeated = distinct.iter().filter_map(|item| Some((item, by_first.get(&item.id)?.clone())));
    (groups_found(repeated), distinct)
}

/// Groups of which each but the first is one too many.
fn groups_found<'s>(groups: impl Iterator<Item = (&'s Standing, Vec<ItemId>)>) -> Finding {
    let mut finding = Finding::default();
    for (first, ids) in groups {
        finding.count += u64::try_from(ids.len().saturating_sub(1)).unwrap_or(u64::MAX);
        name(&mut finding, ids, first.level, first.key.clone());
    }
    finding
}

/// Facts that hold and cannot both. Only keys with a word in common are held against each other.
fn contradictions(shelf: &Shelf) -> Finding {
    let current: Vec<&Fact> = shelf.facts().filter(|fact| fact.is_current()).collect();
    let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
    let mut groups: BTreeMap<usize, Vec<ItemId>> = BTreeMap::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for (place, fact) in current.iter().enumerate() {
        let normal = statements::normal_key(&fact.key);
        let words: Vec<String> = normal.split([' ', '-']).map(str::to_owned).collect();
        let mut rivals: Vec<usize> = words.iter().filter_map(|word| by_word.get(word)).flatten().copied().collect();
        rivals.sort_unstable();
        rivals.dedup();
        // The same key first, then the newest of the others.
        rivals.sort_by_key(|other| (current[*other].key != fact.key, std::cmp::Reverse(*other)));
        let rival = rivals.into_iter().take(RIVALS_MAX).find(|other| statements::contradicts(current[*other], fact));
        if let Some(rival) = rival {
            let first = *group_of.get(&rival).unwrap_or(&rival);
            group_of.insert(place, first);
            groups.entry(first).or_insert_with(|| vec![current[first].fact_id]).push(fact.fact_id);
        }
        for word in words {
            by_word.entry(word).or_default().push(place);
        }
    }
    let mut finding = Finding::default();
    for (first, ids) in groups {
        finding.count += u64::try_from(ids.len() - 1).unwrap_or(u64::MAX);
        name(&mut finding, ids, current[first].level, Some(current[first].key.clone()));
    }
    finding
}

fn secrets(shelf: &Shelf, is_secret: impl Fn(&str) -> bool) -> Finding {
    let has = |record: &&Record| match record {
        Record::Entry(entry) => {
            is_secret(&entry.raw_entry)
                || is_secret(&entry.summary)
                || entry.tags.iter().any(|(key, value)| is_secret(value) || is_secret(&format!("{key}: {value}")))
        }
        Record::Context(context) => is_secret(&context.content),
        Record::Fact(fact) => {
            is_secret(&fact.text) || is_secret(&fact.value) || is_secret(&format!("{}: {}", fact.key, fact.value))
        }
    };
    let mut ids: Vec<ItemId> = shelf.records().filter(has).map(Record::id).collect();
    ids.sort_unstable();
    each(shelf, ids.into_iter())
}

fn unsearchable(shelf: &Shelf) -> Finding {
    each(shelf, shelf.index.wanting_ids().into_iter())
}

/// Items that are each a finding of its own.
fn each(shelf: &Shelf, ids: impl Iterator<Item = ItemId>) -> Finding {
    let mut finding = Finding::default();
    for record in ids.filter_map(|id| shelf.record(id)) {
        finding.count += 1;
        name(&mut finding, vec![record.id()], record.level(), key(record));
    }
    finding
}

fn key(record: &Record) -> Option<String> {
    match record {
        Record::Fact(fact) => Some(fact.key.clone()),
        _ => None,
    }
}

fn name(finding: &mut Finding, mut ids: Vec<ItemId>, level: Level, key: Option<String>) {
    if finding.examples.len() < EXAMPLES_MAX {
        ids.truncate(IDS_MAX);
        finding.examples.push(Example { ids, level, key });
    }
}
