//! The meaning of a recognized sentence.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::Value;

/// A recognized sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognizedIntent {
    /// The intent, such as `HassTurnOn`.
    pub intent: String,
    /// The slots of the intent.
    pub slots: BTreeMap<String, SlotValue>,
    /// Captured words that are for the answer only.
    pub captures: BTreeMap<String, String>,
    /// The key of the answer.
    pub response: Option<String>,
    /// The slot combination, such as `name_only`.
    pub combination: Option<String>,
    /// Further metadata of the sentence.
    pub metadata: BTreeMap<String, Value>,
    /// The matching template.
    pub template: String,
    /// How well it fits.
    pub score: MatchScore,
}

/// A filled slot.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotValue {
    /// The value: the home's spelling of a name, or a number.
    pub value: Value,
    /// The matched text; empty if there is none.
    pub text: String,
    /// The source of the value.
    pub origin: SlotOrigin,
    /// For a name of the home, the ids of everything with that name that fits.
    pub ids: Vec<String>,
    /// Further metadata of the list value.
    pub metadata: Option<Value>,
}

impl SlotValue {
    /// Whether it is a wildcard.
    pub fn is_wildcard(&self) -> bool {
        self.origin == SlotOrigin::Wildcard
    }
}

/// The source of a slot's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotOrigin {
    /// A list value in the text.
    List,
    /// A wildcard in the text.
    Wildcard,
    /// A constant of the sentence.
    Sentence,
    /// The context in which the sentence was spoken.
    Context,
}

/// How well a sentence matches. The first field that differs decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MatchScore {
    /// Characters in the name of an entity: the longest name wins.
    pub name_chars: u32,
    /// The number of wildcards: the fewer the better.
    pub wildcards: u32,
    /// Characters matched by the template itself: the more the better.
    pub literal_chars: u32,
    /// Characters matched by wildcards: the fewer the better.
    pub wildcard_chars: u32,
}

impl MatchScore {
    /// A sort key that puts the best first.
    pub(crate) fn rank(&self) -> impl Ord + use<> {
        (Reverse(self.name_chars), self.wildcards, Reverse(self.literal_chars), self.wildcard_chars)
    }
}
