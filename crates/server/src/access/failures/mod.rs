//! Rate limit for failed authentication. Only failures count: a wrong token, key, ticket,
//! invitation or cookie. A request without a credential is not an attempt.
//!
//! Each peer address has a bucket of failures that refills over a minute, and there is one bucket
//! for all peers together. A peer whose bucket is empty is refused before its credential is
//! checked, so that guessing is no faster than the refill. While the common bucket is empty, a
//! credential is checked only if its peer has not failed lately. Failures of others at the same
//! address, such as that of a proxy, do not lock out peers with valid credentials: a credential
//! that was valid from an address before is always checked.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::extract::{ConnectInfo, Request};
use protocol::{Code, Problem};
use secret::SecretDigest;

use crate::Limits;

/// How long an empty bucket takes to refill.
const REFILL: Duration = Duration::from_secs(60);
/// Most peers that are remembered; beyond that the least recently seen one is forgotten.
const PEERS_MAX: usize = 8192;
/// Most valid credentials that are remembered for one peer.
const PEER_KNOWN_MAX: usize = 64;

/// Where a request comes from: an IPv4 address, or the IPv6 network that usually belongs to one
/// machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Peer(IpAddr);

impl Peer {
    /// The peer of a request. Requests whose peer is not known count as one peer.
    pub(crate) fn of(request: &Request) -> Self {
        Self::from_info(request.extensions().get::<ConnectInfo<SocketAddr>>())
    }

    /// The peer of a connection.
    pub(crate) fn from_info(info: Option<&ConnectInfo<SocketAddr>>) -> Self {
        let address = info.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip());
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            address => address,
        })
    }
}

/// Counts failed attempts.
pub(crate) struct AuthFailures {
    peer_max: f64,
    all_max: f64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None`: no failure yet.
    all: Option<Bucket>,
    peers: HashMap<Peer, PeerRecord>,
}

/// What is remembered of a peer.
struct PeerRecord {
    bucket: Bucket,
    /// Credentials that were valid from there, the latest last.
    known: Vec<SecretDigest>,
    at: Instant,
}

/// How many failures are left.
#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn full(max: f64, now: Instant) -> Self {
        Self { left: max, at: now }
    }

    fn refill(&mut self, max: f64, now: Instant) {
        let gained = max * now.saturating_duration_since(self.at).as_secs_f64() / REFILL.as_secs_f64();
        *self = Self { left: (self.left + gained).min(max), at: now };
    }

    /// How long until the bucket holds this much.
    fn until(&self, wanted: f64, max: f64) -> Duration {
        REFILL.mul_f64(((wanted - self.left) / max).clamp(0.0, 1.0))
    }
}

impl AuthFailures {
    pub(crate) fn new(limits: &Limits) -> Self {
        let number = |max: NonZeroU32| f64::from(max.get());
        Self {
            peer_max: number(limits.failed_entries_peer_max),
            all_max: number(limits.failed_entries_all_max),
            state: Mutex::default(),
        }
    }

    /// Checks a peer's credential with `find`, unless the peer has failed too often.
    pub(crate) fn attempt<T>(
        &self,
        peer: Peer,
        presented: &str,
        find: impl FnOnce(SecretDigest) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let digest = SecretDigest::of(presented);
        self.admit(peer, &digest, Instant::now()).map_err(too_many)?;
        let found = find(digest);
        match &found {
            Some(_) => self.succeeded(peer, digest),
            None => self.failed(peer, &digest, Instant::now()),
        }
        Ok(found)
    }

    /// Remembers a valid credential of a peer, which it has used or was just given.
    pub(crate) fn succeeded(&self, peer: Peer, digest: SecretDigest) {
        self.remember(peer, digest, Instant::now());
    }

    fn admit(&self, peer: Peer, digest: &SecretDigest, now: Instant) -> Result<(), Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { all, peers } = &mut *state;
        // An unknown peer has not failed.
        let Some(record) = peers.get_mut(&peer) else { return Ok(()) };
        record.bucket.refill(self.peer_max, now);
        if record.known.iter().any(|known| known.matches(digest)) {
            return Ok(());
        }
        if record.bucket.left < 1.0 {
            return Err(record.bucket.until(1.0, self.peer_max));
        }
        let Some(all) = all else { return Ok(()) };
        all.refill(self.all_max, now);
        if all.left >= 1.0 || record.bucket.left >= self.peer_max {
            return Ok(());
        }
        Err(all.until(1.0, self.all_max).min(record.bucket.until(self.peer_max, self.peer_max)))
    }

    fn failed(&self, peer: Peer, digest: &SecretDigest, now: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let all = state.all.get_or_insert(Bucket::full(self.all_max, now));
        all.refill(self.all_max, now);
        all.left = (all.left - 1.0).max(0.0);
        let record = self.peer_record(&mut state, peer, now);
        record.bucket.left = (record.bucket.left - 1.0).max(0.0);
        // The credential was valid and has ended.
        record.known.retain(|known| !known.matches(digest));
    }

    fn remember(&self, peer: Peer, digest: SecretDigest, now: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let record = self.peer_record(&mut state, peer, now);
        if record.known.last().is_some_and(|last| last.matches(&digest)) {
            return;
        }
        record.known.retain(|known| !known.matches(&digest));
        if record.known.len() >= PEER_KNOWN_MAX {
            record.known.remove(0);
        }
        record.known.push(digest);
    }

    fn peer_record<'s>(&self, state: &'s mut State, peer: Peer, now: Instant) -> &'s mut PeerRecord {
        if state.peers.len() >= PEERS_MAX && !state.peers.contains_key(&peer) {
            let oldest = state.peers.iter().min_by_key(|(_, record)| record.at).map(|(peer, _)| *peer);
            oldest.map(|oldest| state.peers.remove(&oldest));
        }
        let new = || PeerRecord { bucket: Bucket::full(self.peer_max, now), known: Vec::new(), at: now };
        let record = state.peers.entry(peer).or_insert_with(new);
        record.bucket.refill(self.peer_max, now);
        record.at = now;
        record
    }
}

fn too_many(wait: Duration) -> Problem {
    let mut problem = Problem::new(
        Code::RateLimited,
        "too many failed attempts to authenticate from this address",
        "Wait for `retry_after_ms` milliseconds and send a valid token.",
    );
    problem.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).saturating_add(1));
    problem
}

#[cfg(test)]
mod tests;
