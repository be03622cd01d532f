//! Texts of deleted sessions, to look for in the file pages they leave.

use std::collections::BTreeSet;

use protocol::Event;
use serde_json::Value;

/// Shorter texts occur everywhere by chance and are not looked for.
const TEXT_BYTES_MIN: usize = 4;
/// Maximum number of texts that are looked for individually, and their total size. Beyond that the
/// files are rewritten instead.
const TEXTS_MAX: usize = 4_000;
const BYTES_MAX: usize = 512 * 1024;
/// Length of an id.
const ID_CHARS: usize = 26;

/// The texts to look for.
#[derive(Debug, Default)]
pub(super) struct ErasedTexts {
    texts: BTreeSet<String>,
    bytes: usize,
    is_begun: bool,
    is_too_much: bool,
}

impl ErasedTexts {
    /// No texts yet; the store has recorded that an erasure is in progress.
    pub(super) fn begun() -> Self {
        Self { is_begun: true, ..Self::default() }
    }

    /// The store has recorded that an erasure is in progress.
    pub(super) const fn begin(&mut self) {
        self.is_begun = true;
    }

    /// Whether the store has recorded that an erasure is in progress.
    pub(super) const fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// Adds every text of an event.
    pub(super) fn take_event(&mut self, event: &Event) {
        if self.is_too_much {
            return;
        }
        if let Ok(value) = serde_json::to_value(&event.body) {
            self.take_value(value);
        }
    }

    fn take_value(&mut self, value: Value) {
        match value {
            Value::String(text) => self.take(text),
            Value::Array(items) => items.into_iter().for_each(|item| self.take_value(item)),
            Value::Object(fields) => fields.into_iter().for_each(|(_, field)| self.take_value(field)),
            _ => {}
        }
    }

    /// Adds the content of an artifact, if it is text.
    pub(super) fn take_bytes(&mut self, bytes: &[u8]) {
        if let Ok(text) = str::from_utf8(bytes) {
            self.take(text.to_owned());
        }
    }

    /// Adds a text.
    pub(super) fn take(&mut self, text: String) {
        if self.is_too_much || text.len() < TEXT_BYTES_MIN || is_id(&text) {
            return;
        }
        let bytes = text.len();
        if self.texts.insert(text) {
            self.bytes += bytes;
        }
        if self.texts.len() > TEXTS_MAX || self.bytes > BYTES_MAX {
            self.is_too_much = true;
            self.texts.clear();
        }
    }

    /// The texts; `None` if they are too many to be looked for individually.
    pub(super) fn into_texts(self) -> Option<Vec<String>> {
        (!self.is_too_much).then(|| self.texts.into_iter().collect())
    }
}

/// Whether a text is an id, which carries no content.
fn is_id(text: &str) -> bool {
    text.len() == ID_CHARS && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use protocol::{Body, TextDelta, Timestamp};

    use super::*;

    fn said(texts: &[&str]) -> Option<Vec<String>> {
        let mut said = ErasedTexts::default();
        texts.iter().for_each(|text| said.take((*text).to_owned()));
        said.into_texts()
    }

    #[test]
    fn words_are_taken_once_and_ids_and_scraps_are_not() {
        let taken = said(&["azurepot", "no", "azurepot", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "the key"]);
        assert_eq!(taken.unwrap(), ["azurepot", "the key"]);
    }

    #[test]
    fn every_text_of_an_event_is_taken() {
        let body = Body::Text(TextDelta { offset: 0, delta: "under the azurepot".to_owned() });
        let session_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        let event = Event { seq: 1, session_id, turn_id: None, agent_id: None, at: Timestamp::from_millis(0), body };
        let mut said = ErasedTexts::begun();
        said.take_event(&event);
        assert!(said.into_texts().unwrap().contains(&"under the azurepot".to_owned()));
    }

    #[test]
    fn too_much_is_not_looked_for_one_by_one() {
        assert_eq!(said(&[&"x".repeat(BYTES_MAX + 1)]), None);
        let many: Vec<String> = (0..=TEXTS_MAX).map(|n| format!("word {n}")).collect();
        assert_eq!(said(&many.iter().map(String::as_str).collect::<Vec<_>>()), None);
        assert_eq!(said(&["one", "two"]), Some(Vec::new()), "what is too short is nothing to look for");
    }
}
