//! The messages that a client receives without having asked.

use std::{
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::sync::Notify;

/// How long a test waits for a message.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Inbox {
    messages: Mutex<Vec<Value>>,
    change: Notify,
}

impl Inbox {
    pub(super) fn put(&self, message: Value) {
        self.lock().push(message);
        self.change.notify_waiters();
    }

    pub(super) fn all(&self) -> Vec<Value> {
        self.lock().clone()
    }

    /// Waits for the first message that meets the condition and takes it out.
    pub(super) async fn take(&self, is_meant: impl Fn(&Value) -> bool) -> Value {
        let found = async {
            loop {
                // Registers before the check, or a message in between would be missed.
                let mut change = pin!(self.change.notified());
                change.as_mut().enable();
                {
                    let mut messages = self.lock();
                    if let Some(place) = messages.iter().position(&is_meant) {
                        return messages.remove(place);
                    }
                }
                change.await;
            }
        };
        match tokio::time::timeout(PATIENCE, found).await {
            Ok(message) => message,
            Err(_) => panic!("no such message in time, but these: {:?}", self.all()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Value>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
