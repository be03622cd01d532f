//! Approvals: what is open, and what a person says to it. Only an owner answers; no agent has a way in here.

use protocol::{ApprovalAnswer, ApprovalPage, ApprovalView, OwnerId, SessionRef};
use session::Command;

use super::Hub;
use crate::{Error, live::Mail};

impl Hub {
    /// The open questions of a session, or of all the owner's sessions in which a turn is at work.
    pub async fn approvals(&self, owner: &OwnerId, session: Option<&SessionRef>) -> Result<ApprovalPage, Error> {
        let sessions = match session {
            Some(session) => vec![self.find(owner, session, false).await?],
            // A question is open only while its turn is. Others are left alone: asking would keep them in memory.
            None => self.house().store.moving().await?,
        };
        let mut data: Vec<ApprovalView> = Vec::new();
        for session_id in sessions {
            match self.ask(session_id, |reply| Mail::Approvals { owner: owner.clone(), reply }).await {
                Ok(open) => data.extend(open),
                // Somebody else's, gone since, or in trouble of its own: that is no reason not to show the others.
                Err(_) if session.is_none() => {}
                Err(error) => return Err(error),
            }
        }
        data.sort_by_key(|open| open.request.approval_id);
        Ok(ApprovalPage { data })
    }

    /// Settles a question, wherever it was asked.
    pub async fn answer_approval(&self, owner: &OwnerId, answer: ApprovalAnswer) -> Result<(), Error> {
        let open = self.approvals(owner, None).await?;
        let asked = open.data.into_iter().find(|open| open.request.approval_id == answer.approval_id);
        let asked = asked.ok_or(Error::Refused(session::Refusal::ApprovalSettled))?;
        self.command(owner, asked.session_id, Command::Answer(answer)).await?;
        Ok(())
    }
}
