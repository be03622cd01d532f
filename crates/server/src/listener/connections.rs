//! The connections of a listener: a permit for each, and counts.

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

use super::connection_table::{AdmittedConnection, Capacity, ConnectionTable, LimitScope};
use crate::{AllowedPeers, Limits};

/// The connections of a listener.
pub(crate) struct Connections {
    table: Mutex<ConnectionTable>,
    capacity: Capacity,
    proxies: AllowedPeers,
    refused: AtomicU64,
    displaced: AtomicU64,
    timed_out: AtomicU64,
}

/// Counts of open, refused, displaced and timed-out connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConnectionCounts {
    pub(crate) open: usize,
    pub(crate) anonymous: usize,
    pub(crate) refused: u64,
    pub(crate) displaced: u64,
    pub(crate) timed_out: u64,
    pub(crate) owners: BTreeMap<OwnerId, usize>,
}

impl Connections {
    /// Capacity as configured in the limits. At least half of it is reserved for connections with a
    /// credential.
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

    /// Capacity for a protocol without authentication; connections that have sent something are not
    /// displaced.
    pub(crate) fn unnamed(connections_max: usize) -> Self {
        let capacity = Capacity {
            anonymous: connections_max,
            known: 0,
            per_peer: usize::MAX,
            per_owner: usize::MAX,
            keeps_served: true,
        };
        Self::with(capacity, AllowedPeers::default())
    }

    fn with(capacity: Capacity, proxies: AllowedPeers) -> Self {
        let [refused, displaced, timed_out] = [const { AtomicU64::new(0) }; 3];
        Self { table: Mutex::new(ConnectionTable::new(capacity)), capacity, proxies, refused, displaced, timed_out }
    }

    /// A permit for one more connection.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Result<ConnectionPermit, LimitScope> {
        let is_proxy = self.proxies.list(address);
        let admitted = self.lock().admit(address, is_proxy);
        match admitted {
            Ok(AdmittedConnection { id, displaced, has_displaced }) => {
                self.displaced.fetch_add(u64::from(has_displaced), Ordering::Relaxed);
                let seen = Arc::new(ConnectionFlags {
                    is_known: AtomicBool::new(is_proxy),
                    has_completed: AtomicBool::new(false),
                });
                Ok(ConnectionPermit { handle: ConnectionHandle { all: self.clone(), id, is_proxy, seen }, displaced })
            }
            Err(full) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                Err(full)
            }
        }
    }

    /// Closes an anonymous connection when the system cannot accept another one.
    pub(crate) fn displace(&self) {
        let has_displaced = self.lock().displace();
        self.displaced.fetch_add(u64::from(has_displaced), Ordering::Relaxed);
    }

    /// Counts a connection that was closed because of a timeout.
    pub(super) fn count_timed_out(&self) {
        self.timed_out.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> ConnectionCounts {
        let table = self.lock();
        ConnectionCounts {
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

    /// The error for a client that hit a limit.
    pub(crate) fn problem(&self, full: LimitScope) -> Problem {
        let Capacity { anonymous, known, per_peer, per_owner, .. } = self.capacity;
        let (message, hint) = match full {
            LimitScope::Peer => (
                format!("there are {per_peer} connections from this address (`limits.peer_connections_max`)"),
                "Close one that is not needed, or raise the setting; a reverse proxy belongs to `server.proxies`.",
            ),
            LimitScope::Owner => (
                format!("there are {per_owner} connections of this owner (`limits.owner_connections_max`)"),
                "Close one that is not needed, or raise the setting.",
            ),
            LimitScope::Server => (
                format!("there are {} connections (`limits.connections_max`)", anonymous + known),
                "Try again later, or raise the setting.",
            ),
        };
        Problem::new(Code::TooManyConnections, message, hint)
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of a connection. Dropping it returns the permit, so it lives as long as the socket.
pub(crate) struct ConnectionPermit {
    handle: ConnectionHandle,
    displaced: CancellationToken,
}

impl ConnectionPermit {
    /// The handle for the requests of the connection.
    pub(crate) fn handle(&self) -> ConnectionHandle {
        self.handle.clone()
    }

    /// Cancelled when the connection is displaced.
    pub(crate) fn displaced(&self) -> CancellationToken {
        self.displaced.clone()
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.handle.all.lock().release(self.handle.id);
    }
}

/// The requests' handle on their connection.
#[derive(Clone)]
pub(crate) struct ConnectionHandle {
    all: Arc<Connections>,
    id: u64,
    is_proxy: bool,
    seen: Arc<ConnectionFlags>,
}

/// What is known about a connection, so that not every request has to lock the table.
struct ConnectionFlags {
    is_known: AtomicBool,
    has_completed: AtomicBool,
}

impl ConnectionHandle {
    /// Notes that a request has a valid credential of this owner. It is refused if the owner has no
    /// connections left.
    pub(crate) fn identify(&self, owner: &OwnerId) -> Result<(), Problem> {
        if self.is_known() && !self.is_proxy {
            return Ok(());
        }
        let known = self.all.lock().identify(self.id, owner);
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

    /// Whether a request has presented a valid credential, or the peer is a trusted proxy.
    pub(super) fn is_known(&self) -> bool {
        self.seen.is_known.load(Ordering::Relaxed)
    }
}
