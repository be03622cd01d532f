//! The state of an entity.

use protocol::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::EntityId;

/// The longest state that counts as a word: a timestamp with its zone.
const PLAIN_MAX: usize = 32;

/// The state of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityState {
    /// The entity.
    pub entity_id: EntityId,
    /// The state in one word, as `on` or `21.5`.
    pub state: String,
    /// The attributes.
    #[serde(default)]
    pub attributes: Map<String, Value>,
    /// When the state changed.
    pub changed_at: Timestamp,
    /// When the home last reported it.
    pub updated_at: Timestamp,
}

impl EntityState {
    /// The state of an entity that cannot be reached.
    pub const UNAVAILABLE: &'static str = "unavailable";
    /// The state of an entity about which nothing is known.
    pub const UNKNOWN: &'static str = "unknown";

    /// Whether it is known and available.
    pub fn is_known(&self) -> bool {
        self.state != Self::UNAVAILABLE && self.state != Self::UNKNOWN
    }

    /// The state, if it is a single word. A state may be any untrusted text, which is not passed on
    /// as trusted.
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

    /// The state with its unit, as `21.5 °C`.
    pub fn in_words(&self) -> String {
        match self.text("unit_of_measurement") {
            Some(unit) if self.is_known() => format!("{} {unit}", self.state),
            _ => self.state.clone(),
        }
    }
}
