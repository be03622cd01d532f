//! The texts of items that were compared lately, prepared for comparisons. Every recall compares
//! what it found, and much of that was found before.

use std::{
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::ItemId;
use rustc_hash::FxHashMap;

use crate::statements::{KnownFact, PreparedText};

/// After so many texts the earlier half is let go.
const GENERATION: usize = 512;

/// The texts of items, prepared for comparisons.
#[derive(Default)]
pub(super) struct PreparedTexts(Mutex<TextGenerations>);

#[derive(Default)]
struct TextGenerations {
    newer: FxHashMap<ItemId, Arc<PreparedText>>,
    older: FxHashMap<ItemId, Arc<PreparedText>>,
}

impl PreparedTexts {
    /// The text of an item; prepared anew if it has changed.
    pub(super) fn of(&self, id: ItemId, text: &str) -> Arc<PreparedText> {
        let mut generations = self.lock();
        let known = generations.newer.get(&id).or_else(|| generations.older.get(&id));
        let prepared = match known.filter(|known| known.text() == text) {
            Some(known) => known.clone(),
            None => Arc::new(PreparedText::new(text)),
        };
        if generations.newer.len() >= GENERATION {
            generations.older = std::mem::take(&mut generations.newer);
        }
        generations.newer.insert(id, prepared.clone());
        prepared
    }

    /// Lets an item's text go.
    pub(super) fn remove(&self, id: ItemId) {
        let mut generations = self.lock();
        generations.newer.remove(&id);
        generations.older.remove(&id);
    }

    /// What was prepared is whole even if another thread panicked.
    fn lock(&self) -> MutexGuard<'_, TextGenerations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something known, prepared for comparisons.
pub(super) enum PreparedItem<'r> {
    /// A fact that holds.
    Fact(&'r KnownFact),
    /// Another fact.
    Past(Box<KnownFact>),
    /// An entry.
    Text(Arc<PreparedText>),
}

impl Deref for PreparedItem<'_> {
    type Target = KnownFact;

    fn deref(&self) -> &KnownFact {
        match self {
            Self::Fact(fact) => fact,
            Self::Past(fact) => fact,
            Self::Text(text) => text.known(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_prepared_again_when_it_has_changed_or_was_let_go() {
        let texts = PreparedTexts::default();
        let id = ItemId::from_bytes([7; 16]);
        let first = texts.of(id, "I live in Graz");
        assert!(Arc::ptr_eq(&first, &texts.of(id, "I live in Graz")));
        assert_eq!(texts.of(id, "I live in Linz").text(), "I live in Linz");
        let changed = texts.of(id, "I live in Linz");
        texts.remove(id);
        assert!(!Arc::ptr_eq(&changed, &texts.of(id, "I live in Linz")));
    }

    #[test]
    fn only_some_texts_are_kept() {
        let texts = PreparedTexts::default();
        let id = |number: usize| ItemId::from_bytes((number as u128).to_be_bytes());
        for number in 0..10 * GENERATION {
            texts.of(id(number), "text");
        }
        let generations = texts.lock();
        assert!(generations.newer.len() + generations.older.len() <= 2 * GENERATION);
        assert!(generations.newer.contains_key(&id(10 * GENERATION - 1)));
    }
}
