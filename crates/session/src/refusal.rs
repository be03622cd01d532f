//! Why a command is refused. A refused command writes nothing.

use protocol::{TurnId, WindowId};

use crate::{
    desktop::{AnswerFault, AppFault, DesktopFault},
    limits::{
        ACTIONS_MAX, BACKGROUND_MAX, CONTEXT_TOKENS_MIN, EARLY_WAIT_MS_MAX, EPHEMERAL_MAX, EXCERPT_CHARS_MAX,
        IDEMPOTENCY_KEY_CHARS_MAX, IMAGES_MAX, INTERACTIONS_MAX, MESSAGE_BYTES_MAX, PARALLEL_MAX, QUEUE_MAX,
        REMARK_CHARS_MAX, STEERS_MAX, TAGS_MAX, TIME_BUDGET_MS_MAX, TITLE_CHARS_MAX,
    },
    offer::OfferFault,
};

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Something about a schedule.
    #[error(transparent)]
    Schedule(#[from] schedule::ScheduleRefusal),
    /// A session that is removed after its turn has no later.
    #[error("a temporary session has no schedules: use another session")]
    TemporarySchedule,
    /// There is no such alert.
    #[error("there is no alert {0}")]
    NoAlert(protocol::AlertId),
    /// The session has ended.
    #[error("the session has ended")]
    Ended,
    /// The session has expired after being idle for too long.
    #[error("the session has expired after being idle for too long")]
    Expired,
    /// The message is empty.
    #[error("the message is empty")]
    EmptyMessage,
    /// The message is too large.
    #[error("the message has {bytes} bytes; at most {MESSAGE_BYTES_MAX} are allowed")]
    MessageTooLarge {
        /// Size of the message.
        bytes: usize,
    },
    /// The idempotency key is not allowed.
    #[error("an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARS_MAX} characters")]
    BadKey,
    /// The time budget is not allowed.
    #[error("a time budget lies between 1 and {TIME_BUDGET_MS_MAX} ms")]
    BadTimeBudget,
    /// The number of steps is not allowed.
    #[error("a turn needs at least one step")]
    NoSteps,
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used before with another body")]
    KeyConflict {
        /// The turn of that request.
        turn_id: TurnId,
    },
    /// The session has changed since the caller read its version.
    #[error("the session is at version {actual}, not {expected}")]
    VersionConflict {
        /// The version that the caller has seen.
        expected: u64,
        /// The current version.
        actual: u64,
    },
    /// Another turn is running and the caller did not want to wait.
    #[error("the agent is busy with turn {running}")]
    Busy {
        /// The running turn.
        running: TurnId,
    },
    /// The queue is full.
    #[error("{QUEUE_MAX} turns are waiting already; the message \"{excerpt}\" was not accepted")]
    QueueFull {
        /// The beginning of the message.
        excerpt: String,
    },
    /// The turn has ended.
    #[error("the turn has ended")]
    AlreadyFinal,
    /// The turn has not ended.
    #[error("the turn has not ended")]
    TurnOpen,
    /// The outcome of these calls has to be stated first.
    #[error("it is unknown whether these calls took effect: {}", calls.join(", "))]
    OutcomeNeeded {
        /// The calls.
        calls: Vec<String>,
    },
    /// The client was not asked to run these calls.
    #[error("the turn has no such client calls: {}", calls.join(", "))]
    UnknownCalls {
        /// The calls.
        calls: Vec<String>,
    },
    /// The tools that the client offers are not allowed.
    #[error(transparent)]
    Offer(#[from] OfferFault),
    /// The approval request is not open.
    #[error("the approval is already settled, or does not exist in this session")]
    ApprovalSettled,
    /// The digest of the answer belongs to another call.
    #[error("the digest of the answer does not match the call")]
    WrongDigest,
    /// The session's model is fixed.
    #[error("the session's policy does not allow another model")]
    FixedModel,
    /// Too many steering messages for one turn.
    #[error("the running turn already has {STEERS_MAX} steering messages")]
    TooManySteers,
    /// Too many agents are running.
    #[error("{EPHEMERAL_MAX} agents are already running beside the main one")]
    TooManyAgents,
    /// Too many turns in the background.
    #[error("{BACKGROUND_MAX} turns of this session are already in the background")]
    TooManyInBackground,
    /// The turn is neither running nor queued.
    #[error("the turn is not running")]
    NotRunning,
    /// Too many parallel actions in windows.
    #[error("{PARALLEL_MAX} parallel actions are already running in windows; `{action}` was not accepted")]
    TooManyActs {
        /// The action.
        action: String,
    },
    /// Too many images.
    #[error("a message has at most {IMAGES_MAX} images")]
    TooManyImages,
    /// The early wait is not allowed.
    #[error("an early wait lies between 1 and {EARLY_WAIT_MS_MAX} ms")]
    BadEarlyWait,
    /// Too many tags.
    #[error("a message has at most {TAGS_MAX} tags and selects its context by at most {TAGS_MAX}")]
    TooManyTags,
    /// Too many calls in one message.
    #[error("there are more than {} calls", crate::limits::DIRECT_CALLS_MAX)]
    TooManyCalls,
    /// The arguments of the calls are too large.
    #[error("the arguments of the calls have more than {} bytes", crate::limits::MESSAGE_BYTES_MAX)]
    CallsTooLarge,
    /// A steering message cannot contain calls.
    #[error("a steering message cannot contain calls")]
    SteerWithCalls,
    /// The token limit of the context is not allowed.
    #[error("a context limit is at least {CONTEXT_TOKENS_MIN} tokens")]
    ContextTooSmall,
    /// The settings or figures of a model are not allowed.
    #[error("{problem}")]
    BadModelSettings {
        /// What is wrong, with the name of the field.
        problem: String,
    },
    /// The cost budget is not allowed.
    #[error("a cost budget is more than 0 US dollars")]
    BadCostBudget,
    /// The title is too long.
    #[error("the title has {chars} characters; at most {TITLE_CHARS_MAX} are allowed")]
    TitleTooLong {
        /// Its length.
        chars: usize,
    },
    /// A steering message cannot contain images.
    #[error("a steering message contains text only")]
    SteerWithImages,
    /// The window has no such action.
    #[error("the window `{window_id}` has no action `{action}`")]
    NoSuchAction {
        /// The window.
        window_id: WindowId,
        /// The action.
        action: String,
    },
    /// The actions cannot be replayed, since the windows have changed.
    #[error("the windows have changed")]
    WindowsChanged,
    /// The turn is running or queued, not interrupted.
    #[error("the turn is not interrupted")]
    NotInterrupted,
    /// One of several actions is refused, so none is applied.
    #[error("action {number} (`{action}`): {why}")]
    Action {
        /// Its number, counted from 1.
        number: usize,
        /// Its name.
        action: &'static str,
        /// The reason.
        why: DesktopFault,
    },
    /// The action is refused.
    #[error(transparent)]
    Desktop(#[from] DesktopFault),
    /// Too many actions in one command.
    #[error("at most {ACTIONS_MAX} actions can be sent at once, not {actions}")]
    TooManyActions {
        /// The number of actions.
        actions: usize,
    },
    /// Too many interactions in one command.
    #[error("at most {INTERACTIONS_MAX} interactions can be sent at once, not {interactions}")]
    TooManyInteractions {
        /// The number of interactions.
        interactions: usize,
    },
    /// The text of an interaction is too long.
    #[error("the text of an interaction has at most {REMARK_CHARS_MAX} characters")]
    InteractionTooLong,
    /// The dialog is not open.
    #[error("the dialog is already settled, or does not exist in this session")]
    DialogSettled,
    /// The answer does not fit the dialog.
    #[error(transparent)]
    BadAnswer(#[from] AnswerFault),
    /// The toast has no such action.
    #[error("the toast can be dismissed{}", button.as_ref().map(|action| format!(" or answered with `{action}`")).unwrap_or_default())]
    NoSuchButton {
        /// The action that it has.
        button: Option<String>,
    },
    /// A message from an app or a request to an app is refused.
    #[error(transparent)]
    App(#[from] AppFault),
}

impl Refusal {
    /// The refusal without the action's number, for commands with a single action.
    pub(crate) fn alone(self) -> Self {
        match self {
            Self::Action { why, .. } => Self::Desktop(why),
            other => other,
        }
    }

    pub(crate) fn queue_full(message: &str) -> Self {
        let mut excerpt: String = message.chars().take(EXCERPT_CHARS_MAX).collect();
        if excerpt.len() < message.len() {
            excerpt.push('…');
        }
        Self::QueueFull { excerpt }
    }
}
