//! The tools that a message makes likely, by its words; computed once for each message and each set
//! of tools.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use memory::search::stems;
use protocol::TurnId;
use tools::{RegisteredTool, Registry};

/// Characters of a message that are considered.
const MESSAGE_CHARS_MAX: usize = 2_000;
/// This many words of a tool's description make it likely; one of its name or keywords is enough.
const DESCRIPTION_WORDS_MIN: usize = 2;
/// Turns that are cached; beyond it the cache is cleared and filled again on demand.
const TURNS_MAX: usize = 20_000;

/// Cache of the tools that messages make likely.
#[derive(Default)]
pub(crate) struct LikelyTools {
    known: Mutex<LikelyCache>,
}

#[derive(Default)]
struct LikelyCache {
    /// The version of the tools it was computed for.
    version: Option<u64>,
    words: Arc<[(String, ToolStems)]>,
    turns: HashMap<TurnId, Arc<[String]>>,
}

impl LikelyTools {
    /// Names of the tools that a message makes likely.
    pub(super) fn of_message(&self, registry: &Registry, message: &str) -> Vec<String> {
        let words = self.lock(registry).words.clone();
        by_words(&words, message)
    }

    /// The same for the message of a turn.
    pub(super) fn of_turn(&self, registry: &Registry, turn_id: TurnId, message: &str) -> Arc<[String]> {
        let words = {
            let known = self.lock(registry);
            if let Some(names) = known.turns.get(&turn_id) {
                return names.clone();
            }
            known.words.clone()
        };
        let names: Arc<[String]> = by_words(&words, message).into();
        let mut known = self.lock(registry);
        if known.turns.len() >= TURNS_MAX {
            known.turns.clear();
        }
        known.turns.insert(turn_id, names.clone());
        names
    }

    /// The cache for the current tools.
    fn lock(&self, registry: &Registry) -> MutexGuard<'_, LikelyCache> {
        let version = Some(registry.version());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.version != version {
            let words = registry.entries().map(|entry| (entry.declaration.name.clone(), ToolStems::of(&entry)));
            *known = LikelyCache { version, words: words.collect(), turns: HashMap::new() };
        }
        known
    }
}

/// The stems by which a message makes a tool likely.
struct ToolStems {
    /// Stems of its name and its keywords.
    own: BTreeSet<String>,
    /// Stems of its description.
    described: BTreeSet<String>,
}

impl ToolStems {
    fn of(entry: &RegisteredTool) -> Self {
        let declaration = &entry.declaration;
        let keywords = declaration.keywords.iter().flat_map(|keyword| stems(keyword));
        let own: BTreeSet<String> = stems(&declaration.name).chain(keywords).collect();
        // External tools have no keywords; the descriptions of built-in ones contain words that
        // match any message.
        let described =
            if declaration.keywords.is_empty() { stems(&declaration.description).collect() } else { BTreeSet::new() };
        Self { own, described }
    }

    fn fit(&self, message: &BTreeSet<String>) -> bool {
        !self.own.is_disjoint(message) || self.described.intersection(message).count() >= DESCRIPTION_WORDS_MIN
    }
}

fn by_words(words: &[(String, ToolStems)], message: &str) -> Vec<String> {
    let end = message.char_indices().nth(MESSAGE_CHARS_MAX).map_or(message.len(), |(end, _)| end);
    let stems: BTreeSet<String> = stems(&message[..end]).collect();
    words.iter().filter(|(_, words)| words.fit(&stems)).map(|(name, _)| name.clone()).collect()
}
