//! Call ids that every provider accepts.

use std::collections::{HashMap, HashSet};

/// The longest id that OpenAI accepts.
const CHARS_MAX: usize = 40;

/// Gives every call a unique id. After a change of models an id of one provider goes to another,
/// and each refuses some of the other's ids: too long, other characters, or used in an earlier
/// answer.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    given: HashSet<String>,
    /// The current replacement of each id.
    renamed: HashMap<String, String>,
}

impl CallIds {
    /// The id to use for a call.
    pub(super) fn of_call(&mut self, id: &str) -> String {
        let fits = (1..=CHARS_MAX).contains(&id.len()) && id.bytes().all(is_plain) && !self.given.contains(id);
        let unique = if fits { id.to_owned() } else { self.invent() };
        self.given.insert(unique.clone());
        self.renamed.insert(id.to_owned(), unique.clone());
        unique
    }

    /// The id to use for the result of that call.
    pub(super) fn of_result(&self, id: &str) -> String {
        self.renamed.get(id).map_or_else(|| id.to_owned(), Clone::clone)
    }

    fn invent(&self) -> String {
        let mut number = self.given.len() + 1;
        loop {
            let id = format!("call_{number}");
            if !self.given.contains(&id) {
                return id;
            }
            number += 1;
        }
    }
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_ids_stay_and_the_rest_is_numbered() {
        let mut ids = CallIds::default();
        let long = "x".repeat(41);
        let given = ["toolu_01", "", "call#lamp#0", "toolu_01", &long].map(|id| ids.of_call(id));
        assert_eq!(given, ["toolu_01", "call_2", "call_3", "call_4", "call_5"]);
    }

    #[test]
    fn a_result_belongs_to_the_newest_call_of_its_id() {
        let mut ids = CallIds::default();
        ids.of_call("call_1");
        assert_eq!(ids.of_result("call_1"), "call_1");
        assert_eq!(ids.of_call("call_1"), "call_2");
        assert_eq!(ids.of_result("call_1"), "call_2");
        assert_eq!(ids.of_result("stray"), "stray");
    }
}
