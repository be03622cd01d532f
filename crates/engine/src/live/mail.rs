//! Messages to the actor of a live session.

use ports::HomeEvent;
use protocol::{AgentId, ApprovalView, DesktopView, OwnerId, SessionView, TurnId};
use schedule::Schedules;
use session::{Alerts, Command, CommandOutcome, Desktop, Redaction, Refusal, TurnReport};
use tokio::sync::{mpsc, oneshot};

use super::remove::Removal;
use crate::{
    Error, QuotaExceeded,
    plans::{EndedTurn, EntityChange},
    subscription::LiveFeed,
    turn::ConversationContext,
};

/// Capacity of the mailbox; beyond it, senders wait.
pub(super) const MAIL_MAX: usize = 256;

pub(crate) type Mailbox = mpsc::Sender<Mail>;
pub(super) type ReplySender<T> = oneshot::Sender<Result<T, Error>>;

/// A message to the actor of a live session.
pub(crate) enum Mail {
    /// A command of the owner. If `full` is set, only a command that writes nothing is accepted.
    Command { owner: OwnerId, command: Box<Command>, full: Option<QuotaExceeded>, reply: ReplySender<CommandOutcome> },
    /// Returns the session as clients see it.
    View { owner: OwnerId, reply: ReplySender<SessionView> },
    /// Returns the conversation that the next turn of an agent gets as context.
    Conversation { owner: OwnerId, agent_id: AgentId, reply: ReplySender<ConversationContext> },
    /// Returns the desktop as clients see it.
    Desktop { owner: OwnerId, reply: ReplySender<DesktopView> },
    /// Returns the desktop as turns see it.
    Windows { owner: OwnerId, reply: ReplySender<Desktop> },
    /// Returns the open approval requests.
    Approvals { owner: OwnerId, reply: ReplySender<Vec<ApprovalView>> },
    /// Returns the session's schedules, and the zone of the session.
    Schedules { owner: OwnerId, reply: ReplySender<(Schedules, String)> },
    /// Returns the session's alerts.
    Alerts { owner: OwnerId, reply: ReplySender<Alerts> },
    /// Subscribes to the session.
    Join { owner: OwnerId, reply: ReplySender<LiveFeed> },
    /// Redacts written events; returns their number. A turn that asks for it may stay open: its own
    /// events are left as they are.
    Forget { owner: OwnerId, forgetting: Redaction, within: Option<TurnId>, reply: ReplySender<u64> },
    /// Removes the session and all of its data; returns whether that was done.
    Remove { owner: OwnerId, removal: Removal, reply: ReplySender<bool> },
    /// Loads the session, so that interrupted turns continue.
    Wake,
    /// An entity of the home has changed that a schedule waits for.
    HomeChanged(Box<EntityChange>),
    /// The home has reported an event that a schedule waits for.
    HomeEvent(Box<HomeEvent>),
    /// A turn of another session has ended that a schedule waits for.
    TurnEnded(Box<EndedTurn>),
    /// A turn reports.
    Report { turn_id: TurnId, reports: Vec<TurnReport>, urgency: Urgency },
    /// A tool reports its progress.
    Progress { turn_id: TurnId, progress: protocol::Progress },
}

/// How soon reports have to be durable.
pub(crate) enum Urgency {
    /// With the next write, or a moment later: if they are lost, the turn produces them again.
    CanWait,
    /// As soon as possible.
    Now,
    /// As soon as possible; the turn waits for the write and for the outcome of the last report.
    Awaited(ReplySender<CommandOutcome>),
}

/// The turn has ended, or its session is gone: nothing it does counts any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnEnded;

/// The channel from a turn to its session.
#[derive(Clone)]
pub(crate) struct Reporter {
    pub(super) turn_id: TurnId,
    pub(super) mailbox: Mailbox,
}

impl Reporter {
    /// Sends a report. If the session is gone the report is dropped: the turn is about to be
    /// stopped too.
    pub(crate) async fn tell(&self, report: TurnReport) {
        self.tell_all(vec![report]).await;
    }

    /// Sends several reports, in order.
    pub(crate) async fn tell_all(&self, reports: Vec<TurnReport>) {
        self.send(reports, Urgency::CanWait).await;
    }

    /// Sends a report that must not be lost in a crash, without waiting for it.
    pub(crate) async fn tell_now(&self, report: TurnReport) {
        self.send(vec![report], Urgency::Now).await;
    }

    async fn send(&self, reports: Vec<TurnReport>, urgency: Urgency) {
        let _ = self.mailbox.send(Mail::Report { turn_id: self.turn_id, reports, urgency }).await;
    }

    /// Sends a report and waits until it is durable.
    pub(crate) async fn commit(&self, report: TurnReport) -> Result<CommandOutcome, TurnEnded> {
        self.commit_all(vec![report]).await
    }

    /// Sends several reports, in order, and waits until they are durable. Returns the outcome of
    /// the last.
    pub(crate) async fn commit_all(&self, reports: Vec<TurnReport>) -> Result<CommandOutcome, TurnEnded> {
        let (reply, answer) = oneshot::channel();
        let mail = Mail::Report { turn_id: self.turn_id, reports, urgency: Urgency::Awaited(reply) };
        self.mailbox.send(mail).await.map_err(|_| TurnEnded)?;
        match answer.await {
            Ok(Ok(CommandOutcome::TooLate) | Err(_)) | Err(_) => Err(TurnEnded),
            Ok(Ok(outcome)) => Ok(outcome),
        }
    }

    /// Sends a report that may be refused, and waits until it is durable.
    pub(crate) async fn attempt(&self, report: TurnReport) -> Result<Result<CommandOutcome, Refusal>, TurnEnded> {
        let (reply, answer) = oneshot::channel();
        let mail = Mail::Report { turn_id: self.turn_id, reports: vec![report], urgency: Urgency::Awaited(reply) };
        self.mailbox.send(mail).await.map_err(|_| TurnEnded)?;
        match answer.await {
            Ok(Err(Error::Refused(refusal))) => Ok(Err(refusal)),
            Ok(Ok(CommandOutcome::TooLate) | Err(_)) | Err(_) => Err(TurnEnded),
            Ok(Ok(outcome)) => Ok(Ok(outcome)),
        }
    }

    /// The current desktop as clients see it.
    pub(crate) async fn desktop(&self, owner: &OwnerId) -> Result<DesktopView, TurnEnded> {
        let (reply, answer) = oneshot::channel();
        self.mailbox.send(Mail::Desktop { owner: owner.clone(), reply }).await.map_err(|_| TurnEnded)?;
        answer.await.ok().and_then(Result::ok).ok_or(TurnEnded)
    }

    /// The current desktop as turns see it.
    pub(crate) async fn windows(&self, owner: &OwnerId) -> Result<Desktop, TurnEnded> {
        let (reply, answer) = oneshot::channel();
        self.mailbox.send(Mail::Windows { owner: owner.clone(), reply }).await.map_err(|_| TurnEnded)?;
        answer.await.ok().and_then(Result::ok).ok_or(TurnEnded)
    }

    /// Reports the progress of a tool. Best effort: the report is dropped if it cannot be
    /// delivered.
    pub(crate) fn say(&self, progress: protocol::Progress) {
        let _ = self.mailbox.try_send(Mail::Progress { turn_id: self.turn_id, progress });
    }
}
