//! The words of a language for frames, from `sentences/LANGUAGE/lexicon.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::reasons::{Reasons, ReasonsSource};
use super::slips::Spelling;
use super::tokens::{FrameToken, fold, words};
use crate::numbers;

/// The languages that have a lexicon.
pub const LANGUAGES: &[&str] = &["en", "de", "es", "fr", "it", "nl"];

static ALL: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    let texts = [
        (include_str!("../../sentences/en/lexicon.toml"), include_str!("../../sentences/en/reasons.toml")),
        (include_str!("../../sentences/de/lexicon.toml"), include_str!("../../sentences/de/reasons.toml")),
        (include_str!("../../sentences/es/lexicon.toml"), include_str!("../../sentences/es/reasons.toml")),
        (include_str!("../../sentences/fr/lexicon.toml"), include_str!("../../sentences/fr/reasons.toml")),
        (include_str!("../../sentences/it/lexicon.toml"), include_str!("../../sentences/it/reasons.toml")),
        (include_str!("../../sentences/nl/lexicon.toml"), include_str!("../../sentences/nl/reasons.toml")),
    ];
    // A test parses all of them: a mistake in one is found before it is built in.
    let parsed = LANGUAGES.iter().enumerate().zip(texts).map(|((index, language), (text, reasons))| {
        let source = toml::from_str(text).unwrap_or_default();
        let reasons: ReasonsSource = toml::from_str(reasons).unwrap_or_default();
        Lexicon::new(index, language, source, Reasons::new(&reasons))
    });
    parsed.collect()
});

/// The file of a lexicon.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LexiconSource {
    /// Spellings with the same sound, in the order in which they are replaced.
    sounds: Vec<(String, String)>,
    /// Endings of verbs that are pronouns (`apágalo`), or address the speaker (`ponme`).
    #[serde(default)]
    enclitic_pronouns: Vec<String>,
    #[serde(default)]
    enclitic_fillers: Vec<String>,
    /// What may stand between the parts of a compound word; empty if the language has none.
    #[serde(default)]
    compound_links: Vec<String>,
    /// Two roles that mean a third one: `close ab = lock`.
    #[serde(default)]
    combine: Vec<String>,
    /// Whether the last word of a name says what it is, or the first.
    head_last: bool,
    /// Whether to put a thing is to turn it on: "pon la radio".
    #[serde(default)]
    put_is_on: bool,
    /// Words by role, in groups.
    roles: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// A role of a word, such as `act.on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Role {
    pub group: &'static str,
    pub name: &'static str,
}

/// The words of a language.
#[derive(Debug)]
pub struct Lexicon {
    pub(super) index: usize,
    language: &'static str,
    /// Phrases by their first word.
    phrases: FxHashMap<String, Vec<(Vec<String>, Role)>>,
    /// Single words that may be meant by a misspelled one.
    single: Vec<(String, Role, Spelling)>,
    known: FxHashSet<String>,
    numbers: FxHashMap<Vec<String>, f64>,
    vetoes: Vec<Vec<String>>,
    polite: Vec<Vec<String>>,
    sounds: Vec<(String, String)>,
    enclitics: Vec<(String, bool)>,
    pub(super) links: Vec<String>,
    pub(super) combine: Vec<[String; 3]>,
    pub(super) head_last: bool,
    pub(super) put_is_on: bool,
    pub(super) reasons: Reasons,
}

/// The groups whose words may be corrected: what says what to do, and to what.
const CORRECTED: &[&str] = &["act", "verb", "kind", "property", "unit", "value", "color", "mode", "state"];
/// The groups whose words do not belong to a name's own words.
const SMALL: &[&str] = &["article", "of"];
/// The highest number that has words here.
const WORDS_TO: u32 = 100;

/// The number of words of a number: "twenty one and a half".
const LONGEST_NUMBER: usize = 6;

/// Roles live as long as the program, as the lexicons do.
fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn split(phrase: &str) -> Vec<String> {
    words(phrase).into_iter().map(|token| token.word).collect()
}

impl Lexicon {
    /// The lexicon of a language, if there is one.
    pub fn of(language: &str) -> Option<&'static Self> {
        let family = language.split(['-', '_']).next()?;
        ALL.iter().find(|lexicon| lexicon.language.eq_ignore_ascii_case(family))
    }

    /// The language's code.
    pub fn language(&self) -> &'static str {
        self.language
    }

    fn new(index: usize, language: &'static str, source: LexiconSource, reasons: Reasons) -> Self {
        let mut it = Self {
            index,
            language,
            phrases: FxHashMap::default(),
            single: Vec::new(),
            known: FxHashSet::default(),
            numbers: numbers_of(language),
            vetoes: Vec::new(),
            polite: Vec::new(),
            sounds: source.sounds.iter().map(|(from, to)| (fold(from), fold(to))).collect(),
            enclitics: Vec::new(),
            links: source.compound_links.iter().map(|link| fold(link)).collect(),
            combine: source.combine.iter().filter_map(|rule| rule_of(rule)).collect(),
            head_last: source.head_last,
            put_is_on: source.put_is_on,
            reasons,
        };
        it.enclitics.extend(source.enclitic_pronouns.iter().map(|ending| (fold(ending), true)));
        it.enclitics.extend(source.enclitic_fillers.iter().map(|ending| (fold(ending), false)));
        it.enclitics.sort_by_key(|(ending, _)| std::cmp::Reverse(ending.len()));
        for (group, names) in &source.roles {
            for (name, phrases) in names {
                let role = Role { group: leaked(group), name: leaked(name) };
                phrases.iter().for_each(|phrase| it.add(role, phrase));
            }
        }
        it
    }

    fn add(&mut self, role: Role, phrase: &str) {
        let words = split(phrase);
        let Some(first) = words.first().cloned() else { return };
        self.known.extend(words.iter().cloned());
        match role.group {
            "veto" => return self.vetoes.push(words),
            "polite" => self.polite.push(words.clone()),
            _ => {}
        }
        if words.len() == 1 && CORRECTED.contains(&role.group) {
            self.single.push((first.clone(), role, Spelling::of(&first)));
        }
        self.phrases.entry(first).or_default().push((words, role));
    }

    pub(super) fn tokens(&self, text: &str) -> Vec<FrameToken> {
        words(text)
    }

    /// All phrases at the start of these words: their lengths and roles.
    pub(super) fn phrases(&self, tokens: &[FrameToken]) -> Vec<(usize, Role)> {
        let Some(first) = tokens.first() else { return Vec::new() };
        let known = self.phrases.get(&first.word).map(Vec::as_slice).unwrap_or_default();
        let fits = |phrase: &&(Vec<String>, Role)| {
            tokens.len() >= phrase.0.len() && phrase.0.iter().zip(tokens).all(|(word, token)| *word == token.word)
        };
        known.iter().filter(fits).map(|(words, role)| (words.len(), *role)).collect()
    }

    /// The number at the start of these words.
    pub(super) fn number(&self, tokens: &[FrameToken]) -> Option<(usize, f64)> {
        let first = tokens.first()?;
        if first.word.starts_with(|next: char| next.is_ascii_digit()) {
            return first.word.replace(',', ".").parse().ok().map(|number| (1, number));
        }
        // "Ein" is an article, or a part of a verb, before it is a number.
        let shortest = if self.is_small(&first.word) { 2 } else { 1 };
        (shortest..=LONGEST_NUMBER).rev().find_map(|length| {
            let words: Vec<String> = tokens.get(..length)?.iter().map(|token| token.word.clone()).collect();
            self.numbers.get(&words).map(|number| (length, *number))
        })
    }

    /// The words that may be meant by an unknown one, with the cost of that.
    pub(super) fn near(&self, word: &str) -> Vec<(Role, &str, u32)> {
        if word.chars().any(|next| next.is_ascii_digit()) {
            return Vec::new();
        }
        let said = Spelling::of(word);
        let near = self.single.iter().filter_map(|(known, role, spelling)| {
            said.cost(self, spelling, false).map(|cost| (*role, known.as_str(), cost))
        });
        near.collect()
    }

    /// Whether a word is of the language of commands.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(word) || word.starts_with(|next: char| next.is_ascii_digit())
    }

    /// Whether it is an article or the like.
    pub(super) fn is_small(&self, word: &str) -> bool {
        let phrases = self.phrases.get(word).map(Vec::as_slice).unwrap_or_default();
        phrases.iter().any(|(words, role)| words.len() == 1 && SMALL.contains(&role.group))
    }

    /// A verb with a pronoun at its end: the verb, and whether the pronoun means a thing.
    pub(super) fn enclitic<'w>(&self, word: &'w str) -> Vec<(&'w str, bool)> {
        let ends = self.enclitics.iter().filter_map(|(ending, is_pronoun)| {
            word.strip_suffix(ending.as_str()).filter(|verb| verb.len() > 2).map(|verb| (verb, *is_pronoun))
        });
        ends.collect()
    }

    /// Whether the text has a word that changes whether or when something is done.
    pub(super) fn has_veto(&self, tokens: &[FrameToken]) -> bool {
        self.has_veto_of(tokens, 1)
    }

    /// The same for phrases: their single words may be harmless, as in "por qué".
    pub(super) fn has_veto_phrase(&self, tokens: &[FrameToken]) -> bool {
        self.has_veto_of(tokens, 2)
    }

    fn has_veto_of(&self, tokens: &[FrameToken], shortest: usize) -> bool {
        let mut at = 0;
        while at < tokens.len() {
            let rest = &tokens[at..];
            // "If you don't mind" is not a condition, nor is "tell me whether". What is paused may
            // be paused for a moment; no other action combines with that.
            let is_harmless = |role: &Role| {
                matches!(role.group, "filler" | "polite" | "please" | "asked") || shortest > 1 && role.name == "moment"
            };
            let fillers = self.phrases(rest).into_iter().filter(|(_, role)| is_harmless(role));
            let filler = fillers.map(|(length, _)| length).max().unwrap_or(0);
            if filler > 1 {
                at += filler;
                continue;
            }
            if self.vetoes.iter().any(|phrase| phrase.len() >= shortest && starts_with(rest, phrase)) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Whether a question is a request.
    pub(super) fn is_polite(&self, tokens: &[FrameToken]) -> bool {
        has_one(&self.polite, tokens)
    }

    /// Whether a message negates, asks, or is about another time.
    pub fn vetoes(&self, text: &str) -> bool {
        self.has_veto(&words(text))
    }

    /// Whether a message has polite words, so that a question mark does not make it a question.
    pub fn asks_politely(&self, text: &str) -> bool {
        self.is_polite(&words(text))
    }

    /// Those of these languages that most words of a text are of.
    pub fn most_familiar(lexicons: Vec<&'static Self>, text: &str) -> Vec<&'static Self> {
        let tokens = words(text);
        let familiar_words = |it: &Self| {
            let is_familiar = |token: &&FrameToken| it.known.contains(&token.word) || it.reasons.knows(&token.word);
            tokens.iter().filter(is_familiar).count()
        };
        let counts: Vec<usize> = lexicons.iter().map(|it| familiar_words(it)).collect();
        let most = counts.iter().max().copied().unwrap_or(0);
        lexicons.into_iter().zip(counts).filter(|(_, count)| *count == most).map(|(it, _)| it).collect()
    }

    /// Whether a text says nothing but small words: what is left of "the lamp, please" without its
    /// name.
    pub fn says_nothing(&self, text: &str) -> bool {
        let tokens = words(text);
        let is_nothing = |token: &FrameToken| {
            let phrases = self.phrases(std::slice::from_ref(token));
            let is = |groups: &[&str]| phrases.iter().any(|(_, role)| groups.contains(&role.group));
            is(&["article", "of", "in", "to", "filler", "please", "polite"]) && !is(&["act", "verb", "part"])
        };
        tokens.iter().all(is_nothing)
    }

    /// Whether the last word of a text is a small one.
    pub fn ends_with_filler(&self, text: &str) -> bool {
        let tokens = words(text);
        tokens.last().is_some_and(|last| {
            let phrases = self.phrases(std::slice::from_ref(last));
            phrases.iter().any(|(_, role)| role.group == "filler")
        })
    }

    /// A text without the small words at its ends; unchanged if it has no others.
    pub fn without_fillers(&self, text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_filler = |word: &&str| {
            let tokens = self.tokens(word);
            let phrases = self.phrases(&tokens);
            tokens.len() == 1 && phrases.iter().any(|(_, role)| matches!(role.group, "filler" | "please" | "polite"))
        };
        let front = words.iter().take_while(|word| is_filler(word)).count();
        let back = words.iter().rev().take_while(|word| is_filler(word)).count();
        if front + back >= words.len() {
            return text.to_owned();
        }
        match words.get(front..words.len() - back).unwrap_or_default() {
            // "The milk" is milk; "a dozen lemons" is a dozen.
            [article, item] if self.is_small(&fold(article)) => (*item).to_owned(),
            kept => kept.join(" "),
        }
    }

    /// Whether a text has a word of the home, or nearly one: it is then not the title of a song.
    pub fn mentions_home(&'static self, vocabulary: &crate::Vocabulary, text: &str) -> bool {
        let names = vocabulary.names(self);
        let tokens = words(text);
        let is_kind = |role: &Role| matches!(role.group, "kind" | "property" | "unit");
        let is_word = |at: usize, token: &FrameToken| {
            let word = token.word.as_str();
            let phrases = self.phrases(&tokens[at..]);
            phrases.iter().any(|(_, role)| is_kind(role) && role.name != "media")
                || word.len() > 3 && (names.knows(word) || !self.knows(word) && names.nearly_knows(self, word))
                || !self.knows(word) && self.near(word).iter().any(|(role, ..)| is_kind(role))
        };
        // "Play is important" is about play.
        let is_statement = tokens.first().is_some_and(|first| {
            let phrases = self.phrases(std::slice::from_ref(first));
            phrases.iter().any(|(_, role)| role.group == "question" && role.name == "is")
        });
        is_statement || tokens.iter().enumerate().any(|(at, token)| is_word(at, token))
    }

    /// What a message says besides small words and words of continuation: the item in "and butter
    /// too". `None` if it does not continue anything, or has a word that matters.
    pub fn continued_item(&self, text: &str) -> Option<String> {
        let tokens = words(text);
        if self.has_veto(&tokens) || text.trim_end().ends_with('?') {
            return None;
        }
        let (mut kept, mut continues, mut at) = (Vec::new(), false, 0);
        while let Some(token) = tokens.get(at) {
            let phrases = self.phrases(&tokens[at..]);
            let is = |groups: &[&str]| {
                let fits = phrases.iter().filter(|(_, role)| groups.contains(&role.group));
                fits.map(|(length, _)| *length).max()
            };
            if let Some(length) = is(&["and", "too"]) {
                continues = true;
                at += length;
            } else if let Some(length) = is(&["article", "filler", "polite", "please", "partitive"]) {
                at += length;
            } else if phrases.iter().any(|(_, role)| CORRECTED.contains(&role.group) || role.group == "question") {
                return None;
            } else {
                kept.push(token.said.clone());
                at += 1;
            }
        }
        (continues && (1..=4).contains(&kept.len())).then(|| kept.join(" "))
    }

    /// A text by its sound.
    pub(super) fn sound(&self, text: &str) -> String {
        let mut sound = text.to_owned();
        for (from, to) in &self.sounds {
            sound = match from.strip_suffix('$') {
                Some(ending) => {
                    sound.strip_suffix(ending).map_or_else(|| sound.clone(), |start| format!("{start}{to}"))
                }
                None => sound.replace(from.as_str(), to),
            };
        }
        let mut last = None;
        sound.chars().filter(|&next| last.replace(next) != Some(next)).collect()
    }
}

fn has_one(phrases: &[Vec<String>], tokens: &[FrameToken]) -> bool {
    (0..tokens.len()).any(|at| phrases.iter().any(|phrase| starts_with(&tokens[at..], phrase)))
}

fn starts_with(tokens: &[FrameToken], phrase: &[String]) -> bool {
    tokens.len() >= phrase.len() && phrase.iter().zip(tokens).all(|(word, token)| *word == token.word)
}

/// `close ab = lock`.
fn rule_of(rule: &str) -> Option<[String; 3]> {
    let (pair, result) = rule.split_once('=')?;
    let (one, other) = pair.trim().split_once(' ')?;
    Some([one, other, result].map(|role| role.trim().to_owned()))
}

fn numbers_of(language: &str) -> FxHashMap<Vec<String>, f64> {
    let mut known = FxHashMap::default();
    for number in 0..=WORDS_TO {
        for text in numbers::in_words(language, number) {
            known.entry(split(&text)).or_insert(f64::from(number));
        }
        for text in numbers::half_in_words(language, number) {
            known.entry(split(&text)).or_insert(f64::from(number) + 0.5);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lexicon_is_read_whole() {
        for language in LANGUAGES {
            let path = format!("{}/sentences/{language}/lexicon.toml", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            let parsed: Result<LexiconSource, _> = toml::from_str(&text);
            assert!(parsed.is_ok(), "{language}: {parsed:?}");
            let lexicon = Lexicon::of(language).unwrap();
            assert!(lexicon.single.len() > 50, "{language}");
            for rule in parsed.unwrap().combine {
                assert!(rule_of(&rule).is_some(), "{language}: {rule}");
            }
        }
    }

    #[test]
    fn numbers_have_words() {
        let german = Lexicon::of("de-AT").unwrap();
        assert_eq!(german.number(&words("zweiundzwanzig grad")), Some((1, 22.0)));
        let english = Lexicon::of("en").unwrap();
        assert_eq!(english.number(&words("twenty five percent")), Some((2, 25.0)));
        assert_eq!(english.number(&words("nineteen and a half degrees")), Some((4, 19.5)));
        assert_eq!(english.number(&words("20.5 degrees")), Some((1, 20.5)));
    }
}
