//! How far a connection is with its request, and until when the next step has to come.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How long a connection may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// From the first byte of a request to the end of its head; for the first one from the start.
    pub(super) header: Duration,
    /// Between two requests.
    pub(super) idle: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The head of a request is on its way, or for the first request awaited.
    Head(Instant),
    /// A request is being answered.
    Busy,
    /// Nothing has come since the last answer.
    Idle(Instant),
}

/// How far a connection is with its request. Shared by its socket, its requests and the task that serves it.
#[derive(Clone)]
pub(super) struct Pace(Arc<Mutex<Phase>>);

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self(Arc::new(Mutex::new(Phase::Head(now))))
    }

    /// Bytes have come.
    pub(super) fn heard(&self, now: Instant) {
        let mut phase = self.lock();
        if matches!(*phase, Phase::Idle(_)) {
            *phase = Phase::Head(now);
        }
    }

    /// Bytes have gone out: the last of an answer may leave long after the answer was made.
    pub(super) fn told(&self, now: Instant) {
        let mut phase = self.lock();
        if matches!(*phase, Phase::Idle(_)) {
            *phase = Phase::Idle(now);
        }
    }

    /// The head of a request is there.
    pub(super) fn begin(&self) {
        *self.lock() = Phase::Busy;
    }

    /// A request is answered.
    pub(super) fn end(&self, now: Instant) {
        *self.lock() = Phase::Idle(now);
    }

    /// Whether a head is awaited that is not there yet.
    pub(super) fn is_incomplete(&self) -> bool {
        matches!(*self.lock(), Phase::Head(_))
    }

    /// Until when the next step has to come; none while a request is being answered, which has limits of its own. Who has
    /// brought no credential may be idle no longer than a head may take.
    pub(super) fn due(&self, patience: &Patience, is_known: bool) -> Option<Instant> {
        match *self.lock() {
            Phase::Head(since) => Some(since + patience.header),
            Phase::Idle(since) if is_known => Some(since + patience.idle),
            Phase::Idle(since) => Some(since + patience.idle.min(patience.header)),
            Phase::Busy => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience { header: Duration::from_secs(10), idle: Duration::from_secs(75) };

    #[test]
    fn a_head_has_its_time_from_its_first_byte_on() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let pace = Pace::new(start);
        let due = |is_known| pace.due(&PATIENCE, is_known);
        assert_eq!((due(false), due(true)), (Some(at(10)), Some(at(10))));
        pace.heard(at(4));
        assert_eq!(due(true), Some(at(10)), "more bytes of it give no more time");
        assert!(pace.is_incomplete());
        pace.begin();
        pace.heard(at(5));
        assert!(due(false).is_none() && !pace.is_incomplete());
        pace.end(at(20));
        assert_eq!((due(false), due(true)), (Some(at(30)), Some(at(95))), "a stranger is not waited for as long");
        pace.told(at(25));
        assert_eq!(due(true), Some(at(100)), "the answer was still leaving");
        pace.heard(at(40));
        pace.told(at(41));
        assert_eq!(due(true), Some(at(50)), "the next head has begun");
    }
}
