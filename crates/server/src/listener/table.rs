//! Which connections are open, and which of them gives way when there is no room: data alone, without sockets or time.
//!
//! A connection begins as anonymous. It becomes known with the first request that brings a valid credential. The
//! anonymous ones share a pool of their own, so strangers never take the places of owners. When the pool is full, one of
//! the peer with the most anonymous connections gives way, one that has not completed a request before one that has.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::{IpAddr, Ipv6Addr},
};

use protocol::OwnerId;
use tokio_util::sync::CancellationToken;

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capacity {
    /// Without a credential.
    pub(crate) anonymous: usize,
    /// With one.
    pub(crate) known: usize,
    /// From one peer, whatever they brought.
    pub(crate) per_peer: usize,
    /// Of one owner.
    pub(crate) per_owner: usize,
    /// Whether an anonymous connection that has completed a request is safe from giving way.
    pub(crate) keeps_served: bool,
}

/// Which limit a connection met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// The peer's.
    Peer,
    /// The owner's.
    Owner,
    /// The server's.
    Server,
}

/// A connection that is open.
struct Entry {
    peer: IpAddr,
    /// A proxy's connections stand for many peers and many owners.
    is_proxy: bool,
    standing: Standing,
    displaced: CancellationToken,
}

enum Standing {
    Anonymous {
        has_completed: bool,
    },
    /// Counted for this owner, unless it came through a proxy.
    Known(Option<OwnerId>),
}

#[derive(Default)]
struct Peer {
    all: usize,
    /// Whether it has completed a request, then its number: the first gives way first.
    anonymous: BTreeSet<(bool, u64)>,
}

/// The connections that are open.
pub(crate) struct Table {
    capacity: Capacity,
    last_id: u64,
    open: HashMap<u64, Entry>,
    peers: HashMap<IpAddr, Peer>,
    /// Anonymous connections by peer, the greediest peer last.
    crowds: BTreeSet<(usize, IpAddr)>,
    anonymous: usize,
    owners: BTreeMap<OwnerId, usize>,
}

/// A connection that was let in.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) id: u64,
    /// Cancelled when the connection has to give way.
    pub(crate) displaced: CancellationToken,
    /// Whether another one had to give way.
    pub(crate) has_displaced: bool,
}

impl Table {
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

    /// Lets a connection in, if there is room for its peer; an older one gives way where the pool is full.
    pub(crate) fn admit(&mut self, address: IpAddr, is_proxy: bool) -> Result<Admitted, Full> {
        let peer = peer_of(address);
        let has = self.peers.get(&peer).map_or(0, |peer| peer.all);
        if !is_proxy && has >= self.capacity.per_peer {
            return Err(Full::Peer);
        }
        let has_displaced = self.anonymous >= self.capacity.anonymous;
        if has_displaced && !self.displace() {
            return Err(Full::Server);
        }
        self.last_id += 1;
        let (id, displaced) = (self.last_id, CancellationToken::new());
        self.peers.entry(peer).or_default().all += 1;
        let standing = Standing::Anonymous { has_completed: false };
        self.open.insert(id, Entry { peer, is_proxy, standing, displaced: displaced.clone() });
        self.enter_pool(peer, id, false);
        Ok(Admitted { id, displaced, has_displaced })
    }

    /// Makes an anonymous connection give way; says whether there was one.
    pub(crate) fn displace(&mut self) -> bool {
        let keeps_served = self.capacity.keeps_served;
        // A peer whose connections have all completed a request may be the greediest and still have none to give.
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
        if let Standing::Anonymous { has_completed: has_completed @ false } = &mut entry.standing {
            *has_completed = true;
            let peer = entry.peer;
            self.leave_pool(peer, id, false);
            self.enter_pool(peer, id, true);
        }
    }

    /// Notes that a connection has brought a valid credential of this owner.
    pub(crate) fn know(&mut self, id: u64, owner: &OwnerId) -> Result<(), Full> {
        let known = self.open.len() - self.anonymous;
        // One that had to give way is about to be closed.
        let Some(entry) = self.open.get_mut(&id) else { return Ok(()) };
        let Standing::Anonymous { has_completed } = entry.standing else { return Ok(()) };
        if known >= self.capacity.known {
            return Err(Full::Server);
        }
        if !entry.is_proxy {
            let has = self.owners.entry(owner.clone()).or_default();
            if *has >= self.capacity.per_owner {
                return Err(Full::Owner);
            }
            *has += 1;
        }
        entry.standing = Standing::Known((!entry.is_proxy).then(|| owner.clone()));
        let peer = entry.peer;
        self.leave_pool(peer, id, has_completed);
        Ok(())
    }

    /// Gives the place of a connection back.
    pub(crate) fn release(&mut self, id: u64) {
        let Some(entry) = self.open.remove(&id) else { return };
        match entry.standing {
            Standing::Anonymous { has_completed } => self.leave_pool(entry.peer, id, has_completed),
            Standing::Known(Some(owner)) => {
                if let Some(has) = self.owners.get_mut(&owner) {
                    *has = has.saturating_sub(1);
                    if *has == 0 {
                        self.owners.remove(&owner);
                    }
                }
            }
            Standing::Known(None) => {}
        }
        if let Some(peer) = self.peers.get_mut(&entry.peer) {
            peer.all = peer.all.saturating_sub(1);
            if peer.all == 0 {
                self.peers.remove(&entry.peer);
            }
        }
    }

    /// Connections that are open.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// Those without a credential.
    pub(crate) fn anonymous(&self) -> usize {
        self.anonymous
    }

    /// Those of each owner.
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

/// What counts as one peer: an IPv4 address, or an IPv6 network of 64 bits, since one host has all of its addresses.
fn peer_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests;
