//! Forgetting: gone from the journals, the snapshots, the index, the artifacts and the files before the answer is given.
//!
//! The journals come first and the items themselves last, so that whoever is cut off in between can ask for the same again.

use std::collections::{BTreeMap, BTreeSet};

use memory::room::Going;
use protocol::{Forgotten, ItemId, MemoryForget, OwnerId, SessionId};
use session::{Forgetting, strike_text};

use super::super::Hub;
use crate::{Error, live::Mail};

impl Hub {
    /// Forgets. What was said in a turn that is still open cannot be taken from it: that is refused before anything is
    /// changed.
    pub async fn memory_forget(&self, owner: &OwnerId, asked: &MemoryForget) -> Result<Forgotten, Error> {
        if let Some(key) = &asked.key {
            self.profile_history(owner, key).await?;
        }
        let mut going = self.room().going(owner, asked).await?;
        let texts: Vec<String> = going.texts.iter().cloned().collect();
        let sessions = self.sessions_of(owner, &going, &texts).await?;
        for session_id in &sessions {
            if let Some(turn_id) = self.view(owner, *session_id).await?.open_turns.first() {
                return Err(Error::InUse { session_id: *session_id, turn_id: *turn_id });
            }
        }
        let mut forgotten = Forgotten::default();
        for session_id in sessions {
            let forgetting = forgetting(&going, session_id);
            let struck = self.ask(session_id, |reply| Mail::Forget { owner: owner.clone(), forgetting, reply }).await?;
            self.follower().drop_session(session_id);
            if struck > 0 {
                forgotten.sessions.push(session_id);
                forgotten.records += struck;
            }
        }
        let store = &self.house().store;
        forgotten.artifacts = store.remove_artifacts_with(owner, &texts).await?;
        forgotten.items = going.items.iter().copied().collect();
        going.sessions = forgotten.sessions.iter().copied().collect();
        let words: Vec<String> = going.words.values().flatten().cloned().collect();
        let in_memory = texts.clone();
        let strike = move |text: &str, words: &[String]| strike_text(text, &in_memory, words);
        self.room().forget(owner, going, strike).await?;
        let sought: Vec<String> = texts.into_iter().chain(words).collect();
        let left = store.scrub(&sought).await?;
        if !left.is_empty() {
            // Other owners may have said the same; what this owner had is gone.
            tracing::info!(texts = left.len(), "forgotten words stand elsewhere, in what others keep");
        }
        Ok(forgotten)
    }

    /// Forgets what should be gone by itself by now. What an open turn uses waits for the next time.
    pub(crate) async fn forget_expired(&self, owner: &OwnerId) -> Result<u64, Error> {
        let mut count = 0;
        for id in self.room().expired(owner).await? {
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

    /// The sessions that hold something of what goes: where it was said, where the words stand, where it was told.
    async fn sessions_of(
        &self,
        owner: &OwnerId,
        going: &Going,
        texts: &[String],
    ) -> Result<BTreeSet<SessionId>, Error> {
        let said = going.records.iter().map(|(session_id, _)| *session_id);
        let stated = going.turns.keys().map(|(session_id, _)| *session_id);
        let mut sessions: BTreeSet<SessionId> = said.chain(stated).collect();
        // An item that was told to a turn stands in its record by its id.
        let ids = going.items.iter().map(ItemId::to_string);
        let needles: Vec<String> = texts.iter().cloned().chain(ids).collect();
        sessions.extend(self.house().store.sessions_with(owner, &needles).await?);
        let mut existing = BTreeSet::new();
        for session_id in sessions {
            match self.view(owner, session_id).await {
                Ok(_) => drop(existing.insert(session_id)),
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
    }
}
