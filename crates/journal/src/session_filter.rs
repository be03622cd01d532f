//! A filter for lists of sessions.

use protocol::{SessionStatus, SessionView};

/// Selects sessions of a list. The default selects all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    words: Vec<String>,
    status: Option<SessionStatus>,
}

impl SessionFilter {
    /// Sessions with this status whose title or name contains all words of the query. Case is
    /// ignored.
    pub fn new(query: &str, status: Option<SessionStatus>) -> Self {
        Self { words: query.split_whitespace().map(folded).collect(), status }
    }

    /// Whether a session passes the filter.
    pub fn has(&self, view: &SessionView) -> bool {
        if self.status.is_some_and(|status| status != view.status) {
            return false;
        }
        if self.words.is_empty() {
            return true;
        }
        let title = folded(view.title.as_deref().unwrap_or_default());
        let name = folded(view.key.as_ref().map_or("", |key| key.as_str()));
        self.words.iter().all(|word| title.contains(word) || name.contains(word))
    }
}

/// Folds the case of a text. It maps to uppercase first, because several lowercase letters can
/// share an uppercase one.
fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_makes_no_difference_in_any_script() {
        for (one, other) in [("Straße", "STRASSE"), ("ÄPFEL", "äpfel"), ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"), ("Жизнь", "жИЗНЬ")]
        {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("Apfel"), folded("Äpfel"));
    }
}
