//! Why the engine did not do it, and how that reads to a client.

use protocol::{Code, Problem, SessionId, TurnId};
use session::{AnswerFault, AppFault, Misfit, OfferFault, Refusal};
use tools::LibraryError;

use crate::quota::Exceeded;

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
    /// There is no home to look at.
    #[error("no home is connected")]
    NoHome,
    /// There is no library to look into.
    #[error("there is no library")]
    NoLibrary,
    /// The library refused.
    #[error(transparent)]
    Library(#[from] LibraryError),
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
    /// The owner uses all that they may of something.
    #[error(transparent)]
    Full(#[from] Exceeded),
    /// The session was deleted while it was followed.
    #[error("the session was deleted")]
    Deleted,
    /// A session could not be archived, so it is as it was.
    #[error("failed to archive the session: {0}")]
    Archive(String),
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
            Error::NoHome => {
                (Code::NotFound, "Set `home.enabled` to true, and `home.url` for a real one; then restart.")
            }
            Error::NoLibrary => (Code::NotFound, "Ask a server that keeps one."),
            Error::Library(error) => return looking(error, message),
            Error::UnknownModel(_) => (Code::UnknownModel, "Choose a model that is there; `dwell models` lists them."),
            Error::Invalid(_) => (Code::InvalidRequest, "Correct the request and send it again."),
            Error::NameConflict(_) => (Code::NameConflict, "Leave the settings out, or choose another key."),
            Error::Memory(error) => return remembering(error, message),
            Error::NoMemory(_) => (Code::NotFound, "List what memory holds."),
            Error::InUse { turn_id, .. } => {
                let hint = "Wait for the turn to end, or cancel it; then ask again. Nothing was changed.";
                return Self::new(Code::TurnOpen, message, hint).about(*turn_id);
            }
            Error::Full(exceeded) => (Code::QuotaExceeded, exceeded.limit.hint()),
            Error::Journal(journal::Error::DamagedSession { .. }) => (
                Code::Damaged,
                "Nothing was changed. Take out the events before the damage with `dwell export --sound`, or restore a backup; \
                 `dwell verify` checks the whole data folder.",
            ),
            Error::Journal(journal::Error::DamagedArtifact(_)) => (
                Code::Damaged,
                "Restore a backup, or remove the artifact; `dwell verify` checks the whole data folder.",
            ),
            Error::Deleted => (Code::NotFound, "It cannot be brought back. Start a new session."),
            Error::Archive(_) => {
                (Code::Unavailable, "The session is as it was. See to `retention.archive_dir`, then sweep again.")
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

fn looking(error: &LibraryError, message: String) -> Problem {
    let (code, hint) = match error {
        LibraryError::Invalid(_) => (Code::InvalidRequest, "Correct the request and send it again."),
        LibraryError::NotFound => (Code::NotFound, "List the library's folders."),
        LibraryError::Failed(_) => (Code::Unavailable, "Look at the server's log, and try again later."),
    };
    Problem::new(code, message, hint)
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
        Error::Full { .. } => {
            (Code::QuotaExceeded, "Forget something (`dwell memory forget`), or have the operator raise the setting.")
        }
        Error::ReadElsewhere | Error::Unstored | Error::Store(_) | Error::Closed => {
            (Code::Unavailable, "Nothing was changed. Look at the server's log, and try again later.")
        }
    };
    Problem::new(code, message, hint)
}

fn refused(refusal: &Refusal, message: String) -> Problem {
    let (code, hint) = match refusal {
        Refusal::Ended => (Code::SessionEnded, "Start a new session."),
        Refusal::Expired => (
            Code::SessionExpired,
            "What was said is still there to read. Go on in a new session with `session.restore`, or fork this one.",
        ),
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
        Refusal::UnknownCalls { .. } => (Code::InvalidRequest, "Answer the calls in the turn's `calls_waiting`."),
        Refusal::Offer(OfferFault::TooMany { .. } | OfferFault::TooLarge { .. }) => {
            (Code::TooLarge, "Offer fewer tools, or describe them in fewer words.")
        }
        Refusal::Offer(_) => (Code::InvalidRequest, "Correct the tools that you offer, or leave them out."),
        Refusal::ApprovalSettled => (Code::ApprovalSettled, "Look at the open approvals."),
        Refusal::WrongDigest => (Code::ApprovalSettled, "Read the question again: it is about another call."),
        Refusal::FixedModel => {
            (Code::PolicyDenied, "Set `policy.fixed_model` to false first, in an update of its own.")
        }
        Refusal::TooManySteers => (Code::QueueFull, "Wait for the turn, or send with `on_busy: queue`."),
        Refusal::TooManyAgents => (Code::QueueFull, "Wait for one of them, or send with `on_busy: queue`."),
        Refusal::TooManyActs { .. } => (Code::QueueFull, "Press it again when one of them has ended."),
        Refusal::TooManyImages => (Code::TooLarge, "Send fewer pictures at once."),
        Refusal::TooManyCalls => (Code::TooLarge, "Make fewer calls at once."),
        Refusal::CallsTooLarge => (Code::TooLarge, "Pass less at once."),
        Refusal::SteerWithCalls => (Code::InvalidRequest, "Send the calls with another `on_busy`."),
        Refusal::TooManyTags => (Code::InvalidRequest, "Leave some of the tags out."),
        Refusal::ContextTooSmall => (Code::InvalidRequest, "Raise `budgets.context_tokens`, or leave it out."),
        Refusal::BadModelSettings { .. } => (Code::InvalidRequest, "Correct that value, or leave it out."),
        Refusal::BadCostBudget => (Code::InvalidRequest, "Raise `budgets.max_cost`, or leave it out."),
        Refusal::TitleTooLong { .. } => (Code::TooLarge, "Shorten `preferences.title`."),
        Refusal::BadEarlyWait => (Code::InvalidRequest, "Correct `early_wait_ms`, or leave it out."),
        Refusal::SteerWithImages => (Code::InvalidRequest, "Send the pictures in a message of their own."),
        Refusal::NoSuchAction { .. } => (Code::InvalidRequest, "Press one of the buttons that the window shows."),
        Refusal::WindowsChanged => (Code::VersionConflict, "Look at the windows that are open."),
        Refusal::NotInterrupted => (Code::NotResumable, "It goes on by itself; wait for it."),
        Refusal::Action { why, .. } | Refusal::Desktop(why) => misfit(why),
        Refusal::TooManyActions { .. } => (Code::TooLarge, "Do some of them first, then the others."),
        Refusal::TooManyInteractions { .. } => (Code::TooLarge, "Tell them in several batches."),
        Refusal::InteractionTooLong => (Code::TooLarge, "Tell it in fewer words."),
        Refusal::DialogSettled => (Code::ApprovalSettled, "Look at the open dialogs."),
        Refusal::BadAnswer(AnswerFault::TooLarge { .. }) => (Code::TooLarge, "Fill in less."),
        Refusal::BadAnswer(_) => (Code::InvalidRequest, "Read the question again, and answer it as it asks."),
        Refusal::NoSuchButton { .. } => (Code::InvalidRequest, "Send `dismiss`, or the action of its button."),
        Refusal::App(fault) => app_fault(fault),
    };
    Problem::new(code, message, hint)
}

const fn misfit(why: &Misfit) -> (Code, &'static str) {
    match why {
        Misfit::NoWindow { .. } | Misfit::NoGroup { .. } => (Code::NotFound, "Look at the windows that are open."),
        Misfit::NoToast { .. } => (Code::NotFound, "Look at the toasts and notifications that are shown."),
        Misfit::NoMonitor { .. } => (Code::NotFound, "Add the monitor first, or choose another one."),
        Misfit::NameTaken { .. } | Misfit::DialogTaken { .. } => (Code::NameConflict, "Choose another name."),
        Misfit::Locked { .. } => (Code::Locked, "Wait until the lock is released, or let the user release it."),
        Misfit::OtherMonitor { .. }
        | Misfit::LockForAnother { .. }
        | Misfit::PrimaryMonitor
        | Misfit::UserOnly
        | Misfit::AskInstead => (Code::PolicyDenied, "Leave it, or do it in the way that is open to you."),
        Misfit::ContentTooLarge { .. } | Misfit::DesktopFull { .. } | Misfit::DialogTooLarge { .. } => {
            (Code::TooLarge, "Show less, or close something first.")
        }
        Misfit::TooManyWindows | Misfit::TooManyDialogs | Misfit::TooManyRequests | Misfit::TooManyMonitors => {
            (Code::QueueFull, "Let one of them go first.")
        }
        Misfit::OutOfBounds { .. }
        | Misfit::NoNumber { .. }
        | Misfit::BadTitle
        | Misfit::BadText { .. }
        | Misfit::NoToken { .. }
        | Misfit::BadChoices
        | Misfit::BadFields => (Code::InvalidRequest, "Correct it and send it again."),
    }
}

const fn app_fault(fault: &AppFault) -> (Code, &'static str) {
    match fault {
        AppFault::NoApp { .. } => (Code::NotFound, "Look at what the window shows."),
        AppFault::WrongToken { .. } => (Code::Forbidden, "Only the app in the window speaks for it; load it anew."),
        AppFault::NotReady { .. } => (Code::Unavailable, "Try again once some page shows the window."),
        AppFault::NoStateKey { .. } | AppFault::NoCommand { .. } => {
            (Code::InvalidRequest, "Ask for something that the app's manifest names.")
        }
        AppFault::ArgumentsTooLarge { .. } | AppFault::ManifestTooLarge { .. } => (Code::TooLarge, "Send less."),
        AppFault::BadName { .. } | AppFault::NameTwice { .. } => (Code::InvalidRequest, "Correct the manifest."),
    }
}
