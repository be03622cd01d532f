//! Patterns over words. A pattern is written as the phrase itself: `a|b` is either word, a trailing
//! `?` makes a word optional, `#` is a number. There is no backtracking: an optional word that fits
//! is taken.

use super::{rule_words::ENGLISH, words::Word};

/// The words after a phrase that starts here. Every message is matched against hundreds of
/// patterns, so these are parsed as bytes.
pub fn after<'w, 'm>(words: &'w [Word<'m>], pattern: &str) -> Option<&'w [Word<'m>]> {
    let mut rest = words;
    for part in pattern.as_bytes().split(u8::is_ascii_whitespace).filter(|part| !part.is_empty()) {
        let (part, optional) = part.strip_suffix(b"?").map_or((part, false), |part| (part, true));
        match rest.split_first() {
            Some((word, tail)) if fits(word, part) => rest = tail,
            _ if optional => {}
            _ => return None,
        }
    }
    Some(rest)
}

/// Whether a phrase starts here.
pub fn starts(words: &[Word<'_>], patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| after(words, pattern).is_some())
}

/// The words after the first of these phrases that starts here.
pub fn after_any<'w, 'm>(words: &'w [Word<'m>], patterns: &[&str]) -> Option<&'w [Word<'m>]> {
    patterns.iter().find_map(|pattern| after(words, pattern))
}

/// Whether one of these phrases occurs anywhere.
pub fn has(words: &[Word<'_>], patterns: &[&str]) -> bool {
    (0..words.len()).any(|at| starts(&words[at..], patterns))
}

/// Whether the word is one of these.
pub fn is(word: &Word<'_>, list: &[&str]) -> bool {
    list.contains(&word.lower.as_str())
}

/// Whether the first word is one of these.
pub fn first_is(words: &[Word<'_>], list: &[&str]) -> bool {
    words.first().is_some_and(|word| is(word, list))
}

/// Whether a word is a number, in figures or in letters.
pub fn is_number(word: &Word<'_>) -> bool {
    word.is_figure() || is(word, &ENGLISH.opening.number_words)
}

fn fits(word: &Word<'_>, part: &[u8]) -> bool {
    let mut choices = part.split(|byte| *byte == b'|');
    choices.any(|choice| if choice == b"#" { is_number(word) } else { word.lower.as_bytes() == choice })
}

/// What is left of a sentence after greetings, "please", "by the way" and the like.
pub fn body<'w, 'm>(words: &'w [Word<'m>]) -> &'w [Word<'m>] {
    let mut rest = words;
    loop {
        rest = match after_any(rest, &ENGLISH.opening.long_lead_ins) {
            Some(tail) => tail,
            None if first_is(rest, &ENGLISH.opening.lead_ins) => &rest[1..],
            None => return rest,
        };
    }
}

/// What is left of a sentence without politeness at its end.
pub fn trimmed<'w, 'm>(words: &'w [Word<'m>]) -> &'w [Word<'m>] {
    let end = words.iter().rposition(|word| !is(word, &ENGLISH.opening.polite_ends));
    &words[..end.map_or(0, |end| end + 1)]
}

/// Whether the sentence ends with a question mark.
pub fn asks(sentence: &[Word<'_>]) -> bool {
    sentence.last().is_some_and(|word| word.after.contains(super::words::QUESTION_MARKS))
}
