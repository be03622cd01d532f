//! Reasons beside a command: "…, it's dark in here", from `sentences/LANGUAGE/reasons.toml`.
//!
//! A reason is a whole part of a sentence, between commas or dashes, that consists only of words of
//! a closed list. None of them negates, sets a condition or another time, or does something, so
//! that the command means the same with and without it.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::names::FrameNames;
use super::tokens::{FrameToken, words};

/// The words of a reason before its verb: "the people from the gas company are".
const MOST_BEFORE_VERB: usize = 6;
/// Longer reasons are left to a language model.
const MOST_WORDS: usize = 14;

/// The file of a language's reasons.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReasonsSource {
    /// The first word of a reason.
    pub starts: Vec<String>,
    /// What begins a reason without a comma: `denn`, `que`.
    #[serde(default)]
    pub joins: Vec<String>,
    /// What ends a reason without a comma: "it's dark so …".
    #[serde(default)]
    pub ends: Vec<String>,
    /// Verbs, one of which a reason has.
    pub verbs: Vec<String>,
    /// All other words and phrases.
    pub words: Vec<String>,
}

/// The words of a language's reasons.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    starts: FxHashSet<String>,
    joins: FxHashSet<String>,
    ends: FxHashSet<String>,
    verbs: FxHashSet<String>,
    phrases: FxHashMap<String, Vec<Vec<String>>>,
    known: FxHashSet<String>,
}

impl Reasons {
    pub(super) fn new(source: &ReasonsSource) -> Self {
        let set = |all: &[String]| all.iter().flat_map(|text| split(text)).collect();
        let mut it = Self {
            starts: set(&source.starts),
            joins: set(&source.joins),
            ends: set(&source.ends),
            verbs: set(&source.verbs),
            ..Self::default()
        };
        it.known.extend(it.starts.iter().cloned());
        for text in source.verbs.iter().chain(&source.words) {
            let phrase = split(text);
            let Some(first) = phrase.first().cloned() else { continue };
            it.known.extend(phrase.iter().cloned());
            it.phrases.entry(first).or_default().push(phrase);
        }
        for phrases in it.phrases.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        }
        it
    }

    /// Whether a word may stand in a reason.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// The end of the reason that begins here, if one does.
    pub(super) fn end(&self, names: &FrameNames, tokens: &[FrameToken], at: usize) -> Option<usize> {
        let is_joined = self.joins.contains(&tokens.get(at)?.word);
        let is_start = at.checked_sub(1).is_none_or(|before| tokens[before].pauses);
        if !is_start && !is_joined {
            return None;
        }
        let first = if is_joined { at + 1 } else { at };
        let to_pause = tokens[first..].iter().position(|token| token.pauses).map(|index| first + index + 1);
        let end = to_pause.unwrap_or(tokens.len());
        let before_link = tokens[first..end].iter().position(|token| self.ends.contains(&token.word));
        let ends = before_link.map(|index| first + index).into_iter().chain([end]);
        ends.rev().find(|&end| self.is_reason(names, tokens.get(first..end).unwrap_or_default()))
    }

    fn is_reason(&self, names: &FrameNames, tokens: &[FrameToken]) -> bool {
        let is_begun = tokens.first().is_some_and(|token| self.starts.contains(&token.word));
        let has_verb = tokens.iter().take(MOST_BEFORE_VERB).any(|token| self.verbs.contains(&token.word));
        let is_long = (2..=MOST_WORDS).contains(&tokens.len());
        is_begun && has_verb && is_long && self.covers(tokens) && !has_name(names, tokens)
    }

    /// Whether the words after the first one are in the list. The first one is looked up apart, so
    /// that "I need light" is no "I've got it".
    fn covers(&self, tokens: &[FrameToken]) -> bool {
        let mut at = 1;
        while let Some(token) = tokens.get(at) {
            let phrases = self.phrases.get(&token.word).map(Vec::as_slice).unwrap_or_default();
            let fits = |phrase: &&Vec<String>| {
                let rest = &tokens[at..];
                rest.len() >= phrase.len() && phrase.iter().zip(rest).all(|(word, token)| *word == token.word)
            };
            let Some(phrase) = phrases.iter().find(fits) else { return false };
            at += phrase.len();
        }
        true
    }
}

/// Whether something in the home is named: a reason is not about what is controlled.
fn has_name(names: &FrameNames, tokens: &[FrameToken]) -> bool {
    (0..tokens.len()).any(|from| {
        let mut letters = String::new();
        tokens[from..].iter().any(|token| {
            letters.push_str(&token.word);
            names.spelled(&letters).next().is_some()
        })
    })
}

fn split(phrase: &str) -> Vec<String> {
    words(phrase).into_iter().map(|token| token.word).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::{LANGUAGES, Lexicon};
    use super::*;

    fn source(language: &str) -> ReasonsSource {
        let path = format!("{}/sentences/{language}/reasons.toml", env!("CARGO_MANIFEST_DIR"));
        toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// A word that negates, asks, or sets a condition or a time would change the command.
    #[test]
    fn no_word_of_a_reason_changes_a_command() {
        for language in LANGUAGES {
            let source = source(language);
            let lexicon = Lexicon::of(language).unwrap();
            let all = source.starts.iter().chain(&source.verbs).chain(&source.words);
            let changing: Vec<&String> =
                all.filter(|text| lexicon.vetoes(text) || crate::has_condition(language, text)).collect();
            assert!(changing.is_empty(), "{language}: {changing:?}");
        }
    }

    #[test]
    fn a_reason_consists_of_its_words_alone() {
        let names = FrameNames::default();
        let is = |language: &str, text: &str| {
            let reasons = Reasons::new(&source(language));
            let tokens = words(text);
            reasons.end(&names, &tokens, 0) == Some(tokens.len())
        };
        for text in ["it's dark in here", "I'm freezing", "the plumber's here", "my in-laws are staying"] {
            assert!(is("en", text), "{text}");
        }
        for text in ["I'm kidding", "it's not dark", "I'm home tomorrow", "if it's dark", "the lamp is on", "dark"] {
            assert!(!is("en", text), "{text}");
        }
        assert!(is("de", "mir ist heiß"));
        assert!(!is("de", "mir ist nicht kalt"));
        assert!(is("fr", "j'arrive avec les courses"));
        assert!(is("it", "usciamo tutti"));
        assert!(is("es", "que entra mucho sol"));
        assert!(is("nl", "ik sta op de oprit"));
    }
}
