//! Parses a query: its words, the people and things it names, the time it means.

use std::collections::BTreeSet;

use jiff::civil::Date;
use protocol::Timestamp;

use super::{
    aliases::Aliases,
    answer_kind::AnswerKind,
    index::IndexedDocument,
    recipe::Recipe,
    related,
    temporal::{self, DateSpan},
    terms,
};

/// A term of the query and its weight.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) weight: f32,
    /// Whether it does not stand in the query: a text need not have it to be a full match.
    pub(super) is_extra: bool,
    /// Stems of words with a similar meaning, and how similar they are.
    pub(super) related: Vec<(&'static str, f32)>,
}

/// A parsed query.
#[derive(Debug)]
pub(super) struct ParsedQuery {
    /// Its terms.
    pub(super) terms: Vec<Term>,
    /// Speakers it names, by their names in the index.
    pub(super) speakers: BTreeSet<String>,
    /// Other names of the people and things in it, as terms.
    pub(super) aliases: Vec<String>,
    /// Names, codes and numbers in it that are not speakers, as terms.
    pub(super) entities: Vec<String>,
    /// The times it names.
    pub(super) spans: Vec<DateSpan>,
    /// Whether it asks when something happened.
    pub(super) asks_when: bool,
    /// Whether it is marked as a question.
    pub(super) is_question: bool,
    /// What kind of answer it asks for.
    pub(super) kind: Option<AnswerKind>,
    /// Whether it asks for what is new.
    pub(super) asks_newest: bool,
    /// Whether it is about what the user said or did.
    pub(super) is_of_asker: bool,
    /// Whether it is about what the assistant said.
    pub(super) is_of_assistant: bool,
}

impl ParsedQuery {
    /// Adds the other names of the people and things in the query, with a lower weight.
    pub(super) fn add_aliases(&mut self, aliases: &Aliases, recipe: &Recipe, now: Timestamp) {
        let terms: Vec<String> = self.terms.iter().map(|term| term.text.clone()).collect();
        self.aliases = aliases.of(&terms, now);
        let term =
            |text: &String| Term { text: text.clone(), weight: recipe.alias, related: Vec::new(), is_extra: true };
        self.terms.extend(self.aliases.iter().map(term));
    }

    /// Whether the document asks the same; that matters only if this is a question.
    pub(super) fn is_asked_by(&self, kept: &IndexedDocument) -> bool {
        kept.words.count() <= self.terms.len()
            && self.terms.iter().all(|term| term.is_extra || kept.words.holds(&term.text))
            && kept.document.text.trim_end().ends_with('?')
    }

    /// Whether the document happened, or describes something that happened, in a time that the
    /// query names.
    pub(super) fn is_within(&self, kept: &IndexedDocument) -> bool {
        let is_in = |span: &DateSpan| span.holds(kept.day) || kept.about.iter().any(|about| span.meets(*about));
        self.spans.iter().any(is_in)
    }
}

/// Parses a query. `is_speaker` says whether a normalized word is part of a known speaker's name.
pub(super) fn read(text: &str, today: Date, recipe: &Recipe, is_speaker: impl Fn(&str) -> bool) -> ParsedQuery {
    let mut speakers = BTreeSet::new();
    let mut names = BTreeSet::new();
    for word in terms::words(text) {
        let plain = terms::plain(word);
        if is_speaker(&plain) && !terms::is_stop(&plain) {
            names.extend(terms::stem(&plain));
            speakers.insert(plain);
        }
    }
    let mut entities = entities(text);
    let mut seen = BTreeSet::new();
    let terms = terms::terms(text).into_iter().filter(|term| seen.insert(term.clone()));
    let weigh = |text: String| {
        let weight = match text.starts_with('=') {
            true => recipe.exact,
            false if names.contains(&text) => recipe.name,
            false => 1.0,
        };
        // A name has no synonyms.
        let is_name = names.contains(&text) || entities.contains(&text);
        let related = if is_name { Vec::new() } else { related::words(&text) };
        Term { text, weight, is_extra: false, related }
    };
    let plain: Vec<String> = terms::words(text).map(terms::plain).collect();
    let has = |wanted: &[&str]| plain.iter().any(|word| wanted.contains(&word.as_str()));
    let is_of_assistant = has(&["you", "your", "youve", "yours"]) && has(SAYING);
    let terms = terms.map(weigh).collect();
    entities.retain(|entity| !names.contains(entity));
    ParsedQuery {
        terms,
        aliases: Vec::new(),
        entities,
        kind: AnswerKind::of(&plain),
        speakers,
        spans: temporal::read(text, today),
        asks_when: temporal::asks_when(text),
        is_question: text.trim_end().ends_with('?')
            || plain.first().is_some_and(|word| ASKING.contains(&word.as_str())),
        asks_newest: has(NEWEST),
        is_of_asker: has(&["i", "my", "me", "mine", "im", "ive"]) && !is_of_assistant,
        is_of_assistant,
    }
}

/// Words that ask for what is new.
const NEWEST: &[&str] = &["now", "currently", "current", "latest", "lately", "recently", "recent", "newest", "today"];

/// Words that open a question.
const ASKING: &[&str] = &[
    "what", "whats", "when", "where", "who", "whose", "which", "why", "how", "do", "does", "did", "is", "are", "was",
    "were", "can", "could", "have", "has",
];

/// Verbs for what an assistant has done in a conversation.
const SAYING: &[&str] = &[
    "said",
    "say",
    "told",
    "tell",
    "recommended",
    "recommend",
    "suggested",
    "suggest",
    "mentioned",
    "mention",
    "gave",
    "provided",
    "provide",
    "listed",
    "explained",
    "wrote",
    "advised",
    "proposed",
    "shared",
    "remind",
    "described",
    "created",
];

/// Names, codes and numbers: words with a capital within a sentence, or with a digit.
fn entities(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    for word in terms::words(text) {
        let Some((before, after)) = rest.split_once(word) else { continue };
        let is_first = rest.len() == text.len() || before.contains(['.', '?', '!', '\n']);
        rest = after;
        let is_name = !is_first && word.starts_with(char::is_uppercase) && !terms::is_stop(word);
        let term = match (terms::is_code(word), is_name) {
            (true, _) => Some(terms::exact(word)),
            (_, true) => terms::stem(word),
            _ => None,
        };
        found.extend(term.filter(|term| !found.contains(term)));
    }
    found
}
