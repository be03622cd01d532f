//! The tools that a message makes likely, by its words; worked out once for each message and each set of tools.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use memory::search::stems;
use protocol::TurnId;
use tools::{Entry, Registry};

/// Characters of a message that are looked at.
const MESSAGE_CHARS_MAX: usize = 2_000;
/// So many words of a tool's description make it likely; one of its name or keywords is enough.
const DESCRIPTION_WORDS_MIN: usize = 2;
/// Turns of which it is kept; past that all is forgotten, and worked out again where it is needed.
const TURNS_MAX: usize = 20_000;

/// What messages make likely, as far as it was asked before.
#[derive(Default)]
pub(crate) struct LikelyTools {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The tools that it is about.
    version: Option<u64>,
    words: Arc<[(String, Words)]>,
    turns: HashMap<TurnId, Arc<[String]>>,
}

impl LikelyTools {
    /// Names of tools that a message makes likely.
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

    /// What is known of the tools there are now.
    fn lock(&self, registry: &Registry) -> MutexGuard<'_, Known> {
        let version = Some(registry.version());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.version != version {
            let words = registry.entries().map(|entry| (entry.declaration.name.clone(), Words::of(&entry)));
            *known = Known { version, words: words.collect(), turns: HashMap::new() };
        }
        known
    }
}

/// The stems by which a message makes a tool likely.
struct Words {
    /// Of its name and its keywords.
    own: BTreeSet<String>,
    /// Of its description.
    described: BTreeSet<String>,
}

impl Words {
    fn of(entry: &Entry) -> Self {
        let declaration = &entry.declaration;
        let keywords = declaration.keywords.iter().flat_map(|keyword| stems(keyword));
        let own: BTreeSet<String> = stems(&declaration.name).chain(keywords).collect();
        // Tools of others have no keywords; ours are described in words that fit any message.
        let described =
            if declaration.keywords.is_empty() { stems(&declaration.description).collect() } else { BTreeSet::new() };
        Self { own, described }
    }

    fn fit(&self, message: &BTreeSet<String>) -> bool {
        !self.own.is_disjoint(message) || self.described.intersection(message).count() >= DESCRIPTION_WORDS_MIN
    }
}

fn by_words(words: &[(String, Words)], message: &str) -> Vec<String> {
    let end = message.char_indices().nth(MESSAGE_CHARS_MAX).map_or(message.len(), |(end, _)| end);
    let stems: BTreeSet<String> = stems(&message[..end]).collect();
    words.iter().filter(|(_, words)| words.fit(&stems)).map(|(name, _)| name.clone()).collect()
}
