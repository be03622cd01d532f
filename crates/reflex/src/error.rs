//! Errors and warnings of grammars.

use crate::template::TemplateError;

/// Why a grammar cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    /// The file does not have the expected structure.
    #[error("this is not a file of sentences: {0}; load a language file of the package home-assistant-intents")]
    Json(#[from] serde_json::Error),
    /// The built-in sentences cannot be parsed.
    #[error("the built-in sentences cannot be read: {0}; this is a bug, please report it")]
    BuiltIn(#[from] toml::de::Error),
    /// None of its sentences can be used.
    #[error("none of its sentences can be used; the first: {0}")]
    Unusable(Box<GrammarWarning>),
    /// It has no sentences.
    #[error("there are no sentences in it")]
    Empty,
}

/// A part of a grammar that is skipped because it is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: \"{template}\": {problem}")]
pub struct GrammarWarning {
    /// The intent, list or rule that contains it.
    pub place: String,
    /// The template.
    pub template: String,
    /// What is wrong with it.
    pub problem: GrammarProblem,
}

/// What is wrong with a sentence, a rule or a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrammarProblem {
    /// The template cannot be parsed.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A rule does not exist.
    #[error("there is no expansion rule <{0}>")]
    MissingRule(String),
    /// A rule refers to itself.
    #[error("the expansion rule <{0}> uses itself")]
    EndlessRule(String),
    /// The expansion is too large.
    #[error("it expands to too many texts: split it into several sentences")]
    TooLarge,
    /// Too many items in a permutation.
    #[error("{0} items in any order are too many: at most {1}")]
    TooManyOrders(usize, usize),
    /// It matches an empty text.
    #[error("it would match without a single word")]
    Wordless,
    /// A list value contains a list.
    #[error("a value of a list cannot hold another list, {{{0}}}")]
    NestedList(String),
    /// A range is empty.
    #[error("the range from {0} to {1} in steps of {2} contains no number")]
    EmptyRange(String, String, String),
    /// A list has no values.
    #[error("the list has neither values nor a range, and is not a wildcard")]
    UnknownList,
}
