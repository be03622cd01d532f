//! The connections of a listener: a place for each, and how many there have been.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use protocol::{Code, OwnerId, Problem};
use tokio_util::sync::CancellationToken;

use super::table::{Admitted, Capacity, Full, Table};
use crate::{Limits, Peers};

/// The connections of a listener.
pub(crate) struct Connections {
    table: Mutex<Table>,
    capacity: Capacity,
    proxies: Peers,
    refused: AtomicU64,
    displaced: AtomicU64,
    timed_out: AtomicU64,
}

/// How many connections there are, and how many there were that are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) open: usize,
    pub(crate) anonymous: usize,
    pub(crate) refused: u64,
    pub(crate) displaced: u64,
    pub(crate) timed_out: u64,
    pub(crate) owners: BTreeMap<OwnerId, usize>,
}

impl Connections {
    /// Room for as many connections as the limits say. At least half of it is for those with a credential.
    pub(crate) fn new(limits: &Limits) -> Self {
        let all = limits.connections_max.max(2);
        let anonymous = limits.anonymous_connections_max.clamp(1, all / 2);
        let capacity = Capacity {
            anonymous,
            known: all - anonymous,
            per_peer: limits.peer_connections_max,
            per_owner: limits.owner_connections_max,
            keeps_served: false,
        };
        Self::with(capacity, limits.proxies.clone())
    }

    /// Room for so many connections of peers that cannot say who they are; those that have said something keep their places.
    pub(crate) fn unnamed(connections_max: usize) -> Self {
        let capacity = Capacity {
            anonymous: connections_max,
            known: 0,
            per_peer: usize::MAX,
            per_owner: usize::MAX,
            keeps_served: true,
        };
        Self::with(capacity, Peers::default())
    }

    fn with(capacity: Capacity, proxies: Peers) -> Self {
        let [refused, displaced, timed_out] = [const { AtomicU64::new(0) }; 3];
        Self { table: Mutex::new(Table::new(capacity)), capacity, proxies, refused, displaced, timed_out }
    }

    /// A place for one more connection.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Result<ConnectionPermit, Full> {
        let is_proxy = self.proxies.list(address);
        let admitted = self.lock().admit(address, is_proxy);
        match admitted {
            Ok(Admitted { id, displaced, has_displaced }) => {
                self.displaced.fetch_add(u64::from(has_displaced), Ordering::Relaxed);
                let seen =
                    Arc::new(Seen { is_known: AtomicBool::new(is_proxy), has_completed: AtomicBool::new(false) });
                Ok(ConnectionPermit { handle: ConnectionHandle { all: self.clone(), id, is_proxy, seen }, displaced })
            }
            Err(full) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                Err(full)
            }
        }
    }

    /// Closes an anonymous connection, where the system has no room for one more.
    pub(crate) fn displace(&self) {
        let has_displaced = self.lock().displace();
        self.displaced.fetch_add(u64::from(has_displaced), Ordering::Relaxed);
    }

    /// Counts a connection that was closed because nothing came in time.
    pub(super) fn count_timed_out(&self) {
        self.timed_out.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> Counts {
        let table = self.lock();
        Counts {
            open: table.open(),
            anonymous: table.anonymous(),
            refused: self.refused.load(Ordering::Relaxed),
            displaced: self.displaced.load(Ordering::Relaxed),
            timed_out: self.timed_out.load(Ordering::Relaxed),
            owners: table.owners().clone(),
        }
    }

    pub(crate) fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// What a client is told that met a limit.
    pub(crate) fn problem(&self, full: Full) -> Problem {
        let Capacity { anonymous, known, per_peer, per_owner, .. } = self.capacity;
        let (message, hint) = match full {
            Full::Peer => (
                format!("there are {per_peer} connections from this address (`limits.peer_connections_max`)"),
                "Close one that is not needed, or raise the setting; a reverse proxy belongs to `server.proxies`.",
            ),
            Full::Owner => (
                format!("there are {per_owner} connections of this owner (`limits.owner_connections_max`)"),
                "Close one that is not needed, or raise the setting.",
            ),
            Full::Server => (
                format!("there are {} connections (`limits.connections_max`)", anonymous + known),
                "Try again later, or raise the setting.",
            ),
        };
        Problem::new(Code::TooManyConnections, message, hint)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection. Dropping it gives the place back, so it lives as long as the socket.
pub(crate) struct ConnectionPermit {
    handle: ConnectionHandle,
    displaced: CancellationToken,
}

impl ConnectionPermit {
    /// What requests of the connection know of it.
    pub(crate) fn handle(&self) -> ConnectionHandle {
        self.handle.clone()
    }

    /// Cancelled when the connection has to give way.
    pub(crate) fn displaced(&self) -> CancellationToken {
        self.displaced.clone()
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.handle.all.lock().release(self.handle.id);
    }
}

/// A connection as its requests know it.
#[derive(Clone)]
pub(crate) struct ConnectionHandle {
    all: Arc<Connections>,
    id: u64,
    is_proxy: bool,
    seen: Arc<Seen>,
}

/// What was seen of a connection, so that not every request has to look into the table.
struct Seen {
    is_known: AtomicBool,
    has_completed: AtomicBool,
}

impl ConnectionHandle {
    /// Notes that a request brought a valid credential of this owner. It is refused where the owner has no place left.
    pub(crate) fn know(&self, owner: &OwnerId) -> Result<(), Problem> {
        if self.is_known() && !self.is_proxy {
            return Ok(());
        }
        let known = self.all.lock().know(self.id, owner);
        known.map_err(|full| {
            self.all.refused.fetch_add(1, Ordering::Relaxed);
            self.all.problem(full)
        })?;
        self.seen.is_known.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Notes that a request was answered.
    pub(crate) fn complete(&self) {
        if !self.seen.has_completed.swap(true, Ordering::Relaxed) {
            self.all.lock().complete(self.id);
        }
    }

    /// Whether a request has brought a valid credential, or a trusted proxy stands in front of many clients.
    pub(super) fn is_known(&self) -> bool {
        self.seen.is_known.load(Ordering::Relaxed)
    }
}
