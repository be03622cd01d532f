//! The connection of a tool worker, and the calls that it has.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use protocol::{ConnectionId, ServedCallCancel, SessionId, ToolServing, TurnId};
use tokio::{sync::mpsc, time::Instant};

use super::feed::WorkerMessage;

/// Reports of progress that are shown per call and second.
const REPORTS_MAX: u32 = 10;

/// A call: its turn, and its id within the turn.
pub(super) type CallKey = (TurnId, String);

/// The connection of a worker.
pub(super) struct WorkerConnection {
    pub(super) id: ConnectionId,
    /// Number of the registration: a connection may serve, stop, and serve again.
    pub(super) number: u64,
    outbox: mpsc::Sender<WorkerMessage>,
    pub(super) calls: BTreeMap<CallKey, HeldCall>,
    /// Set when the worker does not read what it is sent.
    is_lost: Arc<AtomicBool>,
}

/// A call that is reserved for a connection or was sent over it.
pub(super) struct HeldCall {
    pub(super) session_id: SessionId,
    pub(super) tool: String,
    pub(super) is_sent: bool,
    pub(super) is_answered: bool,
    pub(super) reports: ReportRate,
}

impl HeldCall {
    pub(super) fn new(session_id: SessionId, tool: &str) -> Self {
        let reports = ReportRate { since: Instant::now(), count: 0 };
        Self { session_id, tool: tool.to_owned(), is_sent: false, is_answered: false, reports }
    }
}

/// Counts the reports of a call within a second.
pub(super) struct ReportRate {
    since: Instant,
    count: u32,
}

impl ReportRate {
    /// Counts a report; returns whether it is within the rate.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        if now.duration_since(self.since) >= Duration::from_secs(1) {
            (self.since, self.count) = (now, 0);
        }
        self.count += 1;
        self.count <= REPORTS_MAX
    }
}

impl WorkerConnection {
    /// A connection, and the flag that its feed reads.
    pub(super) fn new(id: ConnectionId, number: u64, outbox: mpsc::Sender<WorkerMessage>) -> (Self, Arc<AtomicBool>) {
        let is_lost = Arc::new(AtomicBool::new(false));
        (Self { id, number, outbox, calls: BTreeMap::new(), is_lost: is_lost.clone() }, is_lost)
    }

    /// Sends a message; returns whether there was place for it.
    pub(super) fn send(&self, message: WorkerMessage) -> bool {
        let is_sent = self.outbox.try_send(message).is_ok();
        if !is_sent {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        is_sent
    }

    /// Takes calls away from the worker. It is told of those that it has and has not answered.
    /// Returns whether there were any.
    pub(super) fn release(&mut self, reason: &str, is_over: impl Fn(&CallKey, &HeldCall) -> bool) -> bool {
        let over: Vec<(CallKey, HeldCall)> = self.calls.extract_if(.., |key, held| is_over(key, held)).collect();
        for ((turn_id, call_id), held) in &over {
            if held.is_sent && !held.is_answered {
                let (turn_id, call_id, reason) = (*turn_id, call_id.clone(), reason.to_owned());
                // A worker that reads nothing loses its connection with the next call.
                self.send(WorkerMessage::Cancel(ServedCallCancel { turn_id, call_id, reason }));
            }
        }
        !over.is_empty()
    }

    /// Another connection serves as this worker now: ends the feed, and takes all calls away.
    pub(super) fn be_replaced(mut self, worker: &str) {
        self.release("replaced", |_, _| true);
        self.send(WorkerMessage::Serving(ToolServing { worker: worker.to_owned(), tools: Vec::new() }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_reports_a_second_are_shown() {
        let now = Instant::now();
        let mut rate = ReportRate { since: now, count: 0 };
        let shown = (0..100).filter(|_| rate.take(now)).count();
        assert_eq!(shown, 10);
        assert!(rate.take(now + Duration::from_secs(1)));
    }
}
