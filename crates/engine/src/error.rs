//! Errors of the engine, and how clients see them.

use ports::LibraryError;
use protocol::{Code, Problem, SessionId, TurnId};
use schedule::ScheduleRefusal;
use session::{AnswerFault, AppFault, DesktopFault, OfferFault, Refusal};

use crate::quota::QuotaExceeded;

/// When to try again while the database is away: waiting for it took longer already.
const AWAY_RETRY_MS: u64 = 5_000;

/// Why the engine did not carry out a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The session refused the command.
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
    /// There is no such schedule for this owner.
    #[error("there is no such schedule")]
    NoSchedule,
    /// There is no such alert for this owner.
    #[error("there is no such alert")]
    NoAlert,
    /// No home is connected.
    #[error("no home is connected")]
    NoHome,
    /// No library is configured.
    #[error("there is no library")]
    NoLibrary,
    /// The library refused.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// No model has this name.
    #[error("{0}")]
    UnknownModel(String),
    /// There is no embedding model.
    #[error("{0}")]
    NoEmbeddingModel(String),
    /// The embedding model failed.
    #[error("{0}")]
    Embedding(String),
    /// The request contradicts itself or lacks something.
    #[error("{0}")]
    Invalid(String),
    /// The name belongs to a session with other settings.
    #[error("the name is taken by session {0}, which has other settings")]
    NameConflict(SessionId),
    /// Memory refused.
    #[error(transparent)]
    Memory(#[from] memory::long_term::Error),
    /// Memory contains no such item.
    #[error("{0}")]
    NoMemory(String),
    /// The text to forget belongs to a turn that is still open.
    #[error("turn {turn_id} of session {session_id} is still open and uses what is to be forgotten")]
    InUse {
        /// The session.
        session_id: SessionId,
        /// The turn.
        turn_id: TurnId,
    },
    /// The owner has reached a quota.
    #[error(transparent)]
    Full(#[from] QuotaExceeded),
    /// The session was deleted while it was followed.
    #[error("the session was deleted")]
    Deleted,
    /// The session could not be archived, so it was not removed.
    #[error("failed to archive the session: {0}")]
    Archive(String),
    /// The store failed.
    #[error(transparent)]
    Journal(journal::Error),
    /// The session's actor ended before it could answer.
    #[error("the session had to be reloaded")]
    Unanswered,
    /// The server is about to stop.
    #[error("the server is stopping")]
    Stopping,
}

impl Error {
    /// Whether another node serves the owner, which does whatever has to be done.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        matches!(
            self,
            Self::Journal(journal::Error::Elsewhere { .. })
                | Self::Memory(memory::long_term::Error::Store(journal::Error::Elsewhere { .. }))
        )
    }
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
            Error::NoTurn => (Code::NotFound, "List the session's turns."),
            Error::NoArtifact => (Code::NotFound, "List the artifacts of the session."),
            Error::NoSchedule => (Code::NotFound, "List your schedules."),
            Error::NoAlert => (Code::NotFound, "List your alerts."),
            Error::NoHome => {
                (Code::NotFound, "Set `home.enabled` to true, and `home.url` for a real one; then restart.")
            }
            Error::NoLibrary => (Code::NotFound, "Use a server that has one."),
            Error::Library(error) => return library_problem(error, message),
            Error::UnknownModel(_) => (Code::UnknownModel, "Choose an available model; `dwell models` lists them."),
            Error::NoEmbeddingModel(_) => {
                (Code::UnknownModel, "Run `dwell setup` to download it, then restart the server.")
            }
            Error::Embedding(_) => (Code::Unavailable, "Look at the server's log, and try again later."),
            Error::Invalid(_) => (Code::InvalidRequest, "Correct the request and send it again."),
            Error::NameConflict(_) => (Code::NameConflict, "Leave the settings out, or choose another key."),
            Error::Memory(error) => return memory_problem(error, message),
            Error::NoMemory(_) => (Code::NotFound, "List the memory items."),
            Error::InUse { turn_id, .. } => {
                let hint = "Wait for the turn to end, or cancel it; then ask again. Nothing was changed.";
                return Self::new(Code::TurnOpen, message, hint).about(*turn_id);
            }
            Error::Full(exceeded) => (Code::QuotaExceeded, exceeded.limit.hint()),
            Error::Journal(journal::Error::DamagedSession { .. }) => (
                Code::Damaged,
                "Nothing was changed. Export the events before the damage with `dwell export --sound`, or restore a backup; \
                 `dwell verify` checks the whole data folder.",
            ),
            Error::Journal(journal::Error::DamagedArtifact(_)) => (
                Code::Damaged,
                "Restore a backup, or remove the artifact; `dwell verify` checks the whole data folder.",
            ),
            Error::Journal(journal::Error::Away { .. }) => {
                let hint = "The database cannot be reached. Send it again after `retry_after_ms`; with the same \
                            idempotency key it is done once.";
                let mut problem = Self::new(Code::Unavailable, message, hint);
                problem.retry_after_ms = Some(AWAY_RETRY_MS);
                return problem;
            }
            Error::Journal(journal::Error::Held { left_ms, .. }) => {
                let hint = "Another node has the session. Send it to that one, or again after `retry_after_ms`.";
                let mut problem = Self::new(Code::Unavailable, message, hint);
                problem.retry_after_ms = Some((*left_ms).max(1));
                return problem;
            }
            Error::Journal(journal::Error::Elsewhere { left_ms, .. }) => {
                let hint =
                    "Another node serves this owner. Send it again after `retry_after_ms`; any node passes it on.";
                let mut problem = Self::new(Code::Unavailable, message, hint);
                problem.retry_after_ms = Some((*left_ms).max(1));
                return problem;
            }
            Error::Journal(journal::Error::TooLarge { .. }) => (Code::TooLarge, "Read fewer values at once."),
            Error::Journal(journal::Error::DamagedValue) => {
                (Code::Damaged, "Restore a backup, or delete the value; `dwell verify` checks the whole data folder.")
            }
            Error::Deleted => (Code::NotFound, "It cannot be brought back. Start a new session."),
            Error::Archive(_) => {
                (Code::Unavailable, "The session was not changed. Check `retention.archive_dir`, then sweep again.")
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

fn library_problem(error: &LibraryError, message: String) -> Problem {
    let (code, hint) = match error {
        LibraryError::Invalid(_) => (Code::InvalidRequest, "Correct the request and send it again."),
        LibraryError::NotFound => (Code::NotFound, "List the library's folders."),
        LibraryError::Failed(_) => (Code::Unavailable, "Look at the server's log, and try again later."),
    };
    Problem::new(code, message, hint)
}

fn memory_problem(error: &memory::long_term::Error, message: String) -> Problem {
    use memory::long_term::Error;
    let (code, hint) = match error {
        Error::NoVault(_) => (Code::NotFound, "List your vaults, or make one."),
        Error::NoMemory(_) => (Code::NotFound, "List the memories of the vault, or make one."),
        Error::NoItem(_) => (Code::NotFound, "List the memory items; it may have been forgotten."),
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

const fn schedule_hint(refusal: &ScheduleRefusal) -> (Code, &'static str) {
    match refusal {
        ScheduleRefusal::NotFound(_) => (Code::NotFound, "List your schedules."),
        ScheduleRefusal::TooOften => (Code::RateLimited, "Send it again later, or raise the schedule's `limits`."),
        ScheduleRefusal::Ended => (Code::AlreadyFinal, "Make a new one."),
        ScheduleRefusal::TooMany => (Code::QuotaExceeded, "Cancel one that is no longer needed."),
        ScheduleRefusal::TooDeep => (Code::PolicyDenied, "Make it yourself, or change the schedule that began this."),
        ScheduleRefusal::OtherDigest => (Code::ApprovalSettled, "Read the schedule again: it makes another call."),
        ScheduleRefusal::NotWaiting => (Code::ApprovalSettled, "It needs no approval."),
        _ => (Code::InvalidRequest, "Correct the schedule and send it again."),
    }
}

fn refused(refusal: &Refusal, message: String) -> Problem {
    let (code, hint) = match refusal {
        Refusal::Ended => (Code::SessionEnded, "Start a new session."),
        Refusal::Expired => (
            Code::SessionExpired,
            "The conversation can still be read. Continue in a new session with `session.restore`, or fork this one.",
        ),
        Refusal::Schedule(refusal) => schedule_hint(refusal),
        Refusal::TemporarySchedule => (Code::InvalidRequest, "Name a session that stays."),
        Refusal::NoAlert(_) => (Code::NotFound, "List your alerts."),
        Refusal::EmptyMessage => (Code::InvalidRequest, "Put some text in `message`."),
        Refusal::MessageTooLarge { .. } => (Code::TooLarge, "Send less at once."),
        Refusal::BadKey => (Code::InvalidRequest, "Use a short unique text, for example a UUID."),
        Refusal::BadTimeBudget | Refusal::NoSteps => (Code::InvalidRequest, "Correct the budget, or leave it out."),
        Refusal::KeyConflict { turn_id } => {
            let hint = "Use a new key for a new message.";
            return Problem::new(Code::IdempotencyConflict, message, hint).about(*turn_id);
        }
        Refusal::VersionConflict { .. } => (Code::VersionConflict, "Read the session again, then repeat the change."),
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
            (Code::TooLarge, "Offer fewer tools, or shorten their descriptions.")
        }
        Refusal::Offer(_) => (Code::InvalidRequest, "Correct the tools that you offer, or leave them out."),
        Refusal::ApprovalSettled => (Code::ApprovalSettled, "List the open approvals."),
        Refusal::WrongDigest => (Code::ApprovalSettled, "Read the question again: it is about another call."),
        Refusal::FixedModel => {
            (Code::PolicyDenied, "Set `policy.fixed_model` to false first, in an update of its own.")
        }
        Refusal::TooManySteers => (Code::QueueFull, "Wait for the turn, or send with `on_busy: queue`."),
        Refusal::TooManyAgents => (Code::QueueFull, "Wait for one of them, or send with `on_busy: queue`."),
        Refusal::TooManyInBackground => {
            (Code::QueueFull, "Wait for one of them, or cancel some: `background.list` shows them.")
        }
        Refusal::NotRunning => (Code::NotResumable, "Only a running or queued turn can be paused; read its status."),
        Refusal::TooManyActs { .. } => (Code::QueueFull, "Try again when one of them has ended."),
        Refusal::TooManyImages => (Code::TooLarge, "Send fewer images at once."),
        Refusal::TooManyCalls => (Code::TooLarge, "Make fewer calls at once."),
        Refusal::CallsTooLarge => (Code::TooLarge, "Send smaller arguments."),
        Refusal::SteerWithCalls => (Code::InvalidRequest, "Send the calls with another `on_busy`."),
        Refusal::TooManyTags => (Code::InvalidRequest, "Leave some of the tags out."),
        Refusal::ContextTooSmall => (Code::InvalidRequest, "Raise `budgets.context_tokens`, or leave it out."),
        Refusal::BadModelSettings { .. } => (Code::InvalidRequest, "Correct that value, or leave it out."),
        Refusal::BadCostBudget => (Code::InvalidRequest, "Raise `budgets.max_cost`, or leave it out."),
        Refusal::TitleTooLong { .. } => (Code::TooLarge, "Shorten `preferences.title`."),
        Refusal::BadEarlyWait => (Code::InvalidRequest, "Correct `early_wait_ms`, or leave it out."),
        Refusal::SteerWithImages => (Code::InvalidRequest, "Send the images in a separate message."),
        Refusal::NoSuchAction { .. } => (Code::InvalidRequest, "Press one of the buttons that the window shows."),
        Refusal::WindowsChanged => (Code::VersionConflict, "Check which windows are open."),
        Refusal::NotInterrupted => (Code::NotResumable, "It continues by itself; wait for it."),
        Refusal::Action { why, .. } | Refusal::Desktop(why) => misfit(why),
        Refusal::TooManyActions { .. } => (Code::TooLarge, "Send them in several batches."),
        Refusal::TooManyInteractions { .. } => (Code::TooLarge, "Send them in several batches."),
        Refusal::InteractionTooLong => (Code::TooLarge, "Shorten the text."),
        Refusal::DialogSettled => (Code::ApprovalSettled, "Check which dialogs are open."),
        Refusal::BadAnswer(AnswerFault::TooLarge { .. }) => (Code::TooLarge, "Shorten the values."),
        Refusal::BadAnswer(_) => (Code::InvalidRequest, "Read the question again, and answer in its form."),
        Refusal::NoSuchButton { .. } => (Code::InvalidRequest, "Send `dismiss`, or the action of its button."),
        Refusal::App(fault) => app_fault(fault),
    };
    Problem::new(code, message, hint)
}

const fn misfit(why: &DesktopFault) -> (Code, &'static str) {
    match why {
        DesktopFault::NoWindow { .. } | DesktopFault::NoGroup { .. } => {
            (Code::NotFound, "Check which windows are open.")
        }
        DesktopFault::NoToast { .. } => (Code::NotFound, "Check which toasts and notifications are shown."),
        DesktopFault::NoMonitor { .. } => (Code::NotFound, "Add the monitor first, or choose another one."),
        DesktopFault::NameTaken { .. } | DesktopFault::DialogTaken { .. } => {
            (Code::NameConflict, "Choose another name.")
        }
        DesktopFault::Locked { .. } => (Code::Locked, "Wait until the lock is released, or let the user release it."),
        DesktopFault::OtherMonitor { .. }
        | DesktopFault::LockForAnother { .. }
        | DesktopFault::PrimaryMonitor
        | DesktopFault::UserOnly
        | DesktopFault::AskInstead => (Code::PolicyDenied, "Leave it as it is, or use the command for it."),
        DesktopFault::ContentTooLarge { .. }
        | DesktopFault::DesktopFull { .. }
        | DesktopFault::DialogTooLarge { .. } => (Code::TooLarge, "Show less, or close something first."),
        DesktopFault::TooManyWindows
        | DesktopFault::TooManyDialogs
        | DesktopFault::TooManyRequests
        | DesktopFault::TooManyMonitors => (Code::QueueFull, "Close one of them first, or wait."),
        DesktopFault::OutOfBounds { .. }
        | DesktopFault::NoNumber { .. }
        | DesktopFault::BadTitle
        | DesktopFault::BadText { .. }
        | DesktopFault::NoToken { .. }
        | DesktopFault::BadChoices
        | DesktopFault::BadFields => (Code::InvalidRequest, "Correct it and send it again."),
    }
}

const fn app_fault(fault: &AppFault) -> (Code, &'static str) {
    match fault {
        AppFault::NoApp { .. } => (Code::NotFound, "Check what the window shows."),
        AppFault::WrongToken { .. } => (Code::Forbidden, "Only the app in the window can send this; reload it."),
        AppFault::NotReady { .. } => (Code::Unavailable, "Try again once some page shows the window."),
        AppFault::NoStateKey { .. } | AppFault::NoCommand { .. } => {
            (Code::InvalidRequest, "Use a state key or a command from the app's manifest.")
        }
        AppFault::ArgumentsTooLarge { .. } | AppFault::ManifestTooLarge { .. } => (Code::TooLarge, "Send less."),
        AppFault::BadName { .. } | AppFault::NameTwice { .. } => (Code::InvalidRequest, "Correct the manifest."),
    }
}
