//! Forgetting that a turn asks for: the turn stays open meanwhile. Its own events are redacted
//! after it has ended, if they may hold what was forgotten.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use memory::long_term::ForgetPlan;
use protocol::{ForgetResult, MemoryForget, OwnerId, SessionId, TurnId};
use session::{Redaction, redact_text};

use super::super::Hub;
use crate::{Error, live::Mail};

/// How often it is checked whether the turn has ended, and for how long.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);
const CHECKS_MAX: usize = 18_000;

impl Hub {
    /// Forgets items for a turn that knows nothing of them but their ids: its own events stay as
    /// they are.
    pub(crate) async fn memory_forget_within(
        &self,
        owner: &OwnerId,
        asked: &MemoryForget,
        turn_id: TurnId,
    ) -> Result<ForgetResult, Error> {
        self.forget_beside(owner, asked, Some(turn_id)).await
    }

    /// Forgets items for a turn that has them in its context. Its own events are redacted once it
    /// has ended.
    pub(crate) async fn memory_forget_by_turn(
        &self,
        owner: &OwnerId,
        asked: &MemoryForget,
        session_id: SessionId,
        turn_id: TurnId,
    ) -> Result<ForgetResult, Error> {
        let plan = self.long_term().forget_plan(owner, asked).await?;
        let forgotten = self.forget_beside(owner, asked, Some(turn_id)).await?;
        let (hub, owner) = (self.clone(), owner.clone());
        self.services().tasks.spawn(async move {
            let stopping = hub.services().stopping.clone();
            tokio::select! {
                () = stopping.cancelled() => {}
                () = hub.redact_turn_later(&owner, plan, session_id, turn_id) => {}
            }
        });
        Ok(forgotten)
    }

    /// Redacts the events of a turn once it has ended, and what memory has made of them.
    async fn redact_turn_later(&self, owner: &OwnerId, plan: ForgetPlan, session_id: SessionId, turn_id: TurnId) {
        let texts: Vec<String> = plan.texts.iter().cloned().collect();
        let words: Vec<String> = plan.words.values().flatten().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        for _ in 0..CHECKS_MAX {
            tokio::time::sleep(CHECK_INTERVAL).await;
            let redaction = Redaction {
                texts: texts.clone(),
                turns: BTreeMap::from([(turn_id, words.clone())]),
                ..Redaction::default()
            };
            match self.redact_turn(owner, session_id, redaction).await {
                Err(Error::InUse { .. }) => {}
                Err(Error::NoSession) => return,
                Err(error) => {
                    tracing::warn!(session = %session_id, %error, "failed to redact a turn after forgetting");
                    return;
                }
                Ok(()) => {
                    let mut of_turn = ForgetPlan::default();
                    of_turn.texts.clone_from(&plan.texts);
                    of_turn.words.clone_from(&plan.words);
                    of_turn.sessions.insert(session_id);
                    let in_memory = texts.clone();
                    let strike = move |text: &str, words: &[String]| redact_text(text, &in_memory, words);
                    if let Err(error) = self.long_term().forget(owner, of_turn, strike).await {
                        tracing::warn!(session = %session_id, %error, "failed to redact memory after forgetting");
                    }
                    return;
                }
            }
        }
    }

    async fn redact_turn(&self, owner: &OwnerId, session_id: SessionId, forgetting: Redaction) -> Result<(), Error> {
        self.follower().drop_session(session_id);
        let mail = |reply| Mail::Forget { owner: owner.clone(), forgetting, within: None, reply };
        let redacted = self.ask(session_id, mail).await;
        self.follower().drop_session(session_id);
        redacted.map(drop)
    }

    /// Waits until the messages of a session before this number are in memory.
    pub(crate) async fn await_reading(&self, owner: &OwnerId, session_id: SessionId, before: u64, patience: Duration) {
        if self.follower().behind(owner).await.is_ok_and(|behind| behind.contains(&session_id)) {
            self.follower().wait_for(session_id, before.saturating_sub(1), patience).await;
        }
    }
}
