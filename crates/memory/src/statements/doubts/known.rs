//! What a fact offers for comparison with a later message: the words of its key, its value and its
//! sentence, its topics, its subject and its values.

use std::collections::{HashMap, HashSet};

use protocol::Fact;

use super::{
    super::Statement,
    kinds::{ValueKind, values},
    said::person,
};
use crate::language::{
    lexicon::{Lexicon, Token, Topic, tokens},
    words::TokenizedText,
};

/// Keys of what hardly ever changes.
const STABLE: &[&str] = &[
    "name",
    "first name",
    "full name",
    "birthday",
    "date of birth",
    "origin",
    "native language",
    "language",
    "nationality",
    "handedness",
    "pronouns",
    "preference",
];

/// A fact, prepared for comparisons.
#[derive(Debug, Clone)]
pub struct KnownFact {
    /// Roots of the words of its key that say what is meant.
    pub key: HashSet<String>,
    /// The same of its value.
    pub value: HashSet<String>,
    /// The same of its sentence.
    pub text: HashSet<String>,
    /// Roots of its key that its topics do not explain.
    pub qualifiers: HashSet<String>,
    /// What it is about.
    pub topics: HashSet<&'static str>,
    /// Whom it is about, if not the user.
    pub subject: Option<String>,
    /// Whether it hardly ever changes: a name, a birthday.
    pub is_stable: bool,
    /// Whether its value is a name.
    pub is_name: bool,
    /// Whether it is the name of a person who keeps it.
    pub is_kin_name: bool,
    /// Its values.
    pub values: Vec<(ValueKind, String)>,
}

impl KnownFact {
    /// Prepares a fact.
    pub fn of(fact: &Fact) -> Self {
        Self::with(&fact.key, &fact.value, &fact.text, fact.subject.as_deref())
    }

    /// Prepares a statement.
    pub fn of_statement(stated: &Statement) -> Self {
        Self::with(&stated.key, &stated.value, &stated.text, None)
    }

    /// Prepares a sentence of which no fact is known.
    pub fn of_text(text: &str) -> Self {
        let known = Self::with("", "", text, None);
        let spoken = TokenizedText::read(text, text.len());
        let words = tokens(&spoken);
        let lexicon = Lexicon::of(&words);
        // "My daughter Alma has ballet": whom it is about stands in front.
        let opening = words.iter().take(3).skip_while(|token| !lexicon.own.contains(&token.lower)).nth(1);
        let subject = opening.and_then(|token| lexicon.relations.get(person(&token.lower))).cloned();
        let values = values(&words).into_iter().map(|value| (value.kind, value.normal)).collect();
        let topics = lexicon.topics.iter().filter(|topic| topic.words.occurs(&words)).map(|topic| topic.name.as_str());
        let is_name = words.iter().skip(1).any(|token| token.is_capital() && lexicon.is_specific(token));
        Self { subject, values, is_name, topics: topics.collect(), ..known }
    }

    /// Whether both are of one sort and of different things: a favourite film and a favourite book.
    pub fn is_of_other_thing_than(&self, other: &Self) -> bool {
        let is_qualified = !self.qualifiers.is_empty() && !other.qualifiers.is_empty();
        is_qualified && self.qualifiers.is_disjoint(&other.qualifiers)
    }

    /// All that a message can share with it: roots of words, topics, and its subject.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        let words = self.key.iter().chain(&self.value).chain(&self.text).map(String::as_str);
        words.chain(self.topics.iter().copied()).chain(self.subject.as_deref())
    }

    fn with(key: &str, value: &str, text: &str, subject: Option<&str>) -> Self {
        let text = TokenizedText::read(text, text.len());
        let spoken = tokens(&text);
        let lexicon = Lexicon::of(&spoken);
        let (key_text, value) = (TokenizedText::read(key, key.len()), TokenizedText::read(value, value.len()));
        let key_tokens = tokens(&key_text);
        let value_tokens = tokens(&value);
        let subject = subject.map(str::to_lowercase).or_else(|| subject_of(lexicon, &key_tokens));
        // "The gate's code" is a thing's and not a person's.
        let is_person = |subject: &String| {
            let is_name = |token: &Token<'_>| person(&token.lower) == subject && token.is_capital();
            Lexicon::all().any(|lexicon| lexicon.relations.contains_key(subject)) || spoken.iter().any(is_name)
        };
        let subject = subject.filter(is_person);
        let bare = bare_key(key, subject.as_deref());
        let topics: HashSet<&'static str> = topics(&bare).chain(topics(key)).collect();
        let specific = |tokens: &[Token<'_>]| -> HashSet<String> {
            tokens.iter().filter(|token| lexicon.is_specific(token)).map(|token| token.root.clone()).collect()
        };
        let mut explained: HashSet<String> = HashSet::new();
        for topic in lexicon.topics.iter().filter(|topic| topics.contains(topic.name.as_str())) {
            explained.extend(topic.words.single_roots());
        }
        let key = specific(&key_tokens);
        Self {
            qualifiers: key.iter().filter(|root| !explained.contains(*root)).cloned().collect(),
            key,
            is_stable: STABLE.contains(&bare.as_str()),
            is_name: value_tokens.iter().any(|token| token.is_capital() && lexicon.is_specific(token)),
            value: specific(&value_tokens),
            text: specific(&spoken),
            topics,
            is_kin_name: bare == "name" && subject.as_ref().is_some_and(|subject| lexicon.kin.contains(subject)),
            subject,
            values: values(&value_tokens).into_iter().map(|value| (value.kind, value.normal)).collect(),
        }
    }
}

/// Whom a key is about, if not the user: "sister" in `sister lives in`.
pub fn subject(key: &str) -> Option<String> {
    let text = TokenizedText::read(key, key.len());
    Lexicon::all().find_map(|lexicon| subject_of(lexicon, &tokens(&text)))
}

/// The subject that a key names in front: "sister" in `sister lives in`, "theo" in `theo's
/// teacher`.
fn subject_of(lexicon: &Lexicon, key: &[Token<'_>]) -> Option<String> {
    let first = key.first()?;
    let name = person(&first.lower);
    if let Some(relation) = lexicon.relations.get(name) {
        return (key.len() > 1).then(|| relation.clone());
    }
    (first.lower.ends_with("'s") && key.len() > 1).then(|| name.to_owned())
}

/// The topics of a key.
pub fn topics(key: &str) -> impl Iterator<Item = &'static str> {
    let favourite = key.starts_with("favourite") || key.starts_with("favorite");
    // "Energy supplier" is a supplier, too.
    let last = key.rsplit(' ').next().unwrap_or_default();
    let fits = move |topic: &&Topic| {
        topic.keys.contains(key) || topic.keys.contains(last) || favourite && topic.name == "favourite"
    };
    let names: Vec<&'static str> =
        Lexicon::all().flat_map(|lexicon| &lexicon.topics).filter(fits).map(|topic| topic.name.as_str()).collect();
    names.into_iter()
}

/// The key without its subject.
fn bare_key(key: &str, subject: Option<&str>) -> String {
    let Some((first, rest)) = key.split_once(' ').filter(|_| subject.is_some()) else { return key.to_owned() };
    let is_subject = first.ends_with("'s")
        || subject == Some(first)
        || Lexicon::all().any(|lexicon| lexicon.relations.contains_key(first));
    if is_subject { rest.to_owned() } else { key.to_owned() }
}

/// The names of people by their relation: `sister's name: Hanna` makes "hanna" the sister.
pub fn aliases<'f>(facts: impl Iterator<Item = &'f Fact>) -> HashMap<String, String> {
    let mut aliases = HashMap::new();
    for fact in facts.filter(|fact| fact.is_current()) {
        if let Some(relation) = fact.key.strip_suffix("'s name") {
            let name = fact.value.split_whitespace().next().unwrap_or_default().to_lowercase();
            let relation = Lexicon::all()
                .find_map(|lexicon| lexicon.relations.get(relation))
                .cloned()
                .unwrap_or_else(|| relation.to_owned());
            aliases.insert(name, relation);
        }
    }
    aliases
}
