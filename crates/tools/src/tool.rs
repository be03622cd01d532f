//! The [`Tool`] trait, and the context that a call gets.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use journal::OwnerHold;
use ports::{DesktopPort, PinStore, ResearchPort, ToolFailure};
use protocol::{ArtifactId, Citation, Cost, Effect, Origin, OwnerId, Safety, ScheduleId, SessionId, Timestamp, TurnId};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::mpsc;

/// How long a call may take unless its tool says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The declaration of a tool. The defaults are the careful ones: at most once, acts on the world,
/// untrusted output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Its name: `^[a-z][a-z0-9_]{0,63}$`.
    pub name: String,
    /// What it does and when to use it, written for a model.
    pub description: String,
    /// Whether a call can be run again.
    pub effect: Effect,
    /// What it affects.
    pub safety: Safety,
    /// Whether its output can be trusted.
    pub origin: Origin,
    /// What a call costs, roughly.
    pub cost: Cost,
    /// Whether several calls may run at the same time.
    pub parallel: bool,
    /// How long a call may take.
    pub timeout: Duration,
    /// The number of calls per minute that an owner is allowed.
    pub calls_per_minute_max: Option<u32>,
    /// Whether it acts in a simulation only: a session can forbid that like any other act.
    pub is_simulated: bool,
    /// Whether it needs a desktop that a user is viewing.
    pub needs_desktop: bool,
    /// Whether a call needs a session even if it changes nothing: it reads the session's data, or
    /// tells others about it.
    pub needs_session: bool,
    /// Whether the model sees it in every turn. It sees the others when the turn makes them likely,
    /// or when it searches for them.
    pub is_core: bool,
    /// Words besides its name that make it likely to be needed.
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
            is_simulated: false,
            needs_desktop: false,
            needs_session: false,
            is_core: false,
            keywords: &[],
        }
    }

    /// Marks a tool that the model sees in every turn.
    #[must_use]
    pub const fn core(mut self) -> Self {
        self.is_core = true;
        self
    }

    /// Sets words that make the tool likely to be needed.
    #[must_use]
    pub const fn about(mut self, keywords: &'static [&'static str]) -> Self {
        self.keywords = keywords;
        self
    }

    /// Whether a call can run outside of a session, with nothing recorded: it changes nothing and
    /// reads no data of a session.
    pub fn runs_without_session(&self) -> bool {
        self.safety == Safety::Observes && !self.needs_desktop && !self.needs_session
    }

    /// Marks a tool that computes from its arguments alone, so that running it again is harmless.
    #[must_use]
    pub fn computes(mut self) -> Self {
        (self.effect, self.safety, self.origin, self.parallel) =
            (Effect::Pure, Safety::Observes, Origin::Trusted, true);
        self
    }
}

/// The number of progress reports of one call that can wait in the channel; further ones are
/// dropped.
pub const PROGRESS_MAX: usize = 64;

/// What a call gets besides its arguments.
#[derive(Clone)]
pub struct CallContext {
    /// The owner on whose behalf the call runs.
    pub owner: OwnerId,
    /// The session of the call.
    pub session_id: SessionId,
    /// The turn of the call.
    pub turn_id: TurnId,
    /// The id of the call.
    pub call_id: String,
    /// Its index among the calls of the turn, from 0.
    pub place: usize,
    /// The idempotency key: the same each time the call is run.
    pub key: String,
    /// The time at which the call started.
    pub now: Timestamp,
    /// Whether the arguments may contain untrusted text.
    pub origin: Origin,
    /// The schedule whose run the turn is, if it is one.
    pub schedule_id: Option<ScheduleId>,
    /// The voice satellite that the message came from.
    pub satellite: Option<String>,
    /// The pins of the session.
    pub pin_store: Arc<dyn PinStore>,
    /// The session's desktop.
    pub desktop: Arc<dyn DesktopPort>,
    /// The port for research calls: progress reports and the language model.
    pub research: Arc<dyn ResearchPort>,
    /// The right of this node to act for the owner.
    pub hold: OwnerHold,
    /// The channel for progress reports. Reports are dropped while it is full.
    pub progress: mpsc::Sender<String>,
}

impl CallContext {
    /// Reports progress.
    pub fn say(&self, message: impl Into<String>) {
        let _ = self.progress.try_send(message.into());
    }
}

/// Whether a call took effect.
#[derive(Debug, Clone, PartialEq)]
pub enum CallLookup<T> {
    /// It did, with this result.
    Happened(T),
    /// It did not.
    DidNotHappen,
    /// It is not known.
    Unknown,
}

/// The output of a call as JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The answer as JSON.
    pub value: serde_json::Value,
    /// Whether it contains untrusted text.
    pub origin: Origin,
    /// The artifacts it has stored.
    pub artifacts: Vec<ArtifactId>,
    /// The sources it is based on.
    pub sources: Vec<Citation>,
}

/// What the user has said, so that a question can be put in the user's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionContext<'a> {
    /// The message of the turn.
    pub message: &'a str,
    /// Its language, as `de` or `de-AT`.
    pub language: &'a str,
}

/// A tool of an agent.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send + Sync;
    /// The answer.
    type Output: Serialize + JsonSchema + Send;

    /// Its declaration.
    fn declaration(&self) -> Declaration;

    /// Runs the call.
    async fn call(&self, input: Self::Input, context: &CallContext) -> Result<Self::Output, ToolFailure>;

    /// Whether an interrupted call took effect. Only asked of verifiable tools.
    async fn look_up(
        &self,
        _input: Self::Input,
        _context: &CallContext,
    ) -> Result<CallLookup<Self::Output>, ToolFailure> {
        Ok(CallLookup::Unknown)
    }

    /// What the arguments affect, such as `light.turn_on`, so that policy can tell calls apart.
    fn scope(&self, _input: &Self::Input) -> Option<String> {
        None
    }

    /// Why the user has to confirm arguments like these each time; `None` if that is not needed.
    async fn confirm(&self, _input: &Self::Input) -> Option<String> {
        None
    }

    /// The question whether a call with these arguments may run, in plain words that name all of
    /// it; `None` if there are none, or not in that language.
    async fn question(&self, _input: &Self::Input, _context: &QuestionContext<'_>) -> Option<String> {
        None
    }

    /// Whether this answer can be trusted, where that depends on the answer.
    fn origin(&self, _output: &Self::Output) -> Option<Origin> {
        None
    }

    /// The artifacts that the answer has stored.
    fn artifacts(&self, _output: &Self::Output) -> Vec<ArtifactId> {
        Vec::new()
    }

    /// The sources that the answer is based on. A model cites a source by writing its mark in
    /// square brackets.
    fn sources(&self, _output: &Self::Output) -> Vec<Citation> {
        Vec::new()
    }
}
