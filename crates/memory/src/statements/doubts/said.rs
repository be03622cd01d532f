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
    lexicon::{Lexicon, Token, Topic, tokens},
    pattern::{after_any, asks, body},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// Words for what was named before, at the beginning.
const IT: &[&str] = &["it", "its", "es", "c", "ce"];

/// Words in front of what a request is about.
const DETERMINERS: &[&str] = &["the", "a", "an", "my", "our", "me", "us", "this", "that", "all", "it"];

/// People whom one calls by what they are.
const ELDERS: &[&str] = &["mother", "father", "grandmother", "grandfather"];

/// Words after which what matters follows.
const BUT: &[&str] = &["but", "aber", "pero", "mais"];

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
    /// Whether it is named in another message, since nothing in this one is named before.
    pub points_back: bool,
    /// Whether it tells what happened.
    pub is_past: bool,
    /// Whether it is hardly more than a value.
    pub is_short: bool,
    /// Whether it begins with "it".
    pub opens_with_it: bool,
    /// The roots of the names in it.
    pub names: HashSet<String>,
    /// Where the values start of which a sentence consists: "I gave you the wrong one. 2508."
    pub bare: Vec<usize>,
    /// The roots of the setting that it opens with: "for my skin".
    pub settings: HashSet<String>,
    /// The roots of a thing that there was not before: "a new optician".
    pub fresh: HashSet<String>,
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
            kept.extend_from_slice(stated_part(lexicon, words, &sentence));
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
        let mut people: HashSet<String> =
            tokens.iter().filter_map(|token| lexicon.relations.get(person(&token.lower))).cloned().collect();
        // "Mum and dad" are the parents.
        for [both, one, other] in &lexicon.couples {
            if people.contains(one) && people.contains(other) {
                people.insert(both.clone());
            }
        }
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
            has_pronoun: tokens.iter().any(|token| lexicon.pronouns.contains(&token.lower))
                || lexicon.things.occurs(&tokens),
            points_back: points_back(lexicon, &tokens),
            bare: bare_values(&tokens),
            settings: settings(lexicon, &tokens),
            fresh: fresh(lexicon, &tokens),
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

/// The part of a sentence that states something: without a request in front of it, or what is only
/// wished for.
fn stated_part<'t, 'm>(lexicon: &Lexicon, words: &[Word<'m>], sentence: &'t [Token<'m>]) -> &'t [Token<'m>] {
    // "Did I say Vienna?" asks nothing, and "change of plan" orders nothing.
    let opens_with_change = lexicon.correction.length_at(sentence) > 0 || lexicon.strong.length_at(sentence) > 1;
    // "Send parcels to Mill Court from now on" says where they go.
    let holds = !asks(words) && lexicon.lasting.occurs(sentence);
    let sentence = if states(words) || opens_with_change || holds {
        sentence
    } else if asks(words) {
        return &[];
    } else {
        clause_of_speaker(lexicon, sentence)
    };
    let is_unsure = (0..sentence.len().min(5)).any(|at| lexicon.unsure.length_at(&sentence[at..]) > 0);
    if !is_unsure {
        return sentence;
    }
    // "I don't want to talk about it, but we lost Biscuit".
    let but = sentence.iter().position(|token| BUT.contains(&token.lower.as_str()));
    but.map_or(&[], |but| &sentence[but + 1..])
}

/// What the speaker says of themselves after a request: "stop using the old one, I'm at Fastmail".
fn clause_of_speaker<'t, 'm>(lexicon: &Lexicon, sentence: &'t [Token<'m>]) -> &'t [Token<'m>] {
    let opens = |at: &usize| {
        let before = &sentence[*at - 1];
        let is_own = lexicon.first.contains(&sentence[*at].lower) || lexicon.own.contains(&sentence[*at].lower);
        is_own && before.after.contains([',', ';', ':', '–', '—', '('])
    };
    (1..sentence.len()).find(opens).map_or(&[], |at| &sentence[at..])
}

/// Whether a word for something named before comes before any thing of the message's own: "it" in
/// "the boiler is old, it leaks" is the boiler.
fn points_back(lexicon: &Lexicon, tokens: &[Token<'_>]) -> bool {
    let is_pronoun =
        |at: usize| lexicon.pronouns.contains(&tokens[at].lower) || lexicon.things.length_at(&tokens[at..]) > 0;
    let is_thing = |at: usize| {
        let is_named = DETERMINERS.contains(&tokens[at].lower.as_str()) && lexicon.things.length_at(&tokens[at..]) == 0;
        is_named
            && tokens.get(at + 1).is_some_and(|next| lexicon.is_specific(next) || lexicon.generic.contains(&next.root))
    };
    (0..tokens.len()).find(|at| is_pronoun(*at) || is_thing(*at)).is_some_and(is_pronoun)
}

/// Where the values start that are sentences of their own.
fn bare_values(tokens: &[Token<'_>]) -> Vec<usize> {
    let found = values(tokens);
    let is_value = |token: &Token<'_>| found.iter().any(|value| value.at == token.at);
    let is_bare = |sentence: &&[Token<'_>]| {
        let is_small = |token: &Token<'_>| ENGLISH.said.around_value.contains(&token.lower.as_str());
        sentence.iter().any(is_value) && sentence.iter().all(|token| is_value(token) || is_small(token))
    };
    let sentences = tokens.split_inclusive(|token| token.after.contains(['.', '!', '?', '\n']));
    sentences.filter(is_bare).flatten().filter(|token| is_value(token)).map(|token| token.at).collect()
}

/// The roots of the setting that a message opens with.
fn settings(lexicon: &Lexicon, tokens: &[Token<'_>]) -> HashSet<String> {
    let opens = tokens.first().is_some_and(|token| lexicon.settings.contains(&token.lower));
    let ends = |token: &&Token<'_>| !lexicon.first.contains(&token.lower);
    let phrase = tokens.iter().skip(1).take(4).take_while(ends).filter(|_| opens);
    phrase.filter(|token| lexicon.is_specific(token)).map(|token| token.root.clone()).collect()
}

/// The roots of what is said to be new.
fn fresh(lexicon: &Lexicon, tokens: &[Token<'_>]) -> HashSet<String> {
    let things =
        tokens.windows(2).filter(|pair| lexicon.fresh.contains(&pair[0].lower) && pair[0].after.trim().is_empty());
    things.filter(|pair| lexicon.is_specific(&pair[1])).map(|pair| pair[1].root.clone()).collect()
}

/// Whether something is added. "Too" does so at the end of a clause only: "too hard" adds nothing.
fn adds(lexicon: &Lexicon, tokens: &[Token<'_>]) -> bool {
    (0..tokens.len()).any(|at| {
        let length = lexicon.adds.length_at(&tokens[at..]);
        let ends = || at + length == tokens.len() || !tokens[at + length - 1].after.trim().is_empty();
        // "We both think so" and "both are gone" add nothing.
        let is_of_people =
            || at == 0 || lexicon.first.contains(&tokens[at - 1].lower) || tokens[at - 1].lower == "they";
        let is_meant = match tokens[at].lower.as_str() {
            "too" => ends(),
            "both" => !is_of_people(),
            _ => true,
        };
        length > 0 && is_meant
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

/// Whether a statement is about one of these topics, or names what is of their kind: "I'm a
/// barista" is about work.
pub fn is_about(text: &str, topics: &[&'static str]) -> bool {
    let text = TokenizedText::read(text, LOOKED_AT_MAX);
    let tokens = tokens(&text);
    let named =
        |topic: &Topic| topic.words.occurs(&tokens) || topic.events.occurs(&tokens) || topic.members.occurs(&tokens);
    Lexicon::of(&tokens).topics.iter().any(|topic| topics.contains(&topic.name.as_str()) && named(topic))
}

/// The words by which statements about these topics are found, in the language of a question.
pub fn words_of(question: &str, topics: &[&'static str]) -> String {
    let text = TokenizedText::read(question, LOOKED_AT_MAX);
    let named = Lexicon::of(&tokens(&text)).topics.iter().filter(|topic| topics.contains(&topic.name.as_str()));
    let words = named.flat_map(|topic| {
        topic.words.single_words().chain(topic.events.single_words()).chain(topic.members.single_words())
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The roots of words that are written like names, other than at the beginning of a sentence of
/// several words.
fn names(lexicon: &Lexicon, tokens: &[Token<'_>]) -> HashSet<String> {
    let ends = |token: &Token<'_>| token.after.contains(['.', '!', '?', ':', '\n']);
    let is_name = |at: usize| {
        let opens = at == 0 || ends(&tokens[at - 1]);
        let is_alone = at > 0 && (ends(&tokens[at]) || at + 1 == tokens.len());
        let token = &tokens[at];
        token.is_capital() && (!opens || is_alone) && lexicon.is_specific(token)
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
    // "Book club voted again" orders nothing.
    let is_told = words.iter().skip(2).take(2).any(|word| word.lower.len() > 4 && word.lower.ends_with("ed"))
        && !words.iter().take(3).any(|word| DETERMINERS.contains(&word.lower.as_str()));
    let is_command = words.first().is_some_and(|word| is_verb(word) && !word.lower.ends_with("ed"))
        && !is_told
        && after_any(words, &ENGLISH.said.correcting_requests).is_none();
    !asks(sentence) && !is_command && !sentence.iter().all(|word| word.quoted)
}

/// "My grandson …", "Otis …": the message begins with another person.
fn opens_with_person(lexicon: &Lexicon, tokens: &[Token<'_>]) -> bool {
    let mut rest =
        tokens.iter().skip_while(|token| lexicon.own.contains(&token.lower) || lexicon.stop.contains(&token.lower));
    let opens_own = tokens.iter().take(3).any(|token| lexicon.own.contains(&token.lower));
    let opening = rest.next().and_then(|token| lexicon.relations.get(person(&token.lower)));
    // "Mum retired": these are said without "my".
    let is_called = tokens.first().is_some_and(|token| lexicon.relations.get(person(&token.lower)) == opening);
    opening.is_some_and(|relation| opens_own || is_called && ELDERS.contains(&relation.as_str()))
}
