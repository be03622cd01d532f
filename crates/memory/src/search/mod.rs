//! Search by words and by embedding within one owner's scope, with every part of the score.
//!
//! A [`DocumentIndex`] holds the documents of one owner only, so a query cannot reach those of
//! another. It is exact and in RAM: BM25 for words ([`lexical`]), comparison with every vector for
//! embeddings ([`vector`]), both for the document itself, for the turn with its neighbours, and for
//! the whole memory. [`relevance`] fuses them into one number. [`ranking`] adds the rest: age, the
//! conversation it is from, whether it still holds, and the people, things and times that the query
//! names.

mod aliases;
mod answer_kind;
mod asking;
mod centering;
mod document;
mod filter;
mod index;
mod irregular;
mod lexical;
mod prepared;
mod question;
mod ranking;
mod recipe;
mod related;
mod relevance;
mod slot_profile;
mod stored_words;
mod temporal;
mod term_key;
mod terms;
mod texts;
mod vector;
mod vector_table;

pub use document::{Document, Hit, Query, StoredDocument, UnembeddedText};
pub use index::DocumentIndex;
pub use prepared::PreparedDocuments;
pub use recipe::Recipe;
pub use stored_words::STORED_WORDS;
pub use terms::stems;

#[cfg(test)]
mod tests;
