//! Language models behind one narrow trait.
//!
//! A [`Model`] takes a [`Prompt`] and streams [`Chunk`]s, the last of which is [`Chunk::End`]; a
//! stream that stops without it is an error. Dropping the stream cancels the call. [`Models`] finds
//! models by name. Errors are named after what the caller can do next. Only `remote` knows the
//! providers' JSON.

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
mod remote;
mod structured;
mod textual_tools;

pub use chat::{
    Call, Chunk, Chunks, Image, KnownDoubt, KnownItem, Message, Model, NOTED, Price, Prompt, Stop, ToolRequirement,
    Traits,
};
pub use error::Error;
pub use facts::overrides::Overrides;
pub use models::{ModelChoice, Models};
pub use provider::{Provider, ProviderKind};
pub use remote::is_plain_reasoning;
pub use settings::{ModelSetting, UnsupportedSetting, supported};
pub use structured::AnswerSchema;
pub use tokens::{PromptTokens, count, count_message, count_notes, count_prompt};
pub use tool_spec::{ToolDescription, ToolSpec};
