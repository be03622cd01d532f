//! The language of sentence templates: how one is written, and what it says.

mod parser;

pub(crate) use parser::parse;

/// A part of a template. Whitespace stays where it was written, because it decides where words may be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Words or pieces of words, with single spaces.
    Text(String),
    /// One after the other.
    Sequence(Vec<Part>),
    /// One of them.
    Either(Vec<Part>),
    /// All of them in any order.
    AnyOrder(Vec<Part>),
    /// A value of a list: `{list}`, `{list:slot}` or `{list:@capture}`.
    List(ListPart),
    /// An expansion rule: `<rule>`.
    Rule(String),
}

/// Which list is meant, and where its value goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListPart {
    pub list: String,
    pub slot: String,
    /// The value is for the answer's text only and fills no slot.
    pub is_capture: bool,
}

impl Part {
    /// What matches without any words.
    pub(crate) const fn nothing() -> Self {
        Self::Text(String::new())
    }
}

/// Why a template cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A bracket is never closed.
    #[error("`{0}` is never closed: add the closing bracket, or write `\\{0}` for the character itself")]
    Unclosed(char),
    /// A bracket closes nothing.
    #[error("`{0}` closes nothing: remove it, or write `\\{0}` for the character itself")]
    Unopened(char),
    /// `{}` or `<>`.
    #[error("a list or a rule has no name: write it between the brackets")]
    Nameless,
    /// Brackets within brackets without end.
    #[error("it is nested more than {0} deep: move inner parts into expansion rules")]
    TooDeep(usize),
    /// Nothing in it.
    #[error("it is empty")]
    Empty,
}
