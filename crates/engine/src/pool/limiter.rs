//! So many agents at work at once, over all sessions; the others wait in a fair line.
//!
//! Sessions wait, not turns: of the sessions that wait, the one that holds the fewest agents is served next, of equals
//! the one that waits longest, and then it goes to the back. So a session with a hundred turns does not hold up one with
//! a single turn. Sessions that hold nothing might keep coming for ever, so now and then whoever waits longest is served,
//! whatever it holds. Within a session, first come is first served.

mod line;
#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{Percentiles, SessionId};
use tokio::{sync::oneshot, time::Instant};

use self::line::{Line, Ticket};
use crate::counters::Samples;

/// So many agents at work at once. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Limiter {
    shared: Arc<Shared>,
}

struct Shared {
    max: usize,
    desk: Mutex<Desk>,
}

#[derive(Default)]
struct Desk {
    line: Line<Waiter>,
    waits: Samples,
}

/// A turn that waits.
struct Waiter {
    since: Instant,
    hand: oneshot::Sender<Permit>,
}

/// One of the agents that may be at work at once. Dropping it lets the next one work.
pub(crate) struct Permit {
    limiter: Limiter,
    session_id: SessionId,
}

impl Limiter {
    /// With room for so many, at least one.
    pub(crate) fn new(max: usize) -> Self {
        Self { shared: Arc::new(Shared { max: max.max(1), desk: Mutex::default() }) }
    }

    /// Waits until one more may work. Dropping the future leaves the line.
    pub(crate) async fn acquire(&self, session_id: SessionId) -> Permit {
        loop {
            let Err((handed, _place)) = self.try_acquire(session_id) else { return self.permit(session_id) };
            // If this is dropped now, either the place is still in line and is given up, or a permit is on its way: it
            // finds nobody there, is dropped, and so comes back.
            if let Ok(permit) = handed.await {
                return permit;
            }
        }
    }

    /// How many are at work.
    pub(crate) fn working(&self) -> usize {
        self.lock().line.working()
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().line.waiting()
    }

    /// How long those at work have waited.
    pub(crate) fn waits(&self) -> Percentiles {
        self.lock().waits.percentiles()
    }

    /// Lets one more work if there is room and nobody was there before, or gives it a place in line.
    fn try_acquire(&self, session_id: SessionId) -> Result<(), (oneshot::Receiver<Permit>, Place<'_>)> {
        let mut desk = self.lock();
        if desk.line.working() < self.shared.max && desk.line.waiting() == 0 {
            desk.line.take(session_id);
            desk.waits.add(Duration::ZERO);
            return Ok(());
        }
        let (hand, handed) = oneshot::channel();
        let ticket = desk.line.join(session_id, Waiter { since: Instant::now(), hand });
        Err((handed, Place { limiter: self, session_id, ticket }))
    }

    fn give_back(&self, session_id: SessionId) {
        let mut served = Vec::new();
        {
            let mut desk = self.lock();
            desk.line.give_back(session_id);
            while desk.line.working() < self.shared.max
                && let Some((next, waiter)) = desk.line.serve()
            {
                desk.waits.add(waiter.since.elapsed());
                served.push((next, waiter.hand));
            }
        }
        // Handed over without the lock: a permit that nobody takes any more comes back through here.
        for (next, hand) in served {
            drop(hand.send(self.permit(next)));
        }
    }

    fn permit(&self, session_id: SessionId) -> Permit {
        Permit { limiter: self.clone(), session_id }
    }

    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.shared.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.limiter.give_back(self.session_id);
    }
}

/// A place in line, given up when it is dropped.
struct Place<'a> {
    limiter: &'a Limiter,
    session_id: SessionId,
    ticket: Ticket,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let left = self.limiter.lock().line.leave(self.session_id, self.ticket);
        drop(left);
    }
}
