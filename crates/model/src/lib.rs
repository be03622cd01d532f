//! Language models behind one narrow trait.
//!
//! A [`Model`] takes a [`Prompt`] and streams [`Chunk`]s, the last of which is [`Chunk::End`]; a stream that stops
//! without it is an error. Dropping the stream cancels the call. [`Models`] finds them by name. Errors are named after
//! what the caller can do next. What a provider's JSON looks like is known in `remote` and nowhere else.

mod chat;
mod error;
mod models;
mod price;
mod provider;
mod settings;
mod tokens;
mod tool_spec;
pub mod workers;

mod facts;
mod offline;
mod remote;
mod textual_tools;

pub use chat::{Call, Choice, Chunk, Chunks, Image, Known, Message, Model, NOTED, Price, Prompt, Stop, Traits};
pub use error::Error;
pub use facts::overrides::Overrides;
pub use models::Models;
pub use offline::Offline;
pub use provider::{Kind, Provider};
pub use remote::is_plain_reasoning;
pub use settings::{Setting, Unsupported, supported};
pub use tokens::{PromptTokens, count, count_message, count_notes, count_prompt};
pub use tool_spec::{ToolDescription, ToolSpec};
