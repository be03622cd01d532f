//! What is remembered, how it is found again, and how it is corrected and forgotten.
//!
//! [`tape`] is what a turn is told of its own conversation: messages with exact token counts and a window over them.
//! [`language`] cuts a message into words, [`statements`] reads lasting statements off what people say, and decides which of two holds. `embedding` says what a
//! text means as numbers, [`search`] finds by words and by meaning within one owner's scope and explains every score.
//! [`room`] is the long-term store itself: vaults, memories, entries, context documents, facts, the profile. [`agent`] keeps
//! it up to date by reading conversations, here or from elsewhere. [`exchange`] takes memory out and in. Nothing here needs a language model to write or to find.

pub use embedding;

pub mod agent;
pub mod exchange;
pub mod language;
pub mod room;
pub mod search;
pub mod statements;
pub mod summary;
pub mod tape;
