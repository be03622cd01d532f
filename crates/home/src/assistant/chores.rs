//! What has to be read again, and when. Changes come in flocks, so one waits a little for the rest of the flock.

use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;

use super::{inventory::Inventory, link::Link, settings::Patience, shared::ServiceTable, wire};
use crate::house::HouseError;

/// Something that is read again when it has changed, once it has settled.
#[derive(Debug, Default)]
pub(super) struct Settling {
    first: Option<Instant>,
    due: Option<Instant>,
}

impl Settling {
    /// It has changed.
    pub(super) fn touch(&mut self, now: Instant, settle: Duration) {
        let first = *self.first.get_or_insert(now);
        // A home that never stops changing is read all the same.
        self.due = Some((now + settle).min(first + settle * 10));
    }

    fn take(&mut self, now: Instant) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            *self = Self::default();
        }
        is_due
    }
}

/// What was read.
pub(super) enum Read {
    /// What there is.
    Inventory(Box<Inventory>),
    /// What it offers.
    Services(ServiceTable),
}

/// What can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chore {
    Inventory,
    Services,
}

type Running = BoxFuture<'static, Result<Read, HouseError>>;

/// What is being read and what is to be.
pub(super) struct Chores {
    pub(super) inventory: Settling,
    pub(super) services: Settling,
    running: Option<(Chore, Running)>,
    refresh: Duration,
    refresh_at: Instant,
    /// After how long what could not be read is tried again.
    retry: Duration,
}

impl Chores {
    /// Everything is to be read at once.
    pub(super) fn new(now: Instant, patience: &Patience) -> Self {
        let at_once = || Settling { first: Some(now), due: Some(now) };
        let (refresh, retry) = (patience.refresh, patience.longest_pause);
        Self { inventory: at_once(), services: at_once(), running: None, refresh, refresh_at: now + refresh, retry }
    }

    /// Gives up what runs.
    pub(super) fn stop(&mut self) {
        self.running = None;
    }

    /// When there is something to begin; none while something runs.
    pub(super) fn due(&self) -> Option<Instant> {
        let due = [self.inventory.due, self.services.due, Some(self.refresh_at)].into_iter().flatten().min();
        due.filter(|_| self.running.is_none())
    }

    /// Begins what is due.
    pub(super) fn begin(&mut self, now: Instant, link: &Link, only_exposed: bool) {
        if self.running.is_some() {
            return;
        }
        if self.refresh_at <= now {
            self.refresh_at = now + self.refresh;
            self.inventory.touch(now, Duration::ZERO);
            self.services.touch(now, Duration::ZERO);
        }
        let link = link.clone();
        if self.inventory.take(now) {
            let read = async move { Ok(Read::Inventory(Box::new(Inventory::read(link, only_exposed).await?))) };
            self.running = Some((Chore::Inventory, Box::pin(read)));
        } else if self.services.take(now) {
            let read = async move { Ok(Read::Services(services(&link).await?)) };
            self.running = Some((Chore::Services, Box::pin(read)));
        }
    }

    /// The result of what runs; forever if nothing does. What could not be read is tried again by and by.
    pub(super) async fn read(&mut self) -> Result<Read, HouseError> {
        let Some((chore, running)) = &mut self.running else { return std::future::pending().await };
        let (chore, read) = (*chore, running.await);
        self.running = None;
        if read.is_err() {
            let again = match chore {
                Chore::Inventory => &mut self.inventory,
                Chore::Services => &mut self.services,
            };
            again.touch(Instant::now(), self.retry);
        }
        read
    }
}

/// Reads what services there are.
pub(super) async fn services(link: &Link) -> Result<ServiceTable, HouseError> {
    let Some(answer) = link.ask(wire::Command::GetServices).await? else { return Ok(ServiceTable::new()) };
    let mut table = ServiceTable::new();
    for (domain, services) in wire::each_named::<Box<serde_json::value::RawValue>>(&answer) {
        for (name, row) in wire::each_named(&services) {
            table.insert((domain.clone(), name), row);
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flock_of_changes_is_one_and_an_endless_one_does_not_wait_for_ever() {
        let settle = Duration::from_millis(500);
        let start = Instant::now();
        let mut settling = Settling::default();
        assert!(!settling.take(start));
        for step in 0..4 {
            settling.touch(start + settle / 2 * step, settle);
        }
        assert!(!settling.take(start + settle));
        assert!(settling.take(start + settle / 2 * 3 + settle));
        assert!(!settling.take(start + settle * 100), "it is read once");
        for step in 0..100 {
            settling.touch(start + settle / 2 * step, settle);
        }
        assert!(settling.take(start + settle * 10));
    }
}
