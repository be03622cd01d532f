//! The phase of a connection, and the deadline of its next step.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// The timeouts of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionTimeouts {
    /// From the first byte of a request to the end of its head; for the first request, from the
    /// start of the connection.
    pub(super) header: Duration,
    /// Between two requests.
    pub(super) idle: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The head of a request is arriving, or the first request is awaited.
    Head(Instant),
    /// A request is being answered.
    Busy,
    /// Nothing has arrived since the last answer.
    Idle(Instant),
}

/// The phase of a connection. Shared by its socket, its requests and the task that serves it.
#[derive(Clone)]
pub(super) struct ConnectionPhase(Arc<Mutex<Phase>>);

impl ConnectionPhase {
    pub(super) fn new(now: Instant) -> Self {
        Self(Arc::new(Mutex::new(Phase::Head(now))))
    }

    /// Bytes have arrived.
    pub(super) fn bytes_received(&self, now: Instant) {
        let mut phase = self.lock();
        if matches!(*phase, Phase::Idle(_)) {
            *phase = Phase::Head(now);
        }
    }

    /// Bytes were sent: the last of an answer may be sent long after it was produced.
    pub(super) fn bytes_sent(&self, now: Instant) {
        let mut phase = self.lock();
        if matches!(*phase, Phase::Idle(_)) {
            *phase = Phase::Idle(now);
        }
    }

    /// The head of a request is complete.
    pub(super) fn begin(&self) {
        *self.lock() = Phase::Busy;
    }

    /// A request is answered.
    pub(super) fn end(&self, now: Instant) {
        *self.lock() = Phase::Idle(now);
    }

    /// Whether the head of a request is not complete yet.
    pub(super) fn is_incomplete(&self) -> bool {
        matches!(*self.lock(), Phase::Head(_))
    }

    /// The deadline of the next step; `None` while a request is being answered, which has its own
    /// limits. Without a credential a connection may be idle no longer than a head may take.
    pub(super) fn due(&self, patience: &ConnectionTimeouts, is_known: bool) -> Option<Instant> {
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

    const PATIENCE: ConnectionTimeouts =
        ConnectionTimeouts { header: Duration::from_secs(10), idle: Duration::from_secs(75) };

    #[test]
    fn a_head_has_its_time_from_its_first_byte_on() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let connection_phase = ConnectionPhase::new(start);
        let due = |is_known| connection_phase.due(&PATIENCE, is_known);
        assert_eq!((due(false), due(true)), (Some(at(10)), Some(at(10))));
        connection_phase.bytes_received(at(4));
        assert_eq!(due(true), Some(at(10)), "more bytes of the head do not extend the deadline");
        assert!(connection_phase.is_incomplete());
        connection_phase.begin();
        connection_phase.bytes_received(at(5));
        assert!(due(false).is_none() && !connection_phase.is_incomplete());
        connection_phase.end(at(20));
        assert_eq!((due(false), due(true)), (Some(at(30)), Some(at(95))), "an anonymous client has less time");
        connection_phase.bytes_sent(at(25));
        assert_eq!(due(true), Some(at(100)), "the answer was still being sent");
        connection_phase.bytes_received(at(40));
        connection_phase.bytes_sent(at(41));
        assert_eq!(due(true), Some(at(50)), "the next head has begun");
    }
}
