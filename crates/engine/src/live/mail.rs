//! What a live session is asked and told.

use protocol::{AgentId, ApprovalView, DesktopView, OwnerId, SessionView, TurnId};
use session::{Command, Desktop, Forgetting, Outcome, Refusal, Report};
use tokio::sync::{mpsc, oneshot};

use super::remove::Removal;
use crate::{Error, Exceeded, subscription::Joined, turn::Conversation};

/// Mail that may wait for a session; beyond it, senders wait.
pub(super) const MAIL_MAX: usize = 256;

pub(crate) type Mailbox = mpsc::Sender<Mail>;
pub(super) type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// What a live session is asked and told.
pub(crate) enum Mail {
    /// Do something, on behalf of the owner; if there is no room for more, only what writes nothing.
    Command { owner: OwnerId, command: Box<Command>, full: Option<Exceeded>, reply: Reply<Outcome> },
    /// How does the session stand?
    View { owner: OwnerId, reply: Reply<SessionView> },
    /// What would the next turn of an agent be told of the conversation?
    Conversation { owner: OwnerId, agent_id: AgentId, reply: Reply<Conversation> },
    /// How does its desktop stand?
    Desktop { owner: OwnerId, reply: Reply<DesktopView> },
    /// What is on its desktop, as its turns see it?
    Windows { owner: OwnerId, reply: Reply<Desktop> },
    /// Which questions are open?
    Approvals { owner: OwnerId, reply: Reply<Vec<ApprovalView>> },
    /// Follow the session from now on.
    Join { owner: OwnerId, reply: Reply<Joined> },
    /// Strike words out of what is written; how many records that was.
    Forget { owner: OwnerId, forgetting: Forgetting, reply: Reply<u64> },
    /// Be removed with all that was said; whether that was done.
    Remove { owner: OwnerId, removal: Removal, reply: Reply<bool> },
    /// Be loaded, so that what was interrupted goes on.
    Wake,
    /// A turn reports.
    Report { turn_id: TurnId, reports: Vec<Report>, urgency: Urgency },
    /// A tool says how far it is.
    Progress { turn_id: TurnId, progress: protocol::Progress },
}

/// How soon reports have to be durable.
pub(crate) enum Urgency {
    /// With what comes next, or a moment later: if they are lost, the turn comes to the same again.
    CanWait,
    /// As soon as possible.
    Now,
    /// As soon as possible; the turn waits for it, and for what came of the last report.
    Awaited(Reply<Outcome>),
}

/// The turn is over, or its session is gone: nothing it does counts any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Over;

/// A turn's line to its session.
#[derive(Clone)]
pub(crate) struct Reporter {
    pub(super) turn_id: TurnId,
    pub(super) mailbox: Mailbox,
}

impl Reporter {
    /// Reports. If the session is gone, so is the reason to report: the turn is about to be stopped too.
    pub(crate) async fn tell(&self, report: Report) {
        self.tell_all(vec![report]).await;
    }

    /// Reports several things at once, in order.
    pub(crate) async fn tell_all(&self, reports: Vec<Report>) {
        self.send(reports, Urgency::CanWait).await;
    }

    /// Reports what must not be lost in a crash, without waiting for it.
    pub(crate) async fn tell_now(&self, report: Report) {
        self.send(vec![report], Urgency::Now).await;
    }

    async fn send(&self, reports: Vec<Report>, urgency: Urgency) {
        let _ = self.mailbox.send(Mail::Report { turn_id: self.turn_id, reports, urgency }).await;
    }

    /// Reports, and waits until it is durable.
    pub(crate) async fn commit(&self, report: Report) -> Result<Outcome, Over> {
        self.commit_all(vec![report]).await
    }

    /// Reports several things at once, in order, and waits until they are durable. Gives what came of the last.
    pub(crate) async fn commit_all(&self, reports: Vec<Report>) -> Result<Outcome, Over> {
        let (reply, answer) = oneshot::channel();
        let mail = Mail::Report { turn_id: self.turn_id, reports, urgency: Urgency::Awaited(reply) };
        self.mailbox.send(mail).await.map_err(|_| Over)?;
        match answer.await {
            Ok(Ok(Outcome::TooLate) | Err(_)) | Err(_) => Err(Over),
            Ok(Ok(outcome)) => Ok(outcome),
        }
    }

    /// Reports something that may be refused, and waits until it is durable.
    pub(crate) async fn attempt(&self, report: Report) -> Result<Result<Outcome, Refusal>, Over> {
        let (reply, answer) = oneshot::channel();
        let mail = Mail::Report { turn_id: self.turn_id, reports: vec![report], urgency: Urgency::Awaited(reply) };
        self.mailbox.send(mail).await.map_err(|_| Over)?;
        match answer.await {
            Ok(Err(Error::Refused(refusal))) => Ok(Err(refusal)),
            Ok(Ok(Outcome::TooLate) | Err(_)) | Err(_) => Err(Over),
            Ok(Ok(outcome)) => Ok(Ok(outcome)),
        }
    }

    /// The session's desktop as it stands.
    pub(crate) async fn desktop(&self, owner: &OwnerId) -> Result<DesktopView, Over> {
        let (reply, answer) = oneshot::channel();
        self.mailbox.send(Mail::Desktop { owner: owner.clone(), reply }).await.map_err(|_| Over)?;
        answer.await.ok().and_then(Result::ok).ok_or(Over)
    }

    /// What is on the session's desktop by now.
    pub(crate) async fn windows(&self, owner: &OwnerId) -> Result<Desktop, Over> {
        let (reply, answer) = oneshot::channel();
        self.mailbox.send(Mail::Windows { owner: owner.clone(), reply }).await.map_err(|_| Over)?;
        answer.await.ok().and_then(Result::ok).ok_or(Over)
    }

    /// Says how far a tool is. Nobody waits for it, and nothing is lost if nobody hears it.
    pub(crate) fn say(&self, progress: protocol::Progress) {
        let _ = self.mailbox.try_send(Mail::Progress { turn_id: self.turn_id, progress });
    }
}
