//! The tokenizer, patterns over words, and the words of each language: the basis of every rule that
//! reads a message.

pub mod calendar;
pub mod imperatives;
pub mod instructions;
pub mod lexicon;
pub mod pattern;
mod phrases;
pub mod requests;
pub(crate) mod rule_words;
pub mod words;
