//! Splits a fact into whom or what it is about, the attribute, and the people, places and things
//! that its value names.

use protocol::{Fact, NodeKind};

use super::words;
use crate::{
    language::{
        lexicon::{Lexicon, tokens},
        words::TokenizedText,
    },
    statements,
};

/// Words in front of what is no name.
const ARTICLES: &[&str] = &["the", "a", "an", "der", "die", "das", "el", "la", "le", "les"];

/// Whom or what a fact is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// The user.
    User,
    /// A person or an animal, by what they are to the user: `sister`.
    Relation(String),
    /// By a name, in small letters.
    Name(NamedSubject),
}

/// A subject that is given by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedSubject {
    /// The name in small letters.
    pub(super) plain: String,
    /// The name as it was written.
    pub(super) label: String,
    /// Whether it looks like the name of a person.
    pub(super) is_person: bool,
}

/// What the value of a fact is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Object {
    /// A text, a number, a date.
    Text,
    /// People or animals, by what they are to the subject.
    Relatives {
        /// What they are: `sister`.
        relation: String,
        /// Their names.
        names: Vec<String>,
    },
    /// Places or other things with names, or people.
    Named {
        /// What they are.
        kind: NodeKind,
        /// Their names.
        names: Vec<String>,
    },
    /// Something the subject has: the value describes it.
    Own(String),
}

/// A fact, split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactReading {
    pub(super) subject: Subject,
    /// The attribute, as in `lives in`.
    pub(super) attribute: String,
    pub(super) object: Object,
}

/// Splits a fact.
pub(super) fn read(fact: &Fact) -> FactReading {
    let key = fact.key.to_lowercase().replace('’', "'");
    let subject = fact.subject.clone().or_else(|| statements::subject(&key));
    let subject = subject.map(|name| (words::plain_name(&name), name)).filter(|(plain, _)| !words::is_user(plain));
    let Some((plain, name)) = subject else { return of_user(fact, &key) };
    let attribute = without_subject(&key, &plain);
    let relation = words::relation(&plain);
    // "My sister's name is Maria" is about the user, who has a sister Maria.
    if let Some(relation) = relation.as_ref().filter(|_| attribute == "name") {
        let names = words::names(&fact.value);
        if !names.is_empty() {
            let object = Object::Relatives { relation: relation.clone(), names };
            return FactReading { subject: Subject::User, attribute: relation.clone(), object };
        }
    }
    let subject = match relation {
        Some(relation) => Subject::Relation(relation),
        None => Subject::Name(named(&plain, &name, &fact.text)),
    };
    let (attribute, object) = object(&attribute, &fact.value);
    FactReading { subject, attribute, object }
}

fn of_user(fact: &Fact, key: &str) -> FactReading {
    let (attribute, object) = object(key, &fact.value);
    FactReading { subject: Subject::User, attribute, object }
}

/// The attribute as it is shown, and what its value is.
fn object(attribute: &str, value: &str) -> (String, Object) {
    let text = |attribute: &str| (attribute.to_owned(), Object::Text);
    let names = words::names(value);
    let bare = attribute.strip_suffix("'s name").unwrap_or(attribute);
    if let Some(relation) = words::relation(bare) {
        if names.is_empty() {
            return text(attribute);
        }
        return (relation.clone(), Object::Relatives { relation, names });
    }
    if words::is_own_thing(attribute) {
        return (attribute.to_owned(), Object::Own(attribute.to_owned()));
    }
    match words::kind_of_value(attribute) {
        // The words after a comma say more of the same place.
        Some(kind @ NodeKind::Place) => match names.into_iter().next() {
            Some(name) => (attribute.to_owned(), Object::Named { kind, names: vec![name] }),
            None => text(attribute),
        },
        Some(kind) if !names.is_empty() => (attribute.to_owned(), Object::Named { kind, names }),
        _ => text(attribute),
    }
}

/// The key without the subject in front: `lives in` of `sister lives in`.
fn without_subject(key: &str, plain: &str) -> String {
    let relation = words::relation(plain);
    let count = plain.split(' ').count();
    let places: Vec<usize> = key.match_indices(' ').map(|(at, _)| at).collect();
    // The subject in the key can be longer or shorter than the subject itself, by a "my".
    for at in places.iter().take(count + 1).rev() {
        let (front, rest) = (&key[..*at], key[*at..].trim());
        let front = words::plain_name(front.strip_suffix("'s").unwrap_or(front));
        if !rest.is_empty() && (front == plain || relation.is_some() && words::relation(&front) == relation) {
            return rest.to_owned();
        }
    }
    key.to_owned()
}

/// A subject by its name. A word with a capital that nothing like "my" precedes is a person's name.
fn named(plain: &str, written: &str, text: &str) -> NamedSubject {
    let first = plain.split(' ').next().unwrap_or(plain);
    let spoken = TokenizedText::read(text, text.len());
    let words = tokens(&spoken);
    let lexicon = Lexicon::of(&words);
    let place = words.iter().position(|token| token.lower.strip_suffix("'s").unwrap_or(&token.lower) == first);
    let before = place.and_then(|at| at.checked_sub(1)).and_then(|at| words.get(at));
    let is_common =
        before.is_some_and(|token| lexicon.own.contains(&token.lower) || ARTICLES.contains(&token.lower.as_str()));
    let is_capital = place.and_then(|at| words.get(at)).is_some_and(|token| token.text.starts_with(char::is_uppercase));
    let is_person = (is_capital || words::is_name(written)) && !is_common;
    let label = if is_person { capitals(plain) } else { plain.to_owned() };
    NamedSubject { plain: plain.to_owned(), label, is_person }
}

/// Each word with a capital.
fn capitals(plain: &str) -> String {
    let words = plain.split(' ').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    words.collect::<Vec<String>>().join(" ")
}
