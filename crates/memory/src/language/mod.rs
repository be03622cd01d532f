//! The tokenizer, and patterns over words: the basis of every rule that reads a message.

pub mod calendar;
pub mod imperatives;
pub mod pattern;
pub mod words;
