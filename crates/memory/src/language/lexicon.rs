//! The words of a language, from its file in `languages/`: by which words something changes, is
//! denied, taken back or added, what people are called, and which words belong to one topic.

use std::{hash::BuildHasher, sync::LazyLock};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serde::Deserialize;

use super::{phrases::Phrases, words::TokenizedText};

static LEXICONS: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    [
        ("en", include_str!("../../languages/en.toml")),
        ("de", include_str!("../../languages/de.toml")),
        ("es", include_str!("../../languages/es.toml")),
        ("fr", include_str!("../../languages/fr.toml")),
    ]
    .into_iter()
    .filter_map(|(code, file)| {
        // The files are part of the program, and a test reads each of them.
        toml::from_str(file).map(|words| Lexicon::new(code, words)).ok()
    })
    .collect()
});

/// A file of `languages/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageFile {
    stop: String,
    generic: String,
    kin: String,
    #[serde(default)]
    past: String,
    signals: SignalLists,
    people: PeopleLists,
    topic: Vec<TopicLists>,
    #[serde(default)]
    leads: Vec<String>,
    #[serde(default)]
    tails: Vec<String>,
    #[serde(default)]
    joints: Vec<String>,
    #[serde(default)]
    links: Vec<String>,
    #[serde(default)]
    statement: Vec<StatementLine>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementLine {
    pattern: String,
    key: String,
    value: Option<String>,
    #[serde(default)]
    ends: bool,
    #[serde(default)]
    update: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignalLists {
    strong: Vec<String>,
    weak: Vec<String>,
    correction: Vec<String>,
    negation: Vec<String>,
    adds: Vec<String>,
    unsure: Vec<String>,
    #[serde(default)]
    gone: Vec<String>,
    still: Vec<String>,
    #[serde(default)]
    lasting: Vec<String>,
    #[serde(default)]
    settings: Vec<String>,
    #[serde(default)]
    fresh: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PeopleLists {
    first: Vec<String>,
    own: Vec<String>,
    pronouns: Vec<String>,
    #[serde(default)]
    things: Vec<String>,
    relations: Vec<Vec<String>>,
    #[serde(default)]
    couples: Vec<[String; 3]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TopicLists {
    name: String,
    keys: Vec<String>,
    words: Vec<String>,
    events: Vec<String>,
    #[serde(default)]
    members: Vec<String>,
}

/// The words of one language.
#[derive(Debug)]
pub struct Lexicon {
    /// The language, as in `en`.
    pub code: &'static str,
    /// Words that say how a sentence is built.
    pub stop: FxHashSet<String>,
    /// Roots of words that name a sort of thing rather than one thing.
    pub generic: FxHashSet<String>,
    /// People and animals whose names stay.
    pub kin: FxHashSet<String>,
    /// What alone says that something is no longer as it was.
    pub strong: Phrases,
    /// What may say it.
    pub weak: Phrases,
    /// What takes back something said a moment ago.
    pub correction: Phrases,
    /// What denies.
    pub negation: Phrases,
    /// What is added and leaves the rest as it is.
    pub adds: Phrases,
    /// What states nothing.
    pub unsure: Phrases,
    /// What says that a person or an animal is no longer there.
    pub gone: Phrases,
    /// What a question has that doubts whether something still holds.
    pub still: Phrases,
    /// What makes a request hold from now on, and so tells how things are.
    pub lasting: Phrases,
    /// What opens the setting that a statement holds in: "for my skin".
    pub settings: FxHashSet<String>,
    /// What stands in front of a thing that there was not before: "a new optician".
    pub fresh: FxHashSet<String>,
    /// Forms of verbs that tell what happened.
    pub past: FxHashSet<String>,
    /// The speaker.
    pub first: FxHashSet<String>,
    /// "My" and "our".
    pub own: FxHashSet<String>,
    /// Words for what was named before.
    pub pronouns: FxHashSet<String>,
    /// Phrases for a thing named before: "the old one".
    pub things: Phrases,
    /// Words for two people, and the words for each of them.
    pub couples: Vec<[String; 3]>,
    /// Words for people and animals; those for the same one have the same value.
    pub relations: FxHashMap<String, String>,
    /// What people talk about.
    pub topics: Vec<Topic>,
    /// Openings that say nothing.
    pub leads: Phrases,
    /// The same at the end of a clause.
    pub tails: Phrases,
    /// Words between two clauses.
    pub joints: FxHashSet<String>,
    /// Words within the name of one thing.
    pub links: FxHashSet<String>,
    /// Clauses that state something.
    pub statements: Vec<StatementPattern>,
}

/// A clause that states something.
#[derive(Debug)]
pub struct StatementPattern {
    /// The clause, word by word.
    pub words: Vec<PatternWord>,
    /// The key of what it states.
    pub key: String,
    /// The value, if the clause has no place for it.
    pub value: Option<String>,
    /// Whether it says that something is over.
    pub ends: bool,
    /// Whether it says that something changed.
    pub update: bool,
}

/// A word of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternWord {
    /// One of these words.
    Word {
        /// The words.
        any_of: Vec<String>,
        /// Whether it may be missing.
        optional: bool,
    },
    /// A place for words that are not known before.
    Slot(PatternSlot),
}

/// A place in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternSlot {
    /// A name.
    Name,
    /// A number with its unit.
    Number,
    /// An hour, a day or a date.
    Time,
    /// Anything short.
    Value,
    /// A person, by what they are to the speaker.
    Who,
    /// What the statement is about.
    Thing,
}

impl PatternSlot {
    /// The most words it takes.
    pub const fn words_max(self) -> usize {
        match self {
            Self::Name => 4,
            Self::Number | Self::Who => 3,
            Self::Time => 5,
            Self::Value => 6,
            Self::Thing => 4,
        }
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "{name}" => Self::Name,
            "{number}" => Self::Number,
            "{time}" => Self::Time,
            "{value}" => Self::Value,
            "{who}" => Self::Who,
            "{thing}" => Self::Thing,
            _ => return None,
        })
    }
}

impl StatementPattern {
    fn new(line: StatementLine) -> Self {
        let words = line.pattern.split_whitespace().map(|word| {
            let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
            match PatternSlot::named(word) {
                Some(slot) => PatternWord::Slot(slot),
                None => PatternWord::Word { any_of: word.split('|').map(str::to_owned).collect(), optional },
            }
        });
        Self { words: words.collect(), key: line.key, value: line.value, ends: line.ends, update: line.update }
    }
}

/// Something that people talk about, and its words.
#[derive(Debug)]
pub struct Topic {
    /// The same in every language.
    pub name: String,
    /// Keys of facts that belong to it.
    pub keys: FxHashSet<String>,
    /// Words of it.
    pub words: Phrases,
    /// What happens in it and changes it.
    pub events: Phrases,
    /// What is of its kind, as a nurse is of work: what a question for it may mean.
    pub members: Phrases,
}

impl Lexicon {
    fn new(code: &'static str, file: LanguageFile) -> Self {
        let set = |words: Vec<String>| words.into_iter().collect::<FxHashSet<String>>();
        let all = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        let relations = file.people.relations.into_iter().flat_map(|names| {
            let first = names.first().cloned().unwrap_or_default();
            names.into_iter().map(move |name| (name, first.clone()))
        });
        let topics = file.topic.into_iter().map(|topic| Topic {
            name: topic.name,
            keys: set(topic.keys),
            words: Phrases::new(&topic.words),
            events: Phrases::new(&topic.events),
            members: Phrases::new(&topic.members),
        });
        Self {
            code,
            stop: set(all(&file.stop)),
            kin: set(all(&file.kin)),
            generic: all(&file.generic).iter().map(|word| root(word)).collect(),
            strong: Phrases::new(&file.signals.strong),
            weak: Phrases::new(&file.signals.weak),
            correction: Phrases::new(&file.signals.correction),
            negation: Phrases::new(&file.signals.negation),
            adds: Phrases::new(&file.signals.adds),
            unsure: Phrases::new(&file.signals.unsure),
            gone: Phrases::new(&file.signals.gone),
            still: Phrases::new(&file.signals.still),
            lasting: Phrases::new(&file.signals.lasting),
            settings: set(file.signals.settings),
            fresh: set(file.signals.fresh),
            things: Phrases::new(&file.people.things),
            couples: file.people.couples,
            past: set(all(&file.past)),
            first: set(file.people.first),
            own: set(file.people.own),
            pronouns: set(file.people.pronouns),
            relations: relations.collect(),
            topics: topics.collect(),
            leads: Phrases::new(&file.leads),
            tails: Phrases::new(&file.tails),
            joints: set(file.joints),
            links: set(file.links),
            statements: file.statement.into_iter().map(StatementPattern::new).collect(),
        }
    }

    /// The language that a text is most likely written in; English if none fits.
    pub fn of(tokens: &[Token<'_>]) -> &'static Self {
        let hits = |lexicon: &Self| tokens.iter().filter(|token| lexicon.stop.contains(&token.lower)).count();
        // The first of equals, which is English.
        let mut best: Option<(&'static Self, usize)> = None;
        for lexicon in LEXICONS.iter() {
            let count = hits(lexicon);
            if best.is_none_or(|(_, most)| count > most) {
                best = Some((lexicon, count));
            }
        }
        best.map_or(&LEXICONS[0], |(lexicon, _)| lexicon)
    }

    /// All languages.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        LEXICONS.iter()
    }

    /// Whether a word tells what happened.
    pub fn is_past(&self, token: &Token<'_>) -> bool {
        let regular = self.code == "en" && token.lower.len() > 4 && token.lower.ends_with("ed") && !token.is_capital();
        regular || self.past.contains(&token.lower)
    }

    /// Whether a word says what is meant: it is neither of the language's building words nor a sort
    /// of thing.
    pub fn is_specific(&self, token: &Token<'_>) -> bool {
        token.lower.chars().count() > 2
            && !token.is_figure()
            && !super::calendar::is_day_or_month(&token.lower)
            && !self.stop.contains(&token.lower)
            && !self.generic.contains(&token.root)
            && !self.relations.contains_key(&token.lower)
    }
}

/// A word of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'m> {
    /// In lower case; one half of a contraction.
    pub lower: String,
    /// The common beginning of its forms.
    pub root: String,
    /// As written.
    pub text: &'m str,
    /// Where it starts, in bytes.
    pub at: usize,
    /// What stands between it and the next.
    pub after: &'m str,
    /// The hash of `lower`.
    pub hash: u64,
}

/// The hash of a word in lower case.
pub fn word_hash(lower: &str) -> u64 {
    FxBuildHasher.hash_one(lower)
}

impl Token<'_> {
    /// Whether it begins with a digit.
    pub fn is_figure(&self) -> bool {
        self.lower.trim_start_matches(super::words::SIGNS).starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it was written with a capital.
    pub fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }
}

/// The words of a text. French and Italian articles before an apostrophe are words of their own.
pub fn tokens<'m>(text: &TokenizedText<'m>) -> Vec<Token<'m>> {
    let mut tokens = Vec::with_capacity(text.words.len());
    for word in &text.words {
        let token = |lower: &str, part: &'m str, at: usize| Token {
            root: root(lower),
            lower: lower.to_owned(),
            text: part,
            at,
            after: word.after,
            hash: word_hash(lower),
        };
        let elided = word.lower.split_once('\'').filter(|(left, _)| {
            ["j", "l", "d", "n", "m", "s", "c", "t", "qu", "jusqu", "lorsqu", "puisqu", "aujourd"].contains(left)
        });
        match elided {
            Some((left, right))
                if left != "aujourd" && right.chars().count() > 1 && word.lower.len() == word.text.len() =>
            {
                tokens.push(token(left, &word.text[..left.len()], word.at));
                let from = left.len() + 1;
                tokens.push(token(right, word.text.get(from..).unwrap_or_default(), word.at + from));
            }
            _ => tokens.push(token(&word.lower, word.text, word.at)),
        }
    }
    tokens
}

/// The common beginning of a word's forms: "mentor" for "mentoring", "stamp" for "stamps".
pub fn root(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let count = word.chars().count();
    if count >= 7 && word.chars().all(char::is_alphabetic) {
        return word.chars().take(6).collect();
    }
    match word.strip_suffix('s') {
        Some(one) if count > 3 && !one.ends_with('s') => one.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_file() {
        let codes: Vec<&str> = Lexicon::all().map(|lexicon| lexicon.code).collect();
        assert_eq!(codes, ["en", "de", "es", "fr"]);
    }

    #[test]
    fn the_language_of_a_text_is_guessed_by_its_small_words() {
        for (text, code) in [
            ("I have moved to Graz and I like it", "en"),
            ("Ich bin nach Graz gezogen und es gefällt mir", "de"),
            ("Me he mudado a Graz y me gusta mucho", "es"),
            ("J'ai déménagé à Graz et ça me plaît", "fr"),
            ("42", "en"),
        ] {
            let text = TokenizedText::read(text, 1000);
            assert_eq!(Lexicon::of(&tokens(&text)).code, code, "{:?}", text.source);
        }
    }
}
