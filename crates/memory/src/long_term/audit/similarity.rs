//! Near-duplicates: texts that say the same in nearly the same words. Each text is compared only
//! with those that share rare words with it, so that the work grows with the number of texts and
//! not with its square.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use protocol::{Finding, ItemId, Level};

use super::{CurrentItem, groups_found};
use crate::statements;

/// Rare words of a text by which candidates are found.
const RARE: usize = 6;
/// Texts considered for one rare word.
const SHARING_MAX: usize = 40;
/// Texts that one text is compared with.
const CANDIDATES_MAX: usize = 40;
/// Bytes of a text that are compared.
const LOOKED_AT_MAX: usize = 4_096;

/// Texts that are nearly the same as an earlier one. Context documents are left out: they summarize
/// other items.
pub(super) fn near_duplicates(distinct: &[CurrentItem]) -> Finding {
    let items: Vec<&CurrentItem> = distinct.iter().filter(|item| item.level != Level::Context).collect();
    let words: Vec<BTreeSet<String>> = items.iter().map(|item| words(looked_at(&item.text))).collect();
    let mut spread: HashMap<&str, usize> = HashMap::new();
    for word in words.iter().flatten() {
        *spread.entry(word).or_default() += 1;
    }
    let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut groups: BTreeMap<usize, Vec<ItemId>> = BTreeMap::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for (place, item) in items.iter().enumerate() {
        let mut rare: Vec<&str> = words[place].iter().map(String::as_str).collect();
        rare.sort_by_key(|word| (spread[word], *word));
        rare.truncate(RARE);
        let sharing = rare.iter().filter_map(|word| by_word.get(word));
        let mut candidates: Vec<usize> =
            sharing.flat_map(|places| places.iter().rev().take(SHARING_MAX)).copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let is_near = |other: &usize| {
            let other_item = items[*other];
            other_item.level == item.level
                && other_item.role == item.role
                && other_item.key == item.key
                && is_close(&words[place], &words[*other])
                && statements::is_near_duplicate(looked_at(&other_item.text), looked_at(&item.text))
        };
        if let Some(other) = candidates.into_iter().take(CANDIDATES_MAX).find(is_near) {
            let first = *group_of.get(&other).unwrap_or(&other);
            group_of.insert(place, first);
            groups.entry(first).or_insert_with(|| vec![items[first].id]).push(item.id);
        }
        for word in rare {
            by_word.entry(word).or_default().push(place);
        }
    }
    groups_found(groups.into_iter().map(|(first, ids)| (items[first], ids)))
}

/// Whether two texts share at least half of their words; others are not compared closely.
fn is_close(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let common = a.intersection(b).count();
    common * 2 >= a.len().max(b.len())
}

fn looked_at(text: &str) -> &str {
    &text[..text.floor_char_boundary(LOOKED_AT_MAX)]
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
