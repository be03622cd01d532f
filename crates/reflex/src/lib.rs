//! Sentences that are understood without thinking.
//!
//! A [`Grammar`] is one language of Home Assistant's sentence templates, compiled once; a [`Vocabulary`] is what things are
//! called in a home; [`Grammar::read`] says what a sentence means in that home. The templates' language is that of the files
//! in the package `home-assistant-intents`; `template` reads it, `automaton` is what becomes of it. Nothing here acts, waits
//! or asks.

mod automaton;
mod context;
mod error;
mod forgiving;
mod grammar;
mod lattice;
mod lists;
mod numbers;
mod skip;
mod source;
mod template;
mod text;
mod trie;
mod understood;
mod vocabulary;

pub use context::{Circumstances, Context};
pub use error::{GrammarError, Problem, Warning};
pub use forgiving::{Forgiven, Forgiveness};
pub use grammar::{Grammar, LONGEST};
pub use template::TemplateError;
pub use understood::{Origin, Score, Slot, Understood};
pub use vocabulary::{List, Named, Vocabulary};
