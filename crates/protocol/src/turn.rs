//! Parts of a turn: request, status, stages, response and error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    ArtifactId, ClientToolOffer, ModelSettings, MonitorId, Origin, PassageId, ScheduleId, ServedTool, StopReason, Tags,
    WindowRequest, command::PlannerHints,
};

/// Status of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Accepted, waiting for its agent.
    Pending,
    /// The agent works on it.
    Running,
    /// The first text has been sent.
    Streaming,
    /// It waits for an answer of a person or a client.
    Waiting,
    /// It was answered.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It exceeded its time.
    Expired,
    /// The server stopped while it ran. It can be resumed.
    Interrupted,
    /// It was paused. It continues once it is resumed.
    Paused,
}

impl TurnStatus {
    /// Whether the status can no longer change.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Expired)
    }

    /// Whether the turn continues by itself, so that waiting for it makes sense.
    pub const fn is_moving(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Streaming)
    }
}

/// Stages of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The message is received.
    Receive,
    /// The intent of the message is determined.
    Understand,
    /// The route and the tools are chosen.
    Plan,
    /// The model answers and calls tools.
    Execute,
    /// The answer is sent and stored.
    Complete,
}

/// The request of a turn. It is stored with the turn, so that the turn can be resumed and retried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The user's text.
    pub message: String,
    /// The model for this turn only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Settings for calls of the model in this turn.
    #[serde(default, skip_serializing_if = "ModelSettings::is_empty")]
    pub model_settings: ModelSettings,
    /// Whether the model may call tools. Default: true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub allow_tools: bool,
    /// Maximum number of rounds, within the session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Maximum duration in milliseconds. Default: the session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_ms: Option<u64>,
    /// Hints that steer how the turn is planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_hints: Option<PlannerHints>,
    /// The tools that the client runs itself, and the schema of the answer.
    #[serde(flatten)]
    pub offer: ClientToolOffer,
    /// The tools of the owner's tool workers when the message was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub served: Vec<ServedTool>,
    /// Images that belong to the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// `true` starts the turn with web research, `false` forbids to search the web. Default: the
    /// model decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_web_search: Option<bool>,
    /// Maximum size of the context in tokens. Default: depends on the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Tags of the message and of the answer. `important` messages leave the context last,
    /// `ephemeral` ones first.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Only earlier messages with one of these tags are part of the context. Default: all.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub context_tags: Tags,
    /// How long the client waits for the first text, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_wait_ms: Option<u64>,
    /// Whether it runs in the background: beside the conversation, with budgets of its own.
    #[serde(default, skip_serializing_if = "is_no")]
    pub background: bool,
    /// The monitor that the message belongs to. Default: `main`.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// The window that the request is about, if a window's agent runs the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowRequest>,
    /// Tool calls to run as they are, without a call of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<DirectCall>,
    /// Whether the request is trusted. It is untrusted if it was imported from a file, or if the
    /// client that sent it had read untrusted text. The channel decides this, never the message.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
    /// The channel through which the message arrived.
    #[serde(default, skip_serializing_if = "MessageChannel::is_token")]
    pub via: MessageChannel,
    /// Digests of calls that the owner approved when the schedule of this turn was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approved: Vec<String>,
    /// Whether the turn may only use tools that read: its message was sent with a token of the
    /// scope `talk`.
    #[serde(default, skip_serializing_if = "is_no")]
    pub reads_only: bool,
}

/// The channel through which a message arrived, as determined by the server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageChannel {
    /// A program that has the owner's token.
    #[default]
    Token,
    /// Dwell's own page. Its origin and its cookie prove that a person sent the message.
    Page,
    /// An MCP client, by the name it gives itself. Dwell records what it has read.
    Client(String),
    /// A schedule has run.
    Schedule(ScheduleId),
}

impl MessageChannel {
    /// Whether this is the default channel.
    pub const fn is_token(&self) -> bool {
        matches!(self, Self::Token)
    }
}

/// Trust in a message. It depends on the channel and never on the message itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageTrust {
    /// Whether the message is trusted.
    pub origin: Origin,
    /// The channel through which the message arrived.
    pub via: MessageChannel,
    /// Whether its turn may only use tools that read.
    pub reads_only: bool,
}

impl Default for MessageTrust {
    fn default() -> Self {
        Self { origin: Origin::Trusted, via: MessageChannel::Token, reads_only: false }
    }
}

/// `model` of an answer that consists of the results of a client's own calls.
pub const BY_CALL: &str = "call";

/// `model` of a text that neither a model nor a tool has written.
pub const BY_RULES: &str = "rules";

/// A tool call that a client makes itself. The same policy applies as to an agent's calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectCall {
    /// Name of the tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

impl Request {
    /// A request that has only text.
    pub fn text(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            model: None,
            model_settings: ModelSettings::default(),
            allow_tools: true,
            max_steps: None,
            time_budget_ms: None,
            planner_hints: None,
            offer: ClientToolOffer::default(),
            served: Vec::new(),
            images: Vec::new(),
            use_web_search: None,
            context_window: None,
            tags: Tags::new(),
            context_tags: Tags::new(),
            early_wait_ms: None,
            background: false,
            monitor_id: MonitorId::primary(),
            window: None,
            calls: Vec::new(),
            origin: Origin::Trusted,
            via: MessageChannel::Token,
            approved: Vec::new(),
            reads_only: false,
        }
    }
}

/// An image: its bytes or its URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields, expecting = "an image has either `media_type` and `data`, or `url`")]
pub enum Image {
    /// The bytes of the image.
    Inline {
        /// Media type, for example `image/png`.
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
    /// A URL. The server downloads the image before it accepts the message.
    Url {
        /// URL of the image.
        url: String,
    },
}

pub(crate) const fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_yes(value: &bool) -> bool {
    *value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(crate) const fn is_no(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over like that")]
const fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Serializes a share with its shortest decimal digits: 0.65 rather than 0.6499999761581421. A JSON
/// value widens `f32` to `f64`, so without this the digits would depend on the API.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(crate) fn share<S: Serializer>(share: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(share.to_string().parse().unwrap_or_else(|_| f64::from(*share)))
}

#[allow(clippy::ref_option, reason = "serde asks for a reference")]
pub(crate) fn maybe_share<S: Serializer>(maybe: &Option<f32>, serializer: S) -> Result<S::Ok, S::Error> {
    match maybe {
        Some(known) => share(known, serializer),
        None => serializer.serialize_none(),
    }
}

/// Tokens as counted by the provider, and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens that the provider read from its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Input tokens that the provider wrote to its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Cost in millionths of a US dollar, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Usage {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let cost_micros = match (self.cost_micros, other.cost_micros) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0) + two.unwrap_or(0)),
        };
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            cached_tokens: self.cached_tokens + other.cached_tokens,
            cache_write_tokens: self.cache_write_tokens + other.cache_write_tokens,
            cost_micros,
        }
    }

    /// The difference from an earlier count.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
            cached_tokens: self.cached_tokens.saturating_sub(earlier.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_sub(earlier.cache_write_tokens),
            cost_micros: self.cost_micros.map(|cost| cost.saturating_sub(earlier.cost_micros.unwrap_or(0))),
        }
    }

    /// A count without price and cache.
    pub const fn of(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cached_tokens: 0, cache_write_tokens: 0, cost_micros: None }
    }

    /// Input and output tokens together.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens
    }
}

/// The answer of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The complete text.
    pub message: String,
    /// The model that answered.
    pub model: String,
    /// Usage, if the provider reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why the answer ended.
    #[serde(default)]
    pub stop_reason: StopReason,
    /// Notices about how the answer was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// A summary of the model's reasoning, if the provider returned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_summary: Option<String>,
    /// The sources that the answer cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// Suggested next messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The artifacts that the turn stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactId>,
    /// The intent of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// Confidence in the intent, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "maybe_share")]
    pub confidence: Option<f32>,
    /// Whether the first text came after the client's `early_wait_ms`.
    #[serde(default, skip_serializing_if = "is_no")]
    pub late: bool,
}

impl Response {
    /// An answer that has only text.
    pub fn text(message: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            model: model.into(),
            usage: None,
            stop_reason: StopReason::Complete,
            notices: Vec::new(),
            reasoning_summary: None,
            citations: Vec::new(),
            suggestions: Vec::new(),
            artifacts: Vec::new(),
            intent: None,
            confidence: None,
            late: false,
        }
    }
}

/// A source that an answer cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Title of the source.
    pub title: String,
    /// URL or name of the source.
    pub source: String,
    /// The text in square brackets that cites the source, if it is not `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// The cited passage, which the turn has stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage_id: Option<PassageId>,
}

impl Citation {
    /// A source as a whole, cited by its URL or name.
    pub fn of(title: impl Into<String>, source: impl Into<String>) -> Self {
        Self { title: title.into(), source: source.into(), mark: None, passage_id: None }
    }

    /// The text in square brackets that cites the source.
    pub fn mark(&self) -> &str {
        self.mark.as_deref().unwrap_or(&self.source)
    }
}

/// Why a turn failed, and whether a retry can succeed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnError {
    /// Error code.
    pub code: String,
    /// Error message.
    pub message: String,
    /// Whether a retry can succeed without any change.
    pub recoverable: bool,
    /// Details, depending on the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}
