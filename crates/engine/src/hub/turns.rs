//! Turns: send, cancel, resume, retry, get, wait, list.

use std::time::Duration;

use protocol::{
    Accepted, Body, Cancel, CancelOutcome, Cancelled, ChatSend, OwnerId, SessionId, SessionRef, TurnId, TurnPage,
    TurnView,
};
use session::{Command, Outcome, fold_turns};

use super::Hub;
use crate::{Delivery, Error};

/// Turns on a page unless told otherwise, and at most.
const TURNS_DEFAULT: usize = 20;
const TURNS_MAX: usize = 100;
/// Events looked through at a time.
const PAGE: usize = 512;

impl Hub {
    /// Says something in a session. The answer means that it is durable.
    pub async fn send(&self, owner: &OwnerId, session: &SessionRef, send: ChatSend) -> Result<Accepted, Error> {
        let session_id = self.find(owner, session, true).await?;
        let turn_id = self.new_turn_id();
        let outcome = self.command(owner, session_id, Command::Send { turn_id, send }).await?;
        accepted(session_id, outcome)
    }

    /// Stops a turn, or all open turns of a session.
    pub async fn cancel(&self, owner: &OwnerId, asked: Cancel) -> Result<Cancelled, Error> {
        let session_id = self.find(owner, &asked.session, false).await?;
        if let Some(turn_id) = asked.turn_id {
            let found = self.house().store.turn(turn_id).await?;
            if found.first().is_none_or(|event| event.session_id != session_id) {
                return Ok(Cancelled { status: CancelOutcome::NotFound, turn_ids: Vec::new() });
            }
        }
        let command = Command::Cancel { turn_id: asked.turn_id, reason: asked.reason };
        Ok(match self.command(owner, session_id, command).await? {
            Outcome::Cancelled(turn_ids) => Cancelled { status: CancelOutcome::Cancelled, turn_ids },
            _ => Cancelled { status: CancelOutcome::AlreadyFinal, turn_ids: Vec::new() },
        })
    }

    /// Stops a turn that is known by its id alone.
    pub async fn cancel_turn(
        &self,
        owner: &OwnerId,
        turn_id: TurnId,
        reason: Option<String>,
    ) -> Result<Cancelled, Error> {
        match self.turn(owner, turn_id).await {
            Ok(turn) => {
                self.cancel(owner, Cancel { session: turn.session_id.into(), turn_id: Some(turn_id), reason }).await
            }
            Err(Error::NoTurn) => Ok(Cancelled { status: CancelOutcome::NotFound, turn_ids: Vec::new() }),
            Err(error) => Err(error),
        }
    }

    /// Lets an interrupted turn go on.
    pub async fn resume_turn(&self, owner: &OwnerId, turn_id: TurnId) -> Result<Accepted, Error> {
        let turn = self.turn(owner, turn_id).await?;
        let outcome = self.command(owner, turn.session_id, Command::Resume { turn_id }).await?;
        accepted(turn.session_id, outcome)
    }

    /// Asks the same again in a new turn.
    pub async fn retry_turn(
        &self,
        owner: &OwnerId,
        turn_id: TurnId,
        idempotency_key: Option<String>,
    ) -> Result<Accepted, Error> {
        let turn = self.turn(owner, turn_id).await?;
        let command =
            Command::Retry { turn_id: self.new_turn_id(), of: turn_id, request: turn.request, idempotency_key };
        let outcome = self.command(owner, turn.session_id, command).await?;
        accepted(turn.session_id, outcome)
    }

    /// A turn as it stands.
    pub async fn turn(&self, owner: &OwnerId, turn_id: TurnId) -> Result<TurnView, Error> {
        let found = self.house().store.turn(turn_id).await?;
        let session_id = found.first().ok_or(Error::NoTurn)?.session_id;
        // Somebody else's turn is no turn at all. Looking at the session also loads it, so that a turn that a restart
        // interrupted is read after it was taken care of.
        match self.view(owner, session_id).await {
            Ok(_) => {}
            Err(Error::NoSession) => return Err(Error::NoTurn),
            Err(error) => return Err(error),
        }
        let events = self.house().store.turn(turn_id).await?;
        fold_turns(&events).pop().ok_or(Error::NoTurn)
    }

    /// A turn once it has ended or waits for somebody, or as it stands when the time is up.
    pub async fn wait(&self, owner: &OwnerId, turn_id: TurnId, patience: Duration) -> Result<TurnView, Error> {
        let turn = self.turn(owner, turn_id).await?;
        if !turn.status.is_moving() || patience.is_zero() {
            return Ok(turn);
        }
        let mut feed = self.subscribe(owner, turn.session_id, turn.last_seq).await?;
        let rest = async {
            loop {
                if let Delivery::Event(event) = feed.next().await?
                    && event.turn_id == Some(turn_id)
                    && matches!(&event.body, Body::TurnStatus(change) if !change.status.status().is_moving())
                {
                    return Ok(());
                }
            }
        };
        match tokio::time::timeout(patience, rest).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => self.turn(owner, turn_id).await,
        }
    }

    /// A session's turns, oldest first.
    pub async fn turns(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        cursor: Option<&str>,
        limit: Option<usize>,
    ) -> Result<TurnPage, Error> {
        let session_id = self.session(owner, session).await?.session_id;
        let after = cursor.map_or(Ok(0), str::parse);
        let mut after: u64 = after.map_err(|_| Error::Invalid("the cursor is not one that a list gave".to_owned()))?;
        let limit = limit.unwrap_or(TURNS_DEFAULT).clamp(1, TURNS_MAX);
        let mut page = TurnPage { data: Vec::new(), next_cursor: None };
        loop {
            let events = self.page(session_id, after, PAGE).await?;
            for event in &events {
                let Body::MessageAccepted(accepted) = &event.body else { continue };
                if page.data.len() == limit {
                    page.next_cursor = Some((event.seq - 1).to_string());
                    return Ok(page);
                }
                page.data.extend(fold_turns(&self.house().store.turn(accepted.turn_id).await?));
            }
            match events.last() {
                Some(last) if events.len() == PAGE => after = last.seq,
                _ => return Ok(page),
            }
        }
    }

    fn new_turn_id(&self) -> TurnId {
        TurnId::new(self.house().world.ulid())
    }
}

fn accepted(session_id: SessionId, outcome: Outcome) -> Result<Accepted, Error> {
    match outcome {
        Outcome::Accepted { turn_id, agent_id, seq, position, duplicate } => {
            Ok(Accepted { session_id, turn_id, agent_id, seq, position, duplicate })
        }
        // The heart answers a send, a resume and a retry with an acceptance or a refusal and nothing else.
        _ => Err(Error::Invalid("the turn was not accepted".to_owned())),
    }
}
