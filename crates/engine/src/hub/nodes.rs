//! The nodes that share the store, and which of them serves an owner.

use std::sync::atomic::Ordering;

use journal::{NodeEntry, OwnerPlace};
use protocol::{Body, OwnerId, ScheduleId};

use super::Hub;
use crate::Error;

impl Hub {
    /// Where an owner is served. An owner whom no living node serves is taken over.
    pub async fn place(&self, owner: &OwnerId) -> Result<OwnerPlace, Error> {
        Ok(self.services().store.place(owner).await?)
    }

    /// Whether other nodes may share the store.
    pub fn shares_store(&self) -> bool {
        self.services().store.gained().is_some()
    }

    /// All nodes that share the store.
    pub async fn nodes(&self) -> Result<Vec<NodeEntry>, Error> {
        Ok(self.services().store.nodes().await?)
    }

    /// The ids of the nodes that are alive.
    pub async fn living_nodes(&self) -> Result<Vec<String>, Error> {
        Ok(self.services().store.living_nodes().await?)
    }

    /// The owner of a schedule, wherever they are served.
    pub async fn schedule_owner(&self, id: ScheduleId) -> Result<Option<OwnerId>, Error> {
        let store = &self.services().store;
        let Some(session_id) = store.schedule_session(id).await? else { return Ok(None) };
        let first = store.read(session_id, 0, 1).await?.into_iter().next();
        Ok(first.and_then(|event| match event.body {
            Body::SessionStarted(started) => Some(started.owner),
            _ => None,
        }))
    }

    /// Takes no more owners from now on, and is not ready any more.
    pub async fn announce_leave(&self) {
        self.services().readiness.is_leaving.store(true, Ordering::SeqCst);
        self.services().store.announce_leave().await;
    }

    /// Gives all owners to the other nodes, after [`Hub::stop`].
    pub async fn leave(&self) {
        self.services().store.leave().await;
    }
}
