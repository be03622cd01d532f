//! What a sentence turned out to mean.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::Value;

/// A sentence that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// What is wanted, such as `HassTurnOn`.
    pub intent: String,
    /// What it is about.
    pub slots: BTreeMap<String, Slot>,
    /// Words that are for the answer's text only.
    pub captures: BTreeMap<String, String>,
    /// The key of the answer.
    pub response: Option<String>,
    /// Which combination of slots it is, such as `name_only`.
    pub combination: Option<String>,
    /// What else the grammar says of the sentence.
    pub metadata: BTreeMap<String, Value>,
    /// The template that matched.
    pub template: String,
    /// How well it fits.
    pub score: Score,
}

/// A slot that is filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// What it is filled with: for a name, as the home writes it; for a number, the number.
    pub value: Value,
    /// The words that were said; empty where there were none.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// For a name of the home, everything that is called so and fits, such as the ids of entities.
    pub ids: Vec<String>,
    /// What the list says of the value besides.
    pub metadata: Option<Value>,
}

impl Slot {
    /// Whether it holds words of any kind.
    pub fn is_wildcard(&self) -> bool {
        self.origin == Origin::Wildcard
    }
}

/// Where the value of a slot comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A value of a list was said.
    List,
    /// Words of any kind were said.
    Wildcard,
    /// The sentence means it without saying it.
    Sentence,
    /// It follows from where the sentence was said.
    Circumstances,
}

/// How well a sentence fits. The first that differs decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Characters in the name of an entity: the longest name wins.
    pub name_chars: u32,
    /// How many slots hold words of any kind: the fewer the better.
    pub wildcards: u32,
    /// Characters that the template itself has: the more the better.
    pub literal_chars: u32,
    /// Characters in words of any kind: the fewer the better.
    pub wildcard_chars: u32,
}

impl Score {
    /// Sorts the best first.
    pub(crate) fn rank(&self) -> impl Ord + use<> {
        (Reverse(self.name_chars), self.wildcards, Reverse(self.literal_chars), self.wildcard_chars)
    }
}
