//! A turn's time, and its place among those at work: neither is spent while a person is waited for.

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

use super::Job;
use crate::{
    hub::House,
    live::Reporter,
    pool::{Background, BackgroundPermit, Permit},
};

/// Longer than any question stays open.
const PAUSE_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A turn's time and its place.
pub(super) struct Shift {
    house: Arc<House>,
    owner: OwnerId,
    session_id: SessionId,
    monitor_id: MonitorId,
    background: Background,
    deadline: watch::Sender<Instant>,
    standing: Mutex<Standing>,
}

/// At work, or stepped aside.
enum Standing {
    /// With its place.
    AtWork { _place: Place },
    /// Without one, and with so much time left.
    Aside { left: Duration },
}

/// A place among those at work: on a monitor that nobody looks at, and over all sessions.
struct Place {
    _on_monitor: BackgroundPermit,
    _over_all: Permit,
}

impl Shift {
    /// Waits for a place; the time runs from then on.
    pub(super) async fn begin(house: Arc<House>, job: &mut Job, reporter: &Reporter) -> Arc<Self> {
        let (owner, session_id, monitor_id) = (job.owner.clone(), job.session_id, job.turn.agent_id.monitor());
        let background = job.background.clone();
        let place = {
            let mut taking = pin!(place(&house, &background, &owner, session_id, &monitor_id));
            match futures::poll!(&mut taking) {
                Poll::Ready(place) => place,
                Poll::Pending => {
                    let place = taking.await;
                    // Meanwhile others were at work.
                    job.look_again(reporter).await;
                    place
                }
            }
        };
        let budget = job.turn.time_budget_ms(job.settings.budgets.max_duration_ms);
        let deadline = watch::Sender::new(Instant::now() + Duration::from_millis(budget));
        let standing = Mutex::new(Standing::AtWork { _place: place });
        Arc::new(Self { house, owner, session_id, monitor_id, background, deadline, standing })
    }

    /// What ends the work when its time is up.
    pub(super) fn overtime(&self) -> Overtime {
        Overtime { deadline: self.deadline.subscribe() }
    }

    pub(super) fn deadline(&self) -> Instant {
        *self.deadline.borrow()
    }

    /// Waits for somebody. Neither the turn's time nor its place among those at work is spent on that.
    pub(super) async fn aside<T>(&self, waiting: impl Future<Output = T>) -> T {
        self.step_aside();
        let waited = waiting.await;
        self.come_back().await;
        waited
    }

    /// All its time anew: whoever was waited for has asked for more.
    pub(super) fn renew(&self, budget: Duration) {
        self.deadline.send_replace(Instant::now() + budget);
    }

    fn step_aside(&self) {
        let mut standing = self.lock();
        if matches!(*standing, Standing::AtWork { .. }) {
            let now = Instant::now();
            let left = self.deadline.send_replace(now + PAUSE_MAX).saturating_duration_since(now);
            *standing = Standing::Aside { left };
        }
    }

    /// Takes a place again, if it has none. A call that was given up while it waited has left that to whoever comes after
    /// it.
    pub(super) async fn come_back(&self) {
        let Standing::Aside { left } = *self.lock() else { return };
        let place = place(&self.house, &self.background, &self.owner, self.session_id, &self.monitor_id).await;
        self.deadline.send_replace(Instant::now() + left);
        *self.lock() = Standing::AtWork { _place: place };
    }

    /// Waits until so many actions may be done, where nobody looks at the monitor.
    pub(super) async fn spend_actions(&self, count: usize) {
        self.when_allowed(self.background.spend_action(&self.monitor_id, count)).await;
    }

    /// Waits until so many bytes may be said, where nobody looks at the monitor.
    pub(super) async fn spend_bytes(&self, bytes: usize) {
        self.when_allowed(self.background.spend_bytes(&self.monitor_id, bytes)).await;
    }

    /// Steps aside only if there is something to wait for.
    async fn when_allowed(&self, spending: impl Future<Output = ()>) {
        let mut spending = pin!(spending);
        if futures::poll!(spending.as_mut()).is_pending() {
            self.aside(spending).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn place(
    house: &House,
    background: &Background,
    owner: &OwnerId,
    session_id: SessionId,
    monitor_id: &MonitorId,
) -> Place {
    let on_monitor = background.enter(monitor_id).await;
    Place { _on_monitor: on_monitor, _over_all: house.agents.acquire(owner, session_id).await }
}

/// Ends a turn's work when its time is up, also when it was given more meanwhile.
pub(super) struct Overtime {
    deadline: watch::Receiver<Instant>,
}

impl Overtime {
    /// Returns once the time is up.
    pub(super) async fn is_up(&mut self) {
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
