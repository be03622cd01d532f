//! Pages that were read a short while ago: bounded, and the oldest goes first.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// What is kept, in the order in which it came.
pub(super) struct Shelf<T> {
    kept: VecDeque<Kept<T>>,
    bytes: usize,
    bytes_max: usize,
    count_max: usize,
}

struct Kept<T> {
    key: String,
    value: T,
    bytes: usize,
    until: Instant,
}

impl<T: Clone> Shelf<T> {
    /// An empty one.
    pub(super) fn new(bytes_max: usize, count_max: usize) -> Self {
        Self { kept: VecDeque::new(), bytes: 0, bytes_max, count_max }
    }

    /// What is kept under that name and still fresh.
    pub(super) fn get(&self, key: &str) -> Option<T> {
        let now = Instant::now();
        self.kept.iter().find(|kept| kept.key == key && kept.until > now).map(|kept| kept.value.clone())
    }

    /// Keeps something for a while, and lets go of what is stale or too much.
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
        self.kept.push_back(Kept { key, value, bytes, until: now + fresh_for });
    }

    fn remove(&mut self, is_gone: impl Fn(&Kept<T>) -> bool) {
        self.kept.retain(|kept| !is_gone(kept));
        self.bytes = self.kept.iter().map(|kept| kept.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Shelf;

    const MINUTE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn the_oldest_goes_first_and_what_is_stale_is_gone() {
        let mut shelf = Shelf::new(10, 3);
        for name in ["a", "b", "c", "d"] {
            shelf.put(name.to_owned(), name, 1, MINUTE);
        }
        assert_eq!((shelf.get("a"), shelf.get("b"), shelf.get("d")), (None, Some("b"), Some("d")));
        shelf.put("big".to_owned(), "big", 9, MINUTE);
        assert_eq!((shelf.get("c"), shelf.get("d"), shelf.get("big")), (None, Some("d"), Some("big")));
        shelf.put("bigger".to_owned(), "bigger", 11, MINUTE);
        shelf.put("never".to_owned(), "never", 1, Duration::ZERO);
        assert_eq!((shelf.get("bigger"), shelf.get("never"), shelf.get("big")), (None, None, Some("big")));
        tokio::time::advance(MINUTE).await;
        assert_eq!(shelf.get("big"), None);
    }
}
