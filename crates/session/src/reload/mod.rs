//! What was done before and may be done again by rote.
//!
//! A turn that has ended well leaves what it did to the desktop, with a fingerprint of what was asked and of how things
//! stood. A later request that is like it is offered that ([`Reload::similar`]); only one that is the same in every
//! respect may be answered with it without asking a model ([`Reload::exact`]). What has failed, or what the user says
//! did not work, is never kept again for the same request.

mod leaning;
mod likeness;
mod request;
mod safety;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use protocol::{Action, Timestamp, TurnId, WindowId};
use serde::{Deserialize, Serialize, Serializer};

pub use request::{Asked, Place};
pub use safety::is_safe;

use likeness::{LIKENESS_MIN, NEAR_MAX, Text, likeness};
use request::Fingerprint;

/// The most turns that are remembered; the oldest leave.
const TURNS_MAX: usize = 32;
/// The most bytes that all of them take as JSON; the oldest leave.
const BYTES_MAX: usize = 256 * 1024;
/// The most bytes that one takes as JSON; a larger one is not kept.
const TURN_BYTES_MAX: usize = 64 * 1024;
/// The most requests that are remembered as failed; the oldest are forgotten.
const FAILED_MAX: usize = 32;

/// What a turn did to the desktop, and for what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cached {
    /// The turn.
    pub turn_id: TurnId,
    /// When it ended.
    pub at: Timestamp,
    /// What it was asked, and how things stood.
    pub asked: Asked,
    /// What it did, in order. An app's token is not kept: a window that opens again gets one of its own.
    pub actions: Vec<Action>,
    /// What it answered.
    pub answer: String,
    /// Whether doing that again harms nothing, as far as the turn knows: see [`is_safe`].
    pub is_safe: bool,
}

/// A turn that was asked something similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similar<'a> {
    /// What it did.
    pub cached: &'a Cached,
    /// How similar, from 0.5 on; 1 only if [`Reload::exact`] finds it too.
    pub score: f64,
}

/// What was done before, oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reload {
    kept: VecDeque<Kept>,
    failed: VecDeque<Fingerprint>,
}

impl Reload {
    /// Keeps what a turn did. An earlier turn that was asked the same leaves.
    pub fn add(&mut self, cached: Cached) {
        let kept = Kept::from(cached);
        if self.failed.contains(&kept.fingerprint) {
            return;
        }
        let is_other = |old: &Kept| old.fingerprint != kept.fingerprint && old.cached.turn_id != kept.cached.turn_id;
        self.kept.retain(is_other);
        if kept.bytes > TURN_BYTES_MAX {
            return;
        }
        self.kept.push_back(kept);
        while self.kept.len() > TURNS_MAX || self.bytes() > BYTES_MAX {
            self.kept.pop_front();
        }
    }

    /// What may be done again without asking a model.
    ///
    /// Everything has to be the same, byte for byte: words, place, what was pressed and filled in, the windows, and what
    /// else the model was told; where the last is unknown, nothing is the same. Even so, the same words mean something
    /// else after another conversation, so words that point back to one, or to a time, are never answered by rote.
    pub fn exact(&self, asked: &Asked) -> Option<&Cached> {
        let fingerprint = asked.fingerprint();
        let same = |kept: &&Kept| kept.fingerprint == fingerprint && kept.cached.asked.is_same(asked);
        let cached = &self.kept.iter().rev().find(same)?.cached;
        let may_repeat = asked.known.is_some() && cached.is_safe && is_safe(&cached.actions);
        (may_repeat && !leaning::leans(asked)).then_some(cached)
    }

    /// What similar requests at the same kind of place led to: the best first, the newest first among equals. These are
    /// offers; nothing of them may be done unasked.
    pub fn similar(&self, asked: &Asked, max: usize) -> Vec<Similar<'_>> {
        let (exact, text) = (self.exact(asked).map(|cached| cached.turn_id), Text::of(asked));
        let score = |cached: &Cached| match exact {
            Some(turn_id) if turn_id == cached.turn_id => 1.0,
            _ => likeness(&text, &Text::of(&cached.asked)).min(NEAR_MAX),
        };
        let newest_first = self.kept.iter().rev().map(|kept| &kept.cached);
        let near = newest_first.filter(|cached| cached.asked.place.is_same_kind(&asked.place));
        let scored = near.map(|cached| Similar { cached, score: score(cached) });
        let mut found: Vec<_> = scored.filter(|similar| similar.score >= LIKENESS_MIN).collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(max);
        found
    }

    /// What a turn did, if that is still known.
    pub fn get(&self, turn_id: TurnId) -> Option<&Cached> {
        self.kept.iter().map(|kept| &kept.cached).find(|cached| cached.turn_id == turn_id)
    }

    /// What a turn did was wrong: it is forgotten, and not kept again for the same request. Says whether it was known.
    pub fn fail(&mut self, turn_id: TurnId) -> bool {
        let Some(index) = self.kept.iter().position(|kept| kept.cached.turn_id == turn_id) else { return false };
        self.failed.extend(self.kept.remove(index).map(|kept| kept.fingerprint));
        while self.failed.len() > FAILED_MAX {
            self.failed.pop_front();
        }
        true
    }

    /// What opens a window that could not be shown has failed.
    pub fn fail_opening(&mut self, window_id: &WindowId) {
        let opens = |action: &Action| matches!(action, Action::Create { window_id: opened, .. } if opened == window_id);
        let failed = self.kept.iter().filter(|kept| kept.cached.actions.iter().any(opens));
        let failed: Vec<TurnId> = failed.map(|kept| kept.cached.turn_id).collect();
        for turn_id in failed {
            self.fail(turn_id);
        }
    }

    /// Forgets what was asked in windows that are closed: a window of the same name may be another one.
    pub fn forget_windows(&mut self, closed: &[WindowId]) {
        let is_open = |place: &Place| !matches!(place, Place::Window(window_id) if closed.contains(window_id));
        self.kept.retain(|kept| is_open(&kept.cached.asked.place));
    }

    /// Forgets everything, also what has failed.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// How many turns are remembered.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }
}

/// A turn that is remembered, with what follows from it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "Cached")]
struct Kept {
    cached: Cached,
    fingerprint: Fingerprint,
    bytes: usize,
}

impl From<Cached> for Kept {
    fn from(mut cached: Cached) -> Self {
        safety::drop_tokens(&mut cached.actions);
        // Plain data with string keys: it always serialises. If it did not, it would be too large to keep.
        let bytes = serde_json::to_vec(&cached).map_or(usize::MAX, |json| json.len());
        Self { fingerprint: cached.asked.fingerprint(), bytes, cached }
    }
}

/// The rest follows from what was cached.
impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.cached.serialize(serializer)
    }
}
