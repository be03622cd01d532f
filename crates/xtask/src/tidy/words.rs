//! Plain words: no name and no comment uses a metaphor that a newcomer would have to learn first,
//! and both say who acts (the client, the caller, the actor) instead of an indefinite person.

use proc_macro2::{TokenStream, TokenTree};

use crate::tree::SourceFile;
use crate::violation::Violation;

/// A word that is not used, what to say instead, and the folders in which it is the right word
/// after all.
struct BannedWord {
    word: &'static str,
    instead: &'static str,
    allowed: &'static [&'static str],
}

const fn banned(word: &'static str, instead: &'static str, allowed: &'static [&'static str]) -> BannedWord {
    BannedWord { word, instead, allowed }
}

/// Where things of a home have their own names.
const HOME: &[&str] = &[
    "crates/home/",
    "crates/simulated_home/",
    "crates/reflex/",
    "crates/desktop/",
    "crates/dwell/tests/",
    "crates/testkit/",
    "crates/fuzz/",
    "bench/",
];

/// Whole names, and words of a type's name. In the sentence that a test is called they may occur.
const IN_NAMES: &[BannedWord] = &[
    banned("house", "services, home or harness", &[]),
    banned("room", "long-term memory, or capacity", HOME),
    banned("shelf", "records", &[]),
    banned("librarian", "owner writer", &[]),
    banned("desk", "session port, or desktop", HOME),
    banned("clerk", "library thread", &[]),
    banned("cabinet", "artifact store", &[]),
    banned("keeper", "watcher, supervisor or store", &[]),
    banned("telling", "stream", &[]),
    banned("senses", "home context", &[]),
    banned("outlook", "home feed", &[]),
    banned("overtime", "deadline", &[]),
];

/// Words of any identifier.
const IN_IDENTIFIERS: &[BannedWord] = &[
    banned("somebody", "the client, the caller, the user", &[]),
    banned("nobody", "no client, no caller", &[]),
    banned("whoever", "the client, the caller, the user", &[]),
    banned("anybody", "any client, any caller", &[]),
];

const IN_COMMENTS: &[BannedWord] = &[
    banned("somebody", "the client, the caller, the user", &[]),
    banned("nobody", "no client, no caller", &[]),
    banned("whoever", "the client, the caller, the user", &[]),
    banned("anybody", "any client, any caller", &[]),
    banned("librarian", "owner writer", &[]),
    banned("clerk", "library thread", &[]),
    banned("cabinet", "artifact store", &[]),
    banned("model of meaning", "embedding model", &[]),
];

/// This file names the words.
const LIST: &str = "crates/xtask/src/tidy/words.rs";

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let sources = files.iter().filter(|file| file.path.ends_with(".rs") && file.path != LIST);
    sources.flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Violation> {
    let text = file.text();
    let mut violations = Vec::new();
    // Parsing takes a while, and few files have one of the words at all.
    let lower = text.to_lowercase();
    let mut banned = listed(IN_NAMES, &file.path).chain(listed(IN_IDENTIFIERS, &file.path)).chain(IN_COMMENTS);
    if !banned.any(|it| lower.contains(it.word)) {
        return violations;
    }
    // A file that does not parse is the compiler's.
    if let Ok(tokens) = text.parse::<TokenStream>() {
        identifiers(tokens, &mut |name, line| {
            let parts = parts(name);
            let is_name = parts.len() == 1 || name.starts_with(char::is_uppercase);
            let names = listed(IN_NAMES, &file.path).filter(|_| is_name);
            for found in names.chain(listed(IN_IDENTIFIERS, &file.path)) {
                if parts.iter().any(|part| part == found.word) {
                    violations.push(violation(file, line, name, found));
                }
            }
        });
    }
    for (at, line) in text.lines().enumerate() {
        let Some(comment) = comment(line) else { continue };
        for found in listed(IN_COMMENTS, &file.path).filter(|it| has_words(&comment.to_lowercase(), it.word)) {
            violations.push(violation(file, at.saturating_add(1), found.word, found));
        }
    }
    violations
}

fn listed(list: &'static [BannedWord], path: &str) -> impl Iterator<Item = &'static BannedWord> {
    list.iter().filter(move |it| !it.allowed.iter().any(|folder| path.starts_with(folder)))
}

fn violation(file: &SourceFile, line: usize, name: &str, found: &BannedWord) -> Violation {
    let what = format!("`{name}`: say plainly what it is ({})", found.instead);
    Violation::new(file.path.as_str(), line, what)
}

fn identifiers(tokens: TokenStream, found: &mut impl FnMut(&str, usize)) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found(&ident.to_string(), ident.span().start().line),
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The words of `snake_case`, `CamelCase` and `SCREAMING_CASE`, in lower case.
fn parts(name: &str) -> Vec<String> {
    let is_camel = name.chars().any(char::is_lowercase);
    let mut parts = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || is_camel && letter.is_uppercase() {
            parts.push(String::new());
        }
        if let (Some(part), true) = (parts.last_mut(), letter != '_') {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The words of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//")
}

fn has_words(text: &str, words: &str) -> bool {
    let is_letter = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(words).any(|(at, found)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + found.len()..).unwrap_or_default());
        !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_text(path: &str, text: &str, expected: &[&str]) {
        assert_violations(check(&[SourceFile::new(path, text)]), expected);
    }

    #[test]
    fn identifiers_use_plain_words() {
        let path = "crates/engine/src/hub.rs";
        check_text(path, "struct House;", &["crates/engine/src/hub.rs:1: `House`: say plainly"]);
        check_text(path, "fn f(house: u8) {}", &["crates/engine/src/hub.rs:1: `house`"]);
        check_text(path, "fn nobody_waits() {}", &["crates/engine/src/hub.rs:1: `nobody_waits`"]);
        check_text(path, "fn a_house_is_sold() {}", &[]);
        check_text(path, "const ROOM_MAX: u8 = 1;", &["crates/engine/src/hub.rs:1: `ROOM_MAX`"]);
        check_text(path, "fn household() { let household = \"house\"; }", &[]);
        check_text("crates/home/src/area.rs", "struct Room;", &[]);
    }

    #[test]
    fn comments_say_who_acts() {
        let path = "crates/engine/src/hub.rs";
        check_text(path, "// Nobody waits.\n", &["crates/engine/src/hub.rs:1: `nobody`"]);
        check_text(path, "/// The model of meaning.\nfn f() {}", &["crates/engine/src/hub.rs:1: `model of meaning`"]);
        check_text(path, "fn f() { g(\"nobody\"); }", &[]);
    }

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(parts("open_house"), ["open", "house"]);
        assert_eq!(parts("HomeFeed"), ["home", "feed"]);
        assert_eq!(parts("ROOM_MAX"), ["room", "max"]);
    }
}
