//! Finding by words and by meaning within one owner's scope, with every part of the score.
//!
//! An [`Index`] holds one owner's documents and nobody else's, so no question can reach beyond its owner. It is exact and in
//! memory: words by BM25 ([`lexical`]), meaning by comparing with every vector ([`vector`]), both for the document itself, for
//! the turn with its neighbours, and for the whole memory. [`relevance`] makes one number of them, [`ranking`] adds what else
//! counts: how long ago it was, where it was said, whether it still holds, which people, things and times the question names.

mod document;
mod index;
mod lexical;
mod question;
mod ranking;
mod recipe;
mod relevance;
mod texts;
mod vector;
mod when;
mod words;

pub use document::{Document, Hit, Query, Wanted};
pub use index::Index;
pub use recipe::Recipe;
pub use words::stems;

#[cfg(test)]
mod tests;
