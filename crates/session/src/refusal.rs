//! Why a command is refused. Nothing is written then.

use protocol::{TurnId, WindowId};

use crate::{
    desktop::{AnswerFault, AppFault, Misfit},
    limits::{
        ACTIONS_MAX, CONTEXT_TOKENS_MIN, EARLY_WAIT_MS_MAX, EPHEMERAL_MAX, EXCERPT_CHARS_MAX,
        IDEMPOTENCY_KEY_CHARS_MAX, IMAGES_MAX, INTERACTIONS_MAX, MESSAGE_BYTES_MAX, PARALLEL_MAX, QUEUE_MAX,
        REMARK_CHARS_MAX, STEERS_MAX, TAGS_MAX, TIME_BUDGET_MS_MAX, TITLE_CHARS_MAX,
    },
    offer::OfferFault,
};

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The session is over.
    #[error("the session has ended")]
    Ended,
    /// The session was idle for too long and is over.
    #[error("the session has expired, since nothing had happened in it for too long")]
    Expired,
    /// Nothing was said.
    #[error("the message is empty")]
    EmptyMessage,
    /// Too much was said.
    #[error("the message has {bytes} bytes; at most {MESSAGE_BYTES_MAX} are taken")]
    MessageTooLarge {
        /// How much.
        bytes: usize,
    },
    /// Not a usable key.
    #[error("an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARS_MAX} characters")]
    BadKey,
    /// Not a usable time budget.
    #[error("a time budget lies between 1 and {TIME_BUDGET_MS_MAX} ms")]
    BadTimeBudget,
    /// Not a usable number of steps.
    #[error("a turn needs at least one step")]
    NoSteps,
    /// The key was used for something else.
    #[error("the idempotency key was used before with another body")]
    KeyConflict {
        /// The turn it made then.
        turn_id: TurnId,
    },
    /// Somebody was faster.
    #[error("the session is at version {actual}, not {expected}")]
    VersionConflict {
        /// What the caller had seen.
        expected: u64,
        /// What it is.
        actual: u64,
    },
    /// Another turn runs and the caller did not want to wait.
    #[error("the agent is busy with turn {running}")]
    Busy {
        /// Which.
        running: TurnId,
    },
    /// The line is too long.
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
    /// Somebody has to say first what became of these calls.
    #[error("nobody knows whether these calls took effect: {}", calls.join(", "))]
    OutcomeNeeded {
        /// Which.
        calls: Vec<String>,
    },
    /// No such calls were handed to the client.
    #[error("the turn has handed out no such calls: {}", calls.join(", "))]
    UnknownCalls {
        /// Which.
        calls: Vec<String>,
    },
    /// The tools that a client offers cannot be taken.
    #[error(transparent)]
    Offer(#[from] OfferFault),
    /// No such question is open.
    #[error("the question is settled already, or was never asked here")]
    ApprovalSettled,
    /// The answer is about something else than the question.
    #[error("the question is about another call than the answer's digest says")]
    WrongDigest,
    /// The session keeps its model.
    #[error("the session's policy keeps its model")]
    FixedModel,
    /// Too many messages for one turn.
    #[error("the running turn has taken in {STEERS_MAX} messages already")]
    TooManySteers,
    /// Too many agents at once.
    #[error("{EPHEMERAL_MAX} agents work beside the main one already")]
    TooManyAgents,
    /// Too many actions in windows at once.
    #[error("{PARALLEL_MAX} actions run beside the windows' agents already; `{action}` was not accepted")]
    TooManyActs {
        /// What was pressed.
        action: String,
    },
    /// Too many pictures.
    #[error("a message has at most {IMAGES_MAX} pictures")]
    TooManyImages,
    /// Not a usable early wait.
    #[error("an early wait lies between 1 and {EARLY_WAIT_MS_MAX} ms")]
    BadEarlyWait,
    /// Too many tags.
    #[error("a message has at most {TAGS_MAX} tags, and is told what has one of at most {TAGS_MAX}")]
    TooManyTags,
    /// More calls at once than there may be.
    #[error("there are more than {} calls", crate::limits::DIRECT_CALLS_MAX)]
    TooManyCalls,
    /// A call whose arguments are too large.
    #[error("the arguments of the calls have more than {} bytes", crate::limits::MESSAGE_BYTES_MAX)]
    CallsTooLarge,
    /// Calls that nothing can come of in between.
    #[error("calls cannot go into a running turn")]
    SteerWithCalls,
    /// Not a usable limit of the context.
    #[error("a limit of the context is at least {CONTEXT_TOKENS_MIN} tokens")]
    ContextTooSmall,
    /// Not usable as settings or figures of a model.
    #[error("{problem}")]
    BadModelSettings {
        /// What is wrong, with the name of the field.
        problem: String,
    },
    /// Not a usable budget of cost.
    #[error("a budget of cost is more than 0 US dollars")]
    BadCostBudget,
    /// Not a usable title.
    #[error("the title has {chars} characters; at most {TITLE_CHARS_MAX} are taken")]
    TitleTooLong {
        /// How many.
        chars: usize,
    },
    /// A message with pictures cannot go into a running turn.
    #[error("a message that steers has words only")]
    SteerWithImages,
    /// Nothing of that name can be pressed.
    #[error("there is nothing to press called `{action}` in the window `{window_id}`")]
    NoSuchAction {
        /// The window.
        window_id: WindowId,
        /// What was pressed.
        action: String,
    },
    /// What was done before cannot be done by rote.
    #[error("the windows are not what they were")]
    WindowsChanged,
    /// The turn runs or waits in the queue.
    #[error("the turn is not interrupted")]
    NotInterrupted,
    /// One of several actions cannot be done; none is.
    #[error("action {number} (`{action}`): {why}")]
    Action {
        /// Which, counted from 1.
        number: usize,
        /// Its name.
        action: &'static str,
        /// Why.
        why: Misfit,
    },
    /// It cannot be done on the desktop.
    #[error(transparent)]
    Desktop(#[from] Misfit),
    /// Too many actions at once.
    #[error("at most {ACTIONS_MAX} actions are done at once, not {actions}")]
    TooManyActions {
        /// How many.
        actions: usize,
    },
    /// Too many interactions at once.
    #[error("at most {INTERACTIONS_MAX} interactions are told at once, not {interactions}")]
    TooManyInteractions {
        /// How many.
        interactions: usize,
    },
    /// What the user did is told at too great length.
    #[error("what is told of an interaction has at most {REMARK_CHARS_MAX} characters")]
    InteractionTooLong,
    /// No such dialog is open.
    #[error("the dialog is settled already, or was never shown here")]
    DialogSettled,
    /// The answer does not fit the dialog.
    #[error(transparent)]
    BadAnswer(#[from] AnswerFault),
    /// The toast has no such button.
    #[error("the toast can be dismissed{}", button.as_ref().map(|action| format!(" or answered with `{action}`")).unwrap_or_default())]
    NoSuchButton {
        /// What it has.
        button: Option<String>,
    },
    /// An app is not heard, or not asked.
    #[error(transparent)]
    App(#[from] AppFault),
}

impl Refusal {
    /// The same where there was one action only, whose number says nothing.
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
