//! A turn's slot: its deadline and its permits. Both are paused while the turn waits for a person.

use std::{
    future::Future,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use protocol::{MonitorId, OwnerId, SessionId};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::TurnInput;
use crate::{
    hub::Services,
    live::Reporter,
    pool::{BackgroundLimiter, BackgroundPermit, Limiter, Permit},
};

/// Longer than any question stays open.
const PAUSE_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The deadline and the permits of a turn.
pub(super) struct TurnSlot {
    owner: OwnerId,
    session_id: SessionId,
    monitor_id: MonitorId,
    background: BackgroundLimiter,
    agents: Limiter,
    deadline: watch::Sender<Instant>,
    state: Mutex<SlotState>,
}

/// The state of a slot.
enum SlotState {
    /// Running, with its permits.
    Active { _place: SlotPermits },
    /// Paused without permits, with this much time left.
    Paused { left: Duration },
}

/// The permits of a running turn: for monitors without viewers, and over all sessions.
struct SlotPermits {
    _on_monitor: BackgroundPermit,
    _over_all: Permit,
}

impl TurnSlot {
    /// Waits for the permits; the time runs from then on.
    pub(super) async fn begin(services: &Services, input: &mut TurnInput, reporter: &Reporter) -> Arc<Self> {
        let (owner, session_id, monitor_id) = (input.owner.clone(), input.session_id, input.turn.agent_id.monitor());
        let background = input.background.clone();
        let agents = if input.turn.request.background { &services.background_agents } else { &services.agents }.clone();
        let place = {
            let mut taking = pin!(acquire_permits(&agents, &background, &owner, session_id, &monitor_id));
            match futures::poll!(&mut taking) {
                Poll::Ready(place) => place,
                Poll::Pending => {
                    let place = taking.await;
                    // Other turns ran meanwhile, so the desktop may have changed.
                    input.refresh(reporter).await;
                    place
                }
            }
        };
        let budget = input.turn.time_budget_ms(input.settings.budgets.max_duration_ms);
        let deadline = watch::Sender::new(Instant::now() + Duration::from_millis(budget));
        let standing = Mutex::new(SlotState::Active { _place: place });
        Arc::new(Self { owner, session_id, monitor_id, background, agents, deadline, state: standing })
    }

    /// The deadline of the turn, to be awaited.
    pub(super) fn watch_deadline(&self) -> Deadline {
        Deadline { deadline: self.deadline.subscribe() }
    }

    pub(super) fn deadline(&self) -> Instant {
        *self.deadline.borrow()
    }

    /// Waits for input with the slot paused: neither the turn's time nor its permits are used
    /// meanwhile.
    pub(super) async fn while_paused<T>(&self, waiting: impl Future<Output = T>) -> T {
        self.pause();
        let waited = waiting.await;
        self.resume().await;
        waited
    }

    /// Restarts the turn's time: the client has asked for more.
    pub(super) fn renew(&self, budget: Duration) {
        self.deadline.send_replace(Instant::now() + budget);
    }

    fn pause(&self) {
        let mut standing = self.lock();
        if matches!(*standing, SlotState::Active { .. }) {
            let now = Instant::now();
            let left = self.deadline.send_replace(now + PAUSE_MAX).saturating_duration_since(now);
            *standing = SlotState::Paused { left };
        }
    }

    /// Acquires the permits again, if the slot is paused. A call that was cancelled while it waited
    /// leaves that to the next one.
    pub(super) async fn resume(&self) {
        let SlotState::Paused { left } = *self.lock() else { return };
        let place =
            acquire_permits(&self.agents, &self.background, &self.owner, self.session_id, &self.monitor_id).await;
        self.deadline.send_replace(Instant::now() + left);
        *self.lock() = SlotState::Active { _place: place };
    }

    /// Waits until this many actions are allowed, if the monitor has no viewers.
    pub(super) async fn spend_actions(&self, count: usize) {
        self.when_allowed(self.background.spend_action(&self.monitor_id, count)).await;
    }

    /// Waits until this many bytes of text are allowed, if the monitor has no viewers.
    pub(super) async fn spend_bytes(&self, bytes: usize) {
        self.when_allowed(self.background.spend_bytes(&self.monitor_id, bytes)).await;
    }

    /// Pauses the slot only if there is something to wait for.
    async fn when_allowed(&self, spending: impl Future<Output = ()>) {
        let mut spending = pin!(spending);
        if futures::poll!(spending.as_mut()).is_pending() {
            self.while_paused(spending).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn acquire_permits(
    agents: &Limiter,
    background: &BackgroundLimiter,
    owner: &OwnerId,
    session_id: SessionId,
    monitor_id: &MonitorId,
) -> SlotPermits {
    let on_monitor = background.enter(monitor_id).await;
    SlotPermits { _on_monitor: on_monitor, _over_all: agents.acquire(owner, session_id).await }
}

/// Ends a turn's work at its deadline, even if the deadline was moved meanwhile.
pub(super) struct Deadline {
    deadline: watch::Receiver<Instant>,
}

impl Deadline {
    /// Returns once the deadline has passed.
    pub(super) async fn passed(&mut self) {
        loop {
            let deadline = *self.deadline.borrow_and_update();
            tokio::select! {
                () = sleep_until(deadline) => return,
                changed = self.deadline.changed() => {
                    if changed.is_err() {
                        // The work is gone, so it has ended by itself.
                        std::future::pending::<()>().await;
                    }
                }
            }
        }
    }
}
