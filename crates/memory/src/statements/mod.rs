//! Reading lasting statements off what people say, and deciding which of two holds.
//!
//! [`statements`] reads a message of the user: sentences are cut into clauses (`clause`), each clause goes through the rules
//! of what ended (`endings`), what changed (`changes`), who somebody is (`rules`), what they do (`habits`) and have (`owning`)
//! and what is theirs (`things`). [`gate`] says whether anything of a message may be kept and why not. [`reconcile`] holds a statement
//! against what is known. [`duplicates`] tells repetitions and contradictions among what is kept. Everything is a function of
//! its arguments: no model, no clock, no I/O.

mod changes;
mod clause;
mod draft;
pub mod duplicates;
mod endings;
mod gate;
mod habits;
mod key;
mod lists;
mod owning;
pub mod profile;
mod reconcile;
mod rules;
mod sayings;
#[cfg(test)]
mod tests;
mod things;
mod value;

pub use duplicates::{Fingerprint, contradicts, fingerprint, is_near_duplicate};
pub use gate::{Closed, Gate, Open, gate};
pub use key::{Cardinality, cardinality, normal_key, same_key};
pub use reconcile::{Reconciled, key_for, reconcile};

use protocol::Level;

/// How much of a message is looked at, in bytes.
const LOOKED_AT_MAX: usize = 4096;

/// More words than this are pasted text, and their "I" is somebody else.
const WORDS_MAX: usize = 400;

/// How many statements one message can make.
const STATEMENTS_MAX: usize = 16;

/// How something is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something is so: "my 5k time is 27:12".
    Attribute,
    /// Somebody does something: "I work at Siemens".
    Activity,
    /// Somebody has something: "I have two cats".
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
    /// What is stated of that.
    pub value: String,
    /// The sentence, word for word.
    pub text: String,
    /// How surely it was understood, 0 to 1.
    pub confidence: f32,
    /// Whether it is about the person (`profile`) or not (`fact`).
    pub level: Level,
    /// How it is stated.
    pub kind: Kind,
    /// Whether the words say that something changed.
    pub is_update: bool,
    /// The value that no longer holds, if the words name it: "from Vim to Helix".
    pub replaces: Option<String>,
}

/// The lasting statements of the user in a message, in its order.
pub fn statements(message: &str) -> Vec<Statement> {
    sayings::read(message).statements
}
