//! The leases that this node has given out, with the heads of their sessions.
//!
//! The database decides who may append. This table saves asking it: an append with a lease that is
//! not here is refused at once, and the checksum of the next event is computed from the head.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use protocol::SessionId;

use crate::{Lease, encoding::Head};

/// A lease that is held here.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldLease {
    pub(super) sid: i64,
    pub(super) epoch: u64,
    /// The newest event; `None` if it has to be read again, since the fate of a write is not known.
    pub(super) head: Option<Head>,
}

#[derive(Debug, Default)]
pub(super) struct Leases {
    held: Mutex<HashMap<SessionId, HeldLease>>,
}

impl Leases {
    /// Enters a lease, unless a later one was entered meanwhile.
    pub(super) fn enter(&self, session_id: SessionId, lease: HeldLease) {
        let mut held = self.lock();
        if held.get(&session_id).is_none_or(|known| known.epoch < lease.epoch) {
            held.insert(session_id, lease);
        }
    }

    /// The lease, if it is still held.
    pub(super) fn get(&self, lease: Lease) -> Option<HeldLease> {
        self.lock().get(&lease.session_id).copied().filter(|held| held.epoch == lease.epoch)
    }

    /// Takes a lease out, if it is still held.
    pub(super) fn take(&self, lease: Lease) -> Option<HeldLease> {
        let mut held = self.lock();
        if held.get(&lease.session_id)?.epoch != lease.epoch {
            return None;
        }
        held.remove(&lease.session_id)
    }

    /// Notes the newest event of a session; `None` if it has to be read again.
    pub(super) fn note(&self, lease: Lease, head: Option<Head>) {
        if let Some(held) = self.lock().get_mut(&lease.session_id)
            && held.epoch == lease.epoch
        {
            held.head = head;
        }
    }

    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, HeldLease>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
