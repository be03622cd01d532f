//! Sentences of a text, and short quotes of it.

use std::ops::Range;

/// A full stop after these ends no sentence.
const ABBREVIATIONS: &[&str] =
    &["dr", "mr", "mrs", "ms", "prof", "st", "nr", "vs", "etc", "e.g", "i.e", "approx", "z.b", "ca", "jr", "sr"];

/// Longer quotes are cut.
const QUOTE_CHARS_MAX: usize = 300;

/// Splits a text into its sentences, in order, without the space around them.
pub fn sentences(text: &str) -> Vec<&str> {
    places(text).into_iter().map(|place| &text[place]).collect()
}

/// Where the sentences of a text are.
pub fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let end = at + char.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        if ends_sentence(&text[start..at], char, next) {
            found.extend(trimmed(text, start..end));
            start = end;
        }
    }
    found.extend(trimmed(text, start..text.len()));
    found
}

fn trimmed(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let piece = &text[place.clone()];
    let start = place.start + (piece.len() - piece.trim_start().len());
    let end = place.end - (piece.len() - piece.trim_end().len());
    piece.chars().any(char::is_alphanumeric).then_some(start..end)
}

fn ends_sentence(before: &str, char: char, next: Option<char>) -> bool {
    match char {
        '\n' | '。' | '！' | '？' => true,
        '!' | '?' | '…' | ';' => next.is_none_or(char::is_whitespace),
        '.' => next.is_none_or(char::is_whitespace) && !is_abbreviation(before),
        _ => false,
    }
}

/// "Dr" and single letters, as in "J. Smith". Only the end of `before` is examined.
fn is_abbreviation(before: &str) -> bool {
    let mut last: Vec<char> = before.chars().rev().take(8).take_while(|char| !char.is_whitespace()).collect();
    last.reverse();
    let last: String = last.iter().collect::<String>().to_lowercase();
    let last = last.trim_start_matches(|char: char| !char.is_alphanumeric());
    let is_initial = last.chars().count() == 1 && last.chars().all(|char| char.is_alphabetic() && char != 'i');
    is_initial || ABBREVIATIONS.contains(&last)
}

/// The text on one line, cut where it is too long to quote.
pub fn quote(text: &str) -> String {
    let mut quoted = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            quoted.push(' ');
        }
        for char in word.chars() {
            if count >= QUOTE_CHARS_MAX {
                return format!("{}…", quoted.trim_end());
            }
            quoted.push(char);
            count += 1;
        }
        count += 1;
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        let text =
            "Dr. Smith pays 3.5 euros. Really? Yes!\nNo end here… 東京。次 J. Doe, e.g. me. And I. Then... \"ok\"";
        let expected = [
            "Dr. Smith pays 3.5 euros.",
            "Really?",
            "Yes!",
            "No end here…",
            "東京。",
            "次 J. Doe, e.g. me.",
            "And I.",
            "Then...",
            "\"ok\"",
        ];
        assert_eq!(sentences(text), expected);
        assert_eq!(sentences(" ?! \n "), [""; 0]);
    }

    #[test]
    fn quotes_are_one_short_line() {
        assert_eq!(quote(" one\n two "), "one two");
        let long = quote(&"wörter ".repeat(100));
        assert!(long.ends_with('…') && long.chars().count() <= QUOTE_CHARS_MAX + 1, "{long}");
    }
}
