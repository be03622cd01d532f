//! How an entity stands.

use protocol::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::EntityId;

/// The longest state that is a word: a moment with its zone.
const PLAIN_MAX: usize = 32;

/// How an entity stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Whose.
    pub entity_id: EntityId,
    /// In one word, as `on` or `21.5`.
    pub state: String,
    /// All else.
    #[serde(default)]
    pub attributes: Map<String, Value>,
    /// Since when the word is this one.
    pub changed_at: Timestamp,
    /// When it was last told.
    pub updated_at: Timestamp,
}

impl State {
    /// What an entity stands at that cannot be reached.
    pub const UNAVAILABLE: &'static str = "unavailable";
    /// What an entity stands at of which nothing is known.
    pub const UNKNOWN: &'static str = "unknown";

    /// Whether it is known at all.
    pub fn is_known(&self) -> bool {
        self.state != Self::UNAVAILABLE && self.state != Self::UNKNOWN
    }

    /// The word, where it is one: a state may be anybody's text, and that is not passed on as if it were ours.
    pub fn plain_word(&self) -> String {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '+' | '.' | ':');
        let is_word = self.state.len() <= PLAIN_MAX && self.state.chars().all(is_plain);
        if is_word { self.state.clone() } else { "(a text)".to_owned() }
    }

    /// An attribute that is text.
    pub fn text(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute)?.as_str()
    }

    /// An attribute that is a number.
    pub fn number(&self, attribute: &str) -> Option<f64> {
        self.attributes.get(attribute)?.as_f64()
    }

    /// The word with its unit, as `21.5 °C`.
    pub fn in_words(&self) -> String {
        match self.text("unit_of_measurement") {
            Some(unit) if self.is_known() => format!("{} {unit}", self.state),
            _ => self.state.clone(),
        }
    }
}
