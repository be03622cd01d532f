//! Commands: sentences that start with a verb of action. Many such verbs are nouns as well ("book
//! recommendations", "message 3"), so those count only in front of an object.

use memory::language::{
    imperatives::{is_soft_verb, is_sure_verb},
    pattern::{after, after_any, body, first_is, is, starts, trimmed},
    words::Word,
};

/// What may directly follow a verb that can also be a noun in a command.
#[rustfmt::skip]
const OBJECTS: &[&str] = &[
    "the", "a", "an", "my", "our", "your", "all", "every", "this", "that", "these", "those", "it", "them", "him",
    "her", "us", "some", "both", "everything", "everyone", "on", "off", "up", "down", "out", "back", "mum", "mom",
    "dad", "grandma", "grandpa", "music", "jazz", "radio", "songs", "lights", "doors", "door", "windows", "blinds",
    "curtains", "garage", "timer", "alarm", "pizza", "milk", "spotify", "netflix", "youtube", "two", "someone",
    "another",
];

/// Pairs that only look like a command.
const NO_ORDERS: &[&str] = &[
    "set theory",
    "add-on",
    "check up|in|out",
    "take care",
    "take it easy",
    "show me how|what|why|where",
    "show off",
    "get up|out|lost|well",
    "make sense|sure",
    "make a joke|poem|story|guess",
    "write a|an|me|the|some|two|three|this|that",
    "forget it|about",
    "ask me",
    "find out",
    "run out|off",
    "call it",
    "make it so|happen|rain|work|stop",
    "stop it",
    "skip it",
    "forward thinking",
    "lower back|case",
    "switch statement|statements|case",
    "set of",
    "turn of|based",
    "cancel culture",
    "test the waters",
    "call for|of",
    "raise of",
    "put off|up",
];

/// Polite phrases around a command.
const WRAPS: &[&str] = &[
    "can|could|would|will you please|kindly|also|just?",
    "i want|need you to",
    "i would like you to",
    "i would like to",
    "would you mind",
    "go ahead and",
    "let us",
    "make sure to?",
    "from now on",
    "do not forget to",
    "remember to",
    "never",
    "do not",
    "please",
    "now",
];

/// Things at home that can be switched on and off.
#[rustfmt::skip]
const DEVICES: &[&str] = &[
    "light", "lights", "lamp", "lamps", "tv", "television", "heating", "heater", "fan", "radio", "music", "alarm",
    "oven", "ac", "dishwasher", "plug", "socket", "projector", "vacuum", "speaker", "sprinkler",
];

/// The command without its polite phrase.
pub(super) fn order<'w, 'm>(words: &'w [Word<'m>]) -> &'w [Word<'m>] {
    let mut rest = body(words);
    while let Some(inner) = after_any(rest, WRAPS) {
        rest = inner;
    }
    rest
}

/// The confidence that a sentence is a command, if it is one.
pub(super) fn read(sentence: &[Word<'_>]) -> Option<f32> {
    let words = trimmed(order(sentence));
    if let Some(rest) = after(body(sentence), "remember|remind") {
        return first_is(rest, &["to", "me", "us", "the"]).then_some(0.8);
    }
    if starts(words, NO_ORDERS) {
        return None;
    }
    if words.first().is_some_and(is_sure_verb) && words.len() > 1 {
        return Some(0.9);
    }
    if words.first().is_some_and(is_soft_verb) {
        let (_, rest) = words.split_first()?;
        // A name after the verb ("call Ada", "open Spotify"); a heading has capitals everywhere, so
        // not the first word.
        let named = rest.first().is_some_and(Word::is_capital) && !sentence.iter().all(Word::is_capital);
        return (first_is(rest, OBJECTS) || first_is(rest, &["me", "to"]) || named).then_some(0.8);
    }
    goes_on_or_off(words).then_some(0.8)
}

/// "Kitchen light off".
fn goes_on_or_off(words: &[Word<'_>]) -> bool {
    let [most @ .., last] = words else { return false };
    let called = !starts(words, &["is|are|was|the|my|why|who|what|when|i|we|it|he|she|they|leave|keep|with|has"]);
    is(last, &["on", "off"]) && most.len() <= 4 && called && most.last().is_some_and(|word| is(word, DEVICES))
}
