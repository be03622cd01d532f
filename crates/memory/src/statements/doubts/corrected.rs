//! Explicit corrections: "no, I meant Bruges", "it's 4, not 2", "typo, 181", "*Marvin".

use super::{
    kinds::{KindValue, ValueKind, is_like},
    said::SpokenMessage,
};
use crate::language::lexicon::Token;

/// Phrases after which the right value stands.
const MEANT: &[&[&str]] = &[
    &["meant"],
    &["i", "mean"],
    &["make", "that"],
    &["should", "be"],
    &["should", "have", "been"],
    &["typo"],
    &["it", "is"],
    &["it", "was"],
    &["its"],
    &["says"],
    &["say"],
    &["she", "said"],
    &["he", "said"],
    &["they", "said"],
    &["more", "like"],
    &["name", "is"],
    &["is", "called"],
    &["meinte"],
    &["sondern"],
    &["es", "ist"],
    &["quería", "decir"],
    &["voulais", "dire"],
    &["c", "est"],
];

/// A value of at least this many characters with at most so many others in it is the same one,
/// written rightly.
const NEAR_LENGTH_MIN: usize = 5;
const NEAR_MAX: usize = 2;

/// The longest value that is corrected, in words.
const WORDS_MAX: usize = 5;

/// The value that a correction gives instead of `old`; none if it does not say one clearly.
pub fn value(said: &SpokenMessage<'_>, old: &str, old_values: &[(ValueKind, String)]) -> Option<String> {
    let old_words = old.split_whitespace().count();
    if old_words > WORDS_MAX {
        return None;
    }
    by_kind(said, old, old_values).or_else(|| by_name(said, old, old_values))
}

/// A single other value of the same kind: an hour for an hour, a day for a day.
fn by_kind(said: &SpokenMessage<'_>, old: &str, old_values: &[(ValueKind, String)]) -> Option<String> {
    if let Some(date) = with_month(said, old, old_values) {
        return Some(date);
    }
    let is_new = |value: &&KindValue<'_>| !old_values.iter().any(|(_, normal)| *normal == value.normal);
    let pairs: Vec<_> = old_values
        .iter()
        .flat_map(|(kind, normal)| {
            said.values
                .iter()
                .filter(is_new)
                .filter(|value| is_like(value.kind, *kind))
                .map(move |value| (kind, normal, value))
        })
        .collect();
    // "Not 12, 13.6": what follows the denied one is the right one.
    let after_denied = || {
        let denied =
            said.values.iter().position(|value| old_values.iter().any(|(_, normal)| *normal == value.normal))?;
        let next = said.values.get(denied + 1).filter(|_| said.signals.denies)?;
        pairs.iter().find(|(.., value)| value.at == next.at).copied()
    };
    let (kind, normal, first) = match pairs[..] {
        [pair @ (.., value)] if is_explicit(said, value, old_values) => pair,
        _ => after_denied()?,
    };
    // The rest of the value stays: "-16 degrees" becomes "-19 degrees".
    let same_kind = first.kind == *kind && old.to_lowercase().matches(normal.as_str()).count() == 1;
    let at = old.to_lowercase().find(normal.as_str()).filter(|at| same_kind && old.is_char_boundary(*at));
    Some(match at.and_then(|at| Some((old.get(..at)?, old.get(at + normal.len()..)?))) {
        Some((before, after)) => format!("{before}{}{after}", first.text),
        None => first.text.to_owned(),
    })
}

/// Whether a value is given as the right one: it stands at the beginning, beside the wrong one, or
/// after "it is" and the like. "Sorry, I was away for 3 days" corrects no number.
fn is_explicit(said: &SpokenMessage<'_>, value: &KindValue<'_>, old_values: &[(ValueKind, String)]) -> bool {
    let names_old = said.values.iter().any(|other| old_values.iter().any(|(_, normal)| *normal == other.normal));
    let Some(at) = said.tokens.iter().position(|token| token.at == value.at) else { return false };
    let before = &said.tokens[..at];
    let is_small =
        |token: &Token<'_>| ["the", "a", "an", "at", "on", "in", "to", "number"].contains(&token.lower.as_str());
    let end = before.iter().rposition(|token| !is_small(token)).map_or(0, |last| last + 1);
    let ends_with = |phrase: &&&[&str]| end >= phrase.len() && starts(&said.tokens[end - phrase.len()..], phrase);
    // "No, 8443", "typo, 181", "fat fingers, 1978".
    let mut rest = &before[..end];
    while let Some(length) = Some(said.lexicon.correction.length_at(rest)).filter(|length| *length > 0) {
        rest = &rest[length..];
    }
    let opens = rest.iter().all(|token| said.lexicon.negation.length_at(std::slice::from_ref(token)) > 0);
    // "Last digit wrong, 555-0137" for "555-0134".
    let is_near = said.signals.corrects
        && value.normal.len() >= NEAR_LENGTH_MIN
        && old_values.iter().any(|(_, old)| strsim::osa_distance(old, &value.normal) <= NEAR_MAX);
    // "I gave you the wrong one. 2508."
    let is_bare = said.bare.contains(&value.at);
    names_old || opens || is_near || is_bare || MEANT.iter().any(|phrase| ends_with(&phrase))
}

/// "the 21st" for "12 May": the month stays.
fn with_month(said: &SpokenMessage<'_>, old: &str, old_values: &[(ValueKind, String)]) -> Option<String> {
    let is_meant = |value: &KindValue<'_>| is_explicit(said, value, old_values);
    let is_date = !old_values.is_empty() && old_values.iter().all(|(kind, _)| *kind == ValueKind::Date);
    let [new] = said
        .values
        .iter()
        .filter(|value| value.kind == ValueKind::Date && !old_values.iter().any(|(_, normal)| *normal == value.normal))
        .collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let month = old
        .split_whitespace()
        .find(|word| word.chars().all(char::is_alphabetic) && word.len() > 2 && word.starts_with(char::is_uppercase))?;
    if !is_date || !is_meant(new) || !new.text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // "June 12th" becomes "June 21st", and "12 May" becomes "21st May".
    let is_day = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    match old.split_whitespace().collect::<Vec<_>>()[..] {
        [first, day] if first == month && is_day(&day) => Some(format!("{month} {}", new.text)),
        _ => Some(format!("{} {month}", new.text)),
    }
}

/// A name for a name, a noun for a noun, after a phrase that says so or beside "not" and the old
/// one.
fn by_name(said: &SpokenMessage<'_>, old: &str, old_values: &[(ValueKind, String)]) -> Option<String> {
    if !old_values.is_empty() {
        return None;
    }
    let tokens = &said.tokens;
    if let Some(star) = said.source.trim_start().strip_prefix('*') {
        let word = star.split(|c: char| c.is_whitespace() || c == ',').next()?;
        return fits(word, old).then(|| word.trim_end_matches(['.', '!']).to_owned());
    }
    let contrast = contrast(said, tokens, old);
    contrast.or_else(|| {
        let at = (0..tokens.len()).rev().find_map(|at| {
            let length =
                MEANT.iter().filter(|phrase| starts(&tokens[at..], phrase)).map(|phrase| phrase.len()).max()?;
            // What follows "did I say" is the wrong one.
            let is_own = at > 0 && tokens[at].lower == "say" && tokens[at - 1].lower == "i";
            (!is_own).then_some(at + length)
        })?;
        let new = phrase(said, &tokens[at..])?;
        fits(&new, old).then_some(new)
    })
}

/// "not the church, the library", "it's biophysics, not physics".
fn contrast(said: &SpokenMessage<'_>, tokens: &[Token<'_>], old: &str) -> Option<String> {
    let last = old.split_whitespace().next_back()?.to_lowercase();
    let not = tokens.iter().position(|token| ["not", "nicht", "no", "pas"].contains(&token.lower.as_str()))?;
    let denied = tokens[not + 1..].iter().take(4).position(|token| token.lower == last)? + not + 1;
    let ends = tokens[denied].after.contains([',', '.', ';', '–', '—']);
    if let Some(new) =
        tokens.get(denied + 1..).filter(|rest| ends && !rest.is_empty()).and_then(|rest| phrase(said, rest))
    {
        return fits(&new, old).then_some(new);
    }
    let before = &tokens[..not];
    let from =
        before.iter().rposition(|token| ["is", "was", "are", "ist", "es", "est"].contains(&token.lower.as_str()))? + 1;
    let new = phrase(said, before.get(from..)?)?;
    fits(&new, old).then_some(new)
}

/// The words up to the end of their clause, without an article or a preposition in front.
fn phrase(said: &SpokenMessage<'_>, tokens: &[Token<'_>]) -> Option<String> {
    let small = |token: &Token<'_>| {
        [
            "the", "a", "an", "in", "at", "on", "to", "it", "is", "der", "die", "das", "el", "la", "le", "les", "un",
            "une", "that",
        ]
        .contains(&token.lower.as_str())
    };
    let from = tokens.iter().position(|token| !small(token))?;
    let tokens = &tokens[from..];
    const LINKS: &[&str] = &["with", "because", "since", "as", "so", "and", "but", "for", "of"];
    let end = tokens
        .iter()
        .position(|token| token.after.contains([',', '.', ';', '!', '?', '(', '–', '—', '\n']))
        .unwrap_or(tokens.len() - 1);
    let end = tokens[..=end]
        .iter()
        .position(|token| LINKS.contains(&token.lower.as_str()))
        .map_or(Some(end), |at| at.checked_sub(1))?;
    let (first, last) = (&tokens[0], &tokens[end]);
    let text = said.source.get(first.at..last.at + last.text.len())?;
    (text.split_whitespace().count() <= WORDS_MAX).then(|| text.to_owned())
}

/// Whether one value can stand for the other: both are names, or neither is.
fn fits(new: &str, old: &str) -> bool {
    let is_name = |text: &str| text.split_whitespace().any(|word| word.starts_with(char::is_uppercase));
    let is_clause = new.split_whitespace().any(|word| {
        ["i", "we", "it", "is", "was", "have", "had", "she", "he", "they", "so"].contains(&word.to_lowercase().as_str())
    });
    !new.is_empty() && !new.eq_ignore_ascii_case(old) && !is_clause && is_name(new) == is_name(old)
}

fn starts(tokens: &[Token<'_>], phrase: &[&str]) -> bool {
    tokens.len() > phrase.len() && tokens.iter().zip(phrase).all(|(token, word)| token.lower == *word)
}
