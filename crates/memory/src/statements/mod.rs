//! Extracts lasting statements from what people write, and decides which of two holds.
//!
//! [`statements`] reads a message of the user: sentences are split into clauses (`clause`), and
//! each clause goes through the rules for what ended (`endings`), what changed (`changes`), who the
//! user is (`rules`), what they do (`habits`) and have (`possessions`), and what is theirs
//! (`things`). [`touched`] notices what a message says about known facts without stating them anew.
//! The words that these rules look for are in `languages/rules/en.toml`. Other languages than
//! English are read by the patterns of their files (`patterns`). [`gate`] says whether anything of
//! a message may be extracted, and why not. [`reconcile`] compares a statement with what is known.
//! [`duplicates`] finds repetitions and contradictions among stored items. Everything is a pure
//! function: no model, no clock, no I/O.

mod changes;
mod clause;
mod doubts;
mod draft;
pub mod duplicates;
mod endings;
mod extract;
mod gate;
mod habits;
mod key;
mod lists;
mod patterns;
mod possessions;
pub mod profile;
mod reconcile;
mod rules;
#[cfg(test)]
mod tests;
mod things;
mod value;

pub use doubts::{
    Comparison, KnownFact, Likeness, PreparedText, SpokenMessage, Touch, TouchedFact, aliases, asks_whether_still,
    is_about, subject, topics_in, touched, words_of,
};
pub use duplicates::{TextFingerprint, contradicts, fingerprint, is_near_duplicate};
pub use gate::{ClosedReason, GateDecision, OpenReason, gate};
pub use key::{Cardinality, cardinality, level, normal_key, same_key};
pub use reconcile::{Reconciliation, key_for, reconcile};

use protocol::Level;

/// Bytes of a message that are read.
const LOOKED_AT_MAX: usize = 4096;

/// More words than this are pasted text, whose "I" is not the user.
const WORDS_MAX: usize = 400;

/// How many statements one message can make.
const STATEMENTS_MAX: usize = 16;

/// How something is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// Something is so: "my 5k time is 27:12".
    Attribute,
    /// The user does something: "I work at Siemens".
    Activity,
    /// The user has something: "I have two cats".
    Possession,
    /// How the user wants to be treated: "from now on answer in German".
    Wish,
    /// What the user asked to be remembered, in their words.
    Note,
    /// Something is over: "I sold my car". The value says what, where the key alone does not.
    Ending,
}

/// A lasting statement of the user.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it is about, as in `5k time`.
    pub key: String,
    /// The value stated for it.
    pub value: String,
    /// The sentence, word for word.
    pub text: String,
    /// How surely it was understood, 0 to 1.
    pub confidence: f32,
    /// Whether it is about the person (`profile`) or not (`fact`).
    pub level: Level,
    /// How it is stated.
    pub kind: StatementKind,
    /// Whether the words say that something changed.
    pub is_update: bool,
    /// The value that no longer holds, if the words name it: "from Vim to Helix".
    pub replaces: Option<String>,
}

/// The lasting statements of the user in a message, in its order.
pub fn statements(message: &str) -> Vec<Statement> {
    extract::read(message).statements
}
