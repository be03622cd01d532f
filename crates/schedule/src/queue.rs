//! What is due next, among very many.
//!
//! Everything is sorted by its time. While nothing is due there is nothing to do: the first entry
//! is the moment to wake up at. Every operation takes O(log n).

use std::{
    collections::{BTreeSet, HashMap},
    hash::Hash,
};

use protocol::Timestamp;

/// The next times of many things, such as schedules or sessions, in order.
#[derive(Debug, Clone)]
pub struct DueQueue<Id> {
    order: BTreeSet<(Timestamp, Id)>,
    planned: HashMap<Id, Timestamp>,
}

impl<Id> Default for DueQueue<Id> {
    fn default() -> Self {
        Self { order: BTreeSet::new(), planned: HashMap::new() }
    }
}

impl<Id: Copy + Ord + Hash> DueQueue<Id> {
    /// Plans the next time of something, instead of the one that was planned; `None` removes it.
    pub fn plan(&mut self, id: Id, next_at: Option<Timestamp>) {
        let before = match next_at {
            Some(at) => self.planned.insert(id, at),
            None => self.planned.remove(&id),
        };
        if let Some(before) = before {
            self.order.remove(&(before, id));
        }
        if let Some(at) = next_at {
            self.order.insert((at, id));
        }
    }

    /// When the first is due.
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.order.first().map(|(at, _)| *at)
    }

    /// What is due, earliest first, at most this many. It stays in the queue until it is planned
    /// anew, so that what could not be written is due again.
    pub fn due(&self, now: Timestamp, entries_max: usize) -> Vec<(Id, Timestamp)> {
        let due = self.order.iter().take_while(|(at, _)| *at <= now);
        due.take(entries_max).map(|(at, id)| (*id, *at)).collect()
    }

    /// The next time of something.
    pub fn planned(&self, id: Id) -> Option<Timestamp> {
        self.planned.get(&id).copied()
    }

    /// How many have a next time.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether nothing has a next time.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}
