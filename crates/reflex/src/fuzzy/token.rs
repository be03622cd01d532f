//! A text as words.

use crate::text::NormalizedText;

/// A word in its original and its normalized form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordToken {
    pub said: String,
    pub folded: String,
    /// Whether a pause follows, such as a comma.
    pub pauses: bool,
}

impl WordToken {
    /// The words of a text. Punctuation is a pause after the preceding word.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut tokens: Vec<Self> = Vec::new();
        for said in text.split_whitespace() {
            let folded: String = NormalizedText::new(said).folded().iter().collect();
            let pauses = said.ends_with([',', '.', '!', ';', ':', '…', '—', '–', '?']);
            if folded.is_empty() || folded == "-" {
                if let Some(last) = tokens.last_mut() {
                    last.pauses = true;
                }
            } else {
                tokens.push(Self { said: said.to_owned(), folded, pauses });
            }
        }
        tokens
    }

    /// Whether it consists of letters, so that it may contain a typo.
    pub(super) fn is_word(&self) -> bool {
        self.folded.chars().all(|next| next.is_alphabetic() || next == '\'')
    }

    /// Without a possessive ending: `kitchen's` is about the kitchen.
    pub(super) fn stem(&self) -> &str {
        self.folded.strip_suffix("'s").unwrap_or(&self.folded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_the_pause_behind_them() {
        let tokens = WordToken::all("Um, turn on — the Lamp's 20,5 %!");
        let folded: Vec<(&str, bool)> = tokens.iter().map(|token| (token.folded.as_str(), token.pauses)).collect();
        let wanted = [("um", true), ("turn", false), ("on", true), ("the", false), ("lamp's", false)];
        assert_eq!(folded[..5], wanted);
        assert_eq!(folded[5..], [("20,5", false), ("%", true)]);
        assert_eq!(tokens[4].stem(), "lamp");
        assert!(!tokens[5].is_word());
    }
}
