//! How the user wants things: language, lasting wishes, preferences.

use super::{RuleMatch, phrase, take};
use crate::language::{
    pattern::{after_any, first_is, is},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// "From now on answer in German", "my native language is Polish", "I speak French".
pub(super) fn language<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let lasting = after_any(words, &ENGLISH.preferences.lasting).unwrap_or(words);
    let for_good = lasting.len() < words.len() || first_is(words, &ENGLISH.preferences.always);
    let wished = after_any(lasting, &ENGLISH.preferences.answer).filter(|named| {
        let lasts = named.get(1..).is_some_and(|rest| {
            after_any(rest, &ENGLISH.preferences.lasting).or(after_any(rest, &ENGLISH.preferences.always)).is_some()
        });
        for_good || lasts
    });
    let named = after_any(words, &ENGLISH.preferences.openings)
        .or(wished)
        .filter(|named| first_is(named, &ENGLISH.values.languages))?;
    let spoken =
        named.iter().take_while(|word| is(word, &ENGLISH.values.languages) || is(word, &ENGLISH.grammar.and)).count();
    let last = named[..spoken].iter().rposition(|word| is(word, &ENGLISH.values.languages))?;
    let found = take(text, Some("language"), named, last + 1);
    Some(RuleMatch { rest: after_any(found.rest, &ENGLISH.preferences.to_me).unwrap_or(found.rest), ..found })
}

/// "From now on keep it short", "always use metric units".
pub(super) fn standing<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let end = words.len().saturating_sub(3);
    if end > 1
        && first_is(words, &ENGLISH.preferences.wishes)
        && after_any(&words[end..], &ENGLISH.preferences.lasting).is_some()
    {
        return Some(take(text, Some("preference"), words, end));
    }
    let wish = after_any(words, &ENGLISH.preferences.lasting)
        .filter(|wish| wish.len() > 1 && first_is(wish, &ENGLISH.preferences.wishes));
    let wish = wish.or_else(|| {
        after_any(words, &ENGLISH.preferences.always_wishes).filter(|rest| !rest.is_empty()).map(|_| words)
    })?;
    Some(take(text, Some("preference"), wish, wish.len()))
}

/// "I prefer tea", "my favourite colour is blue".
pub(super) fn preference<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let lasting = after_any(words, &ENGLISH.preferences.lasting).unwrap_or(words);
    if let Some(liked) = after_any(lasting, &ENGLISH.preferences.prefers) {
        let named = !liked.is_empty() && !first_is(liked, &ENGLISH.preferences.choices);
        return named.then(|| take(text, Some("preference"), liked, phrase(liked)));
    }
    let thing = after_any(words, &ENGLISH.preferences.favourite)?;
    let verb = thing.iter().take(4).position(|word| word.lower == "is" || word.lower == "are").filter(|&at| at > 0)?;
    let named = thing.get(verb + 1)?;
    // "My favourite song is playing" says what happens now.
    let happens = named.lower.ends_with("ing") || first_is(&thing[verb + 1..], &ENGLISH.preferences.no_favourite);
    let count = verb + 2 + phrase(&thing[verb + 1..]);
    (!happens).then(|| take(text, Some("preference"), &words[1..], count))
}
