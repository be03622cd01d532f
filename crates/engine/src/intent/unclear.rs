//! When to ask a clarifying question. An unnecessary question is worse than passing a message on,
//! so only messages that cannot be acted on are unclear: a lone "hmm", random keys, a command about
//! "it" with no earlier turn, a sentence that breaks off.

use memory::language::{
    imperatives::is_verb,
    pattern::{after, after_any, body, first_is, has, is, starts, trimmed},
    words::{TokenizedText, Word},
};

use super::{MessageContext, command::order};

/// The default question.
const GENERIC: &str = "Could you say in a few more words what you need?";

/// Words that mean nothing alone.
const EMPTY_WORDS: &[&str] = &[
    "the", "a", "an", "of", "for", "to", "with", "from", "by", "at", "into", "onto", "and", "or", "but", "because",
    "if", "as", "in", "under", "over", "without", "than", "about", "between", "hm", "um", "umm", "uh", "uhh", "uhm",
    "er", "erm", "eh", "huh", "mm",
];

/// A choice among unnamed things.
const CHOICES: &[&str] = &[
    "that|this|those|these one|ones?",
    "it|them",
    "the other one|ones?",
    "the first|second|third|last|next|same|left|right|red|blue|big|small|bigger|smaller one",
    "the same",
    "the former|latter",
    "not? that|this one",
];

/// Commands about something unnamed.
const DO_IT: &[&str] =
    &["do it|that|this|so|them again?", "do the same again?", "do the other one?", "just? do it", "go do it|that"];

/// Commands to repeat something.
const AGAIN: &[&str] = &[
    "again",
    "once more",
    "one more time",
    "same again",
    "try|do it|that? again",
    "do|try that|it once more",
    "repeat it|that|this",
];

/// Verbs that need an object; "stop it" and "forget it" are idioms.
#[rustfmt::skip]
const NEEDS_OBJECT: &[&str] = &[
    "turn", "switch", "set", "send", "change", "delete", "remove", "cancel", "open", "close", "lock", "unlock",
    "start", "move", "put", "book", "buy", "order", "play", "print", "rename", "save", "share", "update", "edit",
    "fix", "translate", "summarise", "summarize", "explain", "read", "undo", "redo", "copy", "dim", "brighten",
    "lower", "raise", "increase", "decrease", "schedule", "add", "pause", "resume", "install", "forward",
    "reschedule", "rewrite", "shorten", "make", "finish",
];

/// What may follow "that" as a pronoun; before a noun it is a determiner.
const AFTER_POINTER: &[&str] =
    &["on", "off", "up", "down", "in", "out", "to", "again", "for", "at", "from", "into", "there", "here", "back"];

/// Words that cannot end a command.
const DANGLING: &[&str] = &["the", "a", "an", "my", "for", "to", "with", "from", "at", "and", "or", "of", "by", "into"];

/// A message that cannot be acted on.
pub(super) struct UnclearMessage {
    /// The confidence, below one half.
    pub confidence: f32,
    /// The question to ask.
    pub question: String,
}

/// Whether to ask, and which question.
pub(super) fn read(text: &TokenizedText<'_>, setting: &MessageContext) -> Option<UnclearMessage> {
    if setting.answers_question || text.cut {
        return None;
    }
    let context = setting.has_history || setting.has_images;
    if !context && is_fragment(text) {
        return doubt(0.2, GENERIC);
    }
    let mut sentences = text.sentences().filter(|sentence| !body(sentence).is_empty());
    let (Some(sentence), None) = (sentences.next(), sentences.next()) else { return None };
    if is_mash(sentence) && !setting.has_images {
        return doubt(0.1, GENERIC);
    }
    if sentence.iter().any(|word| word.quoted || word.is_url() || word.is_email()) {
        return None;
    }
    let words = trimmed(order(sentence));
    let pronoun = if context { None } else { pronoun(words) };
    pronoun
        .map(|question| UnclearMessage { confidence: 0.35, question })
        .or_else(|| unfinished(sentence, words).map(|question| UnclearMessage { confidence: 0.4, question }))
}

fn doubt(confidence: f32, question: &str) -> Option<UnclearMessage> {
    Some(UnclearMessage { confidence, question: question.to_owned() })
}

/// Nothing, bare punctuation, or one word that means nothing alone.
pub(super) fn is_fragment(text: &TokenizedText<'_>) -> bool {
    match text.words.as_slice() {
        [] => text.source.chars().all(|c| c.is_whitespace() || "?!.,;…-_？！。、".contains(c)),
        [only] => is(only, EMPTY_WORDS) || is_hum(&only.lower),
        _ => false,
    }
}

/// "Hmmm" of any length.
fn is_hum(word: &str) -> bool {
    word.strip_prefix('h').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c == 'm'))
}

/// One word of random keys: neighbours in a row, or consonants only. Real words look like that too
/// ("property", "strength", "btrfs"), hence the narrow rules.
fn is_mash(sentence: &[Word<'_>]) -> bool {
    const HOME_ROWS: &[&str] = &["asdfghjkl", "zxcvbnm", "lkjhgfdsa", "mnbvcxz"];
    let [only] = sentence else { return false };
    let letters = only.lower.as_bytes();
    if letters.len() < 5 || !letters.iter().all(u8::is_ascii_lowercase) || only.text.len() != only.lower.len() {
        return false;
    }
    let runs = |length: usize| {
        let windows = letters.windows(length);
        windows
            .filter(|run| HOME_ROWS.iter().any(|row| row.as_bytes().windows(length).any(|keys| keys == *run)))
            .count()
    };
    let dumb = !letters.iter().any(|letter| b"aeiouy".contains(letter));
    let home = letters.iter().all(|letter| HOME_ROWS[0].as_bytes().contains(letter));
    let varied = letters.iter().enumerate().filter(|(at, letter)| !letters[..*at].contains(letter)).count() >= 4;
    let shouted = only.text.chars().all(char::is_uppercase);
    runs(4) > 0 || (runs(3) > 1 && home) || (dumb && varied && !shouted && (home || letters.len() >= 7))
}

/// A command or a choice that refers to something said before.
fn pronoun(words: &[Word<'_>]) -> Option<String> {
    // The object may follow after a comma: "turn it off, the radio".
    if words.iter().rev().skip(1).any(Word::ends_clause) {
        return None;
    }
    let whole = |patterns: &[&str]| after_any(words, patterns).is_some_and(<[_]>::is_empty);
    if whole(AGAIN) {
        return Some("What should I do again?".to_owned());
    }
    if whole(DO_IT) {
        return Some("What would you like me to do?".to_owned());
    }
    if whole(CHOICES) {
        return Some("Which one do you mean?".to_owned());
    }
    let (verb, rest) = words.split_first()?;
    if is(verb, &["call", "text", "email", "message", "ring"])
        && matches!(rest, [who] if is(who, &["him", "her", "them"]))
    {
        return Some(format!("Who should I {}?", verb.lower));
    }
    is(verb, NEEDS_OBJECT).then(|| object(verb, rest))?
}

/// The question for a command whose object is a pronoun: "turn it off" gives "What should I turn
/// off?".
fn object(verb: &Word<'_>, rest: &[Word<'_>]) -> Option<String> {
    let particle = rest.first().filter(|word| is(word, &["on", "off", "up", "down"]));
    let rest = if particle.is_some() { &rest[1..] } else { rest };
    let tail = match after(rest, "it|them all|both?") {
        Some(tail) => tail,
        None if after_any(rest, &["the other one?", "that|this one"]).is_some_and(<[_]>::is_empty) => {
            return Some("Which one do you mean?".to_owned());
        }
        None => after(rest, "that|this|these|those").filter(|tail| tail.is_empty() || first_is(tail, AFTER_POINTER))?,
    };
    // "Make it louder" needs an object, "make it rain" is an idiom, and a long tail may name the
    // object.
    let made = tail.last().is_some_and(|word| word.lower.ends_with("er") || is(word, &["more", "less"]));
    if tail.len() > 4 || (verb.lower == "make" && !made) {
        return None;
    }
    let said = particle.into_iter().chain(tail);
    Some(format!("What should I {}?", [verb.lower.clone(), turned(said)].join(" ").trim_end()))
}

/// The question for a command that breaks off: "set the timer for" gives "Set the timer for how
/// long?".
fn unfinished(sentence: &[Word<'_>], words: &[Word<'_>]) -> Option<String> {
    let (last, most) = words.split_last()?;
    if !is(last, DANGLING) || !last.after.trim().is_empty() || !(2..=10).contains(&words.len()) {
        return None;
    }
    if !is_verb(words.first()?) {
        let asked = is(last, &["the", "an"]) && starts(body(sentence), &["what|who|where is|are|was|were"]);
        return asked.then(|| "Your message seems to be cut off. How does it go on?".to_owned());
    }
    // "Find someone to talk to" is complete, and so is "words that start with a".
    if has(most, &["to", "who|what|where|which|that|something|someone|anything", "letter|with|vitamin|plan|grade"]) {
        return None;
    }
    let person = has(most, &["send|message|call|email|text|mail|forward|invite|ring"]);
    let missing = match last.lower.as_str() {
        "for" if has(most, &["timer", "countdown"]) => "how long",
        "for" | "at" if has(most, &["alarm|reminder|remind|meeting"]) => "what time",
        "to" if has(most, &["remind|ask|tell|me|us|him|her"]) => "do what",
        "to" if person => "whom",
        "from" => "where",
        "and" => "what else",
        _ => "what",
    };
    // An article is dropped, a preposition is kept: "Turn on what?", "Send a message to whom?".
    let kept = if is(last, &["the", "a", "an", "my"]) { most } else { words };
    let said = turned(kept.iter());
    let mut letters = said.chars();
    let first = letters.next()?;
    Some(format!("{}{} {missing}?", first.to_uppercase(), letters.as_str()))
}

/// The user's words from the assistant's perspective: "my list" becomes "your list".
fn turned<'w, 'm: 'w>(words: impl Iterator<Item = &'w Word<'m>>) -> String {
    let turned = |word: &'w Word<'m>| match word.lower.as_str() {
        "me" | "us" => "you",
        "my" | "our" => "your",
        _ => word.text,
    };
    words.filter(|word| !word.is_half()).map(turned).collect::<Vec<_>>().join(" ")
}
