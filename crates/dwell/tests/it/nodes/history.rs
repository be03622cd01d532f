//! A history of the session API, and a check that it is linearizable.
//!
//! A session is an append-only list: a message gets the number of its event, and a read gets the
//! number of the newest event. Both are positions in one order. So the operations can be put in the
//! order of their positions; that order explains the answers exactly if it agrees with time: what
//! began after something had been answered must not have an earlier position.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

/// What was kind of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperationKind {
    /// To take a message: its position is that of its event.
    Append,
    /// For the newest event.
    Read,
}

/// An operation that was answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operation {
    pub(super) kind: OperationKind,
    pub(super) began: Duration,
    pub(super) ended: Duration,
    pub(super) position: u64,
}

/// The operations on all sessions.
pub(super) struct History {
    start: Instant,
    sessions: Mutex<BTreeMap<String, Vec<Operation>>>,
}

impl History {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), sessions: Mutex::default() }
    }

    /// Records an operation that began at a time and was answered now.
    pub(super) fn record(&self, session: &str, kind: OperationKind, began: Instant, position: u64) {
        let operation = Operation { kind, began: began - self.start, ended: self.start.elapsed(), position };
        self.sessions.lock().unwrap().entry(session.to_owned()).or_default().push(operation);
    }

    /// How many operations were recorded.
    pub(super) fn len(&self) -> usize {
        self.sessions.lock().unwrap().values().map(Vec::len).sum()
    }

    /// Checks every session.
    pub(super) fn check(&self) {
        for (session, operations) in &*self.sessions.lock().unwrap() {
            if let Some((earlier, later)) = contradiction(operations) {
                panic!("session {session} is not linearizable: {earlier:?} was answered before {later:?} began");
            }
        }
    }
}

/// Two operations that no order explains, if there are any.
fn contradiction(operations: &[Operation]) -> Option<(Operation, Operation)> {
    let mut by_end = operations.to_vec();
    by_end.sort_by_key(|operation| operation.ended);
    let mut by_begin = operations.to_vec();
    by_begin.sort_by_key(|operation| operation.began);
    // The operation with the highest position among those that had been answered.
    let (mut highest, mut answered) = (None::<Operation>, by_end.into_iter().peekable());
    for later in by_begin {
        while let Some(earlier) = answered.next_if(|earlier| earlier.ended < later.began) {
            if highest.is_none_or(|highest| highest.position < earlier.position) {
                highest = Some(earlier);
            }
        }
        // A message that is sent again with the same key gets its old position, and is recorded
        // only once; a read may find what was found before.
        let is_wrong = |earlier: &Operation| match later.kind {
            OperationKind::Append => later.position <= earlier.position,
            OperationKind::Read => later.position < earlier.position,
        };
        if let Some(earlier) = highest.filter(is_wrong) {
            return Some((earlier, later));
        }
    }
    None
}

#[test]
fn the_check_finds_what_no_order_explains() {
    let operation = |kind, began, ended, position| Operation {
        kind,
        began: Duration::from_millis(began),
        ended: Duration::from_millis(ended),
        position,
    };
    let fine = [
        operation(OperationKind::Append, 0, 10, 2),
        operation(OperationKind::Read, 5, 20, 1),
        operation(OperationKind::Read, 12, 14, 2),
        operation(OperationKind::Append, 11, 30, 5),
        operation(OperationKind::Read, 15, 40, 5),
    ];
    assert!(contradiction(&fine).is_none(), "what overlaps may have any order");
    let stale = operation(OperationKind::Read, 31, 35, 2);
    assert!(contradiction(&[&fine[..], &[stale]].concat()).is_some(), "an old head after a message was taken");
    let fork = operation(OperationKind::Append, 41, 50, 5);
    assert!(contradiction(&[&fine[..], &[fork]].concat()).is_some(), "two messages with one number");
    let lost = operation(OperationKind::Append, 41, 50, 3);
    assert!(contradiction(&[&fine[..], &[lost]].concat()).is_some(), "a message before what was read");
}
