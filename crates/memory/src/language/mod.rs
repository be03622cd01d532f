//! A message as words, and phrases over words: what every rule that reads a message stands on.

pub mod calendar;
pub mod orders;
pub mod pattern;
pub mod words;
