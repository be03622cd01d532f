//! What is sent to a model and what it answers, independent of the provider.

use async_trait::async_trait;
use futures::stream::BoxStream;
use protocol::{ModelSettings, ResponseSchema, Timestamp, Usage};
use serde_json::Value;

use crate::{Error, ToolSpec, UnsupportedSetting};

/// A picture sent with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// Its bytes in base64.
    pub data: String,
}

/// A tool call requested by a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The provider's id for it, returned with the result. Unique within the answer.
    pub id: String,
    /// The tool's name, as the model wrote it: it may name no tool at all.
    pub tool: String,
    /// The arguments; text that is not JSON is kept as a string, so that its reader can report what
    /// is wrong with it.
    pub arguments: Value,
    /// Opaque data that the provider wants to get back with the call.
    pub signatures: Vec<String>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A message of the user.
    User {
        /// The text.
        text: String,
        /// The pictures.
        images: Vec<Image>,
        /// What Dwell adds for this turn only: recalled items and the time. The notes follow the
        /// text as a paragraph of their own and are left out in later turns, so that everything
        /// before them stays the same from turn to turn.
        notes: String,
    },
    /// An earlier answer of the model.
    Assistant {
        /// The text; empty where it only called tools.
        text: String,
        /// The calls, each of which has its result among the messages that follow.
        calls: Vec<Call>,
    },
    /// The result of a tool call.
    Result {
        /// The call's id.
        call_id: String,
        /// The tool's name.
        tool: String,
        /// The result.
        text: String,
    },
}

impl Message {
    /// A message of the user with text only.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), images: Vec::new(), notes: String::new() }
    }
}

/// The level of facts that were extracted from the current message and stored.
pub const NOTED: &str = "noted";

/// An item known from before. The system text and the notes contain it as prose; a model that does
/// not understand language, such as the offline model, finds it here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownItem {
    /// The level of memory by its name, or `said` for an earlier message of the user in this
    /// conversation.
    pub level: String,
    /// Its key, if it has one.
    pub key: Option<String>,
    /// Its text.
    pub text: String,
    /// When it was said, or since when it holds.
    pub at: Timestamp,
    /// Until when it held; none means that it still holds as far as is known.
    pub until: Option<Timestamp>,
    /// The role of its speaker; none if the user stated it.
    pub role: Option<String>,
    /// What was said later and may have ended it.
    pub doubt: Option<KnownDoubt>,
}

/// What was said later and may have ended something known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDoubt {
    /// What was said.
    pub text: String,
    /// When it was said.
    pub at: Timestamp,
}

/// Whether a model has to call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolRequirement {
    /// It may call tools or not.
    #[default]
    Free,
    /// It must call one of the tools it is shown.
    Some,
    /// It must call this tool.
    Tool(String),
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Instructions.
    pub system: String,
    /// The conversation; the message to answer comes last.
    pub messages: Vec<Message>,
    /// Tools it may call; empty means that it may call none.
    pub tools: Vec<ToolSpec>,
    /// Whether it has to call one.
    pub choice: ToolRequirement,
    /// What is known from before.
    pub known: Vec<KnownItem>,
    /// The current time.
    pub now: Timestamp,
    /// The longest answer that the turn's budget allows.
    pub output_tokens_max: Option<u64>,
    /// Sampling and reasoning settings.
    pub settings: ModelSettings,
    /// The schema of the answer; none means plain text.
    pub response_schema: Option<ResponseSchema>,
    /// Whether the session is temporary: nothing of it is kept after it ends. It is for the offline
    /// model, which does not read the instructions, and is not sent to providers.
    pub is_temporary: bool,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It is complete, or waits for the results of its calls.
    Complete,
    /// It reached the longest answer allowed.
    Length,
    /// The provider filtered the rest.
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
    /// A complete tool call.
    Call(Call),
    /// The answer is over; nothing follows.
    End {
        /// The tokens used, where the provider reported them.
        usage: Option<Usage>,
        /// Why it ended.
        stop: Stop,
    },
}

/// An answer as a stream. Dropping it cancels the call.
pub type Chunks = BoxStream<'static, Result<Chunk, Error>>;

/// What tokens cost, in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens read from the provider's cache.
    pub cached: u64,
    /// Input tokens written to the provider's cache.
    pub cache_write: u64,
}

/// What is known about a model beside its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// The context window: tokens of prompt and answer together.
    pub context_tokens_max: u64,
    /// Tokens that one answer may have, where known.
    pub output_tokens_max: Option<u64>,
    /// Its price, where known; a local model costs nothing.
    pub price: Option<Price>,
    /// Whether it understands language; the offline model does not.
    pub understands: bool,
    /// Whether it accepts pictures.
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

/// A language model.
#[async_trait]
pub trait Model: Send + Sync + 'static {
    /// Its full name, `provider/model`.
    fn name(&self) -> &str;

    /// What is known about it.
    fn traits(&self) -> Traits;

    /// Whether it can be forced to call a tool.
    fn takes_choice(&self) -> bool {
        false
    }

    /// Whether its provider takes the schema of an answer, beside tools or without them.
    fn takes_schema(&self, _: &ResponseSchema, _has_tools: bool) -> bool {
        false
    }

    /// The settings it does not support; it applies all others, or leaves them to the caller.
    fn unsupported(&self, _: &ModelSettings) -> Vec<UnsupportedSetting> {
        Vec::new()
    }

    /// Refuses unsupported settings; the error names the first of them.
    fn check(&self, settings: &ModelSettings) -> Result<(), Error> {
        let first = self.unsupported(settings).into_iter().next();
        first.map_or(Ok(()), |unsupported| Err(unsupported.into_error(self.name())))
    }

    /// Starts an answer.
    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error>;

    /// Opens a connection ahead of the first answer. A failure is ignored: the answer will report
    /// it.
    async fn warm(&self) {}
}
