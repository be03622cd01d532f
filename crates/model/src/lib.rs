//! Language models behind one narrow trait.
//!
//! A [`Model`] takes a [`Prompt`] and streams [`Chunk`]s, the last of which is [`Chunk::End`]; a stream that stops
//! without it is an error. Dropping the stream cancels the call. Errors are named after what the caller can do
//! next. What a provider's JSON looks like is known in the adapters of this room and nowhere else.

mod chat;
mod error;

mod openai;
mod unconfigured;

pub use chat::{Chunk, Chunks, Message, Model, Prompt, Role};
pub use error::Error;
pub use openai::{Endpoint, OpenAi};
pub use unconfigured::Unconfigured;
