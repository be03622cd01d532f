//! What can be wrong with a grammar.

use crate::template::TemplateError;

/// Why a grammar cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    /// It is not what such a file looks like.
    #[error("this is not a file of sentences: {0}; load a language file of the package home-assistant-intents")]
    Json(#[from] serde_json::Error),
    /// The built-in sentences cannot be read.
    #[error("the built-in sentences cannot be read: {0}; this is a fault of the program, so please report it")]
    BuiltIn(#[from] toml::de::Error),
    /// None of its sentences can be used.
    #[error("none of its sentences can be used; the first: {0}")]
    Unusable(Box<Warning>),
    /// It has no sentences.
    #[error("there are no sentences in it")]
    Empty,
}

/// A part of a grammar that is left out, because it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: \"{template}\": {problem}")]
pub struct Warning {
    /// The intent, list or rule it is in.
    pub place: String,
    /// What is written there.
    pub template: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a sentence, a rule or a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It cannot be read.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A rule that is not there.
    #[error("there is no expansion rule <{0}>")]
    MissingRule(String),
    /// A rule that uses itself.
    #[error("the expansion rule <{0}> uses itself")]
    EndlessRule(String),
    /// It stands for more than can be kept.
    #[error("it stands for too much: write it in several sentences")]
    TooLarge,
    /// Too many items in any order.
    #[error("{0} items in any order are too many: at most {1}")]
    TooManyOrders(usize, usize),
    /// It matches without a word.
    #[error("it would match without a single word")]
    Wordless,
    /// A list within the value of a list.
    #[error("a value of a list cannot hold another list, {{{0}}}")]
    NestedList(String),
    /// A range that holds nothing.
    #[error("the range from {0} to {1} in steps of {2} holds no number")]
    EmptyRange(String, String, String),
    /// A list without anything.
    #[error("the list has neither values nor a range, and is no wildcard")]
    UnknownList,
}
