//! What a live session is asked and told.

use protocol::{OwnerId, Response, SessionView, Stage, Step, TurnError, TurnId};
use session::{Command, Outcome};
use tokio::sync::{mpsc, oneshot};

use crate::{Error, subscription::Joined};

/// Mail that may wait for a session; beyond it, senders wait.
pub(super) const MAIL_MAX: usize = 256;

pub(crate) type Mailbox = mpsc::Sender<Mail>;
pub(super) type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// What a live session is asked and told.
pub(crate) enum Mail {
    /// Do something, on behalf of the owner.
    Command { owner: OwnerId, command: Command, reply: Reply<Outcome> },
    /// How does the session stand?
    View { owner: OwnerId, reply: Reply<SessionView> },
    /// Follow the session from now on.
    Join { owner: OwnerId, reply: Reply<Joined> },
    /// Be loaded, so that what was interrupted goes on.
    Wake,
    /// A turn reports.
    Report { turn_id: TurnId, report: Report },
}

/// What a turn reports on its way.
#[derive(Debug)]
pub(crate) enum Report {
    /// It entered a stage.
    Stage(Stage),
    /// Something happened.
    Step(Step),
    /// More text.
    Text(String),
    /// The answer.
    Done(Response),
    /// It cannot go on.
    Failed(TurnError),
    /// A budget ran out.
    Expired(String),
}

/// A turn's line to its session.
#[derive(Clone)]
pub(crate) struct Reporter {
    pub(super) turn_id: TurnId,
    pub(super) mailbox: Mailbox,
}

impl Reporter {
    /// Reports. If the session is gone, so is the reason to report: the turn is about to be stopped too.
    pub(crate) async fn report(&self, report: Report) {
        let _ = self.mailbox.send(Mail::Report { turn_id: self.turn_id, report }).await;
    }
}
