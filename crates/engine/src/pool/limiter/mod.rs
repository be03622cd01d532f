//! Limits the number of agents that run at once, per session, per owner and in total; the others
//! wait in a fair queue.
//!
//! Owners wait first, then their sessions, not turns. Of the waiting owners, the one that holds the
//! fewest permits is served next, of equals the one that has waited longest; then it goes to the
//! back. Within an owner the same holds for its sessions. So an owner with a thousand turns does
//! not block one with a single turn, and neither does a session. Newcomers that hold nothing might
//! keep coming for ever, so every now and then the longest waiter is served, whatever it holds.
//! Within a session the order is first in, first out.

mod queue;
#[cfg(test)]
mod tests;
mod wait_queue;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{OwnerId, Percentiles, SessionId};
use tokio::{sync::oneshot, time::Instant};

use self::wait_queue::{QueueTicket, WaitQueue};
use crate::{Options, counters::Samples};

/// How many agents may run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PermitLimits {
    /// Per session.
    pub(crate) session: usize,
    /// Per owner.
    pub(crate) owner: usize,
    /// In total.
    pub(crate) all: usize,
}

impl PermitLimits {
    /// The limits of turns in conversations.
    pub(crate) const fn of(options: &Options) -> Self {
        Self { session: options.agents_session_max, owner: options.agents_owner_max, all: options.agents_max }
    }

    /// The limits of turns in the background.
    pub(crate) const fn of_background(options: &Options) -> Self {
        let owner = options.background.owner_max;
        Self { session: owner, owner, all: options.background.max }
    }
}

/// Limits the number of agents that run at once. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Limiter {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<LimiterState>,
}

struct LimiterState {
    queue: WaitQueue<Waiter>,
    waits: Samples,
}

/// A waiting turn.
struct Waiter {
    since: Instant,
    permit_sender: oneshot::Sender<Permit>,
}

/// The permit of a running agent. Dropping it lets the next one run.
pub(crate) struct Permit {
    limiter: Limiter,
    owner: OwnerId,
    session_id: SessionId,
}

impl Limiter {
    /// With these limits, each at least one.
    pub(crate) fn new(limits: PermitLimits) -> Self {
        let PermitLimits { session, owner, all } = limits;
        let limits = PermitLimits { session: session.max(1), owner: owner.max(1), all: all.max(1) };
        let state = Mutex::new(LimiterState { queue: WaitQueue::new(limits), waits: Samples::default() });
        Self { shared: Arc::new(Shared { state }) }
    }

    /// Waits for a permit. Dropping the future leaves the queue.
    pub(crate) async fn acquire(&self, owner: &OwnerId, session_id: SessionId) -> Permit {
        loop {
            let Err((handed, _place)) = self.try_acquire(owner, session_id) else {
                return self.permit(owner.clone(), session_id);
            };
            // If this is dropped now, either the place is still in the queue and is released, or a
            // permit is on its way: it has no receiver, is dropped, and so comes back.
            if let Ok(permit) = handed.await {
                return permit;
            }
        }
    }

    /// The number of running agents.
    pub(crate) fn working(&self) -> usize {
        self.lock().queue.working()
    }

    /// The number of waiting turns.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().queue.waiting()
    }

    /// The number of an owner's running agents.
    pub(crate) fn working_of(&self, owner: &OwnerId) -> usize {
        self.lock().queue.of_owner(owner).0
    }

    /// The owners with running agents, and how many.
    pub(crate) fn owners(&self) -> Vec<(OwnerId, usize)> {
        self.lock().queue.owners().map(|(owner, (working, _))| (owner.clone(), working)).collect()
    }

    /// How long the running agents have waited.
    pub(crate) fn waits(&self) -> Percentiles {
        self.lock().waits.percentiles()
    }

    /// Grants a permit if there is capacity and nothing waits before it, or gives it a place in the
    /// queue.
    fn try_acquire<'a>(
        &'a self,
        owner: &'a OwnerId,
        session_id: SessionId,
    ) -> Result<(), (oneshot::Receiver<Permit>, QueueGuard<'a>)> {
        let mut state = self.lock();
        if state.queue.has_room(owner, session_id) {
            state.queue.take(owner, session_id);
            state.waits.add(Duration::ZERO);
            return Ok(());
        }
        let (hand, handed) = oneshot::channel();
        let ticket = state.queue.join(owner, session_id, Waiter { since: Instant::now(), permit_sender: hand });
        Err((handed, QueueGuard { limiter: self, owner, session_id, ticket }))
    }

    fn give_back(&self, owner: &OwnerId, session_id: SessionId) {
        let mut served = Vec::new();
        {
            let mut state = self.lock();
            state.queue.give_back(owner, session_id);
            while let Some((owner, next, waiter)) = state.queue.serve() {
                state.waits.add(waiter.since.elapsed());
                served.push((owner, next, waiter.permit_sender));
            }
        }
        // Sent without the lock: a permit whose receiver has gone comes back through here.
        for (owner, next, hand) in served {
            drop(hand.send(self.permit(owner, next)));
        }
    }

    fn permit(&self, owner: OwnerId, session_id: SessionId) -> Permit {
        Permit { limiter: self.clone(), owner, session_id }
    }

    fn lock(&self) -> MutexGuard<'_, LimiterState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.limiter.give_back(&self.owner, self.session_id);
    }
}

/// A place in the queue, released on drop.
struct QueueGuard<'a> {
    limiter: &'a Limiter,
    owner: &'a OwnerId,
    session_id: SessionId,
    ticket: QueueTicket,
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        let left = self.limiter.lock().queue.leave(self.owner, self.session_id, self.ticket);
        drop(left);
    }
}
