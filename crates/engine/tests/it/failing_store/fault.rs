//! A fault in a single write, counted from when it was scheduled.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

/// The kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteFault {
    /// Nothing is written, and an error says so.
    Refused,
    /// It is written, but an error says that it was not: the answer got lost.
    Misreported,
}

/// The scheduled fault for writes of one kind.
#[derive(Default)]
pub(crate) struct FaultPlan {
    written: AtomicU64,
    arranged: Mutex<Option<(u64, WriteFault)>>,
}

impl FaultPlan {
    /// Schedules a fault for the write with that number, counted from now.
    pub(crate) fn schedule(&self, number: u64, fault: WriteFault) {
        let written = self.written.load(Ordering::SeqCst);
        *self.arranged.lock().unwrap() = Some((written + number, fault));
    }

    /// Whether the fault has occurred.
    pub(crate) fn has_fired(&self) -> bool {
        self.arranged.lock().unwrap().is_none()
    }

    /// The fault of the next write.
    pub(super) fn next(&self) -> Option<WriteFault> {
        let number = self.written.fetch_add(1, Ordering::SeqCst) + 1;
        let mut arranged = self.arranged.lock().unwrap();
        arranged.take_if(|(at, _)| *at == number).map(|(_, fault)| fault)
    }
}
