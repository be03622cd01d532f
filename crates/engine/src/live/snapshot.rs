//! Snapshots limit the cost of loading, and are taken so rarely that they cost no more than the
//! events themselves.

use std::sync::Arc;

use journal::{Snapshot, Store};
use protocol::SessionId;
use session::State;
use tokio::task::JoinHandle;

use crate::Error;

/// The format of the state in snapshots. A change of `State` that old snapshots do not fit
/// increases it; they are then ignored, and the next one replaces them.
const FORMAT: u32 = 7;
/// Minimum number of events between snapshots.
const EVENTS_MIN: u64 = 256;
/// Minimum number of events between snapshots when the session is unloaded.
const EVENTS_MIN_AT_UNLOAD: u64 = 32;
/// A stored event takes at least about this many bytes.
const EVENT_BYTES: u64 = 128;

/// When the last snapshot was taken, and how large it was.
pub(super) struct SnapshotSchedule {
    events_since: u64,
    last_bytes: u64,
    /// The newest one that is being saved.
    saving: Option<JoinHandle<()>>,
}

impl SnapshotSchedule {
    pub(super) const fn after_loading(events_since: u64) -> Self {
        Self { events_since, last_bytes: 0, saving: None }
    }

    /// Counts events that were written.
    pub(super) const fn count(&mut self, events: u64) {
        self.events_since += events;
    }

    /// Takes a snapshot when the events since the last one outweigh it.
    pub(super) fn take_if_due(&mut self, store: &Arc<dyn Store>, state: &State) {
        if self.events_since >= EVENTS_MIN.max(self.last_bytes / EVENT_BYTES)
            && let Some(snapshot) = self.take(state)
        {
            // Losing a snapshot only costs time at the next loading, so nothing waits for it.
            let (store, id) = (store.clone(), state.id);
            self.saving = Some(tokio::spawn(async move { save(store.as_ref(), id, snapshot).await }));
        }
    }

    /// Waits until none is being saved, so that none reappears after it was dropped.
    pub(super) async fn settle(&mut self) {
        if let Some(saving) = self.saving.take() {
            // A task that panicked saves nothing any more.
            let _ = saving.await;
        }
    }

    /// Takes a last snapshot when the session is unloaded.
    pub(super) async fn unload(&mut self, store: &Arc<dyn Store>, state: &State) {
        if self.events_since >= EVENTS_MIN_AT_UNLOAD
            && let Some(snapshot) = self.take(state)
        {
            save(store.as_ref(), state.id, snapshot).await;
        }
    }

    fn take(&mut self, state: &State) -> Option<Snapshot> {
        let text = serde_json::to_string(state)
            .inspect_err(|error| tracing::warn!(session = %state.id, %error, "failed to write a snapshot"))
            .ok()?;
        self.events_since = 0;
        self.last_bytes = text.len() as u64;
        Some(Snapshot { seq: state.head, format: FORMAT, state: text })
    }
}

async fn save(store: &dyn Store, session_id: SessionId, snapshot: Snapshot) {
    if let Err(error) = store.save(session_id, snapshot).await {
        tracing::warn!(session = %session_id, %error, "failed to save a snapshot");
    }
}

/// The state in the newest snapshot, if there is one that can be read.
pub(super) async fn read(store: &dyn Store, session_id: SessionId) -> Result<Option<State>, Error> {
    let Some(snapshot) = store.latest(session_id).await? else { return Ok(None) };
    if snapshot.format != FORMAT {
        return Ok(None);
    }
    match serde_json::from_str(&snapshot.state) {
        Ok(state) => Ok(Some(state)),
        Err(error) => {
            tracing::warn!(session = %session_id, %error, "a snapshot cannot be read; reading the whole session instead");
            Ok(None)
        }
    }
}
