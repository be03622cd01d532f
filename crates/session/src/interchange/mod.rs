//! Conversations as other programs know them: messages, rather than turns.
//!
//! [`Conversation::told`] reads messages off a session's events, `write` and `read` are the forms they take elsewhere, and
//! [`Conversation::into_events`] makes a session of them, as if it had all happened here. In between there is one form,
//! [`Message`]; what a form cannot say is left out of it, and nothing is made up.

mod content;
mod message;
mod read;
mod taking;
mod telling;
mod write;

pub use message::{About, Answered, Called, Conversation, Message, Role};
pub use read::read;
pub use taking::{Import, MESSAGES_MAX, TEXT_BYTES_MAX};
pub use write::write;

/// Why a conversation cannot be taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// There are no messages where they should be.
    #[error("{0}")]
    NoMessages(String),
    /// A message is wrong.
    #[error("messages[{index}]: {why}")]
    Message {
        /// Which, counted from 0.
        index: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl Unreadable {
    fn at(index: usize, why: impl Into<String>) -> Self {
        Self::Message { index, why: why.into() }
    }
}
