//! Owners whom this node begins to serve: what waits in their sessions has to be looked for.

use std::time::Duration;

use journal::Store;
use tokio::{sync::watch, time::Instant};

/// Owners that come together are looked at together.
const TOGETHER: Duration = Duration::from_millis(200);

/// Says when this node has begun to serve more owners.
pub(crate) struct OwnersGained {
    /// `None` if it serves all of them anyway.
    changes: Option<watch::Receiver<u64>>,
    due: Option<Instant>,
}

impl OwnersGained {
    pub(crate) fn of(store: &dyn Store) -> Self {
        Self { changes: store.gained(), due: None }
    }

    /// Whether there are other nodes at all, whose owners may come here.
    pub(crate) const fn is_possible(&self) -> bool {
        self.changes.is_some()
    }

    /// Waits for the next. It may be dropped and called again without missing one.
    pub(crate) async fn next(&mut self) {
        let Some(changes) = &mut self.changes else { return std::future::pending().await };
        let due = match self.due {
            Some(due) => due,
            None => {
                if changes.changed().await.is_err() {
                    // The store is closed.
                    return std::future::pending().await;
                }
                *self.due.insert(Instant::now() + TOGETHER)
            }
        };
        tokio::time::sleep_until(due).await;
        changes.mark_unchanged();
        self.due = None;
    }
}
