//! The trait that every tool implements, and what a call is given.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use protocol::{
    Action, AgentId, AppOutcome, AppRequest, ArtifactId, Citation, Cost, DesktopView, DialogAnswer, DialogForm, Effect,
    MonitorId, Origin, OwnerId, Safety, SessionId, Timestamp, TurnId, WindowId,
};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::mpsc;

use crate::study::Study;

/// How long a call may take unless its tool says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What a tool says of itself. The defaults are the careful ones: at most once, acting on the world, untrusted words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Its name: `^[a-z][a-z0-9_]{0,63}$`.
    pub name: String,
    /// What it does and when to use it, in words for a model.
    pub description: String,
    /// What running a call again would do.
    pub effect: Effect,
    /// What it touches.
    pub safety: Safety,
    /// Whose words its answer is made of.
    pub origin: Origin,
    /// What a call costs, roughly.
    pub cost: Cost,
    /// Whether several calls may run at once.
    pub parallel: bool,
    /// How long a call may take.
    pub timeout: Duration,
    /// How many calls a minute an owner is allowed.
    pub calls_per_minute_max: Option<u32>,
    /// Whether it is of no use without a desktop that somebody looks at.
    pub needs_desktop: bool,
    /// Whether a call belongs to a session even where it only looks: it looks at what the session has, or tells others of it.
    pub needs_session: bool,
    /// Whether a model is told of it in every turn; of the others it is told when a turn makes them likely, or when it looks
    /// them up.
    pub is_core: bool,
    /// Words beside those of its name that make it likely to be needed.
    pub keywords: &'static [&'static str],
}

impl Declaration {
    /// A declaration with the careful defaults.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            effect: Effect::default(),
            safety: Safety::default(),
            origin: Origin::default(),
            cost: Cost::default(),
            parallel: false,
            timeout: TIMEOUT,
            calls_per_minute_max: None,
            needs_desktop: false,
            needs_session: false,
            is_core: false,
            keywords: &[],
        }
    }

    /// The same for a tool that a model is told of in every turn.
    #[must_use]
    pub const fn core(mut self) -> Self {
        self.is_core = true;
        self
    }

    /// The same with words that make it likely to be needed.
    #[must_use]
    pub const fn about(mut self, keywords: &'static [&'static str]) -> Self {
        self.keywords = keywords;
        self
    }

    /// Whether a call can be answered outside of a session, with nothing written down: it changes nothing, and looks at
    /// nothing that a session has.
    pub fn stands_alone(&self) -> bool {
        self.safety == Safety::Observes && !self.needs_desktop && !self.needs_session
    }

    /// The same for a tool that computes from its arguments alone: nothing can go wrong by running it again.
    #[must_use]
    pub fn computes(mut self) -> Self {
        (self.effect, self.safety, self.origin, self.parallel) =
            (Effect::Pure, Safety::Observes, Origin::Trusted, true);
        self
    }
}

/// What a call is given beside its arguments.
#[derive(Clone)]
pub struct Context {
    /// On whose behalf.
    pub owner: OwnerId,
    /// In which session.
    pub session_id: SessionId,
    /// In which turn.
    pub turn_id: TurnId,
    /// Which call.
    pub call_id: String,
    /// Its place among the calls of the turn, from 0.
    pub place: usize,
    /// The key that makes running the call again harmless; the same each time the call is run.
    pub key: String,
    /// The moment the call began.
    pub now: Timestamp,
    /// Whose words the arguments may be made of.
    pub origin: Origin,
    /// Where the tool can keep something for the session.
    pub keeper: Arc<dyn Keeper>,
    /// The session's desktop.
    pub desktop: Arc<dyn Desktop>,
    /// Where a call that looks for sources says what it finds.
    pub study: Arc<dyn Study>,
    /// Where the tool can say how far it is; nobody need listen.
    pub progress: mpsc::UnboundedSender<String>,
}

impl Context {
    /// Says how far the call is.
    pub fn say(&self, message: impl Into<String>) {
        // Nobody need listen.
        let _ = self.progress.send(message.into());
    }
}

/// What a tool asks the session to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeping {
    /// Text that every later turn is told.
    Pin {
        /// Its name.
        key: String,
        /// The text.
        text: String,
    },
    /// No longer.
    Unpin {
        /// Its name.
        key: String,
    },
}

/// The session, as far as a tool can reach it.
#[async_trait]
pub trait Keeper: Send + Sync + 'static {
    /// The session's pins, as name and text.
    async fn pins(&self) -> Result<Vec<(String, String)>, Failure>;

    /// Keeps something; it is durable when this returns.
    async fn keep(&self, keeping: Keeping) -> Result<(), Failure>;
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// The window it is about.
    pub window_id: Option<WindowId>,
    /// What stands above it.
    pub title: String,
    /// The question.
    pub text: String,
    /// How it is answered.
    pub form: DialogForm,
    /// How long the answer is waited for.
    pub patience: Duration,
}

/// The session's desktop, as far as a tool can reach it. What is done under a key that was used before is not done again:
/// the answer is that of the first time.
#[async_trait]
pub trait Desktop: Send + Sync + 'static {
    /// The agent that calls.
    fn agent_id(&self) -> &AgentId;

    /// The monitor it works on.
    fn monitor_id(&self) -> MonitorId;

    /// The desktop as it stands, all monitors of it.
    async fn view(&self) -> Result<DesktopView, Failure>;

    /// Does something on the monitor of the agent that calls; it is durable when this returns. The error says why not:
    /// there is no such window, somebody holds its lock, there is too much already.
    async fn act(&self, key: &str, actions: Vec<Action>) -> Result<(), Failure>;

    /// Does once more what an earlier turn did, as far as the session remembers it; gives what was done.
    async fn replay(&self, key: &str, turn_id: TurnId) -> Result<Vec<Action>, Failure>;

    /// Asks the user, and waits for the answer.
    async fn ask(&self, key: &str, asking: Asking) -> Result<DialogAnswer, Failure>;

    /// Asks the app in a window, and waits for the answer.
    async fn ask_app(&self, key: &str, window_id: WindowId, request: AppRequest) -> Result<AppOutcome, Failure>;
}

/// Why a call came to nothing. The model reads it, so it says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The arguments make no sense.
    #[error("{0}")]
    Invalid(String),
    /// It did not work.
    #[error("{0}")]
    Failed(String),
    /// It may have worked: the connection broke, or the answer never came.
    #[error("{0}")]
    Unknown(String),
}

/// Whether a call has happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Found<T> {
    /// It has, and this came of it.
    Happened(T),
    /// It has not.
    DidNotHappen,
    /// Nobody can tell.
    Unknown,
}

/// What a call answers, once it is text.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The answer as JSON.
    pub value: serde_json::Value,
    /// Whose words it is made of.
    pub origin: Origin,
    /// What it has kept beside the conversation.
    pub artifacts: Vec<ArtifactId>,
    /// What it rests on.
    pub sources: Vec<Citation>,
}

/// Something an agent can do.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send + Sync;
    /// The answer.
    type Output: Serialize + JsonSchema + Send;

    /// What it says of itself.
    fn declaration(&self) -> Declaration;

    /// Does it.
    async fn call(&self, input: Self::Input, context: &Context) -> Result<Self::Output, Failure>;

    /// Whether a call that was cut off has happened. Only asked of verifiable tools.
    async fn look_up(&self, _input: Self::Input, _context: &Context) -> Result<Found<Self::Output>, Failure> {
        Ok(Found::Unknown)
    }

    /// What exactly the arguments touch, as in `light.turn_on`, so that policy can tell one from another.
    fn scope(&self, _input: &Self::Input) -> Option<String> {
        None
    }

    /// Why a person has to say so each time before arguments like these are acted on, if that is so.
    async fn confirm(&self, _input: &Self::Input) -> Option<String> {
        None
    }

    /// Whose words this answer is made of, where that depends on the answer.
    fn origin(&self, _output: &Self::Output) -> Option<Origin> {
        None
    }

    /// What the answer has kept beside the conversation.
    fn artifacts(&self, _output: &Self::Output) -> Vec<ArtifactId> {
        Vec::new()
    }

    /// What the answer rests on. Whoever answers from it cites a source by writing it in square brackets.
    fn sources(&self, _output: &Self::Output) -> Vec<Citation> {
        Vec::new()
    }
}
