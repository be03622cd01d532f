//! The audit of memory: duplicates, contradictions, stale items, secrets.

mod similarity;

use std::collections::{BTreeMap, HashMap};

use journal::Record;
use protocol::{Audit, Example, Fact, Finding, ItemId, Level, OwnerId};

use super::{Error, LongTermMemory, OwnerRecords, facts};
use crate::statements;

/// Examples listed for each kind of finding.
const EXAMPLES_MAX: usize = 20;
/// Item ids listed in one example.
const IDS_MAX: usize = 20;
/// Facts that one fact is compared with.
const RIVALS_MAX: usize = 50;

/// An item that recall may return: not corrected, not ended, not an earlier version.
struct CurrentItem {
    id: ItemId,
    level: Level,
    role: String,
    key: Option<String>,
    text: String,
}

impl LongTermMemory {
    /// Audits memory. `is_secret` says whether a text contains something that looks like a secret.
    pub async fn audit(&self, owner: &OwnerId, is_secret: impl Fn(&str) -> bool) -> Result<Audit, Error> {
        let has_meaning = self.embedder_absence().is_none();
        let expired = self.expired(owner, self.now()).await?;
        let (mut audit, standing) = self
            .read(owner, |owner_records| {
                let audit = Audit {
                    counts: counts(owner_records),
                    contradictions: contradictions(owner_records),
                    stale: self.stale(owner_records, expired),
                    secrets: secrets(owner_records, is_secret),
                    // Without an embedding model no item waits for its vector.
                    unsearchable: if has_meaning { unsearchable(owner_records) } else { Finding::default() },
                    ..Audit::default()
                };
                (audit, standing(owner_records))
            })
            .await?;
        // Comparing texts takes long, and must not hold the lock on the records meanwhile.
        let alike = tokio::task::spawn_blocking(move || {
            let (duplicates, distinct) = duplicates(standing);
            (duplicates, similarity::near_duplicates(&distinct))
        });
        (audit.duplicates, audit.near_duplicates) = alike.await.map_err(|_| Error::Closed)?;
        Ok(audit)
    }

    /// Facts that formally hold but whose belief has faded, and items that are past their expiry.
    fn stale(&self, owner_records: &OwnerRecords, mut stale: Vec<ItemId>) -> Finding {
        let faded = owner_records.facts().filter(|fact| fact.is_current() && self.belief(fact) < facts::BELIEF_MIN);
        stale.extend(faded.map(|fact| fact.fact_id));
        stale.sort_unstable();
        stale.dedup();
        each(owner_records, stale.into_iter())
    }
}

fn counts(owner_records: &OwnerRecords) -> BTreeMap<String, u64> {
    let levels = [Level::Profile, Level::Fact, Level::Entry, Level::Context];
    let mut counts: BTreeMap<String, u64> = levels.into_iter().map(|level| (level.as_str().to_owned(), 0)).collect();
    for record in owner_records.records() {
        *counts.entry(record.level().as_str().to_owned()).or_default() += 1;
    }
    counts
}

fn standing(owner_records: &OwnerRecords) -> Vec<CurrentItem> {
    let stands = |record: &Record| match record {
        Record::Entry(entry) => entry.corrected_by.is_none().then(|| (entry.role.clone(), entry.raw_entry.clone())),
        Record::Fact(fact) => fact.is_current().then(|| (String::new(), fact.text.clone())),
        Record::Context(context) => {
            let newest = owner_records.newest_context(context.memory_id);
            let is_newest = newest.is_some_and(|newest| newest.context_id == context.context_id);
            is_newest.then(|| (String::new(), context.content.clone()))
        }
    };
    let mut standing: Vec<CurrentItem> = owner_records
        .records()
        .filter_map(|record| {
            let (role, text) = stands(record).filter(|(_, text)| !text.trim().is_empty())?;
            Some(CurrentItem { id: record.id(), level: record.level(), role, key: key(record), text })
        })
        .collect();
    standing.sort_by_key(|it| it.id);
    standing
}

/// Items with the same words, and the first item of each group.
fn duplicates(standing: Vec<CurrentItem>) -> (Finding, Vec<CurrentItem>) {
    let mut groups: HashMap<(Level, String, String), Vec<ItemId>> = HashMap::new();
    let mut distinct = Vec::new();
    for item in standing {
        let print = statements::fingerprint(&item.text);
        // A text without any letters is compared as it is written.
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

/// Groups of duplicates; all but the first of each are superfluous.
fn groups_found<'s>(groups: impl Iterator<Item = (&'s CurrentItem, Vec<ItemId>)>) -> Finding {
    let mut finding = Finding::default();
    for (first, ids) in groups {
        finding.count += u64::try_from(ids.len().saturating_sub(1)).unwrap_or(u64::MAX);
        name(&mut finding, ids, first.level, first.key.clone());
    }
    finding
}

/// Current facts that contradict each other. Only keys with a word in common are compared.
fn contradictions(owner_records: &OwnerRecords) -> Finding {
    let current: Vec<&Fact> = owner_records.facts().filter(|fact| fact.is_current()).collect();
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

fn secrets(owner_records: &OwnerRecords, is_secret: impl Fn(&str) -> bool) -> Finding {
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
    let mut ids: Vec<ItemId> = owner_records.records().filter(has).map(Record::id).collect();
    ids.sort_unstable();
    each(owner_records, ids.into_iter())
}

fn unsearchable(owner_records: &OwnerRecords) -> Finding {
    let index = &owner_records.index;
    each(owner_records, index.unembedded_ids().union(&index.set_aside_ids()).copied())
}

/// A finding for each of the items.
fn each(owner_records: &OwnerRecords, ids: impl Iterator<Item = ItemId>) -> Finding {
    let mut finding = Finding::default();
    for record in ids.filter_map(|id| owner_records.record(id)) {
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
