//! A cache with limits. The oldest entries are removed first.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// The entries, in the order in which they were added.
pub(super) struct BoundedCache<T> {
    kept: VecDeque<CacheEntry<T>>,
    bytes: usize,
    bytes_max: usize,
    count_max: usize,
}

struct CacheEntry<T> {
    key: String,
    value: T,
    bytes: usize,
    until: Instant,
}

impl<T: Clone> BoundedCache<T> {
    /// An empty cache.
    pub(super) fn new(bytes_max: usize, count_max: usize) -> Self {
        Self { kept: VecDeque::new(), bytes: 0, bytes_max, count_max }
    }

    /// The value for a key, if it is still fresh.
    pub(super) fn get(&self, key: &str) -> Option<T> {
        let now = Instant::now();
        self.kept.iter().find(|kept| kept.key == key && kept.until > now).map(|kept| kept.value.clone())
    }

    /// Adds a value for some time, and removes entries that are stale or exceed the limits.
    pub(super) fn put(&mut self, key: String, value: T, bytes: usize, fresh_for: Duration) {
        let now = Instant::now();
        self.remove(|kept| kept.key == key || kept.until <= now);
        if bytes > self.bytes_max || fresh_for.is_zero() || self.count_max == 0 {
            return;
        }
        while self.kept.len() >= self.count_max || self.bytes + bytes > self.bytes_max {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
        self.bytes += bytes;
        self.kept.push_back(CacheEntry { key, value, bytes, until: now + fresh_for });
    }

    fn remove(&mut self, is_gone: impl Fn(&CacheEntry<T>) -> bool) {
        self.kept.retain(|kept| !is_gone(kept));
        self.bytes = self.kept.iter().map(|kept| kept.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::BoundedCache;

    const MINUTE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn the_oldest_goes_first_and_what_is_stale_is_gone() {
        let mut cache = BoundedCache::new(10, 3);
        for name in ["a", "b", "c", "d"] {
            cache.put(name.to_owned(), name, 1, MINUTE);
        }
        assert_eq!((cache.get("a"), cache.get("b"), cache.get("d")), (None, Some("b"), Some("d")));
        cache.put("big".to_owned(), "big", 9, MINUTE);
        assert_eq!((cache.get("c"), cache.get("d"), cache.get("big")), (None, Some("d"), Some("big")));
        cache.put("bigger".to_owned(), "bigger", 11, MINUTE);
        cache.put("never".to_owned(), "never", 1, Duration::ZERO);
        assert_eq!((cache.get("bigger"), cache.get("never"), cache.get("big")), (None, None, Some("big")));
        tokio::time::advance(MINUTE).await;
        assert_eq!(cache.get("big"), None);
    }
}
