//! Normalizes text for comparison: single spaces, composed characters, no punctuation around words,
//! lower case.

use unicode_normalization::UnicodeNormalization;

/// Single spaces, composed characters, one kind of apostrophe. Spaces at the ends stay.
pub(crate) fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut add = |next: char| match next {
        '’' => tidied.push('\''),
        _ if next.is_whitespace() => {
            if !tidied.ends_with(' ') {
                tidied.push(' ');
            }
        }
        _ => tidied.push(next),
    };
    // Most texts are, and nothing in them is composed.
    if text.is_ascii() {
        text.chars().for_each(&mut add)
    } else {
        text.nfc().for_each(&mut add)
    }
    tidied
}

/// In lower case, character by character.
pub(crate) fn fold(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().flat_map(char::to_lowercase)
}

/// A normalized text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NormalizedText {
    /// Without punctuation, in the original case.
    plain: Vec<char>,
    /// In lower case, for comparison.
    folded: Vec<char>,
    /// The index in `plain` of each character of `folded`.
    origin: Vec<u32>,
}

impl NormalizedText {
    pub(crate) fn new(text: &str) -> Self {
        let tidied: Vec<char> = tidy(text).trim().chars().collect();
        let plain = collapsed(&without_punctuation(&tidied));
        let mut folded = Vec::with_capacity(plain.len());
        let mut origin = Vec::with_capacity(plain.len());
        for (index, next) in (0u32..).zip(&plain) {
            for lower in next.to_lowercase() {
                folded.push(lower);
                origin.push(index);
            }
        }
        Self { plain, folded, origin }
    }

    /// The text for comparison.
    pub(crate) fn folded(&self) -> &[char] {
        &self.folded
    }

    /// The original words between two positions.
    pub(crate) fn said(&self, start: usize, end: usize) -> String {
        let origins = self.origin.get(start..end).unwrap_or_default();
        let mut last = None;
        let mut said = String::new();
        for &index in origins {
            if last != Some(index) {
                said.extend(self.plain.get(index as usize));
            }
            last = Some(index);
        }
        said.trim().to_owned()
    }

    /// The text without these positions, with the rest joined.
    pub(crate) fn without(&self, is_out: impl Fn(usize) -> bool, is_spaced: bool) -> Self {
        let mut folded: Vec<char> = Vec::with_capacity(self.folded.len());
        let mut origin = Vec::with_capacity(self.folded.len());
        let mut is_gap = false;
        for (index, (&next, &source)) in self.folded.iter().zip(&self.origin).enumerate() {
            if is_out(index) {
                is_gap = is_spaced;
                continue;
            }
            let begins_word =
                std::mem::take(&mut is_gap) && next != ' ' && folded.last().is_some_and(|&last| last != ' ');
            if begins_word {
                folded.push(' ');
                origin.push(source);
            }
            if next == ' ' && folded.last().is_none_or(|&last| last == ' ') {
                continue;
            }
            folded.push(next);
            origin.push(source);
        }
        if folded.last() == Some(&' ') {
            folded.pop();
            origin.pop();
        }
        Self { plain: self.plain.clone(), folded, origin }
    }

    /// Without the spaces between characters of scripts that do not separate words.
    pub(crate) fn without_needless_spaces(&self) -> Self {
        let is_script = |index: Option<usize>| {
            index.and_then(|index| self.folded.get(index)).is_some_and(|&next| is_unspaced_script(next))
        };
        let is_needless = |index: usize| {
            self.folded.get(index) == Some(&' ') && is_script(index.checked_sub(1)) && is_script(Some(index + 1))
        };
        if (0..self.folded.len()).any(is_needless) { self.without(is_needless, false) } else { self.clone() }
    }
}

/// Chinese characters, Japanese syllables, Korean syllables.
fn is_unspaced_script(next: char) -> bool {
    matches!(next, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}')
}

pub(crate) fn is_word(next: char) -> bool {
    next.is_alphanumeric() || next == '_'
}

/// Hyphen and minus are excluded: they occur inside words and before numbers.
fn is_punctuation(next: char) -> bool {
    matches!(
        next,
        '.' | '。'
            | ','
            | '，'
            | '?'
            | '¿'
            | '？'
            | '؟'
            | '!'
            | '¡'
            | '！'
            | ';'
            | '；'
            | ':'
            | '：'
            | '…'
            | '—'
            | '–'
            | '―'
    )
}

/// Removes punctuation, except inside a word or a number (`20,5`, `10:30`) and the dots of initials
/// (`A.C.`).
fn without_punctuation(text: &[char]) -> Vec<char> {
    let mut kept = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&next) = text.get(at) {
        if !is_punctuation(next) {
            kept.push(next);
            at += 1;
            continue;
        }
        let length = text[at..].iter().take_while(|&&next| is_punctuation(next)).count();
        let end = at + length;
        let follows_word = at > 0 && is_word(text[at - 1]);
        let precedes_word = text.get(end).is_some_and(|&next| is_word(next));
        let is_inside = follows_word && precedes_word;
        let is_initial = next == '.' && follows_word && is_after_initial(&text[..at]);
        if is_inside {
            kept.extend_from_slice(&text[at..end]);
        } else if is_initial {
            kept.push(next);
        }
        at = end;
    }
    kept
}

/// Whether the text ends with a letter, a dot and another letter, as in `A.C`.
fn is_after_initial(text: &[char]) -> bool {
    matches!(text, [.., first, '.', last] if is_word(*first) && is_word(*last))
        && !matches!(text, [.., before, _, '.', _] if is_word(*before))
}

fn collapsed(text: &[char]) -> Vec<char> {
    let mut kept: Vec<char> = Vec::with_capacity(text.len());
    for &next in text {
        if next != ' ' || kept.last().is_some_and(|&last| last != ' ') {
            kept.push(next);
        }
    }
    if kept.last() == Some(&' ') {
        kept.pop();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        NormalizedText::new(text).folded.iter().collect()
    }

    #[test]
    fn punctuation_goes_from_around_words() {
        assert_eq!(folded("Hello,  world!"), "hello world");
        assert_eq!(folded("¿Qué hora es?"), "qué hora es");
        assert_eq!(folded("set it to 20,5 , please..."), "set it to 20,5 please");
        assert_eq!(folded("turn on the A.C."), "turn on the a.c.");
        assert_eq!(folded("the A.C. unit is on."), "the a.c. unit is on");
        assert_eq!(folded("what’s on"), "what's on");
        assert_eq!(folded("-5 degrees — now"), "-5 degrees now");
        assert_eq!(folded("..."), "");
    }

    #[test]
    fn what_was_said_keeps_its_letters() {
        let normalized = NormalizedText::new("Play  ABBA, now!");
        assert_eq!(normalized.said(5, 9), "ABBA");
        assert_eq!(normalized.said(0, 99), "");
    }

    #[test]
    fn words_taken_out_leave_one_space() {
        let normalized = NormalizedText::new("please turn on");
        let left = normalized.without(|index| index < 6, true);
        assert_eq!(left.folded.iter().collect::<String>(), "turn on");
        let left = normalized.without(|index| (7..11).contains(&index), true);
        assert_eq!(left.folded.iter().collect::<String>(), "please on");
    }

    #[test]
    fn spaces_between_characters_of_unspaced_scripts_go() {
        let normalized = NormalizedText::new("打开 客厅 TV 灯").without_needless_spaces();
        assert_eq!(normalized.folded.iter().collect::<String>(), "打开客厅 tv 灯");
    }
}
