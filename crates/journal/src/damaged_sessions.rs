//! The sessions that were found damaged since the journal was opened.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::SessionId;

use crate::{Damage, Error};

/// The damaged sessions, each with its first damage. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct DamagedSessions {
    found: Arc<Mutex<BTreeMap<SessionId, Damage>>>,
}

impl DamagedSessions {
    /// Records and logs a damage, unless an earlier event of the session is known to be damaged.
    pub(crate) fn note(&self, damage: Damage) {
        let mut found = self.lock();
        if found.get(&damage.session_id).is_some_and(|known| known.seq <= damage.seq) {
            return;
        }
        let Damage { session_id, seq, detail } = &damage;
        tracing::error!(session = %session_id, event = seq, detail, "a session is damaged and refused from now on; \
            `dwell export --sound` takes out the events before the damage");
        found.insert(*session_id, damage);
    }

    /// Records the damage that a read has found.
    pub(crate) fn watch<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if let Err(Error::DamagedSession { session_id, seq, detail }) = &outcome {
            self.note(Damage { session_id: *session_id, seq: *seq, detail: detail.clone() });
        }
        outcome
    }

    /// The damage of a session.
    pub(crate) fn of(&self, session_id: SessionId) -> Option<Damage> {
        self.lock().get(&session_id).cloned()
    }

    /// All known damage.
    pub(crate) fn all(&self) -> Vec<Damage> {
        self.lock().values().cloned().collect()
    }

    /// Forgets a removed session.
    pub(crate) fn forget(&self, session_id: SessionId) {
        self.lock().remove(&session_id);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Damage>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
