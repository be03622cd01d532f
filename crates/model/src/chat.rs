//! What goes to a model and what comes back, whichever provider it is.

use async_trait::async_trait;
use futures::stream::BoxStream;
use protocol::{ModelSettings, Timestamp, Usage};
use serde_json::Value;

use crate::{Error, ToolSpec, Unsupported};

/// A picture that goes with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its kind, as in `image/png`.
    pub media_type: String,
    /// Its bytes in base64.
    pub data: String,
}

/// A tool call that a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The provider's id for it, given back with the result. Unique within the answer.
    pub id: String,
    /// The tool's name, as the model wrote it: it may name no tool at all.
    pub tool: String,
    /// The arguments; text that is no JSON is kept as a string, so that whoever reads it can say what is wrong with it.
    pub arguments: Value,
    /// What the provider wants to see again with the call, unread.
    pub signatures: Vec<String>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The user's.
    User {
        /// The words.
        text: String,
        /// The pictures.
        images: Vec<Image>,
        /// What the house says beside the words for this turn only: what it remembers, and what time it is. It follows
        /// the words as a paragraph of its own, and is not among the words when they are told again later: so that all
        /// before it stays the same from turn to turn.
        notes: String,
    },
    /// The model's own, from before.
    Assistant {
        /// The words; empty where it only called tools.
        text: String,
        /// The calls, each of which has its result among the messages that follow.
        calls: Vec<Call>,
    },
    /// What a tool answered.
    Result {
        /// The call's id.
        call_id: String,
        /// The tool's name.
        tool: String,
        /// The answer.
        text: String,
    },
}

impl Message {
    /// Plain words of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), images: Vec::new(), notes: String::new() }
    }
}

/// The level of what the message itself has stated and is kept from now on.
pub const NOTED: &str = "noted";

/// Something that is known from before, beside the messages. System text and notes have it in words; whoever cannot read words
/// finds it here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What kind of knowledge: a level of memory by its name, or `said` for the user's words in this conversation.
    pub level: String,
    /// The name under which it is kept.
    pub key: Option<String>,
    /// What is known.
    pub text: String,
    /// When it was said, or since when it holds.
    pub at: Timestamp,
    /// Until when it held; none means that it still holds as far as is known.
    pub until: Option<Timestamp>,
}

/// Whether a model has to call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// As it likes.
    #[default]
    Free,
    /// One of those it is shown.
    Some,
    /// This one.
    Tool(String),
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Instructions.
    pub system: String,
    /// The conversation, what is to be answered last.
    pub messages: Vec<Message>,
    /// Tools it may call; none means that it may call none.
    pub tools: Vec<ToolSpec>,
    /// Whether it has to call one.
    pub choice: Choice,
    /// What is known from before.
    pub known: Vec<Known>,
    /// The present moment.
    pub now: Timestamp,
    /// The longest answer that the turn's budget has room for.
    pub output_tokens_max: Option<u64>,
    /// How it is asked.
    pub settings: ModelSettings,
}

/// Why an answer is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It is whole, or waits for the results of its calls.
    Complete,
    /// It reached the longest answer allowed.
    Length,
    /// The provider held the rest back.
    Filtered,
    /// The model declined to answer.
    Refused,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// More of the model's reasoning.
    Thinking(String),
    /// More text.
    Text(String),
    /// A tool call, whole.
    Call(Call),
    /// The answer is over; nothing follows.
    End {
        /// What it took, where the provider counted.
        usage: Option<Usage>,
        /// Why.
        stop: Stop,
    },
}

/// An answer on its way. Dropping it cancels the call.
pub type Chunks = BoxStream<'static, Result<Chunk, Error>>;

/// What tokens cost, in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Sent.
    pub input: u64,
    /// Received.
    pub output: u64,
    /// Sent, and found in the provider's cache.
    pub cached: u64,
    /// Sent, and put into the provider's cache.
    pub cache_write: u64,
}

/// What is known about a model beside its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// Tokens that question and answer may have together.
    pub context_tokens_max: u64,
    /// Tokens that one answer may have, where that is known.
    pub output_tokens_max: Option<u64>,
    /// What it costs, where that is known; a model of one's own costs nothing.
    pub price: Option<Price>,
    /// Whether it understands language; the offline model does not.
    pub understands: bool,
    /// Whether it sees pictures.
    pub sees: bool,
    /// Whether it calls tools.
    pub calls_tools: bool,
    /// Whether it reasons before it answers.
    pub thinks: bool,
}

impl Traits {
    /// A model that understands language and calls tools, of which nothing else is known.
    pub const fn of_context(context_tokens_max: u64) -> Self {
        Self {
            context_tokens_max,
            output_tokens_max: None,
            price: None,
            understands: true,
            sees: false,
            calls_tools: true,
            thinks: false,
        }
    }
}

/// Something that answers.
#[async_trait]
pub trait Model: Send + Sync + 'static {
    /// Its whole name, `provider/model`.
    fn name(&self) -> &str;

    /// What is known about it.
    fn traits(&self) -> Traits;

    /// Whether it can be made to call a tool.
    fn takes_choice(&self) -> bool {
        false
    }

    /// What of the settings it cannot do; all that is not named here it does, or leaves to whoever asks.
    fn unsupported(&self, _: &ModelSettings) -> Vec<Unsupported> {
        Vec::new()
    }

    /// Refuses settings that it cannot do, the first of them by its name.
    fn check(&self, settings: &ModelSettings) -> Result<(), Error> {
        let first = self.unsupported(settings).into_iter().next();
        first.map_or(Ok(()), |unsupported| Err(unsupported.into_error(self.name())))
    }

    /// Starts an answer.
    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error>;

    /// Opens a connection, so that the first answer need not pay for it. Failing is no error: the answer will tell.
    async fn warm(&self) {}
}
