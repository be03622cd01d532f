//! Those who wait, by what they hold and since when: who is next. No clock, no lock, no wakers.

use std::collections::{BTreeMap, BTreeSet};

/// Every so often whoever waits longest is served, whatever it holds.
pub(super) const OLDEST_EVERY: u64 = 8;

/// Those who wait. Everything takes logarithmic time.
pub(super) struct FairQueue<K> {
    /// By what they hold and since when.
    by_holding: BTreeSet<(usize, u64, K)>,
    /// By since when; no two have the same number.
    by_age: BTreeMap<u64, K>,
    served: u64,
}

impl<K> Default for FairQueue<K> {
    fn default() -> Self {
        Self { by_holding: BTreeSet::new(), by_age: BTreeMap::new(), served: 0 }
    }
}

impl<K: Ord + Clone> FairQueue<K> {
    /// Who is served next: of those that hold fewest the one that waits longest, and now and then the one that waits
    /// longest of all, since others that hold nothing might keep coming for ever.
    pub(super) fn next(&mut self) -> Option<K> {
        let is_for_oldest = self.served % OLDEST_EVERY == OLDEST_EVERY - 1;
        let next = match is_for_oldest {
            true => self.by_age.first_key_value()?.1.clone(),
            false => self.by_holding.first()?.2.clone(),
        };
        self.served += 1;
        Some(next)
    }

    /// One waits, holding so many, since then.
    pub(super) fn insert(&mut self, holds: usize, since: u64, key: K) {
        self.by_age.insert(since, key.clone());
        self.by_holding.insert((holds, since, key));
    }

    /// One no longer waits; harmless if it did not.
    pub(super) fn remove(&mut self, holds: usize, since: u64, key: &K) {
        if self.by_holding.remove(&(holds, since, key.clone())) {
            self.by_age.remove(&since);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_holding.is_empty()
    }
}
