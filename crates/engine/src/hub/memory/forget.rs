//! Forgetting: gone from the journals, the snapshots, the index, the artifacts and the files before the answer is given.
//!
//! The journals come first and the items themselves last, so that whoever is cut off in between can ask for the same again.

use std::collections::{BTreeMap, BTreeSet};

use memory::room::Going;
use protocol::{Forgotten, ItemId, MemoryForget, OwnerId, SessionId, SessionRef, Timestamp, TurnId};
use session::{Forgetting, Refusal, strike_text};

use super::super::Hub;
use crate::{Error, live::Mail};

/// How long memory may take to read what was said last.
const READING_MAX: std::time::Duration = std::time::Duration::from_secs(5);

impl Hub {
    /// Forgets. What was said in a turn that is still open cannot be taken from it: that is refused before anything is
    /// changed.
    pub async fn memory_forget(&self, owner: &OwnerId, asked: &MemoryForget) -> Result<Forgotten, Error> {
        if let Some(key) = &asked.key {
            self.profile_history(owner, key).await?;
        }
        let going = self.room().going(owner, asked).await?;
        let sessions = self.sessions_of(owner, &going, None).await?;
        let (forgotten, sought) = self.carry_out(owner, going, sessions).await?;
        let left = self.house().store.scrub(&sought).await?;
        if !left.is_empty() {
            // Other owners may have said the same; what this owner had is gone.
            tracing::info!(texts = left.len(), "forgotten words stand elsewhere, in what others keep");
        }
        Ok(forgotten)
    }

    /// Takes the words of a turn that has ended out of its session and out of memory. Later turns are not told of it; that
    /// it was there, and what it took, stays.
    pub async fn delete_turn(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        turn_id: TurnId,
    ) -> Result<Forgotten, Error> {
        let session_id = self.find(owner, session, false).await?;
        let turn = self.turn(owner, turn_id).await?;
        if turn.session_id != session_id {
            return Err(Error::NoTurn);
        }
        if !turn.status.is_final() {
            return Err(Error::Refused(Refusal::TurnOpen));
        }
        // What memory makes of the turn is to be there, so that it goes with it.
        if self.follower().behind(owner).await?.contains(&session_id) {
            let head = self.view(owner, session_id).await?.last_seq;
            self.follower().wait_for(session_id, head, READING_MAX).await;
        }
        let going = self.room().going_with_turn(owner, turn_id).await?;
        let mut sessions = self.sessions_of(owner, &going, None).await?;
        sessions.insert(session_id);
        let (forgotten, sought) = self.carry_out_with(owner, going, sessions, BTreeSet::from([turn_id])).await?;
        self.house().store.scrub(&sought).await?;
        Ok(forgotten)
    }

    /// Takes away what goes, from these sessions and from memory. Gives the words to be looked for in the files.
    pub(in crate::hub) async fn carry_out(
        &self,
        owner: &OwnerId,
        going: Going,
        sessions: BTreeSet<SessionId>,
    ) -> Result<(Forgotten, Vec<String>), Error> {
        self.carry_out_with(owner, going, sessions, BTreeSet::new()).await
    }

    async fn carry_out_with(
        &self,
        owner: &OwnerId,
        mut going: Going,
        sessions: BTreeSet<SessionId>,
        whole_turns: BTreeSet<TurnId>,
    ) -> Result<(Forgotten, Vec<String>), Error> {
        let texts: Vec<String> = going.texts.iter().cloned().collect();
        let mut forgotten = Forgotten::default();
        for session_id in sessions {
            let forgetting = Forgetting { whole_turns: whole_turns.clone(), ..forgetting(&going, session_id) };
            let struck = self.ask(session_id, |reply| Mail::Forget { owner: owner.clone(), forgetting, reply }).await?;
            self.follower().drop_session(session_id);
            if struck > 0 {
                forgotten.sessions.push(session_id);
                forgotten.records += struck;
            }
        }
        let store = &self.house().store;
        if !texts.is_empty() {
            forgotten.artifacts = store.remove_artifacts_with(owner, &texts).await?;
        }
        forgotten.items = going.items.iter().copied().collect();
        going.sessions = forgotten.sessions.iter().copied().collect();
        let words: Vec<String> = going.words.values().flatten().cloned().collect();
        let in_memory = texts.clone();
        let strike = move |text: &str, words: &[String]| strike_text(text, &in_memory, words);
        self.room().forget(owner, going, strike).await?;
        Ok((forgotten, texts.into_iter().chain(words).collect()))
    }

    /// Forgets what should be gone by itself by now. What an open turn uses waits for the next time.
    pub(crate) async fn forget_expired(&self, owner: &OwnerId, now: Timestamp) -> Result<u64, Error> {
        let mut count = 0;
        for id in self.room().expired(owner, now).await? {
            let asked = MemoryForget { ids: vec![id], ..MemoryForget::default() };
            match self.memory_forget(owner, &asked).await {
                Ok(_) => count += 1,
                // It went with another one.
                Err(Error::Memory(memory::room::Error::NoItem(_)) | Error::InUse { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// The sessions that hold something of what goes: where it was said, where the words stand, where it was told. Refused
    /// if a turn is open in one of them. One that is removed whole is left out.
    pub(in crate::hub) async fn sessions_of(
        &self,
        owner: &OwnerId,
        going: &Going,
        removed: Option<SessionId>,
    ) -> Result<BTreeSet<SessionId>, Error> {
        let said = going.records.iter().map(|(session_id, _)| *session_id);
        let stated = going.turns.keys().map(|(session_id, _)| *session_id);
        let mut sessions: BTreeSet<SessionId> = said.chain(stated).collect();
        // An item that was told to a turn stands in its record by its id.
        let ids = going.items.iter().map(ItemId::to_string);
        let needles: Vec<String> = going.texts.iter().cloned().chain(ids).collect();
        sessions.extend(self.house().store.sessions_with(owner, &needles).await?);
        let mut existing = BTreeSet::new();
        for session_id in sessions.into_iter().filter(|id| Some(*id) != removed) {
            match self.view(owner, session_id).await {
                Ok(view) => match view.open_turns.first() {
                    Some(turn_id) => return Err(Error::InUse { session_id, turn_id: *turn_id }),
                    None => drop(existing.insert(session_id)),
                },
                // It was removed; only what was remembered of it is left.
                Err(Error::NoSession) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(existing)
    }
}

/// What goes from one session.
fn forgetting(going: &Going, session_id: SessionId) -> Forgetting {
    let words = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>();
    let turns = going.turns.iter().filter(|((session, _), _)| *session == session_id);
    let items: BTreeMap<ItemId, Vec<String>> = going.words.iter().map(|(id, all)| (*id, words(all))).collect();
    Forgetting {
        texts: words(&going.texts),
        records: going.records.iter().filter(|(session, _)| *session == session_id).map(|(_, seq)| *seq).collect(),
        turns: turns.map(|((_, turn), all)| (*turn, words(all))).collect(),
        items,
        whole_turns: BTreeSet::new(),
    }
}
