//! The grammar of one language: loaded once, read many times.

mod built_in;
mod english;
mod load;
mod read;

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::Value;

use crate::automaton::Automaton;
use crate::automaton::states::StateCache;
use crate::context::{ContextRules, IntentContext};
use crate::error::{GrammarError, GrammarWarning};
use crate::fuzzy::KnownWords;
use crate::lists::SlotLists;
use crate::recognized_intent::RecognizedIntent;
use crate::skip::SkipWords;
use crate::vocabulary::Vocabulary;

/// The longest text that is read, in characters. Spoken commands are shorter.
pub const LONGEST: usize = 500;

/// The sentences of a language, compiled for matching.
#[derive(Debug)]
pub struct Grammar {
    language: String,
    intents: Vec<String>,
    warnings: Vec<GrammarWarning>,
    blocks: Vec<Block>,
    sentences: Vec<Sentence>,
    automaton: Automaton,
    lists: SlotLists,
    skip_words: SkipWords,
    is_unspaced: bool,
    /// The cache of automaton states; it can be rebuilt at any time.
    states: Mutex<StateCache>,
    /// The words of all sentences and lists, computed on first use.
    known: OnceLock<KnownWords>,
}

/// Sentences with the same meaning.
#[derive(Debug)]
struct Block {
    intent: usize,
    slots: BTreeMap<String, Value>,
    response: Option<String>,
    metadata: BTreeMap<String, Value>,
    demands: ContextRules,
    /// One of these words has to occur in the text.
    keywords: Option<Vec<String>>,
}

#[derive(Debug)]
struct Sentence {
    block: usize,
    template: String,
    placement: Placement,
}

/// The position of a wildcard in a sentence. Skip words next to it are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// No wildcard, or one in the middle.
    Inner,
    First,
    Last,
    Whole,
}

impl Grammar {
    /// Loads a language: a file of the package `home-assistant-intents`, or another in that format.
    ///
    /// Invalid sentences are skipped and reported in [`Grammar::warnings`].
    pub fn load(json: &str) -> Result<Self, GrammarError> {
        load::load(json)
    }

    /// The built-in English sentences, which need no file.
    pub fn english() -> Result<Self, GrammarError> {
        load::of_parts(vec![english::part()?])
    }

    /// Loads a language with sections of further sentences, which may use the lists and expansion
    /// rules of the language. Without a file, a language has its built-in sentences, if any.
    pub fn load_with(file: Option<&str>, language: &str, further: Vec<Value>) -> Result<Self, GrammarError> {
        load::with_further(file, language, further)
    }

    /// Whether a value has the structure of a section of sentences.
    pub fn check_section(section: &Value) -> Result<(), GrammarError> {
        load::section(section.clone()).map(drop)
    }

    /// Whether a language has built-in sentences.
    pub fn is_built_in(language: &str) -> bool {
        built_in::part(language).is_some()
    }

    /// The language's code, such as `en`.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The intents of this language, sorted.
    pub fn intents(&self) -> impl Iterator<Item = &str> {
        self.intents.iter().map(String::as_str)
    }

    /// The parts that were skipped.
    pub fn warnings(&self) -> &[GrammarWarning] {
        &self.warnings
    }

    /// The number of sentence templates.
    pub fn templates(&self) -> usize {
        self.sentences.len()
    }

    /// The words of all sentences and lists.
    pub(crate) fn known(&self) -> &KnownWords {
        self.known.get_or_init(|| {
            let mut known = KnownWords::of_automaton(&self.automaton);
            self.lists.texts.words(|word| known.add(word));
            self.lists.numbers.words(|word| known.add(word));
            self.skip_words.words(|word| known.add(word));
            known
        })
    }

    /// Whether the language does not separate words by spaces.
    pub(crate) const fn is_unspaced(&self) -> bool {
        self.is_unspaced
    }

    /// The meaning of a text, if it matches a sentence.
    pub fn read(
        &self,
        vocabulary: &Vocabulary,
        text: &str,
        intent_context: &IntentContext,
    ) -> Option<RecognizedIntent> {
        self.read_all(vocabulary, text, intent_context).into_iter().next()
    }

    /// All meanings of a text, the most likely first.
    pub fn read_all(
        &self,
        vocabulary: &Vocabulary,
        text: &str,
        intent_context: &IntentContext,
    ) -> Vec<RecognizedIntent> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.make_room();
        read::read(self, &mut states, vocabulary, text, intent_context)
    }
}
