//! The messages to one tool worker.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use protocol::{OwnerId, ServedCall, ServedCallCancel, ToolServing};
use tokio::sync::mpsc;

use super::ToolWorkers;

/// A message to a worker.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkerMessage {
    /// It has to run a call.
    Call(Box<ServedCall>),
    /// The result of a call is no longer needed.
    Cancel(ServedCallCancel),
    /// It serves other tools than before: none, if another connection has replaced it.
    Serving(ToolServing),
}

/// The messages to one worker. Dropping it means that the worker is away.
pub struct WorkerFeed {
    workers: Arc<ToolWorkers>,
    owner: OwnerId,
    number: u64,
    messages: mpsc::Receiver<WorkerMessage>,
    is_lost: Arc<AtomicBool>,
}

impl WorkerFeed {
    pub(super) const fn new(
        workers: Arc<ToolWorkers>,
        owner: OwnerId,
        number: u64,
        messages: mpsc::Receiver<WorkerMessage>,
        is_lost: Arc<AtomicBool>,
    ) -> Self {
        Self { workers, owner, number, messages, is_lost }
    }

    /// The next message. `None`: the connection no longer serves tools.
    pub async fn next(&mut self) -> Option<WorkerMessage> {
        self.messages.recv().await
    }

    /// Whether the worker has not read its messages, so that some are lost.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }
}

impl Drop for WorkerFeed {
    fn drop(&mut self) {
        self.workers.leave(&self.owner, self.number);
    }
}
