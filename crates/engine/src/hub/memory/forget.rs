//! Forgetting: the data is removed from the journals, snapshots, indexes, artifacts and files
//! before the answer is given.
//!
//! The journals come first and the items themselves last, so that a client that was cut off in
//! between can repeat the request.

use std::collections::{BTreeMap, BTreeSet};

use memory::long_term::ForgetPlan;
use protocol::{ForgetResult, ItemId, MemoryForget, OwnerId, SessionId, SessionRef, Timestamp, TurnId};
use session::{Redaction, Refusal, redact_text};

use super::super::Hub;
use crate::{Error, live::Mail};

/// How long the follower may take to catch up.
const READING_MAX: std::time::Duration = std::time::Duration::from_secs(5);

impl Hub {
    /// Forgets items. Text of a turn that is still open cannot be removed: that is refused before
    /// anything is changed.
    pub async fn memory_forget(&self, owner: &OwnerId, asked: &MemoryForget) -> Result<ForgetResult, Error> {
        self.forget_beside(owner, asked, None).await
    }

    /// The same, where one open turn is no hindrance.
    pub(super) async fn forget_beside(
        &self,
        owner: &OwnerId,
        asked: &MemoryForget,
        within: Option<TurnId>,
    ) -> Result<ForgetResult, Error> {
        if let Some(key) = &asked.key {
            self.profile_history(owner, key).await?;
        }
        let going = self.long_term().forget_plan(owner, asked).await?;
        let sessions = self.sessions_beside(owner, &going, None, within).await?;
        let (forgotten, sought) = self.carry_out_with(owner, going, sessions, BTreeSet::new(), within).await?;
        let left = self.services().store.scrub(&sought).await?;
        if !left.is_empty() {
            // Other owners may have written the same text; this owner's copy is gone.
            tracing::info!(texts = left.len(), "forgotten text also occurs in data of other owners");
        }
        Ok(forgotten)
    }

    /// Removes the text of an ended turn from its session and from memory. It is left out of later
    /// prompts; its existence and its usage stay.
    pub async fn delete_turn(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        turn_id: TurnId,
    ) -> Result<ForgetResult, Error> {
        let session_id = self.find(owner, session, false).await?;
        let turn = self.turn(owner, turn_id).await?;
        if turn.session_id != session_id {
            return Err(Error::NoTurn);
        }
        if !turn.status.is_final() {
            return Err(Error::Refused(Refusal::TurnOpen));
        }
        // The memories of the turn must exist, so that they are removed with it.
        if self.follower().behind(owner).await?.contains(&session_id) {
            let head = self.view(owner, session_id).await?.last_seq;
            self.follower().wait_for(session_id, head, READING_MAX).await;
        }
        let going = self.long_term().forget_plan_for_turn(owner, turn_id).await?;
        let mut sessions = self.sessions_of(owner, &going, None).await?;
        sessions.insert(session_id);
        let (forgotten, sought) = self.carry_out_with(owner, going, sessions, BTreeSet::from([turn_id]), None).await?;
        self.services().store.scrub(&sought).await?;
        Ok(forgotten)
    }

    /// Removes the planned data from these sessions and from memory. Returns the texts to look for
    /// in the files.
    pub(in crate::hub) async fn carry_out(
        &self,
        owner: &OwnerId,
        going: ForgetPlan,
        sessions: BTreeSet<SessionId>,
    ) -> Result<(ForgetResult, Vec<String>), Error> {
        self.carry_out_with(owner, going, sessions, BTreeSet::new(), None).await
    }

    async fn carry_out_with(
        &self,
        owner: &OwnerId,
        mut going: ForgetPlan,
        sessions: BTreeSet<SessionId>,
        whole_turns: BTreeSet<TurnId>,
        within: Option<TurnId>,
    ) -> Result<(ForgetResult, Vec<String>), Error> {
        let texts: Vec<String> = going.texts.iter().cloned().collect();
        let mut forgotten = ForgetResult::default();
        for session_id in sessions {
            let forgetting = Redaction { whole_turns: whole_turns.clone(), ..forgetting(&going, session_id) };
            // Before as well: the follower must not derive anything from events that it has in
            // memory.
            self.follower().drop_session(session_id);
            let mail = |reply| Mail::Forget { owner: owner.clone(), forgetting, within, reply };
            let struck = self.ask(session_id, mail).await?;
            self.follower().drop_session(session_id);
            if struck > 0 {
                forgotten.sessions.push(session_id);
                forgotten.records += struck;
            }
        }
        let store = &self.services().store;
        if !texts.is_empty() {
            forgotten.artifacts = store.remove_artifacts_with(owner, &texts).await?;
            forgotten.values = store.remove_values_with(owner, &texts).await?;
        }
        forgotten.items = going.items.iter().copied().collect();
        going.sessions = forgotten.sessions.iter().copied().collect();
        let words: Vec<String> = going.words.values().flatten().cloned().collect();
        let in_memory = texts.clone();
        let strike = move |text: &str, words: &[String]| redact_text(text, &in_memory, words);
        self.long_term().forget(owner, going, strike).await?;
        Ok((forgotten, texts.into_iter().chain(words).collect()))
    }

    /// Forgets items whose expiry has passed. Items that an open turn uses are left for the next
    /// run.
    pub(crate) async fn forget_expired(&self, owner: &OwnerId, now: Timestamp) -> Result<u64, Error> {
        let mut count = 0;
        for id in self.long_term().expired(owner, now).await? {
            let asked = MemoryForget { ids: vec![id], ..MemoryForget::default() };
            match self.memory_forget(owner, &asked).await {
                Ok(_) => count += 1,
                // It was removed together with another one.
                Err(Error::Memory(memory::long_term::Error::NoItem(_)) | Error::InUse { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// The sessions that contain some of the data: where it was said, where the text occurs, and
    /// where it was in the context. Fails if a turn is open in one of them. A session that is
    /// removed as a whole is left out.
    pub(in crate::hub) async fn sessions_of(
        &self,
        owner: &OwnerId,
        going: &ForgetPlan,
        removed: Option<SessionId>,
    ) -> Result<BTreeSet<SessionId>, Error> {
        self.sessions_beside(owner, going, removed, None).await
    }

    /// The same, where one open turn is no hindrance.
    async fn sessions_beside(
        &self,
        owner: &OwnerId,
        going: &ForgetPlan,
        removed: Option<SessionId>,
        within: Option<TurnId>,
    ) -> Result<BTreeSet<SessionId>, Error> {
        let said = going.records.iter().map(|(session_id, _)| *session_id);
        let stated = going.turns.keys().map(|(session_id, _)| *session_id);
        let mut sessions: BTreeSet<SessionId> = said.chain(stated).collect();
        // The record of a turn contains the ids of the items in its context.
        let ids = going.items.iter().map(ItemId::to_string);
        let needles: Vec<String> = going.texts.iter().cloned().chain(ids).collect();
        sessions.extend(self.services().store.sessions_with(owner, &needles).await?);
        let mut existing = BTreeSet::new();
        for session_id in sessions.into_iter().filter(|id| Some(*id) != removed) {
            match self.view(owner, session_id).await {
                Ok(view) => match view.open_turns.iter().find(|turn| Some(**turn) != within) {
                    Some(turn_id) => return Err(Error::InUse { session_id, turn_id: *turn_id }),
                    None => drop(existing.insert(session_id)),
                },
                // The session was removed; only its memories are left.
                Err(Error::NoSession) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(existing)
    }
}

/// The redaction of one session.
fn forgetting(going: &ForgetPlan, session_id: SessionId) -> Redaction {
    let words = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>();
    let turns = going.turns.iter().filter(|((session, _), _)| *session == session_id);
    let items: BTreeMap<ItemId, Vec<String>> = going.words.iter().map(|(id, all)| (*id, words(all))).collect();
    Redaction {
        texts: words(&going.texts),
        records: going.records.iter().filter(|(session, _)| *session == session_id).map(|(_, seq)| *seq).collect(),
        turns: turns.map(|((_, turn), all)| (*turn, words(all))).collect(),
        items,
        whole_turns: BTreeSet::new(),
    }
}
