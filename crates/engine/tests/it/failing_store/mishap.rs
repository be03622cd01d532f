//! A mishap that befalls one write, counted from when it was arranged.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mishap {
    /// Nothing is written, and it says so.
    Refused,
    /// It is written, and it says that nothing was: the answer got lost.
    Misreported,
}

/// What is in store for the writes of one kind.
#[derive(Default)]
pub(crate) struct Fate {
    written: AtomicU64,
    arranged: Mutex<Option<(u64, Mishap)>>,
}

impl Fate {
    /// Something befalls the write of that number, of those that are still to come.
    pub(crate) fn arrange(&self, number: u64, mishap: Mishap) {
        let written = self.written.load(Ordering::SeqCst);
        *self.arranged.lock().unwrap() = Some((written + number, mishap));
    }

    /// Whether it has happened.
    pub(crate) fn has_struck(&self) -> bool {
        self.arranged.lock().unwrap().is_none()
    }

    /// What befalls the next write.
    pub(super) fn next(&self) -> Option<Mishap> {
        let number = self.written.fetch_add(1, Ordering::SeqCst) + 1;
        let mut arranged = self.arranged.lock().unwrap();
        arranged.take_if(|(at, _)| *at == number).map(|(_, mishap)| mishap)
    }
}
