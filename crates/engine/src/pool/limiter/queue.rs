//! A fair queue: waiters ordered by the permits they hold and by age. No clock, no lock, no wakers.

use std::collections::{BTreeMap, BTreeSet};

/// Every so often the longest waiter is served, whatever it holds.
pub(super) const OLDEST_EVERY: u64 = 8;

/// The waiters. Every operation takes logarithmic time.
pub(super) struct FairQueue<K> {
    /// By permits held, then by age.
    by_holding: BTreeSet<(usize, u64, K)>,
    /// By age; the numbers are unique.
    by_age: BTreeMap<u64, K>,
    served: u64,
}

impl<K> Default for FairQueue<K> {
    fn default() -> Self {
        Self { by_holding: BTreeSet::new(), by_age: BTreeMap::new(), served: 0 }
    }
}

impl<K: Ord + Clone> FairQueue<K> {
    /// The next to serve: of those that hold the fewest permits the longest waiter, and every now
    /// and then the longest waiter of all, since newcomers that hold nothing might keep coming for
    /// ever.
    pub(super) fn next(&mut self) -> Option<K> {
        let is_for_oldest = self.served % OLDEST_EVERY == OLDEST_EVERY - 1;
        let next = match is_for_oldest {
            true => self.by_age.first_key_value()?.1.clone(),
            false => self.by_holding.first()?.2.clone(),
        };
        self.served += 1;
        Some(next)
    }

    /// Adds a waiter with the permits it holds and the time it started to wait.
    pub(super) fn insert(&mut self, holds: usize, since: u64, key: K) {
        self.by_age.insert(since, key.clone());
        self.by_holding.insert((holds, since, key));
    }

    /// Removes a waiter; does nothing if it is not there.
    pub(super) fn remove(&mut self, holds: usize, since: u64, key: &K) {
        if self.by_holding.remove(&(holds, since, key.clone())) {
            self.by_age.remove(&since);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_holding.is_empty()
    }
}
