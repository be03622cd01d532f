//! Long-term memory: what is stored, how it is searched, and how it is corrected and forgotten.
//!
//! [`tape`] is the part of a conversation that a prompt contains: messages with exact token counts
//! and a context window over them.
//! [`language`] is the tokenizer. [`statements`] extracts lasting statements from what people write
//! and decides which of two contradicting ones holds. The crate `embedding` turns texts into
//! vectors; [`search`] finds items by words and by embedding within one owner's scope and explains
//! every score.
//! [`long_term`] is the store itself: vaults, memories, entries, context documents, facts, the
//! profile. [`agent`] keeps it up to date by reading conversations, from this server or from
//! another program. [`extraction`] checks what a language model reads off messages, where there is
//! one. [`graph`] joins facts to people, places and things. [`exchange`] exports and imports
//! memory. Writing and searching need no language model.

pub use embedding;

pub mod agent;
pub mod exchange;
pub mod extraction;
pub mod graph;
pub mod language;
pub mod long_term;
pub mod search;
pub mod statements;
pub mod summary;
pub mod tape;
