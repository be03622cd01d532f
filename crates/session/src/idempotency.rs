//! Idempotency keys of the last 24 hours, and the newest ones whatever their age.

use std::collections::{HashMap, VecDeque};

use protocol::{AgentId, MessageChannel, MonitorId, Origin, Request, Timestamp, TurnId};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::limits::IDEMPOTENCY_TTL;

/// Number of keys that are kept at any age: one event with a time far in the future must not drop
/// all keys of a session.
const KEPT_MIN: usize = 256;

/// A fingerprint of a request, which distinguishes a repeat from a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RequestFingerprint(String);

impl RequestFingerprint {
    /// The fingerprint of a request. A retry is a different request than the original.
    pub(crate) fn of(request: &Request, retry_of: Option<TurnId>) -> Self {
        let mut request = request.clone();
        // The window determines the monitor and the agent, and by the time of a repeat the window
        // may be closed or on another monitor.
        if request.window.is_some() {
            request.monitor_id = MonitorId::primary();
        }
        // The channel is not part of the request: the same text over another channel is the same
        // message.
        (request.origin, request.via, request.reads_only) = (Origin::Trusted, MessageChannel::Token, false);
        // Neither are the tool workers that happen to be there.
        request.served.clear();
        // A request is plain data with string keys: it always serializes, and its fields have a
        // fixed order.
        let bytes = serde_json::to_vec(&(request, retry_of)).unwrap_or_default();
        Self(Sha256::digest(&bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// A key and the turn it created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyEntry {
    pub(crate) key: String,
    pub(crate) fingerprint: RequestFingerprint,
    pub(crate) turn_id: TurnId,
    pub(crate) agent_id: AgentId,
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
}

/// The keys, oldest first, with an index by key.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "VecDeque<KeyEntry>")]
pub(crate) struct IdempotencyKeys {
    by_age: VecDeque<KeyEntry>,
    /// How many entries were dropped from the front: index + dropped = position.
    dropped: u64,
    positions: HashMap<String, u64>,
}

impl IdempotencyKeys {
    /// The entry of a key that is still valid at `now`.
    pub(crate) fn get(&self, key: &str, now: Timestamp) -> Option<&KeyEntry> {
        let index = self.positions.get(key)?.checked_sub(self.dropped)?;
        let entry = self.by_age.get(usize::try_from(index).ok()?)?;
        is_fresh(entry, now).then_some(entry)
    }

    /// Adds a key and drops those that are too old by then, except for the newest ones.
    pub(crate) fn insert(&mut self, entry: KeyEntry) {
        let now = entry.at;
        while self.by_age.len() >= KEPT_MIN
            && let Some(oldest) = self.by_age.front().filter(|oldest| !is_fresh(oldest, now))
        {
            if self.positions.get(&oldest.key) == Some(&self.dropped) {
                self.positions.remove(&oldest.key);
            }
            self.by_age.pop_front();
            self.dropped += 1;
        }
        self.positions.insert(entry.key.clone(), self.dropped + self.by_age.len() as u64);
        self.by_age.push_back(entry);
    }
}

fn is_fresh(entry: &KeyEntry, now: Timestamp) -> bool {
    now.since(entry.at) < IDEMPOTENCY_TTL
}

/// Dropped entries do not count: two sets are equal when they contain the same keys.
impl PartialEq for IdempotencyKeys {
    fn eq(&self, other: &Self) -> bool {
        self.by_age == other.by_age
    }
}

impl From<VecDeque<KeyEntry>> for IdempotencyKeys {
    fn from(by_age: VecDeque<KeyEntry>) -> Self {
        let positions = by_age.iter().zip(0..).map(|(entry, index)| (entry.key.clone(), index)).collect();
        Self { by_age, dropped: 0, positions }
    }
}

/// The index can be rebuilt from the entries, and copying them would cost as much as writing them.
impl Serialize for IdempotencyKeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.by_age.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, hours: i64) -> KeyEntry {
        KeyEntry {
            key: key.to_owned(),
            fingerprint: RequestFingerprint(String::new()),
            turn_id: TurnId::from_bytes([0; 16]),
            agent_id: AgentId::main(),
            seq: 1,
            at: at(hours),
        }
    }

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_millis(hours * 60 * 60 * 1000)
    }

    #[test]
    fn a_key_is_remembered_for_a_day() {
        let mut keys = IdempotencyKeys::default();
        keys.insert(entry("a", 0));
        assert!(keys.get("a", at(23)).is_some());
        assert!(keys.get("a", at(24)).is_none());
    }

    #[test]
    fn old_keys_make_room_and_the_index_stays_right() {
        let mut keys = IdempotencyKeys::default();
        keys.insert(entry("a", 0));
        for n in 0..KEPT_MIN {
            keys.insert(entry(&format!("b{n}"), 10));
        }
        assert_eq!(keys.by_age.len(), KEPT_MIN + 1, "nothing is too old yet");
        keys.insert(entry("a", 30));
        assert_eq!(keys.by_age.len(), KEPT_MIN + 1);
        assert!(keys.get("b0", at(31)).is_some());
        assert_eq!(keys.get("a", at(31)).map(|entry| entry.at), Some(at(30)));
    }

    #[test]
    fn one_time_far_ahead_does_not_take_the_others_away() {
        let mut keys = IdempotencyKeys::default();
        keys.insert(entry("a", 0));
        keys.insert(entry("b", 100 * 24));
        assert!(keys.get("a", at(1)).is_some(), "by a clock that is right again");
        assert!(keys.get("a", at(100 * 24)).is_none());
    }

    #[test]
    fn a_stored_set_is_the_same_set() {
        let mut keys = IdempotencyKeys::default();
        for hour in 0..50 {
            keys.insert(entry(&format!("k{hour}"), hour));
        }
        let stored = serde_json::to_string(&keys).unwrap();
        let loaded: IdempotencyKeys = serde_json::from_str(&stored).unwrap();
        assert_eq!(loaded, keys);
        assert_eq!(loaded.get("k49", at(49)), keys.get("k49", at(49)));
    }
}
