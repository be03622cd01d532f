//! What a message says that could touch something known: its words, the words of change in it, whom
//! it is about, and its values.

use std::collections::HashSet;

use super::{
    super::{
        LOOKED_AT_MAX,
        extract::{Voice, voice},
    },
    kinds::{KindValue, values},
};
use crate::language::{
    imperatives::is_verb,
    lexicon::{Lexicon, Token, tokens},
    pattern::{after_any, asks, body},
    words::{TokenizedText, Word},
};

/// Words for what was named before, at the beginning.
const IT: &[&str] = &["it", "its", "es", "c", "ce"];

/// More words are more than a value.
const SHORT_MAX: usize = 5;

/// A statement of a message, prepared for comparisons.
#[derive(Debug)]
pub struct SpokenMessage<'m> {
    /// The message.
    pub source: &'m str,
    /// Its language.
    pub lexicon: &'static Lexicon,
    /// The words of its statements, without its questions and requests.
    pub tokens: Vec<Token<'m>>,
    /// The roots of all of them.
    pub roots: HashSet<String>,
    /// The roots of those that say what is meant.
    pub specific: HashSet<String>,
    /// What its words say about change.
    pub signals: Signals,
    /// Whether something named before is meant.
    pub has_pronoun: bool,
    /// Whether it tells what happened.
    pub is_past: bool,
    /// Whether it is hardly more than a value.
    pub is_short: bool,
    /// Whether it begins with "it".
    pub opens_with_it: bool,
    /// The roots of the names in it.
    pub names: HashSet<String>,
    /// Whether another person is what the message is about.
    pub is_of_other: bool,
    /// The people it names by what they are to the speaker.
    pub people: HashSet<String>,
    /// What it talks about.
    pub topics: Vec<TopicMention>,
    /// Its values.
    pub values: Vec<KindValue<'m>>,
}

/// What words say about change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signals {
    /// Something is no longer as it was.
    pub strong: bool,
    /// Something may no longer be as it was.
    pub weak: bool,
    /// Something said a moment ago is taken back.
    pub corrects: bool,
    /// Something is denied.
    pub denies: bool,
    /// Something is added.
    pub adds: bool,
    /// A person or an animal is no longer there.
    pub gone: bool,
}

impl Signals {
    /// Whether any of them speaks against what is known.
    pub const fn any(self) -> bool {
        self.strong || self.weak || self.corrects || self.denies
    }

    /// Whether one of them does so without doubt.
    pub const fn is_clear(self) -> bool {
        self.strong || self.corrects || self.denies
    }
}

/// A topic of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicMention {
    /// Which one.
    pub name: &'static str,
    /// Whether the message says that something happened in it.
    pub happened: bool,
}

impl<'m> SpokenMessage<'m> {
    /// What a message of the user says that could touch something known; none if it says nothing of
    /// its own, or nothing of change.
    pub fn of(message: &'m str) -> Option<Self> {
        let text = &TokenizedText::read(message, LOOKED_AT_MAX);
        if voice(text) != Voice::Own {
            return None;
        }
        let all = tokens(text);
        let lexicon = Lexicon::of(&all);
        let mut kept: Vec<Token<'m>> = Vec::new();
        for words in text.sentences() {
            let (from, to) = (words[0].at, words[words.len() - 1].at);
            let sentence: Vec<Token<'m>> =
                all.iter().filter(|token| (from..=to).contains(&whole(token, text))).cloned().collect();
            // "Did I say Vienna?" asks nothing, and "change of plan" orders nothing.
            let opens_with_change =
                lexicon.correction.length_at(&sentence) > 0 || lexicon.strong.length_at(&sentence) > 1;
            if !states(words) && !opens_with_change {
                continue;
            }
            let is_unsure = (0..sentence.len().min(5)).any(|at| lexicon.unsure.length_at(&sentence[at..]) > 0);
            if !is_unsure {
                kept.extend(sentence);
            }
        }
        let said = (!kept.is_empty()).then(|| Self::with(text.source, lexicon, kept))?;
        let happened = said.topics.iter().any(|topic| topic.happened);
        let says_more = said.signals.any() || said.is_past || said.is_short || !said.names.is_empty();
        (says_more || happened || !said.values.is_empty()).then_some(said)
    }

    fn with(source: &'m str, lexicon: &'static Lexicon, tokens: Vec<Token<'m>>) -> Self {
        let signals = Signals {
            strong: lexicon.strong.occurs(&tokens),
            weak: lexicon.weak.occurs(&tokens),
            corrects: lexicon.correction.occurs(&tokens) || source.trim_start().starts_with('*'),
            denies: lexicon.negation.occurs(&tokens),
            adds: adds(lexicon, &tokens),
            gone: lexicon.gone.occurs(&tokens),
        };
        let people: HashSet<String> =
            tokens.iter().filter_map(|token| lexicon.relations.get(person(&token.lower))).cloned().collect();
        let topics = lexicon.topics.iter().filter_map(|topic| {
            let happened = topic.events.occurs(&tokens);
            (happened || topic.words.occurs(&tokens)).then_some(TopicMention { name: topic.name.as_str(), happened })
        });
        // "We" may be the other person and the speaker.
        let is_own = tokens.iter().any(|token| lexicon.first.contains(&token.lower) && token.lower != "we");
        let opens_with_person = opens_with_person(lexicon, &tokens);
        Self {
            source,
            roots: tokens.iter().map(|token| token.root.clone()).collect(),
            specific: tokens
                .iter()
                .filter(|token| lexicon.is_specific(token))
                .map(|token| token.root.clone())
                .collect(),
            signals,
            is_past: tokens.iter().any(|token| lexicon.is_past(token)),
            is_short: tokens.len() <= SHORT_MAX,
            opens_with_it: tokens.first().is_some_and(|token| IT.contains(&token.lower.as_str())),
            names: names(lexicon, &tokens),
            has_pronoun: tokens.iter().any(|token| lexicon.pronouns.contains(&token.lower)),
            is_of_other: opens_with_person && !is_own,
            people,
            topics: topics.collect(),
            values: values(&tokens),
            lexicon,
            tokens,
        }
    }

    /// Whether it names a person, by relation or by name.
    pub fn speaks_of(&self, person: &str) -> bool {
        self.people.contains(person)
            || self.tokens.iter().any(|token| token.lower == person || token.lower.strip_suffix("'s") == Some(person))
    }

    /// The part of the message that is shown beside what it makes doubtful.
    pub fn shown(&self, chars_max: usize) -> String {
        let text = self.source.trim();
        match text.char_indices().nth(chars_max) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        }
    }
}

/// Whether something is added. "Too" does so at the end of a clause only: "too hard" adds nothing.
fn adds(lexicon: &Lexicon, tokens: &[Token<'_>]) -> bool {
    (0..tokens.len()).any(|at| {
        let length = lexicon.adds.length_at(&tokens[at..]);
        let ends = || at + length == tokens.len() || !tokens[at + length - 1].after.trim().is_empty();
        length > 0 && (tokens[at].lower != "too" || ends())
    })
}

/// Whether a question is whether something still holds: "Do I still have a car?"
pub fn asks_whether_still(question: &str) -> bool {
    let text = &TokenizedText::read(question, LOOKED_AT_MAX);
    let tokens = tokens(text);
    Lexicon::of(&tokens).still.occurs(&tokens)
}

/// The topics that a text names.
pub fn topics_in(text: &str) -> Vec<&'static str> {
    let text = TokenizedText::read(text, LOOKED_AT_MAX);
    let tokens = tokens(&text);
    let named =
        Lexicon::of(&tokens).topics.iter().filter(|topic| topic.words.occurs(&tokens) || topic.events.occurs(&tokens));
    named.map(|topic| topic.name.as_str()).collect()
}

/// The roots of words that are written like names, other than at the beginning of a sentence.
fn names(lexicon: &Lexicon, tokens: &[Token<'_>]) -> HashSet<String> {
    let is_name = |at: usize| {
        let opens = at == 0 || tokens[at - 1].after.contains(['.', '!', '?', ':', '\n']);
        let token = &tokens[at];
        token.is_capital() && !opens && lexicon.is_specific(token)
    };
    (0..tokens.len()).filter(|at| is_name(*at)).map(|at| tokens[at].root.clone()).collect()
}

/// A word for a person without its genitive.
pub fn person(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

/// Where the whole word starts that a token is part of.
fn whole(token: &Token<'_>, text: &TokenizedText<'_>) -> usize {
    let next = text.words.partition_point(|word| word.at <= token.at);
    next.checked_sub(1).map_or(token.at, |at| text.words[at].at)
}

/// Whether a sentence states something rather than asks for it.
fn states(sentence: &[Word<'_>]) -> bool {
    let words = body(sentence);
    let is_command = words.first().is_some_and(|word| is_verb(word) && !word.lower.ends_with("ed"))
        && after_any(
            words,
            &[
                "make|change that|it",
                "put|let|cut my|our|in|me|us|him|her",
                "forget|ignore|scratch|strike that|it|what",
                "forget|scrap about? the",
            ],
        )
        .is_none();
    !asks(sentence) && !is_command && !sentence.iter().all(|word| word.quoted)
}

/// "My grandson …", "Otis …": the message begins with another person.
fn opens_with_person(lexicon: &Lexicon, tokens: &[Token<'_>]) -> bool {
    let mut rest =
        tokens.iter().skip_while(|token| lexicon.own.contains(&token.lower) || lexicon.stop.contains(&token.lower));
    let opens_own = tokens.iter().take(3).any(|token| lexicon.own.contains(&token.lower));
    rest.next().is_some_and(|token| lexicon.relations.contains_key(person(&token.lower)) && opens_own)
}
