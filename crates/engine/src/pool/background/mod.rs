//! Limits for agents on monitors without viewers.
//!
//! Only a few turns on such monitors run at once, and each monitor has a rate limit for actions and
//! text. Nothing is refused and nothing is lost: an agent that has reached its limit waits. As soon
//! as a client views the monitor, its agents no longer wait. The primary monitor always counts as
//! viewed.

mod rate_window;
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

use self::rate_window::RateWindow;
use crate::Options;

/// The limits of a session for monitors without viewers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct BackgroundLimiter {
    shared: Arc<Shared>,
}

struct Shared {
    turns_max: usize,
    actions_max: u64,
    bytes_max: u64,
    state: Mutex<BackgroundState>,
    /// Wakes the waiters after a change. A session has few turns at once, so all of them check for
    /// themselves.
    changed: Notify,
}

#[derive(Default)]
struct BackgroundState {
    /// The number of viewers of a monitor.
    viewers: BTreeMap<MonitorId, usize>,
    /// The number of running turns of a monitor.
    turns: BTreeMap<MonitorId, usize>,
    /// The waiting turns, in order.
    queue: VecDeque<(u64, MonitorId)>,
    /// Actions and text on a monitor in the last minute, and those that wait for the rate limit.
    spent: BTreeMap<(MonitorId, RateKind), RateWindow>,
    tickets: u64,
}

/// What a rate limit applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RateKind {
    Actions,
    Bytes,
}

/// The result of a waiter's check.
enum WaitStatus {
    /// The wait is over.
    Free,
    /// Nothing changes by itself before this time, if ever.
    Wait(Option<Instant>),
}

impl BackgroundLimiter {
    /// With the limits of the engine's options.
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

    /// Waits until one more turn of a monitor may run, first in, first out.
    pub(crate) async fn enter(&self, monitor_id: &MonitorId) -> BackgroundPermit {
        if !monitor_id.is_primary() {
            let ticket = self.shared.lock().queue(monitor_id);
            let place = QueueGuard { shared: &self.shared, line: None, monitor_id, ticket };
            self.wait(|state, _| state.enter(monitor_id, ticket, self.shared.turns_max)).await;
            drop(place);
        }
        BackgroundPermit { shared: self.shared.clone(), monitor_id: monitor_id.clone() }
    }

    /// Waits until this many more actions are allowed on a monitor.
    pub(crate) async fn spend_action(&self, monitor_id: &MonitorId, count: usize) {
        self.spend(monitor_id, RateKind::Actions, count as u64, self.shared.actions_max).await;
    }

    /// Waits until this many more bytes of text are allowed on a monitor.
    pub(crate) async fn spend_bytes(&self, monitor_id: &MonitorId, bytes: usize) {
        self.spend(monitor_id, RateKind::Bytes, bytes as u64, self.shared.bytes_max).await;
    }

    /// Counts a viewer of a monitor, for as long as the guard is held.
    pub(crate) fn add_viewer(&self, monitor_id: &MonitorId) -> ViewerGuard {
        *self.shared.lock().viewers.entry(monitor_id.clone()).or_default() += 1;
        self.shared.changed.notify_waiters();
        ViewerGuard { shared: self.shared.clone(), monitor_id: monitor_id.clone() }
    }

    async fn spend(&self, monitor_id: &MonitorId, what: RateKind, amount: u64, max: u64) {
        if amount == 0 || self.shared.lock().is_viewed(monitor_id) {
            return;
        }
        let key = (monitor_id.clone(), what);
        let ticket = self.shared.lock().queue_to_spend(key.clone());
        let place = QueueGuard { shared: &self.shared, line: Some(what), monitor_id, ticket };
        self.wait(|state, now| {
            if state.is_viewed(monitor_id) {
                return WaitStatus::Free;
            }
            let budget = state.spent.entry(key.clone()).or_default();
            match budget.spend(ticket, amount, max, now) {
                Ok(()) => WaitStatus::Free,
                Err(until) => WaitStatus::Wait(until),
            }
        })
        .await;
        drop(place);
    }

    /// Waits until it is free. Checks again after every change and when its time has come.
    async fn wait(&self, mut look: impl FnMut(&mut BackgroundState, Instant) -> WaitStatus) {
        loop {
            // Subscribed before the check, so that no change in between is missed.
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let found = look(&mut self.shared.lock(), Instant::now());
            match found {
                WaitStatus::Free => return,
                WaitStatus::Wait(None) => changed.await,
                WaitStatus::Wait(Some(until)) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(until) => {}
                },
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, BackgroundState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BackgroundState {
    /// Adds a turn to the queue.
    fn queue(&mut self, monitor_id: &MonitorId) -> u64 {
        self.tickets += 1;
        self.queue.push_back((self.tickets, monitor_id.clone()));
        self.tickets
    }

    /// Adds a request to the queue of its rate limit.
    fn queue_to_spend(&mut self, key: (MonitorId, RateKind)) -> u64 {
        self.tickets += 1;
        self.spent.entry(key).or_default().join(self.tickets);
        self.tickets
    }

    fn is_viewed(&self, monitor_id: &MonitorId) -> bool {
        monitor_id.is_primary() || self.viewers.contains_key(monitor_id)
    }

    /// Starts a waiting turn if its monitor is viewed, or if there is capacity and it is the first
    /// in the queue of those whose monitor is not.
    fn enter(&mut self, monitor_id: &MonitorId, ticket: u64, turns_max: usize) -> WaitStatus {
        let unseen = self.turns.iter().filter(|(monitor, _)| !self.is_viewed(monitor));
        let has_room = unseen.map(|(_, turns)| turns).sum::<usize>() < turns_max;
        let first = self.queue.iter().find(|(_, monitor)| !self.is_viewed(monitor)).map(|(ticket, _)| *ticket);
        let is_next = has_room && first == Some(ticket);
        if !is_next && !self.is_viewed(monitor_id) {
            return WaitStatus::Wait(None);
        }
        *self.turns.entry(monitor_id.clone()).or_default() += 1;
        WaitStatus::Free
    }

    /// Removes a waiter.
    fn leave(&mut self, line: Option<RateKind>, monitor_id: &MonitorId, ticket: u64) {
        let Some(what) = line else {
            self.queue.retain(|(other, _)| *other != ticket);
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

/// A place in a queue, which is released on drop, whether or not the wait has ended.
struct QueueGuard<'a> {
    shared: &'a Shared,
    /// `None` is the queue of the turns.
    line: Option<RateKind>,
    monitor_id: &'a MonitorId,
    ticket: u64,
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        self.shared.lock().leave(self.line, self.monitor_id, self.ticket);
        self.shared.changed.notify_waiters();
    }
}

/// A running turn on a monitor. Dropping it lets the next one start.
pub(crate) struct BackgroundPermit {
    shared: Arc<Shared>,
    monitor_id: MonitorId,
}

impl Drop for BackgroundPermit {
    fn drop(&mut self) {
        decrement(&mut self.shared.lock().turns, &self.monitor_id);
        self.shared.changed.notify_waiters();
    }
}

/// A viewer of a monitor.
pub(crate) struct ViewerGuard {
    shared: Arc<Shared>,
    monitor_id: MonitorId,
}

impl Drop for ViewerGuard {
    fn drop(&mut self) {
        decrement(&mut self.shared.lock().viewers, &self.monitor_id);
    }
}

/// Decrements a count; a monitor with a count of zero is removed.
fn decrement(counts: &mut BTreeMap<MonitorId, usize>, monitor_id: &MonitorId) {
    if let Some(count) = counts.get_mut(monitor_id) {
        *count -= 1;
        if *count == 0 {
            counts.remove(monitor_id);
        }
    }
}
