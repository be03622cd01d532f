//! How the user wants things: language, lasting wishes, preferences.

use super::{RuleMatch, lists::LANGUAGES, phrase, take};
use crate::language::{
    pattern::{after, after_any, first_is, is},
    words::{TokenizedText, Word},
};

/// What makes a wish a lasting one.
pub(super) const LASTING: &[&str] =
    &["from now on", "from today on?", "in the? future", "going forward", "henceforth", "as of today"];

/// How to answer; the language follows.
const ANSWER: &str = "please? always|only? answer|reply|respond|speak|write|talk to? me? only? in?";

/// What a lasting wish may be about; "from now on lock the door at ten" is a job for home
/// automation.
const WISHES: &[&str] = &[
    "answer", "reply", "respond", "speak", "write", "talk", "use", "call", "address", "keep", "be", "give", "avoid",
    "explain", "do", "never", "always", "only", "no", "please", "skip", "stop",
];

/// "I prefer the second one" is about a choice at hand.
const CHOICES: &[&str] = &[
    "not", "the", "this", "that", "these", "those", "it", "them", "if", "when", "option", "number", "one", "both",
    "either", "neither", "your", "you", "his", "her", "their", "yours", "first", "second",
];

/// "From now on answer in German", "my native language is Polish", "I speak French".
pub(super) fn language<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    const OPENINGS: &[&str] =
        &["my native|mother|first|preferred|main? language|tongue is", "i speak only|mostly|mainly|fluent?"];
    let lasting = after_any(words, LASTING).unwrap_or(words);
    let for_good = lasting.len() < words.len() || first_is(words, &["always"]);
    let wished = after(lasting, ANSWER).filter(|named| {
        let lasts = named.get(1..).is_some_and(|rest| after_any(rest, LASTING).or(after(rest, "always")).is_some());
        for_good || lasts
    });
    let named = after_any(words, OPENINGS).or(wished).filter(|named| first_is(named, LANGUAGES))?;
    let spoken = named.iter().take_while(|word| is(word, LANGUAGES) || is(word, &["and"])).count();
    let last = named[..spoken].iter().rposition(|word| is(word, LANGUAGES))?;
    let found = take(text, Some("language"), named, last + 1);
    Some(RuleMatch { rest: after(found.rest, "to|with me").unwrap_or(found.rest), ..found })
}

/// "From now on keep it short", "always use metric units".
pub(super) fn standing<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    const ALWAYS: &[&str] = &["always|never answer|reply|respond|use|call|address|speak|write|explain"];
    let end = words.len().saturating_sub(3);
    if end > 1 && first_is(words, WISHES) && after_any(&words[end..], LASTING).is_some() {
        return Some(take(text, Some("preference"), words, end));
    }
    let wish = after_any(words, LASTING).filter(|wish| wish.len() > 1 && first_is(wish, WISHES));
    let wish = wish.or_else(|| after_any(words, ALWAYS).filter(|rest| !rest.is_empty()).map(|_| words))?;
    Some(take(text, Some("preference"), wish, wish.len()))
}

/// "I prefer tea", "my favourite colour is blue".
pub(super) fn preference<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let lasting = after_any(words, LASTING).unwrap_or(words);
    if let Some(liked) = after(lasting, "i really|usually|generally|always? prefer") {
        let named = !liked.is_empty() && !first_is(liked, CHOICES);
        return named.then(|| take(text, Some("preference"), liked, phrase(liked)));
    }
    let thing = after(words, "my favourite|favorite|preferred")?;
    let verb = thing.iter().take(4).position(|word| word.lower == "is" || word.lower == "are").filter(|&at| at > 0)?;
    let named = thing.get(verb + 1)?;
    // "My favourite song is playing" says what happens now.
    let happens = named.lower.ends_with("ing") || first_is(&thing[verb + 1..], &["not", "on", "over", "gone", "back"]);
    let count = verb + 2 + phrase(&thing[verb + 1..]);
    (!happens).then(|| take(text, Some("preference"), &words[1..], count))
}
