//! Which sessions a list is about.

use protocol::{SessionStatus, SessionView};

/// Which sessions a list is about; the default wants all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    words: Vec<String>,
    status: Option<SessionStatus>,
}

impl Wanted {
    /// Those in whose title or name all words of the query occur, in whatever case, and that stand like this.
    pub fn new(query: &str, status: Option<SessionStatus>) -> Self {
        Self { words: query.split_whitespace().map(folded).collect(), status }
    }

    /// Whether a session is one of them.
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

/// The text without its case. By way of the capitals, since several small letters may share one.
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
