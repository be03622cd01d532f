//! How often a peer may fail to come in. Only failures count: a wrong token, key, ticket, invitation or cookie. A request
//! that brings nothing is no attempt.
//!
//! Each peer address has a bucket of failures that refills over a minute, and there is one for all peers together. A peer
//! whose bucket is empty is refused before anything it presents is looked at, so that guessing is no faster than the
//! refill. While the bucket of all is empty, a peer is looked at only if it has not failed lately itself. Peers with good
//! credentials are not locked out by the failures of others at the same address, such as that of a proxy: what was good from
//! there before passes in any case.

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

/// In how long an empty bucket is full again.
const REFILL: Duration = Duration::from_secs(60);
/// Peers that are remembered; beyond it the one that was heard of least lately is forgotten.
const PEERS_MAX: usize = 8192;
/// Good credentials that are remembered of one peer.
const PEER_KNOWN_MAX: usize = 64;

/// Where a request comes from: an address, or for IPv6 the network that one machine usually has to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Peer(IpAddr);

impl Peer {
    /// The peer of a request. Requests whose peer is not known count as one peer.
    pub(crate) fn of(request: &Request) -> Self {
        Self::from_info(request.extensions().get::<ConnectInfo<SocketAddr>>())
    }

    /// The same for what is known of the connection.
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

/// Counts failed entries.
pub(crate) struct Failures {
    peer_max: f64,
    all_max: f64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// None: no failure yet.
    all: Option<Bucket>,
    peers: HashMap<Peer, Heard>,
}

/// What is remembered of a peer.
struct Heard {
    bucket: Bucket,
    /// Credentials that were good from there, the latest last.
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

    /// How long until there is this much.
    fn until(&self, wanted: f64, max: f64) -> Duration {
        REFILL.mul_f64(((wanted - self.left) / max).clamp(0.0, 1.0))
    }
}

impl Failures {
    pub(crate) fn new(limits: &Limits) -> Self {
        let number = |max: NonZeroU32| f64::from(max.get());
        Self {
            peer_max: number(limits.failed_entries_peer_max),
            all_max: number(limits.failed_entries_all_max),
            state: Mutex::default(),
        }
    }

    /// Looks at what a peer presents, unless it has failed too often: `find` says what it is good for.
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

    /// Remembers what is good from a peer: what it has come in by, or was given to come in by.
    pub(crate) fn succeeded(&self, peer: Peer, digest: SecretDigest) {
        self.remember(peer, digest, Instant::now());
    }

    fn admit(&self, peer: Peer, digest: &SecretDigest, now: Instant) -> Result<(), Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { all, peers } = &mut *state;
        // A peer that has not been heard of has not failed.
        let Some(heard) = peers.get_mut(&peer) else { return Ok(()) };
        heard.bucket.refill(self.peer_max, now);
        if heard.known.iter().any(|known| known.matches(digest)) {
            return Ok(());
        }
        if heard.bucket.left < 1.0 {
            return Err(heard.bucket.until(1.0, self.peer_max));
        }
        let Some(all) = all else { return Ok(()) };
        all.refill(self.all_max, now);
        if all.left >= 1.0 || heard.bucket.left >= self.peer_max {
            return Ok(());
        }
        Err(all.until(1.0, self.all_max).min(heard.bucket.until(self.peer_max, self.peer_max)))
    }

    fn failed(&self, peer: Peer, digest: &SecretDigest, now: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let all = state.all.get_or_insert(Bucket::full(self.all_max, now));
        all.refill(self.all_max, now);
        all.left = (all.left - 1.0).max(0.0);
        let heard = self.heard(&mut state, peer, now);
        heard.bucket.left = (heard.bucket.left - 1.0).max(0.0);
        // What was good has ended.
        heard.known.retain(|known| !known.matches(digest));
    }

    fn remember(&self, peer: Peer, digest: SecretDigest, now: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = self.heard(&mut state, peer, now);
        if heard.known.last().is_some_and(|last| last.matches(&digest)) {
            return;
        }
        heard.known.retain(|known| !known.matches(&digest));
        if heard.known.len() >= PEER_KNOWN_MAX {
            heard.known.remove(0);
        }
        heard.known.push(digest);
    }

    fn heard<'s>(&self, state: &'s mut State, peer: Peer, now: Instant) -> &'s mut Heard {
        if state.peers.len() >= PEERS_MAX && !state.peers.contains_key(&peer) {
            let oldest = state.peers.iter().min_by_key(|(_, heard)| heard.at).map(|(peer, _)| *peer);
            oldest.map(|oldest| state.peers.remove(&oldest));
        }
        let new = || Heard { bucket: Bucket::full(self.peer_max, now), known: Vec::new(), at: now };
        let heard = state.peers.entry(peer).or_insert_with(new);
        heard.bucket.refill(self.peer_max, now);
        heard.at = now;
        heard
    }
}

fn too_many(wait: Duration) -> Problem {
    let mut problem = Problem::new(
        Code::RateLimited,
        "too many failed attempts to come in from this address",
        "Wait for `retry_after_ms` milliseconds and come with a valid token.",
    );
    problem.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).saturating_add(1));
    problem
}

#[cfg(test)]
mod tests;
