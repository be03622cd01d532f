//! What agents may do on monitors that nobody looks at.
//!
//! Of the turns of such monitors only a few work at once, and each monitor does and says only so much a minute. Nothing
//! is refused and nothing is lost: whoever has done enough waits. As soon as somebody looks at the monitor, nobody on it
//! waits any more. The primary monitor is always looked at.

mod budget;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::MonitorId;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use self::budget::Budget;
use crate::Options;

/// What agents of a session may do on monitors that nobody looks at. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Background {
    shared: Arc<Shared>,
}

struct Shared {
    turns_max: usize,
    actions_max: u64,
    bytes_max: u64,
    state: Mutex<State>,
    /// Something has changed for those who wait. A session has few turns at once, so all of them look for themselves.
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// How many look at a monitor.
    looks: BTreeMap<MonitorId, usize>,
    /// How many turns of a monitor are at work.
    turns: BTreeMap<MonitorId, usize>,
    /// The turns that wait, in order.
    line: VecDeque<(u64, MonitorId)>,
    /// What was done and said on a monitor in the last minute, and who waits until more may be.
    spent: BTreeMap<(MonitorId, Spending), Budget>,
    tickets: u64,
}

/// What is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spending {
    Actions,
    Bytes,
}

/// What somebody who waits finds.
enum Found {
    /// The wait is over.
    Free,
    /// Nothing changes by itself before then, if ever.
    Wait(Option<Instant>),
}

impl Background {
    /// With the limits that the engine is set to.
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            shared: Arc::new(Shared {
                turns_max: options.background_max.max(1),
                actions_max: options.background_actions_per_minute,
                bytes_max: options.background_bytes_per_minute,
                state: Mutex::default(),
                changed: Notify::new(),
            }),
        }
    }

    /// Waits until one more turn of a monitor may work. First come is first served.
    pub(crate) async fn enter(&self, monitor_id: &MonitorId) -> BackgroundPermit {
        if !monitor_id.is_primary() {
            let ticket = self.shared.lock().queue(monitor_id);
            let place = Place { shared: &self.shared, line: None, monitor_id, ticket };
            self.wait(|state, _| state.enter(monitor_id, ticket, self.shared.turns_max)).await;
            drop(place);
        }
        BackgroundPermit { shared: self.shared.clone(), monitor_id: monitor_id.clone() }
    }

    /// Waits until so many more actions may be done on a monitor.
    pub(crate) async fn spend_action(&self, monitor_id: &MonitorId, count: usize) {
        self.spend(monitor_id, Spending::Actions, count as u64, self.shared.actions_max).await;
    }

    /// Waits until so many more bytes of text may be said on a monitor.
    pub(crate) async fn spend_bytes(&self, monitor_id: &MonitorId, bytes: usize) {
        self.spend(monitor_id, Spending::Bytes, bytes as u64, self.shared.bytes_max).await;
    }

    /// Somebody looks at a monitor, for as long as this is held.
    pub(crate) fn look(&self, monitor_id: &MonitorId) -> Look {
        *self.shared.lock().looks.entry(monitor_id.clone()).or_default() += 1;
        self.shared.changed.notify_waiters();
        Look { shared: self.shared.clone(), monitor_id: monitor_id.clone() }
    }

    async fn spend(&self, monitor_id: &MonitorId, what: Spending, amount: u64, max: u64) {
        if amount == 0 || self.shared.lock().is_looked_at(monitor_id) {
            return;
        }
        let key = (monitor_id.clone(), what);
        let ticket = self.shared.lock().queue_to_spend(key.clone());
        let place = Place { shared: &self.shared, line: Some(what), monitor_id, ticket };
        self.wait(|state, now| {
            if state.is_looked_at(monitor_id) {
                return Found::Free;
            }
            let budget = state.spent.entry(key.clone()).or_default();
            match budget.spend(ticket, amount, max, now) {
                Ok(()) => Found::Free,
                Err(until) => Found::Wait(until),
            }
        })
        .await;
        drop(place);
    }

    /// Waits until it is free, looking again whenever something has changed and when its time has come.
    async fn wait(&self, mut look: impl FnMut(&mut State, Instant) -> Found) {
        loop {
            // Before looking, so that nothing that happens in between is missed.
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let found = look(&mut self.shared.lock(), Instant::now());
            match found {
                Found::Free => return,
                Found::Wait(None) => changed.await,
                Found::Wait(Some(until)) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(until) => {}
                },
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Puts a turn in line.
    fn queue(&mut self, monitor_id: &MonitorId) -> u64 {
        self.tickets += 1;
        self.line.push_back((self.tickets, monitor_id.clone()));
        self.tickets
    }

    /// Puts something that is to be spent in line.
    fn queue_to_spend(&mut self, key: (MonitorId, Spending)) -> u64 {
        self.tickets += 1;
        self.spent.entry(key).or_default().join(self.tickets);
        self.tickets
    }

    fn is_looked_at(&self, monitor_id: &MonitorId) -> bool {
        monitor_id.is_primary() || self.looks.contains_key(monitor_id)
    }

    /// Lets a turn that waits begin if its monitor is looked at, or if there is room and it is the first in line of
    /// those whose monitor is not.
    fn enter(&mut self, monitor_id: &MonitorId, ticket: u64, turns_max: usize) -> Found {
        let unseen = self.turns.iter().filter(|(monitor, _)| !self.is_looked_at(monitor));
        let has_room = unseen.map(|(_, turns)| turns).sum::<usize>() < turns_max;
        let first = self.line.iter().find(|(_, monitor)| !self.is_looked_at(monitor)).map(|(ticket, _)| *ticket);
        let is_next = has_room && first == Some(ticket);
        if !is_next && !self.is_looked_at(monitor_id) {
            return Found::Wait(None);
        }
        *self.turns.entry(monitor_id.clone()).or_default() += 1;
        Found::Free
    }

    /// Somebody no longer waits.
    fn leave(&mut self, line: Option<Spending>, monitor_id: &MonitorId, ticket: u64) {
        let Some(what) = line else {
            self.line.retain(|(other, _)| *other != ticket);
            return;
        };
        let key = (monitor_id.clone(), what);
        if let Some(budget) = self.spent.get_mut(&key) {
            budget.leave(ticket);
            if budget.is_blank(Instant::now()) {
                self.spent.remove(&key);
            }
        }
    }
}

/// A place in line, given up when it is dropped: with what was waited for, or without.
struct Place<'a> {
    shared: &'a Shared,
    /// None is the turns' line.
    line: Option<Spending>,
    monitor_id: &'a MonitorId,
    ticket: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.shared.lock().leave(self.line, self.monitor_id, self.ticket);
        self.shared.changed.notify_waiters();
    }
}

/// A turn at work on a monitor. Dropping it makes room for the next one.
pub(crate) struct BackgroundPermit {
    shared: Arc<Shared>,
    monitor_id: MonitorId,
}

impl Drop for BackgroundPermit {
    fn drop(&mut self) {
        less(&mut self.shared.lock().turns, &self.monitor_id);
        self.shared.changed.notify_waiters();
    }
}

/// Somebody looks at a monitor.
pub(crate) struct Look {
    shared: Arc<Shared>,
    monitor_id: MonitorId,
}

impl Drop for Look {
    fn drop(&mut self) {
        less(&mut self.shared.lock().looks, &self.monitor_id);
    }
}

/// One less of a monitor; a monitor with none is left out.
fn less(counts: &mut BTreeMap<MonitorId, usize>, monitor_id: &MonitorId) {
    if let Some(count) = counts.get_mut(monitor_id) {
        *count -= 1;
        if *count == 0 {
            counts.remove(monitor_id);
        }
    }
}
