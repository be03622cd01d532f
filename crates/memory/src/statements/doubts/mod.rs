//! Notices that a message touches something known without stating it anew: "Henrik left, so I
//! report to Paula" after "my boss is Henrik".
//!
//! Such a fact becomes doubtful at once, with the message beside it; only an explicit correction
//! ("no, I meant Bruges") gives it another value. What is known of one person is never touched by
//! what is said of another, nor by what is added to it.

mod comparison;
mod corrected;
mod kinds;
mod known;
mod prepared;
mod said;

use std::collections::HashMap;

use protocol::{Fact, ItemId};

pub use self::{
    comparison::{Comparison, Likeness},
    known::{KnownFact, aliases, subject},
    prepared::PreparedText,
    said::{SpokenMessage, asks_whether_still, is_about, topics_in, words_of},
};
use super::{Statement, same_key};

/// The most characters of a message that are shown beside a doubtful fact.
const SHOWN_CHARS_MAX: usize = 300;

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
pub struct TouchedFact {
    /// The fact.
    pub id: ItemId,
    /// What happens to it.
    pub touch: Touch,
    /// What was said.
    pub text: String,
}

/// Those of the given facts that a message touches. `stated` is what the rules understood of it;
/// each fact comes with whether it was stated just before in the same conversation. `alike` says
/// whether embeddings will tell more about it later.
pub fn touched<'f>(
    said: &SpokenMessage<'_>,
    stated: &[Statement],
    facts: impl Iterator<Item = (&'f Fact, &'f KnownFact, bool)>,
    aliases: &HashMap<String, String>,
    alike: Likeness,
) -> Vec<TouchedFact> {
    let touch = |(fact, known, is_recent): (&Fact, &KnownFact, bool)| {
        // What was understood and is about something else is about that alone.
        let related = |stated: &Statement| {
            let is_of_other = || KnownFact::of_statement(stated).is_of_other_thing_than(known);
            let is_of_topic = known::topics(&stated.key).any(|topic| known.topics.contains(topic));
            same_key(&stated.key, &fact.key) || is_of_topic && !is_of_other()
        };
        let is_elsewhere = !stated.is_empty() && !stated.iter().any(related);
        let comparison = Comparison { said, known, aliases, is_recent, is_elsewhere, alike, is_asked: false };
        let touch = comparison.touch(&fact.value)?;
        Some(TouchedFact { id: fact.fact_id, touch, text: said.shown(SHOWN_CHARS_MAX) })
    };
    facts.filter(|(fact, ..)| fact.is_current()).filter_map(touch).collect()
}
