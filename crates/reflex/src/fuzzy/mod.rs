//! The second pass: fuzzy matching of texts that are not exactly a sentence.
//!
//! It drops filler words in front and polite phrases at the end, adds missing small words, and
//! corrects one typo. It never guesses. A text with two meanings is [`FuzzyResult::Ambiguous`].
//! Locks, alarms, doors, gates, valves and sirens are excluded. A question never becomes a command,
//! and a negation, a condition or a time is never dropped. `edges` decides what may be dropped at
//! both ends, `typos` finds which word was meant, and `guard` decides what must not be corrected.
//! `search` tries what they allow, each time with the strict matcher.

mod choose;
mod edges;
mod guard;
mod known_words;
mod phrases;
mod reconsider;
mod search;
mod token;
mod typos;

#[cfg(test)]
mod tests;

use crate::context::IntentContext;
use crate::grammar::{Grammar, LONGEST};
use crate::recognized_intent::RecognizedIntent;
use crate::vocabulary::Vocabulary;

pub(crate) use known_words::KnownWords;
pub(crate) use typos::cost as typo_cost;

/// The result of fuzzy matching.
#[derive(Debug, Clone, PartialEq)]
pub enum FuzzyResult {
    /// The meaning, with the corrections that were needed.
    Recognized(Box<RecognizedIntent>, Corrections),
    /// Several meanings are equally likely.
    Ambiguous(Vec<RecognizedIntent>),
    /// No sentence matches, or none that may be corrected.
    Nothing,
}

impl FuzzyResult {
    /// The meaning, if it is clear.
    pub fn intent(self) -> Option<RecognizedIntent> {
        match self {
            Self::Recognized(recognized, _) => Some(*recognized),
            Self::Ambiguous(_) | Self::Nothing => None,
        }
    }
}

/// The corrections that were needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Corrections {
    /// Words that were dropped.
    pub left_out: Vec<String>,
    /// Small words that were added.
    pub added: Vec<String>,
    /// Words with a typo, and their corrections.
    pub corrected: Vec<(String, String)>,
}

impl Corrections {
    /// Whether no correction was needed.
    pub const fn is_exact(&self) -> bool {
        self.left_out.is_empty() && self.added.is_empty() && self.corrected.is_empty()
    }

    /// Whether every content word is unchanged.
    const fn keeps_words(&self) -> bool {
        self.corrected.is_empty()
    }
}

impl Grammar {
    /// The meaning of a text, with small errors corrected. A text that [`Grammar::read`] matches
    /// has the same meaning here, except that polite phrases and typos do not become part of a
    /// wildcard.
    pub fn read_fuzzy(&self, vocabulary: &Vocabulary, text: &str, intent_context: &IntentContext) -> FuzzyResult {
        if text.chars().nth(LONGEST).is_some() {
            return FuzzyResult::Nothing;
        }
        match self.read(vocabulary, text, intent_context) {
            Some(recognized) if recognized.slots.values().any(|slot| slot.is_wildcard()) => {
                let mut search = search::FuzzySearch::new(self, vocabulary, text, intent_context);
                reconsider::reconsider(&mut search, recognized)
            }
            Some(recognized) => FuzzyResult::Recognized(Box::new(recognized), Corrections::default()),
            None => self.read_unmatched(vocabulary, text, intent_context),
        }
    }

    /// The same for a text that [`Grammar::read`] does not match.
    pub fn read_unmatched(&self, vocabulary: &Vocabulary, text: &str, intent_context: &IntentContext) -> FuzzyResult {
        if text.chars().nth(LONGEST).is_some() {
            return FuzzyResult::Nothing;
        }
        search::FuzzySearch::new(self, vocabulary, text, intent_context).run()
    }

    /// The sentences without free text that a text would be with one word corrected, whether that
    /// word is known or not. They are what else the text may mean.
    pub fn read_corrected(
        &self,
        vocabulary: &Vocabulary,
        text: &str,
        intent_context: &IntentContext,
    ) -> Vec<RecognizedIntent> {
        if text.chars().nth(LONGEST).is_some() || self.is_unspaced() {
            return Vec::new();
        }
        search::FuzzySearch::new(self, vocabulary, text, intent_context).corrected()
    }
}
