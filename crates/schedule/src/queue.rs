//! Which schedule is due next, among very many.
//!
//! Schedules are sorted by their next run. While none is due there is nothing to do: the first
//! entry is the moment to wake up at. Every operation takes O(log n).

use std::collections::{BTreeSet, HashMap};

use protocol::{ScheduleId, Timestamp};

/// The next runs of many schedules, in order.
#[derive(Debug, Clone, Default)]
pub struct DueQueue {
    order: BTreeSet<(Timestamp, ScheduleId)>,
    planned: HashMap<ScheduleId, Timestamp>,
}

impl DueQueue {
    /// Plans the next run of a schedule, instead of the one that was planned; `None` removes it.
    pub fn plan(&mut self, id: ScheduleId, next_at: Option<Timestamp>) {
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

    /// When the first schedule is due.
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.order.first().map(|(at, _)| *at)
    }

    /// The schedules that are due, earliest first, at most this many. They stay in the queue until
    /// they are planned anew, so that a schedule whose run could not be written is due again.
    pub fn due(&self, now: Timestamp, schedules_max: usize) -> Vec<(ScheduleId, Timestamp)> {
        let due = self.order.iter().take_while(|(at, _)| *at <= now);
        due.take(schedules_max).map(|(at, id)| (*id, *at)).collect()
    }

    /// The next run of a schedule.
    pub fn planned(&self, id: ScheduleId) -> Option<Timestamp> {
        self.planned.get(&id).copied()
    }

    /// How many schedules have a next run.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether no schedule has a next run.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}
