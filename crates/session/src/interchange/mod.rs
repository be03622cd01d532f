//! Import and export of conversations as lists of messages, which is how other programs store them.
//!
//! [`Conversation::from_events`] builds messages from a session's events, `write` and `read`
//! convert them to and from the formats of other programs, and [`Conversation::into_events`] builds
//! a session from them, as if the conversation had taken place here. [`Message`] is the common
//! form. What a format cannot express is left out, and nothing is invented.

mod content;
mod export;
mod import;
mod message;
mod read;
mod write;

pub use import::{Import, MESSAGES_MAX, TEXT_BYTES_MAX};
pub use message::{AnsweredCall, Conversation, Message, MessageCall, MessageMeta, Role};
pub use read::read;
pub use write::write;

/// Why a conversation cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// There are no messages where they should be.
    #[error("{0}")]
    NoMessages(String),
    /// A message is invalid.
    #[error("messages[{index}]: {why}")]
    Message {
        /// Its index, counted from 0.
        index: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl ImportError {
    fn at(index: usize, why: impl Into<String>) -> Self {
        Self::Message { index, why: why.into() }
    }
}
