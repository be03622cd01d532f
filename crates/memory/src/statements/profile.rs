//! Extracts profile facts: which sentences state a lasting fact about the user. A sentence counts
//! only if it starts with a known phrase and continues in a known way; questions, quoted speech,
//! text to work on and make-believe never do.

use super::rules::{self, RuleMatch};
use crate::language::{
    imperatives::is_verb,
    pattern::{after_any, asks, body, first_is, has, is, is_number},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// Longer messages are pasted text, whose "I" is not the user.
const WORDS_MAX: usize = 80;

/// A fact the user states about themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileFact {
    /// What sort of fact it is.
    pub key: Option<&'static str>,
    /// The fact.
    pub value: String,
    /// Whether the message says nothing else, so that noting the fact answers it.
    pub whole: bool,
}

/// The facts a message states, in its order.
pub fn facts(text: &TokenizedText<'_>) -> Vec<ProfileFact> {
    if text.cut || text.words.len() > WORDS_MAX || has(&text.words, &ENGLISH.profile.other_voices) {
        return Vec::new();
    }
    let mut facts = Vec::new();
    let mut whole = true;
    for sentence in text.sentences() {
        let words = body(sentence);
        let known = facts.len();
        let own = !asks(sentence) && !is_cited(text, sentence);
        let settled = own && stated(text, words, &mut facts);
        whole &= settled || words.is_empty() || (facts.len() == known && is_small_talk(words));
        // Text after a colon is quoted speech or a text, unless a fact opened the line.
        if facts.len() == known && sentence.iter().any(|word| word.after.contains(':')) {
            whole = false;
            break;
        }
    }
    facts.iter_mut().for_each(|fact| fact.whole = whole);
    facts
}

/// Whether a sentence is or contains a citation.
pub(super) fn is_cited(text: &TokenizedText<'_>, sentence: &[Word<'_>]) -> bool {
    // A reply by mail marks the other's lines with ">".
    let marked = sentence.first().is_some_and(|word| text.source[..word.at].trim_end().ends_with('>'));
    marked || sentence.iter().any(|word| word.quoted)
}

/// Collects what a sentence states, and says whether that is all it says.
fn stated<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], facts: &mut Vec<ProfileFact>) -> bool {
    let (framed, words) = match frame(words) {
        Some(told) => (true, told),
        None => (false, words),
    };
    match rules::find(text, words) {
        Some(found) => followed(text, found, facts),
        None if framed && words.len() > 1 => {
            push(facts, rules::framed(text, words));
            true
        }
        None => false,
    }
}

/// What is to be remembered, if the sentence asks for that.
pub(super) fn frame<'w, 'm>(words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    let told = after_any(words, &ENGLISH.profile.frames)?;
    let end = words.get(..words.len() - told.len())?.last()?;
    let (bare, colon) = (is(end, &ENGLISH.profile.bare_frames), end.after.contains(':'));
    // "remember the milk" is an errand; "remember that the bin goes out on Monday" is not.
    let errand = first_is(told, &ENGLISH.profile.not_told)
        && (bare || !first_is(told, &ENGLISH.profile.errand_openings))
        && !colon;
    // "Remember my name" names no fact, "remember my cat is deaf" does.
    let said = first_is(told, &ENGLISH.grammar.own) && has(told, &ENGLISH.profile.stating_verbs);
    let personal = said || first_is(told, &ENGLISH.profile.personal_openings);
    let listed = colon && !told.first().is_some_and(is_verb);
    (!errand && !told.is_empty() && (!bare || personal || listed)).then(|| body(told))
}

/// Accepts a fact unless the rest of the sentence revokes it; returns whether nothing else is
/// asked.
fn followed<'m>(text: &TokenizedText<'m>, found: RuleMatch<'_, 'm>, facts: &mut Vec<ProfileFact>) -> bool {
    let rest = after_any(found.rest, &ENGLISH.profile.since).unwrap_or(found.rest);
    if !stands(&found) {
        return false;
    }
    push(facts, found);
    if is_small_talk(rest) {
        return true;
    }
    let next = body(after_any(rest, &ENGLISH.profile.joints).unwrap_or(rest));
    match rules::find(text, next).or_else(|| rules::short(text, next)) {
        Some(found) => followed(text, found, facts),
        None => false,
    }
}

/// Whether the rest of the sentence leaves the fact valid.
pub(super) fn stands(found: &RuleMatch<'_, '_>) -> bool {
    let dated = after_any(found.rest, &ENGLISH.profile.since).is_some();
    found.closed || dated || found.rest.is_empty() || first_is(found.rest, &ENGLISH.profile.connectors)
}

fn push(facts: &mut Vec<ProfileFact>, found: RuleMatch<'_, '_>) {
    facts.push(ProfileFact { key: found.key, value: found.value, whole: false });
}

/// "Nice to meet you" and the like: nothing that needs an answer of its own.
fn is_small_talk(words: &[Word<'_>]) -> bool {
    words.iter().all(|word| is(word, &ENGLISH.profile.trailing) || is_number(word))
        || after_any(words, &ENGLISH.profile.pleased).is_some()
}
