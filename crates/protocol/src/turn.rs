//! The parts of a turn: request, stages, steps, response, error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    ArtifactId, ModelSettings, MonitorId, Offer, Origin, PassageId, StopReason, Tags, WindowRequest,
    command::PlannerHints,
};

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Accepted, waiting for the agent.
    Pending,
    /// The agent works on it.
    Running,
    /// The first words are out.
    Streaming,
    /// It needs an answer from somebody.
    Waiting,
    /// Answered.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended by a cancel.
    Cancelled,
    /// Ended because its time ran out.
    Expired,
    /// The server stopped while it ran; it can be resumed.
    Interrupted,
}

impl TurnStatus {
    /// Whether nothing can change it any more.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Expired)
    }

    /// Whether it goes on by itself, so that waiting for it makes sense.
    pub const fn is_moving(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Streaming)
    }
}

/// The five stages of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The message is taken up.
    Receive,
    /// What is meant.
    Understand,
    /// Which way to go.
    Plan,
    /// Thinking and acting.
    Execute,
    /// The answer is given and written down.
    Complete,
}

/// What a turn was asked: kept with it, so that it can be resumed and retried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The user's words.
    pub message: String,
    /// A model for this turn only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the model is asked in this turn.
    #[serde(default, skip_serializing_if = "ModelSettings::is_empty")]
    pub model_settings: ModelSettings,
    /// Whether tools may be called.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub allow_tools: bool,
    /// Rounds of thinking and acting, if other than the session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Milliseconds this turn may take, if other than the session's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_ms: Option<u64>,
    /// Hints for the planner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_hints: Option<PlannerHints>,
    /// The tools that the client runs itself.
    #[serde(flatten)]
    pub offer: Offer,
    /// Pictures that go with the words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Whether the web may, or must not, be searched for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_web_search: Option<bool>,
    /// Tokens of context at most, if other than the model's share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Tags of the message and of what comes of it: `important` stays in context longest, `ephemeral` leaves it first.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Of what was said before, only what has one of these tags is told; none means all.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub context_tags: Tags,
    /// How long the client waits for the first words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_wait_ms: Option<u64>,
    /// The monitor it is asked on.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// The window it is about, where it goes to a window's agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowRequest>,
    /// Calls to make as they are: there is nothing to understand, and no model is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<DirectCall>,
    /// Whose words all of it is made of. It is untrusted where it was taken in from a file, and where a client sent it that
    /// had read untrusted text; the way in decides that, never the message.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
    /// By which way it came in.
    #[serde(default, skip_serializing_if = "Via::is_token")]
    pub via: Via,
}

/// By which way a message came in, as the server has found out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A program that has the owner's token.
    #[default]
    Token,
    /// Dwell's own page: its origin and its cookie prove that a person sent it.
    Page,
    /// A client of the Model Context Protocol, by the name it gives itself. Dwell keeps account of what it has read.
    Client(String),
}

impl Via {
    /// Whether it is the plain way.
    pub const fn is_token(&self) -> bool {
        matches!(self, Self::Token)
    }
}

/// How much a message may be trusted, by the way it came in. It never comes from the message itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayIn {
    /// Whose words the message is made of.
    pub origin: Origin,
    /// By which way it came in.
    pub via: Via,
}

impl Default for WayIn {
    fn default() -> Self {
        Self { origin: Origin::Trusted, via: Via::Token }
    }
}

/// Who answers a turn that a client's own calls make up.
pub const BY_CALL: &str = "call";

/// Who writes words that neither a model nor a tool has written.
pub const BY_RULES: &str = "rules";

/// A call that a client makes itself. It runs under the same policy as an agent's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

impl Request {
    /// A plain request.
    pub fn text(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            model: None,
            model_settings: ModelSettings::default(),
            allow_tools: true,
            max_steps: None,
            time_budget_ms: None,
            planner_hints: None,
            offer: Offer::default(),
            images: Vec::new(),
            use_web_search: None,
            context_window: None,
            tags: Tags::new(),
            context_tags: Tags::new(),
            early_wait_ms: None,
            monitor_id: MonitorId::primary(),
            window: None,
            calls: Vec::new(),
            origin: Origin::Trusted,
            via: Via::Token,
        }
    }
}

/// A picture: its bytes, or where they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields, expecting = "a picture has either `media_type` and `data`, or `url`")]
pub enum Image {
    /// The bytes.
    Inline {
        /// Its kind, as in `image/png`.
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
    /// An address; it is fetched before the message is accepted.
    Url {
        /// Where it is.
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

/// A share with the digits that tell it apart, also where it goes through a JSON value, which knows wider numbers only:
/// 0.65 rather than 0.6499999761581421, the same on every door.
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

/// Tokens a model counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Those of the sent that the provider had in its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Those of the sent that the provider has put into its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// What they cost in millionths of a US dollar, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Usage {
    /// Both together.
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

    /// What came on top of an earlier count.
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

    /// A count without a price and without a cache.
    pub const fn of(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cached_tokens: 0, cache_write_tokens: 0, cost_micros: None }
    }

    /// All tokens.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens
    }
}

/// What a turn answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The whole answer.
    pub message: String,
    /// Who answered.
    pub model: String,
    /// Tokens, where the provider counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why the answer ended.
    #[serde(default)]
    pub stop_reason: StopReason,
    /// What the asker should know of how the answer was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The gist of the model's reasoning, where it showed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_summary: Option<String>,
    /// What the answer rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// What might be asked next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// What the turn has kept beside the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactId>,
    /// What was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// How surely.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "maybe_share")]
    pub confidence: Option<f32>,
    /// Whether the first words came later than the client wanted to wait.
    #[serde(default, skip_serializing_if = "is_no")]
    pub late: bool,
}

impl Response {
    /// An answer with nothing beside it.
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

/// Something an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// What it is called.
    pub title: String,
    /// Where it is.
    pub source: String,
    /// What stands for it in square brackets, where that is not `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// The passage it rests on, which the turn has kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage_id: Option<PassageId>,
}

impl Citation {
    /// A source as a whole, cited by where it is.
    pub fn of(title: impl Into<String>, source: impl Into<String>) -> Self {
        Self { title: title.into(), source: source.into(), mark: None, passage_id: None }
    }

    /// What an answer writes in square brackets.
    pub fn mark(&self) -> &str {
        self.mark.as_deref().unwrap_or(&self.source)
    }
}

/// Why a turn failed, and whether trying again can help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnError {
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// Whether a retry may succeed without anybody changing anything.
    pub recoverable: bool,
    /// More, by code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}
