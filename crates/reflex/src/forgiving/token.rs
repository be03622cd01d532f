//! A text as words.

use crate::text::Heard;

/// A word as it was said and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub said: String,
    pub folded: String,
    /// A pause follows: a comma or the like.
    pub pauses: bool,
}

impl Token {
    /// The words of a text. Punctuation alone is a pause behind the word before it.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut tokens: Vec<Self> = Vec::new();
        for said in text.split_whitespace() {
            let folded: String = Heard::new(said).folded().iter().collect();
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

    /// Whether it is made of letters, so that one of them may have slipped.
    pub(super) fn is_word(&self) -> bool {
        self.folded.chars().all(|next| next.is_alphabetic() || next == '\'')
    }

    /// Without what is joined to a name: `kitchen's` is about the kitchen.
    pub(super) fn stem(&self) -> &str {
        self.folded.strip_suffix("'s").unwrap_or(&self.folded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_the_pause_behind_them() {
        let tokens = Token::all("Um, turn on — the Lamp's 20,5 %!");
        let folded: Vec<(&str, bool)> = tokens.iter().map(|token| (token.folded.as_str(), token.pauses)).collect();
        let wanted = [("um", true), ("turn", false), ("on", true), ("the", false), ("lamp's", false)];
        assert_eq!(folded[..5], wanted);
        assert_eq!(folded[5..], [("20,5", false), ("%", true)]);
        assert_eq!(tokens[4].stem(), "lamp");
        assert!(!tokens[5].is_word());
    }
}
