//! Cache of earlier turns whose desktop actions can be replayed.
//!
//! A turn that succeeded leaves its desktop actions here, with a fingerprint of its request and of
//! the desktop at that time. Similar turns are suggested to later requests
//! ([`ReplayCache::similar`]). Only an identical request may be answered from the cache without a
//! model call ([`ReplayCache::exact`]). After a failure, or after the user has reported that a
//! replay was wrong, nothing is kept for the same request again.

mod context_dependence;
mod request;
mod safety;
mod similarity;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use protocol::{Action, Timestamp, TurnId, WindowId};
use serde::{Deserialize, Serialize, Serializer};

pub use request::{ReplayRequest, RequestPlace};
pub use safety::is_safe;

use request::ReplayFingerprint;
use similarity::{NEAR_MAX, RequestText, SIMILARITY_MIN, similarity};

/// The most turns that are kept; the oldest are dropped.
const TURNS_MAX: usize = 32;
/// The size of all entries as JSON; the oldest are dropped.
const BYTES_MAX: usize = 256 * 1024;
/// The size of one entry as JSON; a larger one is not kept.
const TURN_BYTES_MAX: usize = 64 * 1024;
/// The most requests that are remembered as failed; the oldest are dropped.
const FAILED_MAX: usize = 32;

/// The desktop actions of a turn, and its request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// When it ended.
    pub at: Timestamp,
    /// Its request, with the state of the desktop at that time.
    pub asked: ReplayRequest,
    /// Its actions, in order. An app's token is not kept: a window that opens again gets a new one.
    pub actions: Vec<Action>,
    /// Its answer.
    pub answer: String,
    /// Whether replaying the actions is harmless, see [`is_safe`].
    pub is_safe: bool,
}

/// A turn with a similar request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarTurn<'a> {
    /// The turn.
    pub cached: &'a CachedTurn,
    /// The similarity, at least 0.5; 1 only if [`ReplayCache::exact`] finds the turn too.
    pub score: f64,
}

/// Earlier turns, oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReplayCache {
    kept: VecDeque<CacheEntry>,
    failed: VecDeque<ReplayFingerprint>,
}

impl ReplayCache {
    /// Adds a turn and drops an earlier one with the same request.
    pub fn add(&mut self, cached: CachedTurn) {
        let kept = CacheEntry::from(cached);
        if self.failed.contains(&kept.fingerprint) {
            return;
        }
        let is_other =
            |old: &CacheEntry| old.fingerprint != kept.fingerprint && old.cached.turn_id != kept.cached.turn_id;
        self.kept.retain(is_other);
        if kept.bytes > TURN_BYTES_MAX {
            return;
        }
        self.kept.push_back(kept);
        while self.kept.len() > TURNS_MAX || self.bytes() > BYTES_MAX {
            self.kept.pop_front();
        }
    }

    /// The turn that may be replayed without a model call.
    ///
    /// Everything has to be identical byte for byte: text, place, act and form data, windows, and
    /// the rest of the model's context. If that context is unknown, nothing is identical. Even so,
    /// the same text has another meaning after another conversation, so a request that refers back
    /// or to a time is never answered from the cache.
    pub fn exact(&self, asked: &ReplayRequest) -> Option<&CachedTurn> {
        let fingerprint = asked.fingerprint();
        let same = |kept: &&CacheEntry| kept.fingerprint == fingerprint && kept.cached.asked.is_same(asked);
        let cached = &self.kept.iter().rev().find(same)?.cached;
        let may_repeat = asked.known.is_some() && cached.is_safe && is_safe(&cached.actions);
        (may_repeat && !context_dependence::depends_on_context(asked)).then_some(cached)
    }

    /// Turns with similar requests in the same kind of place: the best first, the newest first
    /// among equals. They are suggestions and are never replayed without a model's decision.
    pub fn similar(&self, asked: &ReplayRequest, max: usize) -> Vec<SimilarTurn<'_>> {
        let (exact, text) = (self.exact(asked).map(|cached| cached.turn_id), RequestText::of(asked));
        let score = |cached: &CachedTurn| match exact {
            Some(turn_id) if turn_id == cached.turn_id => 1.0,
            _ => similarity(&text, &RequestText::of(&cached.asked)).min(NEAR_MAX),
        };
        let newest_first = self.kept.iter().rev().map(|kept| &kept.cached);
        let near = newest_first.filter(|cached| cached.asked.place.is_same_kind(&asked.place));
        let scored = near.map(|cached| SimilarTurn { cached, score: score(cached) });
        let mut found: Vec<_> = scored.filter(|similar| similar.score >= SIMILARITY_MIN).collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(max);
        found
    }

    /// A turn, if it is still cached.
    pub fn get(&self, turn_id: TurnId) -> Option<&CachedTurn> {
        self.kept.iter().map(|kept| &kept.cached).find(|cached| cached.turn_id == turn_id)
    }

    /// Marks a turn as wrong: drops it and never keeps the same request again. Returns whether it
    /// was cached.
    pub fn fail(&mut self, turn_id: TurnId) -> bool {
        let Some(index) = self.kept.iter().position(|kept| kept.cached.turn_id == turn_id) else { return false };
        self.failed.extend(self.kept.remove(index).map(|kept| kept.fingerprint));
        while self.failed.len() > FAILED_MAX {
            self.failed.pop_front();
        }
        true
    }

    /// Marks the turns that open a window as failed, since that window could not be shown.
    pub fn fail_opening(&mut self, window_id: &WindowId) {
        let opens = |action: &Action| matches!(action, Action::Create { window_id: opened, .. } if opened == window_id);
        let failed = self.kept.iter().filter(|kept| kept.cached.actions.iter().any(opens));
        let failed: Vec<TurnId> = failed.map(|kept| kept.cached.turn_id).collect();
        for turn_id in failed {
            self.fail(turn_id);
        }
    }

    /// Drops requests from closed windows: a window of the same name may be another one.
    pub fn forget_windows(&mut self, closed: &[WindowId]) {
        let is_open =
            |place: &RequestPlace| !matches!(place, RequestPlace::Window(window_id) if closed.contains(window_id));
        self.kept.retain(|kept| is_open(&kept.cached.asked.place));
    }

    /// Drops everything, including the failed requests.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The number of cached turns.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }
}

/// A cached turn, with values derived from it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "CachedTurn")]
struct CacheEntry {
    cached: CachedTurn,
    fingerprint: ReplayFingerprint,
    bytes: usize,
}

impl From<CachedTurn> for CacheEntry {
    fn from(mut cached: CachedTurn) -> Self {
        safety::drop_tokens(&mut cached.actions);
        // Plain data with string keys always serializes. If it did not, it would be too large to
        // keep.
        let bytes = serde_json::to_vec(&cached).map_or(usize::MAX, |json| json.len());
        Self { fingerprint: cached.asked.fingerprint(), bytes, cached }
    }
}

/// Everything else is derived from the cached turn.
impl Serialize for CacheEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.cached.serialize(serializer)
    }
}
