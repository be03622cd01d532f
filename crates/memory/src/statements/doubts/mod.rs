//! Notices that a message touches something known without stating it anew: "Henrik left, so I report
//! to Paula" after "my boss is Henrik".
//!
//! Such a fact becomes doubtful at once, with the message beside it; only an explicit correction
//! ("no, I meant Bruges") gives it another value. What is known of one person is never touched by
//! what is said of another, nor by what is added to it.

mod corrected;
mod kinds;
mod known;
mod said;

use std::collections::{HashMap, HashSet};

use protocol::{Fact, ItemId};

use self::kinds::is_like;
pub use self::{
    known::{KnownFact, aliases, subject},
    said::{Said, topics_in},
};
use super::{Statement, same_key};
use crate::language::lexicon::Token;

/// The most characters of a message that are shown beside a doubtful fact.
const SHOWN_CHARS_MAX: usize = 300;

/// The least similarity of two texts of which one may have made the other doubtful.
const ALIKE_MIN: f32 = 0.5;

/// The same for what directly follows the other.
const FOLLOWS_MIN: f32 = 0.25;

/// What a message does to a fact that it touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch {
    /// It may no longer hold.
    Doubt,
    /// It has this value instead.
    Corrected(String),
}

/// A fact that a message touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// The fact.
    pub id: ItemId,
    /// What happens to it.
    pub touch: Touch,
    /// What was said.
    pub text: String,
}

/// Those of the given facts that a message touches. `stated` is what the rules understood of it; each
/// fact comes with whether it was stated just before in the same conversation.
pub fn touched<'f>(
    said: &Said<'_>,
    stated: &[Statement],
    facts: impl Iterator<Item = (&'f Fact, &'f KnownFact, bool)>,
    aliases: &HashMap<String, String>,
) -> Vec<Touched> {
    let touch = |(fact, known, is_recent): (&Fact, &KnownFact, bool)| {
        // What was understood and is about something else is about that alone.
        let related = |stated: &Statement| {
            same_key(&stated.key, &fact.key) || known::topics(&stated.key).any(|topic| known.topics.contains(topic))
        };
        let is_elsewhere = !stated.is_empty() && !stated.iter().any(related);
        let comparison = Comparison { said, known, aliases, is_recent, is_elsewhere, alike: None };
        let touch = comparison.touch(&fact.value)?;
        Some(Touched { id: fact.fact_id, touch, text: said.shown(SHOWN_CHARS_MAX) })
    };
    facts.filter(|(fact, ..)| fact.is_current()).filter_map(touch).collect()
}

/// A message and something known.
pub struct Comparison<'c, 'm> {
    /// The message.
    pub said: &'c Said<'m>,
    /// What is known.
    pub known: &'c KnownFact,
    /// The names of people by their relation.
    pub aliases: &'c HashMap<String, String>,
    /// Whether it was stated just before in the same conversation.
    pub is_recent: bool,
    /// Whether the rules understood the message, as something else.
    pub is_elsewhere: bool,
    /// How similar the two are by their embeddings.
    pub alike: Option<f32>,
}

impl Comparison<'_, '_> {
    /// What the message does to what is known, with this value.
    pub fn touch(&self, value: &str) -> Option<Touch> {
        let signals = self.said.signals;
        let takes_back = signals.corrects || signals.denies;
        if self.is_recent
            && takes_back
            && let Some(new) = corrected::value(self.said, value, &self.known.values)
        {
            return Some(Touch::Corrected(new));
        }
        if signals.adds && !signals.corrects {
            return None;
        }
        let is_named = overlap(&self.known.value, &self.said.specific);
        if !self.is_of_same_subject(is_named) {
            return None;
        }
        let is_value = is_named && signals.any();
        if self.is_elsewhere {
            return (is_named && signals.is_clear() || self.is_recent && signals.corrects).then_some(Touch::Doubt);
        }
        if self.known.is_kin_name {
            let renamed = self.said.topics.iter().any(|topic| topic.name == "name" && topic.happened);
            return (renamed || signals.corrects && (is_named || self.is_recent)).then_some(Touch::Doubt);
        }
        let all_keyed = !self.known.key.is_empty() && self.known.key.iter().all(|root| self.said.roots.contains(root));
        let shares_key =
            self.known.key.iter().any(|root| self.said.specific.contains(root) && !self.is_of_another(root));
        let is_keyed = all_keyed || shares_key;
        let is_spoken = overlap(&self.known.text, &self.said.specific);
        let is_new_value = self.has_other_value();
        let topic = self.said.topics.iter().find(|topic| self.known.topics.contains(topic.name));
        let is_whole = self.known.qualifiers.iter().all(|root| self.said.roots.contains(root));
        let by_topic =
            is_whole && topic.is_some_and(|topic| topic.happened || signals.strong || signals.weak && is_new_value);
        let follows = self.is_recent
            && (signals.corrects
                || signals.strong && (self.said.has_pronoun || is_new_value || is_spoken)
                || signals.denies && (self.said.has_pronoun || is_spoken)
                || signals.weak && (is_new_value || self.is_of_named_subject()) && self.said.has_pronoun);
        let is_touched = is_value
            || is_keyed && (signals.is_clear() || is_new_value || all_keyed && signals.weak)
            || is_spoken && signals.is_clear()
            || is_spoken && signals.weak && is_new_value
            || by_topic
            || self.alike.is_some_and(|alike| match self.is_recent {
                true => alike >= FOLLOWS_MIN && signals.any() || alike >= ALIKE_MIN,
                false => alike >= ALIKE_MIN && (signals.is_clear() || signals.weak && is_new_value),
            })
            || follows;
        is_touched.then_some(Touch::Doubt)
    }

    /// Whether the message can be about the fact's subject.
    fn is_of_same_subject(&self, is_named: bool) -> bool {
        match &self.known.subject {
            Some(subject) => {
                let by_name = self.aliases.iter().any(|(name, relation)| relation == subject && self.said.names(name));
                self.said.names(subject)
                    || by_name
                    || is_named
                    || (self.is_recent && self.said.has_pronoun && self.said.people.is_empty())
            }
            None => !self.said.is_of_other || is_named,
        }
    }

    /// Whether the message names the person that the fact is about.
    fn is_of_named_subject(&self) -> bool {
        self.known.subject.as_ref().is_some_and(|subject| self.said.names(subject))
    }

    /// Whether the message puts another word in front of a word of the key: "the history essay" where
    /// "the biology essay" is known.
    fn is_of_another(&self, root: &str) -> bool {
        let mut pairs = self.said.tokens.windows(2).filter(|pair| pair[1].root == root).peekable();
        let is_other = |pair: &[Token<'_>]| {
            let front = &pair[0];
            self.said.lexicon.is_specific(front)
                && !self.known.key.contains(&front.root)
                && !self.known.text.contains(&front.root)
        };
        pairs.peek().is_some() && pairs.all(is_other)
    }

    /// Whether the message has a value of the fact's kind that is another one.
    fn has_other_value(&self) -> bool {
        self.known.values.iter().any(|(kind, normal)| {
            self.said.values.iter().any(|value| is_like(value.kind, *kind) && value.normal != *normal)
        })
    }
}

fn overlap(a: &HashSet<String>, b: &HashSet<String>) -> bool {
    a.iter().any(|root| b.contains(root))
}
