//! A draft of a statement: the value as written, and what it replaces.

use super::{StatementKind, key::normal_key};
use crate::language::{
    pattern::{after_any, first_is, is},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// What a rule has extracted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatementDraft {
    /// What it is about.
    pub key: String,
    /// The value stated, or the value that has ended.
    pub value: String,
    /// How it is stated.
    pub kind: StatementKind,
    /// How surely it was understood.
    pub confidence: f32,
    /// Whether it says that something changed.
    pub update: bool,
    /// The value that no longer holds, if that was said.
    pub replaces: Option<String>,
}

impl StatementDraft {
    /// A statement that something is so.
    pub(super) fn new(key: impl Into<String>, kind: StatementKind, confidence: f32, value: StatementValue) -> Self {
        let update = value.replaces.is_some();
        Self { key: key.into(), value: value.text, kind, confidence, update, replaces: value.replaces }
    }

    /// A statement that something is so now and was not before.
    pub(super) fn changed(key: impl Into<String>, kind: StatementKind, confidence: f32, value: StatementValue) -> Self {
        Self { update: true, ..Self::new(key, kind, confidence, value) }
    }

    /// A statement that something is no longer so.
    pub(super) fn ended(key: impl Into<String>, value: impl Into<String>) -> Self {
        let (key, value) = (key.into(), value.into());
        Self { key, value, kind: StatementKind::Ending, confidence: 0.85, update: true, replaces: None }
    }
}

/// A value, and the one it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatementValue {
    /// The words as written.
    pub text: String,
    /// The value they replace.
    pub replaces: Option<String>,
}

/// Values are cut to this many words.
const VALUE_WORDS_MAX: usize = 24;

/// The value that starts here; none if there is none.
pub(super) fn value<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementValue> {
    let words = after_any(words, &ENGLISH.draft.before_value).unwrap_or(words);
    // "Not Y any more but Z".
    if let Some(rest) = after_any(words, &ENGLISH.draft.denials) {
        let but = rest.iter().position(|word| is(word, &ENGLISH.grammar.but))?;
        let old = after_end(&rest[..but]);
        let new = value(text, &rest[but + 1..])?;
        return Some(StatementValue { replaces: non_empty(text.slice(old)), ..new });
    }
    let contrast = (1..words.len()).find(|&at| after_any(&words[at..], &ENGLISH.draft.contrasts[..7]).is_some());
    let (stated, old) = match contrast {
        Some(at) => (&words[..at], after_any(&words[at..], &ENGLISH.draft.contrasts)),
        None => (words, None),
    };
    let stated = &stated[..extent(stated)];
    let old = old.map(|old| &old[..extent(old)]).map(after_end);
    let kept = &stated[..stated.len().min(VALUE_WORDS_MAX)];
    let mut found = non_empty(text.slice(kept))?;
    // A parenthesis that was opened is closed.
    if found.contains('(') && !found.contains(')') && kept.last().is_some_and(|word| word.after.starts_with(')')) {
        found.push(')');
    }
    Some(StatementValue { text: found, replaces: old.and_then(|old| non_empty(text.slice(old))) })
}

/// Without "any more" at the end and a preposition in front.
fn after_end<'w, 'm>(words: &'w [Word<'m>]) -> &'w [Word<'m>] {
    let end = words.iter().position(|word| is(word, &ENGLISH.grammar.any_more)).unwrap_or(words.len());
    without_preposition(&words[..end])
}

/// A day, a place or an hour without the preposition in front of it.
pub(super) fn without_preposition<'w, 'm>(words: &'w [Word<'m>]) -> &'w [Word<'m>] {
    after_any(words, &ENGLISH.draft.prepositions).filter(|rest| !rest.is_empty()).unwrap_or(words)
}

fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// How many words belong to a value: up to a connector, or to a comma after which neither a name
/// nor a figure follows.
pub(super) fn extent(words: &[Word<'_>]) -> usize {
    for (at, word) in words.iter().enumerate() {
        if at > 0
            && (is(word, &ENGLISH.draft.stops) && !is_part(word, words.get(at + 1)) || begins_another(&words[at..]))
        {
            return at;
        }
        let next = words.get(at + 1);
        let goes_on = next.is_some_and(|next| (next.is_capital() && !is(next, &ENGLISH.grammar.i)) || next.is_figure());
        let listed = next.is_some_and(|next| is(next, &ENGLISH.grammar.and)) || is_list_item(&words[at + 1..]);
        if word.ends_sentence() || (word.ends_clause() && !goes_on && !listed) {
            return at + 1;
        }
    }
    words.len()
}

/// "and her classroom is B12", "and hates boats": another statement follows.
fn begins_another(words: &[Word<'_>]) -> bool {
    let Some(next) = after_any(words, &ENGLISH.draft.joints).and_then(<[_]>::first) else { return false };
    // "rock and pop", "work and travel": a verb of a person ends in "s" or is one of these.
    let is_verb =
        is(next, &ENGLISH.things.verbs) && (next.lower.ends_with('s') || is(next, &ENGLISH.draft.verbs_of_others));
    is(next, &ENGLISH.draft.others) || is_verb
}

/// "as a nurse" belongs to a value, "as I said" does not.
fn is_part(word: &Word<'_>, next: Option<&Word<'_>>) -> bool {
    is(word, &ENGLISH.draft.part_openings)
        && next.is_some_and(|next| is(next, &ENGLISH.grammar.determiners) || next.is_figure())
}

/// Whether another item of a list follows: one word, then a comma or "and".
fn is_list_item(words: &[Word<'_>]) -> bool {
    let Some(first) = words.first() else { return false };
    let next = words.get(1);
    !is(first, &ENGLISH.draft.not_listed)
        && (first.after.contains(',') || next.is_some_and(|next| is(next, &ENGLISH.grammar.and_or) && words.len() <= 4))
}

/// "from Y to Z", "to Z", "to Z from Y": the old and the new value.
pub(super) fn from_to<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementValue> {
    if let Some(rest) = after_any(words, &ENGLISH.grammar.from) {
        let to = rest.iter().position(|word| is(word, &ENGLISH.draft.before_new)).filter(|&at| at > 0)?;
        let old = text.slice(&rest[..to]).to_owned();
        let new = value(text, without_preposition(&rest[to + 1..]))?;
        return Some(StatementValue { replaces: Some(old), ..new });
    }
    let rest = after_any(words, &ENGLISH.draft.to)?;
    let rest = without_preposition(rest);
    let from =
        rest.iter().position(|word| is(word, &ENGLISH.grammar.from)).filter(|&at| at > 0 && !rest[at - 1].is_figure());
    let figures = rest.iter().position(|word| is(word, &ENGLISH.grammar.from)).filter(|&at| {
        // "From 10 to 12" is a span, "to 12 from 10" a change.
        at > 0 && !rest[at..].iter().any(|word| is(word, &ENGLISH.draft.span_ends))
    });
    match from.or(figures) {
        Some(at) => {
            let new = value(text, &rest[..at])?;
            let old = &rest[at + 1..];
            Some(StatementValue { replaces: non_empty(text.slice(&old[..extent(old)])), ..new })
        }
        None => value(text, rest),
    }
}

/// The key that these words make.
pub(super) fn key_of<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> String {
    normal_key(text.slice(words))
}

/// Whether a phrase with these words begins a thing of the user's: "my car", "our flat", "the
/// rent".
pub(super) fn is_own(words: &[Word<'_>]) -> bool {
    first_is(words, &ENGLISH.grammar.own_or_the) && words.len() > 1
}
