//! Extraction of facts by a language model.
//!
//! The model gets new messages of the user and the facts that may be concerned ([`material`]), and
//! answers with operations in a JSON Schema ([`operation`]). Nothing of the answer is believed:
//! [`check`] refuses every operation whose words are not in the message that it names. What passes
//! is applied by [`crate::long_term`], in one write with the follower's progress. The rules of
//! [`crate::statements`] work without a model, and decide which messages are sent to one.

pub mod check;
pub mod extractor;
pub mod material;
pub mod operation;
mod stated;
#[cfg(test)]
mod tests;
mod words;

pub use check::{CheckedOperation, RefusalReason};
pub use extractor::{ExtractionFailure, ExtractionResult, extract};
pub use material::{ExtractionMaterial, ExtractionMessage, is_sent};
pub use operation::{Operation, OperationKind};
pub(crate) use words::{overlaps, same_words};

/// The rules for the model.
pub const EXTRACTION: &str = include_str!("../../prompts/extraction.md");
