//! Why the engine did not do it, and how that reads to a client.

use protocol::{Code, Problem, SessionId, TurnId};
use session::Refusal;

/// Why the engine did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The heart refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no such session for this owner.
    #[error("there is no such session")]
    NoSession,
    /// There is no such turn for this owner.
    #[error("there is no such turn")]
    NoTurn,
    /// There is no such artifact for this owner.
    #[error("there is no such artifact")]
    NoArtifact,
    /// Nothing answers to the model's name.
    #[error("{0}")]
    UnknownModel(String),
    /// The request contradicts itself or lacks something.
    #[error("{0}")]
    Invalid(String),
    /// The name belongs to a session that is set otherwise.
    #[error("the name is taken by session {0}, which has other settings")]
    NameConflict(SessionId),
    /// Memory refused.
    #[error(transparent)]
    Memory(#[from] memory::room::Error),
    /// Memory holds nothing of that kind.
    #[error("{0}")]
    NoMemory(String),
    /// What is to be forgotten was said in a turn that is still open.
    #[error("turn {turn_id} of session {session_id} is still open and has to do with what is to be forgotten")]
    InUse {
        /// The session.
        session_id: SessionId,
        /// The turn.
        turn_id: TurnId,
    },
    /// The store failed.
    #[error(transparent)]
    Journal(journal::Error),
    /// The session's actor ended before it could answer.
    #[error("the session had to be loaded anew")]
    Unanswered,
    /// The server is about to stop.
    #[error("the server is stopping")]
    Stopping,
}

impl From<journal::Error> for Error {
    fn from(error: journal::Error) -> Self {
        match error {
            journal::Error::NotFound => Self::NoSession,
            other => Self::Journal(other),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let (code, hint) = match &error {
            Error::Refused(refusal) => return refused(refusal, message),
            Error::NoSession => (Code::NotFound, "List your sessions, or start one."),
            Error::NoTurn => (Code::NotFound, "Look at the session's turns."),
            Error::NoArtifact => (Code::NotFound, "List the artifacts of the session."),
            Error::UnknownModel(_) => {
                (Code::UnknownModel, "Choose a model of a configured provider; see `dwell config`.")
            }
            Error::Invalid(_) => (Code::InvalidRequest, "Correct the request and send it again."),
            Error::NameConflict(_) => (Code::NameConflict, "Leave the settings out, or choose another key."),
            Error::Memory(error) => return remembering(error, message),
            Error::NoMemory(_) => (Code::NotFound, "List what memory holds."),
            Error::InUse { turn_id, .. } => {
                let hint = "Wait for the turn to end, or cancel it; then ask again. Nothing was changed.";
                return Self::new(Code::TurnOpen, message, hint).about(*turn_id);
            }
            Error::Journal(_) => {
                (Code::Unavailable, "Nothing was changed. Look at the server's log, and try again later.")
            }
            Error::Unanswered => (Code::Unavailable, "Ask again."),
            Error::Stopping => (Code::Unavailable, "Connect again once the server is back."),
        };
        Self::new(code, message, hint)
    }
}

fn remembering(error: &memory::room::Error, message: String) -> Problem {
    use memory::room::Error;
    let (code, hint) = match error {
        Error::NoVault(_) => (Code::NotFound, "List your vaults, or make one."),
        Error::NoMemory(_) => (Code::NotFound, "List the memories of the vault, or make one."),
        Error::NoItem(_) => (Code::NotFound, "List what memory holds; it may have been forgotten."),
        Error::NoContext => (Code::NotFound, "Write one, or list its versions."),
        Error::TitleTaken(_) => (Code::NameConflict, "Choose another title, or use the one that is there."),
        Error::Invalid(_) | Error::Unfit(_) => (Code::InvalidRequest, "Correct the request and send it again."),
        Error::Corrected(_) => (Code::VersionConflict, "Correct the newest one instead."),
        Error::KeyConflict => (Code::IdempotencyConflict, "Use a new key for a new request."),
        Error::ReadElsewhere | Error::Unstored | Error::Store(_) | Error::Closed => {
            (Code::Unavailable, "Nothing was changed. Look at the server's log, and try again later.")
        }
    };
    Problem::new(code, message, hint)
}

fn refused(refusal: &Refusal, message: String) -> Problem {
    let (code, hint) = match refusal {
        Refusal::Ended => (Code::SessionEnded, "Start a new session."),
        Refusal::EmptyMessage => (Code::InvalidRequest, "Say something in `message`."),
        Refusal::MessageTooLarge { .. } => (Code::TooLarge, "Send less at once."),
        Refusal::BadKey => (Code::InvalidRequest, "Use a short unique text, for example a UUID."),
        Refusal::BadTimeBudget | Refusal::NoSteps => (Code::InvalidRequest, "Correct the budget, or leave it out."),
        Refusal::KeyConflict { turn_id } => {
            let hint = "Use a new key for a new message.";
            return Problem::new(Code::IdempotencyConflict, message, hint).about(*turn_id);
        }
        Refusal::VersionConflict { .. } => (Code::VersionConflict, "Read the session again and decide anew."),
        Refusal::Busy { running } => {
            let hint = "Wait for the turn, cancel it, or send with `on_busy: queue`.";
            return Problem::new(Code::Busy, message, hint).about(*running);
        }
        Refusal::QueueFull { .. } => (Code::QueueFull, "Keep the message and send it again when a turn has ended."),
        Refusal::AlreadyFinal => (Code::AlreadyFinal, "Retry it as a new turn with `turn.retry`."),
        Refusal::TurnOpen => (Code::TurnOpen, "Wait for the turn to end, or cancel it."),
        Refusal::OutcomeNeeded { .. } => (
            Code::OutcomeNeeded,
            "Find out whether the call took effect, and resume with `outcome`: `happened` or `did_not_happen`.",
        ),
        Refusal::ApprovalSettled => (Code::ApprovalSettled, "Look at the open approvals."),
        Refusal::WrongDigest => (Code::ApprovalSettled, "Read the question again: it is about another call."),
        Refusal::FixedModel => {
            (Code::PolicyDenied, "Set `policy.fixed_model` to false first, in an update of its own.")
        }
        Refusal::TooManySteers => (Code::QueueFull, "Wait for the turn, or send with `on_busy: queue`."),
        Refusal::TooManyAgents => (Code::QueueFull, "Wait for one of them, or send with `on_busy: queue`."),
        Refusal::TooManyImages => (Code::TooLarge, "Send fewer pictures at once."),
        Refusal::TooManyTags => (Code::InvalidRequest, "Leave some of the tags out."),
        Refusal::ContextTooSmall => (Code::InvalidRequest, "Raise `budgets.context_tokens`, or leave it out."),
        Refusal::BadEarlyWait => (Code::InvalidRequest, "Correct `early_wait_ms`, or leave it out."),
        Refusal::SteerWithImages => (Code::InvalidRequest, "Send the pictures in a message of their own."),
        Refusal::NotInterrupted => (Code::NotResumable, "It goes on by itself; wait for it."),
    };
    Problem::new(code, message, hint)
}
