//! One language: loaded once, read many times.

mod english;
mod load;
mod read;

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::Value;

use crate::automaton::Automaton;
use crate::automaton::states::States;
use crate::context::{Circumstances, Demands};
use crate::error::{GrammarError, Warning};
use crate::forgiving::Known;
use crate::lists::Lists;
use crate::skip::SkipWords;
use crate::understood::Understood;
use crate::vocabulary::Vocabulary;

/// Characters of the longest text that is read; nobody says more in one breath.
pub const LONGEST: usize = 500;

/// The sentences of a language, ready to be recognised.
#[derive(Debug)]
pub struct Grammar {
    language: String,
    intents: Vec<String>,
    warnings: Vec<Warning>,
    blocks: Vec<Block>,
    sentences: Vec<Sentence>,
    automaton: Automaton,
    lists: Lists,
    skip_words: SkipWords,
    is_unspaced: bool,
    /// What reading has found out about the automaton so far; everything in it can be found again.
    states: Mutex<States>,
    /// The words of all sentences and lists, once they were asked for.
    known: OnceLock<Known>,
}

/// Sentences that mean the same.
#[derive(Debug)]
struct Block {
    intent: usize,
    slots: BTreeMap<String, Value>,
    response: Option<String>,
    metadata: BTreeMap<String, Value>,
    demands: Demands,
    /// One of these words has to be said.
    keywords: Option<Vec<String>>,
}

#[derive(Debug)]
struct Sentence {
    block: usize,
    template: String,
    placement: Placement,
}

/// Where in a sentence words of any kind stand: there, words that may be left out stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// Nowhere, or in between.
    Inner,
    First,
    Last,
    Whole,
}

impl Grammar {
    /// Loads a language: a file of the package `home-assistant-intents`, or another of that form.
    ///
    /// Sentences that cannot be used are left out and told in [`Grammar::warnings`].
    pub fn load(json: &str) -> Result<Self, GrammarError> {
        load::load(json)
    }

    /// The sentences of our own for English: they are built in, so that it works without any file.
    pub fn english() -> Result<Self, GrammarError> {
        load::of_parts(vec![english::part()?])
    }

    /// The language's code, such as `en`.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// What sentences of this language can want, sorted.
    pub fn intents(&self) -> impl Iterator<Item = &str> {
        self.intents.iter().map(String::as_str)
    }

    /// What had to be left out.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// How many sentence templates there are.
    pub fn templates(&self) -> usize {
        self.sentences.len()
    }

    /// The words of all sentences and lists.
    pub(crate) fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let mut known = Known::of_automaton(&self.automaton);
            self.lists.texts.words(|word| known.add(word));
            self.lists.numbers.words(|word| known.add(word));
            self.skip_words.words(|word| known.add(word));
            known
        })
    }

    /// Whether spaces mean nothing.
    pub(crate) const fn is_unspaced(&self) -> bool {
        self.is_unspaced
    }

    /// What a text means, if it is a sentence of this language.
    pub fn read(&self, vocabulary: &Vocabulary, text: &str, circumstances: &Circumstances) -> Option<Understood> {
        self.read_all(vocabulary, text, circumstances).into_iter().next()
    }

    /// All that a text can mean, the likeliest first.
    pub fn read_all(&self, vocabulary: &Vocabulary, text: &str, circumstances: &Circumstances) -> Vec<Understood> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.make_room();
        read::read(self, &mut states, vocabulary, text, circumstances)
    }
}
