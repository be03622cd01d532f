//! The language of sentence templates: syntax tree and parser.

mod parser;

pub(crate) use parser::parse;

/// A part of a template. Whitespace is kept as written, because it decides where words may be
/// joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    /// Words or parts of words, with single spaces.
    Text(String),
    /// A sequence.
    Sequence(Vec<TemplatePart>),
    /// One of several alternatives.
    Either(Vec<TemplatePart>),
    /// A permutation: all of them in any order.
    AnyOrder(Vec<TemplatePart>),
    /// A value of a list: `{list}`, `{list:slot}` or `{list:@capture}`.
    List(ListPart),
    /// An expansion rule: `<rule>`.
    Rule(String),
}

/// A list, and the slot for its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListPart {
    pub list: String,
    pub slot: String,
    /// The value is for the answer only and fills no slot.
    pub is_capture: bool,
}

impl TemplatePart {
    /// A part that matches the empty text.
    pub(crate) const fn nothing() -> Self {
        Self::Text(String::new())
    }
}

/// Why a template cannot be parsed.
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
    /// Brackets are nested too deeply.
    #[error("it is nested more than {0} deep: move inner parts into expansion rules")]
    TooDeep(usize),
    /// The template is empty.
    #[error("it is empty")]
    Empty,
}
