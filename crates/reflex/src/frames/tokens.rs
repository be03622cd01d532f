//! Words for frames: without accents, apart at hyphens and apostrophes, since people write all of
//! them differently.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrameToken {
    /// As it was written.
    pub said: String,
    /// For comparison.
    pub word: String,
    /// Whether a comma or the like follows.
    pub pauses: bool,
}

/// In lower case and without accents.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = text.nfd().filter(|next| !is_combining_mark(*next)).flat_map(char::to_lowercase);
    let mut folded = String::with_capacity(text.len());
    for next in lower {
        match next {
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            'æ' => folded.push_str("ae"),
            _ => folded.push(next),
        }
    }
    folded
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<FrameToken> {
    let chars: Vec<char> = if text.is_ascii() { text.chars().collect() } else { text.nfc().collect() };
    let mut tokens: Vec<FrameToken> = Vec::new();
    let mut said = String::new();
    let push = |said: &mut String, tokens: &mut Vec<FrameToken>| {
        if !said.is_empty() {
            let word = fold(said);
            tokens.push(FrameToken { said: std::mem::take(said), word, pauses: false });
        }
    };
    for (at, &next) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| chars.get(before));
        let is_digit = |next: Option<&char>| next.is_some_and(char::is_ascii_digit);
        let is_inside_number = matches!(next, '.' | ',' | ':') && is_digit(before) && is_digit(chars.get(at + 1));
        if next.is_alphanumeric() || is_inside_number {
            // "22grad" and "60%" are two words each.
            let is_edge = is_digit(before) != next.is_ascii_digit() && !is_inside_number;
            let is_after_point = matches!(before, Some('.' | ',' | ':'));
            if is_edge && !is_after_point && !said.is_empty() {
                push(&mut said, &mut tokens);
            }
            said.push(next);
            continue;
        }
        push(&mut said, &mut tokens);
        match next {
            '%' | '°' => tokens.push(FrameToken { said: next.to_string(), word: next.to_string(), pauses: false }),
            // A dash between words, not a hyphen.
            '-' if before.is_some_and(|it| it.is_whitespace())
                && chars.get(at + 1).is_some_and(|it| it.is_whitespace()) =>
            {
                if let Some(last) = tokens.last_mut() {
                    last.pauses = true;
                }
            }
            ',' | ';' | '.' | '!' | ':' | '—' | '–' | '…' => {
                if let Some(last) = tokens.last_mut() {
                    last.pauses = true;
                }
            }
            _ => {}
        }
    }
    push(&mut said, &mut tokens);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        words(text).into_iter().map(|token| token.word).collect()
    }

    #[test]
    fn words_are_apart_at_everything_but_letters() {
        assert_eq!(split("Éteins l'abat-jour à 60%"), ["eteins", "l", "abat", "jour", "a", "60", "%"]);
        assert_eq!(split("auf 20,5 Grad, bitte"), ["auf", "20,5", "grad", "bitte"]);
        assert_eq!(split("um 7:30 Uhr"), ["um", "7:30", "uhr"]);
        assert_eq!(split("Straße 22°"), ["strasse", "22", "°"]);
    }
}
