//! Refreshes what has changed. Changes come in bursts, so a refresh waits until they settle.

use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;

use super::{command_sender::CommandSender, inventory::Inventory, settings::Timeouts, shared::ServiceTable, wire};
use crate::port::HomeError;

/// A debounce timer: due once the changes have settled.
#[derive(Debug, Default)]
pub(super) struct Debounce {
    first: Option<Instant>,
    due: Option<Instant>,
}

impl Debounce {
    /// Records a change.
    pub(super) fn touch(&mut self, now: Instant, settle: Duration) {
        let first = *self.first.get_or_insert(now);
        // A home that never settles is refreshed after some time anyway.
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

/// Refreshed data.
pub(super) enum RefreshedData {
    /// Entities, devices, areas and floors.
    Inventory(Box<Inventory>),
    /// Services.
    Services(ServiceTable),
}

/// The kind of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefreshKind {
    Inventory,
    Services,
}

type RefreshFuture = BoxFuture<'static, Result<RefreshedData, HomeError>>;

/// Running and pending refreshes.
pub(super) struct Refresher {
    pub(super) inventory: Debounce,
    pub(super) services: Debounce,
    running: Option<(RefreshKind, RefreshFuture)>,
    refresh: Duration,
    refresh_at: Instant,
    /// The wait before a failed refresh is repeated.
    retry: Duration,
}

impl Refresher {
    /// A refresh of everything is due at once.
    pub(super) fn new(now: Instant, patience: &Timeouts) -> Self {
        let at_once = || Debounce { first: Some(now), due: Some(now) };
        let (refresh, retry) = (patience.refresh, patience.longest_pause);
        Self { inventory: at_once(), services: at_once(), running: None, refresh, refresh_at: now + refresh, retry }
    }

    /// Aborts the running refresh.
    pub(super) fn stop(&mut self) {
        self.running = None;
    }

    /// When the next refresh is due; `None` while one is running.
    pub(super) fn due(&self) -> Option<Instant> {
        let due = [self.inventory.due, self.services.due, Some(self.refresh_at)].into_iter().flatten().min();
        due.filter(|_| self.running.is_none())
    }

    /// Starts a refresh that is due.
    pub(super) fn begin(&mut self, now: Instant, link: &CommandSender, only_exposed: bool) {
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
            let read =
                async move { Ok(RefreshedData::Inventory(Box::new(Inventory::read(link, only_exposed).await?))) };
            self.running = Some((RefreshKind::Inventory, Box::pin(read)));
        } else if self.services.take(now) {
            let read = async move { Ok(RefreshedData::Services(services(&link).await?)) };
            self.running = Some((RefreshKind::Services, Box::pin(read)));
        }
    }

    /// Waits for the running refresh; forever if there is none. A failed one is repeated later.
    pub(super) async fn read(&mut self) -> Result<RefreshedData, HomeError> {
        let Some((chore, running)) = &mut self.running else { return std::future::pending().await };
        let (chore, read) = (*chore, running.await);
        self.running = None;
        if read.is_err() {
            let again = match chore {
                RefreshKind::Inventory => &mut self.inventory,
                RefreshKind::Services => &mut self.services,
            };
            again.touch(Instant::now(), self.retry);
        }
        read
    }
}

/// Reads the services.
pub(super) async fn services(link: &CommandSender) -> Result<ServiceTable, HomeError> {
    let Some(answer) = link.ask(wire::HassCommand::GetServices).await? else { return Ok(ServiceTable::new()) };
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
        let mut settling = Debounce::default();
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
