//! The second pass: what was meant, where the words are not quite those of a sentence.
//!
//! It forgives words in front that say nothing, politeness behind, small words that were dropped, and one slip of a letter.
//! It never guesses: what could mean two things is [`Forgiven::Ambiguous`]; locks, alarms, doors, gates, valves and sirens
//! are not acted on at all, a question never becomes a command, and a negation, a condition or a time is never left out.
//! `edges` knows what may go at both ends, `slips` which word another may have been, `guard` what must not be forgiven;
//! `search` tries what they allow, each time with the strict reading.

mod edges;
mod guard;
mod known;
mod phrases;
mod reconsider;
mod search;
mod settle;
mod slips;
mod token;

#[cfg(test)]
mod tests;

use crate::context::Circumstances;
use crate::grammar::{Grammar, LONGEST};
use crate::understood::Understood;
use crate::vocabulary::Vocabulary;

pub(crate) use known::Known;

/// What became of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Forgiven {
    /// It means this, after what was forgiven.
    Understood(Box<Understood>, Forgiveness),
    /// It may mean any of these, so that nobody can tell.
    Ambiguous(Vec<Understood>),
    /// It is no sentence, or none that may be forgiven.
    Nothing,
}

impl Forgiven {
    /// What it means, if that is clear.
    pub fn understood(self) -> Option<Understood> {
        match self {
            Self::Understood(understood, _) => Some(*understood),
            Self::Ambiguous(_) | Self::Nothing => None,
        }
    }
}

/// What had to be overlooked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgiveness {
    /// Words that were left out.
    pub left_out: Vec<String>,
    /// Small words that were missing.
    pub added: Vec<String>,
    /// Words with a slip, and what they were read as.
    pub corrected: Vec<(String, String)>,
}

impl Forgiveness {
    /// Whether nothing had to be overlooked.
    pub const fn is_exact(&self) -> bool {
        self.left_out.is_empty() && self.added.is_empty() && self.corrected.is_empty()
    }

    /// Whether every word that counts is one that was said.
    const fn keeps_words(&self) -> bool {
        self.corrected.is_empty()
    }
}

impl Grammar {
    /// What a text means, forgiving small faults. A text that [`Grammar::read`] understands means what it says there, but
    /// that politeness and slips do not become part of words of any kind.
    pub fn read_forgiving(&self, vocabulary: &Vocabulary, text: &str, circumstances: &Circumstances) -> Forgiven {
        if text.chars().nth(LONGEST).is_some() {
            return Forgiven::Nothing;
        }
        let strict = self.read(vocabulary, text, circumstances);
        let mut search = search::Search::new(self, vocabulary, text, circumstances);
        match strict {
            Some(understood) if understood.slots.values().any(|slot| slot.is_wildcard()) => {
                reconsider::reconsider(&mut search, understood)
            }
            Some(understood) => Forgiven::Understood(Box::new(understood), Forgiveness::default()),
            None => search.forgive(),
        }
    }
}
