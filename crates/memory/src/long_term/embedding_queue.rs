//! Whose texts are embedded next, and how often a text is tried.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
    time::Duration,
};

use protocol::{ItemId, OwnerId};
use tokio::time::Instant;

use super::owner_records::OwnerRecords;
use crate::search::UnembeddedText;

/// How often a text is tried before it is set aside.
const ATTEMPTS_MAX: u8 = 5;
/// The pause after an owner's first failed batch; it doubles with each further one.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// An owner with texts to embed.
pub(super) struct PendingOwner {
    pub(super) owner: OwnerId,
    /// The owner's records, which may have been dropped meanwhile.
    pub(super) records: Weak<RwLock<OwnerRecords>>,
    /// Batches that failed one after the other.
    failures: u32,
    /// Not to be tried before this time.
    not_before: Option<Instant>,
}

impl PendingOwner {
    /// The owner after a batch that succeeded.
    pub(super) fn again(self) -> Self {
        Self { failures: 0, not_before: None, ..self }
    }

    /// The owner after a batch that failed.
    pub(super) fn later(self, now: Instant) -> Self {
        let pause = PAUSE.saturating_mul(2_u32.saturating_pow(self.failures)).min(PAUSE_MAX);
        Self { failures: self.failures.saturating_add(1), not_before: Some(now + pause), ..self }
    }
}

/// Owners whose records wait to be embedded, each once, in the order of their turns: the queue is
/// never longer than there are owners.
#[derive(Clone, Default)]
pub(super) struct PendingOwners(Arc<Mutex<VecDeque<PendingOwner>>>);

impl PendingOwners {
    /// Adds an owner at the end of the queue. One that waits after a failure keeps waiting.
    pub(super) fn add(&self, owner: &OwnerId, records: Weak<RwLock<OwnerRecords>>) {
        self.push(PendingOwner { owner: owner.clone(), records, failures: 0, not_before: None });
    }

    pub(super) fn push(&self, pending: PendingOwner) {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match queue.iter_mut().find(|known| known.owner == pending.owner) {
            // The owner wrote while the batch was embedded: a failure of that batch counts.
            Some(known) if pending.failures > 0 => *known = PendingOwner { records: known.records.clone(), ..pending },
            Some(known) => known.records = pending.records,
            None => queue.push_back(pending),
        }
    }

    /// The first owner whose turn it is.
    pub(super) fn take(&self, now: Instant) -> Option<PendingOwner> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = queue.iter().position(|pending| pending.not_before.is_none_or(|at| at <= now))?;
        queue.remove(place)
    }

    /// When the first of the waiting owners is to be tried again.
    pub(super) fn next_at(&self) -> Option<Instant> {
        let queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queue.iter().filter_map(|pending| pending.not_before).min()
    }
}

/// How often texts have failed.
#[derive(Default)]
pub(super) struct EmbeddingAttempts(HashMap<(ItemId, u8), u8>);

impl EmbeddingAttempts {
    /// Counts a failure; returns whether it was the last attempt.
    pub(super) fn is_last(&mut self, text: &UnembeddedText) -> bool {
        let count = self.0.entry((text.id, text.piece)).or_default();
        *count += 1;
        let is_last = *count >= ATTEMPTS_MAX;
        if is_last {
            self.0.remove(&(text.id, text.piece));
        }
        is_last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> OwnerId {
        name.parse().unwrap()
    }

    #[test]
    fn owners_take_turns_and_one_that_failed_waits_longer_each_time() {
        let (queue, start) = (PendingOwners::default(), Instant::now());
        queue.add(&owner("ada"), Weak::new());
        queue.add(&owner("ben"), Weak::new());
        queue.add(&owner("ada"), Weak::new());
        let ada = queue.take(start).unwrap();
        queue.push(ada.again());
        assert_eq!(queue.take(start).unwrap().owner, owner("ben"), "one batch, then the next owner");
        let mut ada = queue.take(start).unwrap();
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            queue.push(ada.later(start));
            queue.add(&owner("ada"), Weak::new());
            assert_eq!(queue.next_at(), Some(start + Duration::from_secs(seconds)));
            assert!(queue.take(start).is_none(), "a new text does not shorten the pause");
            ada = queue.take(start + Duration::from_secs(seconds)).unwrap();
        }
        queue.push(ada.again());
        assert_eq!(queue.next_at(), None);
    }

    #[test]
    fn a_text_is_tried_five_times() {
        let text = UnembeddedText { id: ItemId::from_bytes([1; 16]), piece: 0, text: "One.".to_owned() };
        let mut attempts = EmbeddingAttempts::default();
        let outcomes: Vec<bool> = (0..5).map(|_| attempts.is_last(&text)).collect();
        assert_eq!(outcomes, [false, false, false, false, true]);
    }
}
