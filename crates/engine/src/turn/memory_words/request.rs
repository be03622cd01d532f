//! What a message asks of memory itself: to forget, to correct, to tell what is known and why, to
//! set the profile. Only messages that ask for nothing else are recognized; everything else is left
//! to the model.

use memory::language::{
    pattern::{after, after_any, body, first_is, trimmed},
    words::{TokenizedText, Word},
};

/// Bytes of a message that are read. Longer ones are never such a request.
const MESSAGE_BYTES_MAX: usize = 400;
/// The longest value of a correction, in characters.
const VALUE_CHARS_MAX: usize = 200;

/// A request about memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MemoryRequest {
    /// Forget what is known about something, named by these words.
    Forget(Vec<String>),
    /// What was told last is wrong, and this is right.
    Correct(String),
    /// Tell what is known about the user.
    AboutMe,
    /// Tell where the last answer comes from.
    Why,
    /// Set a line of the profile.
    SetProfile(String, String),
}

/// Everything about a subject.
const ALL_ABOUT: &[&str] = &[
    "forget|delete|erase|remove everything|all|anything about|on|regarding|concerning",
    "forget|delete|erase|remove everything|all that? i|we told|said|wrote you|to? you? about|on|regarding",
    "forget|delete|erase|remove everything|all that? you know|remember|have|stored about|on|regarding",
    "forget|delete|erase|remove what i|we told|said|wrote you|to? you? about|on|regarding",
    "forget|delete|erase|remove what you know|remember|have|stored about|on|regarding",
    "forget|delete|erase|remove your|the memory|memories of|about",
];

/// Something of the user's own.
const OWN: &[&str] = &["forget about? my|our"];

/// The same, where the message says that it is about memory.
const OWN_IN_MEMORY: &[&str] = &["delete|erase|remove my|our"];

const FROM_MEMORY: &[&str] = &["from your|the? memory", "from what you know"];

const ABOUT_ME: &[&str] = &[
    "what do|did you know|remember about me|myself",
    "what have you stored|saved|remembered|noted|learned about me|myself",
    "show|tell me? what you know|remember about me|myself",
    "what is in my profile",
    "show me? my profile",
];

const WHY: &[&str] = &[
    "why do|did you think|say|believe|assume that|so|this",
    "why that",
    "how do|did you know that|this|it",
    "where do|did you know|have|get that|this|it from",
    "who|when told you that|this|it",
    "what makes you think|say|believe that|so|this",
];

/// "That's wrong, it is …". The first word of the value follows.
const WRONG: &[&str] = &[
    "no|nope? that|this|it is|was wrong|incorrect|false|outdated it|that|this|he|she is|was",
    "no|nope? that|this|it is|was not|never right|correct|true it|that|this|he|she is|was",
    "no|nope? that|this|it is|was wrong|incorrect|false|outdated the right|correct one|value|answer is",
    "no|nope it|he|she is",
    "no|nope? wrong|incorrect it|that|he|she is",
];

/// Words that name nothing by themselves.
const EMPTY: &[&str] = &[
    "my",
    "our",
    "the",
    "a",
    "an",
    "your",
    "his",
    "her",
    "their",
    "of",
    "to",
    "in",
    "on",
    "at",
    "for",
    "and",
    "or",
    "with",
    "about",
    "that",
    "this",
    "it",
    "me",
    "myself",
    "i",
    "you",
    "we",
    "everything",
    "all",
    "is",
    "was",
    "please",
];

/// Notes that are pinned to a session have tools of their own.
const NOTES: &[&str] = &["note", "notes", "pin", "pins", "reminder", "reminders"];

const SET_PROFILE: &[&str] = &["set my profile", "set in my profile", "put into my profile", "add to my profile"];

/// What a message asks of memory, if it asks for nothing else.
pub(super) fn read(message: &str) -> Option<MemoryRequest> {
    if message.len() > MESSAGE_BYTES_MAX {
        return None;
    }
    if let Some(request) = profile_line(message) {
        return Some(request);
    }
    let text = TokenizedText::read(message, MESSAGE_BYTES_MAX);
    if let Some(value) = after_any(&text.words, WRONG).filter(|value| !value.is_empty() && !text.asks) {
        let value = text.slice(value).trim().trim_end_matches(['.', '!', ' ']).to_owned();
        let fits = !value.is_empty() && value.chars().count() <= VALUE_CHARS_MAX && !value.contains('\n');
        return fits.then_some(MemoryRequest::Correct(value));
    }
    let sentences: Vec<&[Word<'_>]> = text.sentences().collect();
    let [only] = sentences.as_slice() else { return None };
    let words = trimmed(body(only));
    let is_all = |patterns: &[&str]| after_any(words, patterns).is_some_and(<[_]>::is_empty);
    if is_all(ABOUT_ME) {
        return Some(MemoryRequest::AboutMe);
    }
    if is_all(WHY) {
        return Some(MemoryRequest::Why);
    }
    (!text.asks).then(|| forget(words)).flatten()
}

fn forget(words: &[Word<'_>]) -> Option<MemoryRequest> {
    // "Forget my question, tell me a joke" is about the conversation.
    if words.iter().rev().skip(1).any(Word::ends_clause) {
        return None;
    }
    let end = (0..words.len()).find(|at| after_any(&words[*at..], FROM_MEMORY).is_some_and(<[_]>::is_empty));
    let is_in_memory = end.is_some();
    let words = &words[..end.unwrap_or(words.len())];
    let named = after_any(words, ALL_ABOUT)
        .or_else(|| after_any(words, OWN))
        .or_else(|| after_any(words, OWN_IN_MEMORY).filter(|_| is_in_memory))
        .or_else(|| after(words, "forget|delete|erase|remove").filter(|_| is_in_memory))?;
    if named.iter().any(|word| NOTES.contains(&word.lower.as_str())) {
        return None;
    }
    let names = named.iter().map(|word| plain(&word.lower)).filter(|word| !EMPTY.contains(&word.as_str()));
    let names: Vec<String> = names.collect();
    (!names.is_empty() && !first_is(named, &["it", "that", "this"])).then_some(MemoryRequest::Forget(names))
}

/// "Set my profile: diet = vegan".
fn profile_line(message: &str) -> Option<MemoryRequest> {
    let message = message.trim().trim_end_matches(['.', '!']);
    let lower = message.to_lowercase();
    let opening = SET_PROFILE.iter().find(|opening| lower.starts_with(**opening))?;
    // Lower case may have another length in other scripts; the openings are ASCII.
    let rest = message.get(opening.len()..)?.trim_start_matches([':', ',', ' ', '-']);
    let (key, value) = [":", "=", " to ", " is "].iter().find_map(|sign| rest.split_once(sign))?;
    let (key, value) = (key.trim(), value.trim());
    let key = key.strip_prefix("my ").unwrap_or(key);
    (!key.is_empty() && !value.is_empty()).then(|| MemoryRequest::SetProfile(key.to_owned(), value.to_owned()))
}

/// A word without the ending of a plural or a possessive, so that "codes" names "code".
pub(super) fn plain(word: &str) -> String {
    let word = word.trim_end_matches("'s").trim_end_matches("’s");
    let stem = word.strip_suffix('s').filter(|stem| stem.chars().count() > 2 && !stem.ends_with('s'));
    stem.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgets(words: &[&str]) -> Option<MemoryRequest> {
        Some(MemoryRequest::Forget(words.iter().map(|word| (*word).to_owned()).collect()))
    }

    #[test]
    fn what_is_asked_of_memory_is_recognized() {
        for (message, expected) in [
            ("Forget my locker code", forgets(&["locker", "code"])),
            ("Please forget my locker codes.", forgets(&["locker", "code"])),
            ("forget what I told you about Ada", forgets(&["ada"])),
            ("Delete everything about my old flat!", forgets(&["old", "flat"])),
            ("Erase my address from your memory.", forgets(&["address"])),
            ("Forget everything you know about Ada's school", forgets(&["ada", "school"])),
            ("What do you know about me?", Some(MemoryRequest::AboutMe)),
            ("why do you think that?", Some(MemoryRequest::Why)),
            ("How do you know that?", Some(MemoryRequest::Why)),
            ("That's wrong, it is 4711", Some(MemoryRequest::Correct("4711".to_owned()))),
            ("No, it's 4711.", Some(MemoryRequest::Correct("4711".to_owned()))),
            ("That is not right. It is Bruges!", Some(MemoryRequest::Correct("Bruges".to_owned()))),
            ("Set my profile: diet = vegan", Some(MemoryRequest::SetProfile("diet".to_owned(), "vegan".to_owned()))),
            ("set my profile: diet: vegan.", Some(MemoryRequest::SetProfile("diet".to_owned(), "vegan".to_owned()))),
        ] {
            assert_eq!(read(message), expected, "{message}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_model() {
        for message in [
            "Forget it.",
            "Forget about that, let's go on.",
            "Forget my question, tell me a joke.",
            "Delete my calendar entry for Monday.",
            "Remove the first line.",
            "Don't forget my birthday.",
            "Did you forget my locker code?",
            "Forget the note about milk.",
            "Why do you think that cats purr?",
            "What do you know about Mexico?",
            "It is 4711.",
            "Forget everything about me.",
            "That's wrong.",
            "",
        ] {
            assert_eq!(read(message), None, "{message}");
        }
    }
}
