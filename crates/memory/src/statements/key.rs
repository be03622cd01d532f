//! Keys: what a statement is about, and when two are about the same.

use crate::language::rule_words::ENGLISH;
use std::collections::BTreeSet;

use protocol::Level;

use super::value::stem;

/// How many values a key can have at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// One: another value replaces the first.
    One,
    /// Several, until something says which has changed.
    Loose,
    /// Several, which only an explicit word ends.
    Many,
}

/// Keys that tell who the owner is.
const PROFILE: &[&str] = &[
    "name",
    "first name",
    "last name",
    "full name",
    "surname",
    "nickname",
    "diet",
    "allergy",
    "home",
    "address",
    "birthday",
    "age",
    "job",
    "profession",
    "occupation",
    "language",
    "native language",
    "languages",
    "preference",
    "pronouns",
    "email",
    "email address",
    "phone",
    "phone number",
    "number",
    "timezone",
    "time zone",
    "nationality",
    "relationship",
    "origin",
    "hometown",
    "wife",
    "husband",
    "partner",
    "height",
    "date of birth",
    "mobile number",
    "home address",
    "religion",
    "speaks",
    "handedness",
    "health",
    "married to",
];

/// Keys that can have several values.
const MANY: &[&str] = &[
    "allergy",
    "preference",
    "likes",
    "dislikes",
    "speaks",
    "languages",
    "hobby",
    "hobbies",
    "pets",
    "plays",
    "learning",
    "note",
    "owns",
    "children",
    "health",
    "knows",
    "collects",
    "pet",
    "allergies",
    "bought",
    "nationality",
];

/// Verbs of habits that have one value at a time.
const ONE_WAY: &[&str] = &[
    "get up",
    "wake up",
    "go to bed",
    "weigh",
    "earn",
    "commute",
    "bank with",
    "sleep",
    "shop at",
    "work in",
    "work from",
    "uses for",
    "training for",
    "saving for",
    "vote",
    "lives in",
    "works at",
    "works for",
    "works as",
    "goes to",
    "pay",
    "start work",
    "finish work",
    "bank at",
    "wear",
];

/// The key in its plain form: small, without determiners and words like "new", "name of my dog" as
/// "dog's name".
pub fn normal_key(words: &str) -> String {
    plain_key(&turned(&words.to_lowercase()))
}

/// The same with the words in their order, for what begins with a verb.
pub(super) fn plain_key(words: &str) -> String {
    let lower = words.to_lowercase().replace('’', "'");
    let kept: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'' && c != '#' && c != '+'))
        .filter(|word| !word.is_empty() && !ENGLISH.key.dropped.contains(word))
        .take(7)
        .collect();
    kept.join(" ")
}

/// "The name of my dog" is "my dog's name".
fn turned(words: &str) -> String {
    for of in ENGLISH.key.owners.iter() {
        let Some((head, whose)) = words.split_once(&format!(" {of} ")) else { continue };
        if !head.is_empty() && !whose.is_empty() {
            return format!("{whose}'s {head}");
        }
    }
    words.to_owned()
}

/// Whether two keys are about the same.
pub fn same_key(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (tokens(a), tokens(b));
    if a.is_empty() || b.is_empty() {
        return false;
    }
    let generic = |word: &&String| ENGLISH.key.generic.contains(&word.as_str());
    a == b || (a.symmetric_difference(&b).all(|word| generic(&word)) && a.intersection(&b).any(|word| !generic(&word)))
}

/// The words that make a key, in one form each.
fn tokens(key: &str) -> BTreeSet<String> {
    let normal = normal_key(key);
    let mut set: BTreeSet<String> = normal
        .split_whitespace()
        .map(|word| word.strip_suffix("'s").or_else(|| word.strip_suffix('\'')).unwrap_or(word))
        .flat_map(|word| if word == "wi-fi" || word == "e-mail" { vec![word] } else { word.split('-').collect() })
        .filter(|word| !ENGLISH.key.small.contains(word))
        .map(|word| {
            let stem = stem(word);
            let group = ENGLISH.key.alike.iter().find(|group| group.contains(&word) || group.contains(&stem.as_str()));
            group.and_then(|group| group.first()).map_or(stem, |&first| first.to_owned())
        })
        .filter(|word| !word.is_empty())
        .collect();
    // The best friend is one person, and a friend is another.
    if normal.split_whitespace().any(|word| word == "best") && set.contains("friend") {
        set.insert("best".to_owned());
    }
    // An address alone is where one lives; that of mail is not.
    if set.contains("address") && !ENGLISH.key.other_addresses.iter().any(|word| set.contains(*word)) {
        set.remove("address");
        set.insert("home".to_owned());
    }
    // A number alone is the one to call.
    if set.len() == 1 && set.contains("number") {
        set = BTreeSet::from(["phone".to_owned(), "number".to_owned()]);
    }
    set
}

/// How many values a key can have at a time.
pub fn cardinality(key: &str) -> Cardinality {
    if MANY.contains(&key) {
        return Cardinality::Many;
    }
    let verb = key.split(' ').next().unwrap_or_default();
    if ONE_WAY.iter().any(|way| key == *way || key.starts_with(way) || key.ends_with(way)) {
        return Cardinality::One;
    }
    // A verb with its object named ("go to gym") has one time; a bare verb ("drink") has several
    // objects.
    let bare = key.split(' ').count() == 1 || (key.split(' ').count() == 2 && is_preposition(key));
    if bare && (ENGLISH.habits.verbs.contains(&verb) || key == "uses" || key == "state") {
        return Cardinality::Loose;
    }
    Cardinality::One
}

fn is_preposition(key: &str) -> bool {
    key.rsplit(' ').next().is_some_and(|last| ENGLISH.habits.prepositions.contains(&last))
}

/// The level of memory of a key.
pub fn level(key: &str) -> Level {
    let relation = key.ends_with("'s name");
    let personal = PROFILE.contains(&key) || key.starts_with("favourite") || key.starts_with("favorite") || relation;
    if personal { Level::Profile } else { Level::Fact }
}
