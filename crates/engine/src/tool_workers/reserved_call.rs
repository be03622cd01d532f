//! A call for which a worker is reserved while its delivery is being recorded.

use std::sync::Arc;

use protocol::{OwnerId, ServedCall};

use super::{ToolWorkers, connection::CallKey, feed::WorkerMessage};

/// A call for which a worker is reserved. Dropping it frees the worker.
pub(crate) struct ReservedCall {
    workers: Arc<ToolWorkers>,
    owner: OwnerId,
    /// Number of the worker's registration.
    number: u64,
    key: CallKey,
    worker: Option<String>,
    is_sent: bool,
}

impl ReservedCall {
    pub(super) const fn new(
        workers: Arc<ToolWorkers>,
        owner: OwnerId,
        number: u64,
        key: CallKey,
        worker: Option<String>,
    ) -> Self {
        Self { workers, owner, number, key, worker, is_sent: false }
    }

    /// Name of the worker, if it has one of its own.
    pub(crate) fn worker(&self) -> Option<&str> {
        self.worker.as_deref()
    }

    /// Sends the call, unless the connection has ended meanwhile.
    pub(crate) fn send(mut self, call: ServedCall) {
        self.is_sent = true;
        let mut all = self.workers.lock();
        let Some(own) = all.get_mut(&self.owner) else { return };
        let Some(connection) = own.numbered_mut(self.number) else { return };
        let Some(held) = connection.calls.get_mut(&self.key) else { return };
        held.is_sent = true;
        if !connection.send(WorkerMessage::Call(Box::new(call))) {
            own.lose(self.number);
        }
    }
}

impl Drop for ReservedCall {
    fn drop(&mut self) {
        if self.is_sent {
            return;
        }
        let mut all = self.workers.lock();
        let connection = all.get_mut(&self.owner).and_then(|own| own.numbered_mut(self.number));
        if let Some(connection) = connection {
            connection.calls.remove(&self.key);
        }
    }
}
