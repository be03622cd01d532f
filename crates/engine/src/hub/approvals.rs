//! Approvals: lists the open requests and takes a person's answers. Only owners answer; agents have
//! no access.

use protocol::{ApprovalAnswer, ApprovalPage, ApprovalView, OwnerId, SessionRef};
use session::Command;

use super::Hub;
use crate::{Error, live::Mail};

impl Hub {
    /// The open approval requests of a session, or of all the owner's sessions with a running turn.
    pub async fn approvals(&self, owner: &OwnerId, session: Option<&SessionRef>) -> Result<ApprovalPage, Error> {
        let sessions = match session {
            Some(session) => vec![self.find(owner, session, false).await?],
            // A request is open only while its turn is. Other sessions are skipped, since asking
            // them would load them.
            None => self.services().store.moving().await?,
        };
        let mut data: Vec<ApprovalView> = Vec::new();
        for session_id in sessions {
            match self.ask(session_id, |reply| Mail::Approvals { owner: owner.clone(), reply }).await {
                Ok(open) => data.extend(open),
                // The session has another owner, is gone, or cannot be loaded: the others are shown
                // all the same.
                Err(_) if session.is_none() => {}
                Err(error) => return Err(error),
            }
        }
        data.sort_by_key(|open| open.request.approval_id);
        Ok(ApprovalPage { data })
    }

    /// Settles an approval request in any session.
    pub async fn answer_approval(&self, owner: &OwnerId, answer: ApprovalAnswer) -> Result<(), Error> {
        let open = self.approvals(owner, None).await?;
        let asked = open.data.into_iter().find(|open| open.request.approval_id == answer.approval_id);
        let asked = asked.ok_or(Error::Refused(session::Refusal::ApprovalSettled))?;
        self.command(owner, asked.session_id, Command::Answer(answer)).await?;
        Ok(())
    }
}
