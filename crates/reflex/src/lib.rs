//! Recognizes sentences without a language model.
//!
//! A [`Grammar`] is one language of Home Assistant's sentence templates, compiled once. A
//! [`Vocabulary`] holds the names of a home. [`Grammar::read`] returns the meaning of a sentence in
//! that home. The template language is that of the package `home-assistant-intents`: `template`
//! parses it, `automaton` executes it. A [`Lexicon`] reads commands word by word, in any order,
//! without templates. Nothing here acts, waits or sends requests.

mod automaton;
mod conditions;
mod context;
mod error;
mod frames;
mod fuzzy;
mod grammar;
mod lattice;
mod lists;
mod numbers;
mod recognized_intent;
mod sensitive;
mod skip;
mod source;
mod template;
mod text;
mod trie;
mod vocabulary;

pub use conditions::{ends_conditionally, has_condition};
pub use context::{ContextMap, IntentContext};
pub use error::{GrammarError, GrammarProblem, GrammarWarning};
pub use frames::{
    Action, Amount, FrameCommand, FrameQuestion, FrameReading, FrameTarget, LANGUAGES, Lexicon, QuestionKind,
};
pub use fuzzy::{Corrections, FuzzyResult};
pub use grammar::{Grammar, LONGEST};
pub use recognized_intent::{MatchScore, RecognizedIntent, SlotOrigin, SlotValue};
pub use sensitive::{ALWAYS_SENSITIVE, SensitiveRule, SensitiveTable};
pub use template::TemplateError;
pub use vocabulary::{NamedItem, SlotList, Vocabulary};
