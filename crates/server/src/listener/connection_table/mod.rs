//! Which connections are open, and which one is displaced when a limit is reached. Pure data,
//! without sockets or time.
//!
//! A connection begins as anonymous. It becomes known with the first request that has a valid
//! credential. Anonymous connections have a pool of their own, so they never take the capacity of
//! owners. When the pool is full, a connection of the peer with the most anonymous connections is
//! displaced, preferably one that has not completed a request.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::{IpAddr, Ipv6Addr},
};

use protocol::OwnerId;
use tokio_util::sync::CancellationToken;

/// The maximum numbers of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capacity {
    /// Without a credential.
    pub(crate) anonymous: usize,
    /// With a credential.
    pub(crate) known: usize,
    /// From one peer, with or without a credential.
    pub(crate) per_peer: usize,
    /// Of one owner.
    pub(crate) per_owner: usize,
    /// Whether an anonymous connection that has completed a request is never displaced.
    pub(crate) keeps_served: bool,
}

/// Which limit a connection hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitScope {
    /// The peer's.
    Peer,
    /// The owner's.
    Owner,
    /// The server's.
    Server,
}

/// An open connection.
struct ConnectionEntry {
    peer: IpAddr,
    /// A proxy's connections stand for many peers and many owners.
    is_proxy: bool,
    identity: ConnectionIdentity,
    displaced: CancellationToken,
}

enum ConnectionIdentity {
    Anonymous {
        has_completed: bool,
    },
    /// Counted for this owner, unless it came through a proxy.
    Known(Option<OwnerId>),
}

#[derive(Default)]
struct PeerConnections {
    all: usize,
    /// Whether it has completed a request, then its number: the first is displaced first.
    anonymous: BTreeSet<(bool, u64)>,
}

/// The open connections.
pub(crate) struct ConnectionTable {
    capacity: Capacity,
    last_id: u64,
    open: HashMap<u64, ConnectionEntry>,
    peers: HashMap<IpAddr, PeerConnections>,
    /// Number of anonymous connections by peer, the largest last.
    crowds: BTreeSet<(usize, IpAddr)>,
    anonymous: usize,
    owners: BTreeMap<OwnerId, usize>,
}

/// An admitted connection.
#[derive(Debug)]
pub(crate) struct AdmittedConnection {
    pub(crate) id: u64,
    /// Cancelled when the connection is displaced.
    pub(crate) displaced: CancellationToken,
    /// Whether another connection was displaced for it.
    pub(crate) has_displaced: bool,
}

impl ConnectionTable {
    pub(crate) fn new(capacity: Capacity) -> Self {
        Self {
            capacity,
            last_id: 0,
            open: HashMap::new(),
            peers: HashMap::new(),
            crowds: BTreeSet::new(),
            anonymous: 0,
            owners: BTreeMap::new(),
        }
    }

    /// Admits a connection, unless its peer has too many; an older one is displaced if the pool is
    /// full.
    pub(crate) fn admit(&mut self, address: IpAddr, is_proxy: bool) -> Result<AdmittedConnection, LimitScope> {
        let peer = peer_of(address);
        let has = self.peers.get(&peer).map_or(0, |peer| peer.all);
        if !is_proxy && has >= self.capacity.per_peer {
            return Err(LimitScope::Peer);
        }
        let has_displaced = self.anonymous >= self.capacity.anonymous;
        if has_displaced && !self.displace() {
            return Err(LimitScope::Server);
        }
        self.last_id += 1;
        let (id, displaced) = (self.last_id, CancellationToken::new());
        self.peers.entry(peer).or_default().all += 1;
        let standing = ConnectionIdentity::Anonymous { has_completed: false };
        self.open.insert(id, ConnectionEntry { peer, is_proxy, identity: standing, displaced: displaced.clone() });
        self.enter_pool(peer, id, false);
        Ok(AdmittedConnection { id, displaced, has_displaced })
    }

    /// Displaces an anonymous connection; returns whether there was one.
    pub(crate) fn displace(&mut self) -> bool {
        let keeps_served = self.capacity.keeps_served;
        // The peer with the most connections may have none to displace, if all have completed a
        // request.
        let victim = self.crowds.iter().rev().find_map(|(_, peer)| {
            let (has_completed, id) = self.peers.get(peer)?.anonymous.first()?;
            (!keeps_served || !has_completed).then_some(*id)
        });
        let Some(id) = victim else { return false };
        if let Some(entry) = self.open.get(&id) {
            entry.displaced.cancel();
        }
        self.release(id);
        true
    }

    /// Notes that a connection has completed a request.
    pub(crate) fn complete(&mut self, id: u64) {
        let Some(entry) = self.open.get_mut(&id) else { return };
        if let ConnectionIdentity::Anonymous { has_completed: has_completed @ false } = &mut entry.identity {
            *has_completed = true;
            let peer = entry.peer;
            self.leave_pool(peer, id, false);
            self.enter_pool(peer, id, true);
        }
    }

    /// Notes that a connection has presented a valid credential of this owner.
    pub(crate) fn identify(&mut self, id: u64, owner: &OwnerId) -> Result<(), LimitScope> {
        let known = self.open.len() - self.anonymous;
        // A displaced connection is about to be closed.
        let Some(entry) = self.open.get_mut(&id) else { return Ok(()) };
        let ConnectionIdentity::Anonymous { has_completed } = entry.identity else { return Ok(()) };
        if known >= self.capacity.known {
            return Err(LimitScope::Server);
        }
        if !entry.is_proxy {
            let has = self.owners.entry(owner.clone()).or_default();
            if *has >= self.capacity.per_owner {
                return Err(LimitScope::Owner);
            }
            *has += 1;
        }
        entry.identity = ConnectionIdentity::Known((!entry.is_proxy).then(|| owner.clone()));
        let peer = entry.peer;
        self.leave_pool(peer, id, has_completed);
        Ok(())
    }

    /// Removes a connection.
    pub(crate) fn release(&mut self, id: u64) {
        let Some(entry) = self.open.remove(&id) else { return };
        match entry.identity {
            ConnectionIdentity::Anonymous { has_completed } => self.leave_pool(entry.peer, id, has_completed),
            ConnectionIdentity::Known(Some(owner)) => {
                if let Some(has) = self.owners.get_mut(&owner) {
                    *has = has.saturating_sub(1);
                    if *has == 0 {
                        self.owners.remove(&owner);
                    }
                }
            }
            ConnectionIdentity::Known(None) => {}
        }
        if let Some(peer) = self.peers.get_mut(&entry.peer) {
            peer.all = peer.all.saturating_sub(1);
            if peer.all == 0 {
                self.peers.remove(&entry.peer);
            }
        }
    }

    /// The number of open connections.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// The number without a credential.
    pub(crate) fn anonymous(&self) -> usize {
        self.anonymous
    }

    /// The number of each owner.
    pub(crate) fn owners(&self) -> &BTreeMap<OwnerId, usize> {
        &self.owners
    }

    fn enter_pool(&mut self, peer: IpAddr, id: u64, has_completed: bool) {
        let has = &mut self.peers.entry(peer).or_default().anonymous;
        self.crowds.remove(&(has.len(), peer));
        has.insert((has_completed, id));
        self.crowds.insert((has.len(), peer));
        self.anonymous += 1;
    }

    fn leave_pool(&mut self, peer: IpAddr, id: u64, has_completed: bool) {
        let Some(peer_entry) = self.peers.get_mut(&peer) else { return };
        let has = &mut peer_entry.anonymous;
        self.crowds.remove(&(has.len(), peer));
        has.remove(&(has_completed, id));
        if !has.is_empty() {
            self.crowds.insert((has.len(), peer));
        }
        self.anonymous -= 1;
    }
}

/// What counts as one peer: an IPv4 address, or an IPv6 network of 64 bits, since one host usually
/// has all of its addresses.
fn peer_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests;
