//! A channel for alerts that records what it delivers, and fails as a test tells it.

use std::{
    collections::VecDeque,
    sync::{Mutex, atomic::AtomicBool, atomic::Ordering},
};

use async_trait::async_trait;
use ports::{AlertChannel, DeliveryFailure};
use protocol::{Alert, AlertKind, OwnerId, Timestamp};
use tokio::sync::watch;

use crate::harness::within_patience;

/// The channel. It takes reminders and timers.
#[derive(Default)]
pub(crate) struct TestChannel {
    delivered: watch::Sender<Vec<Alert>>,
    failures: Mutex<VecDeque<DeliveryFailure>>,
    hangs: AtomicBool,
    pub(crate) is_idempotent: AtomicBool,
}

impl TestChannel {
    /// The titles of what was handed to it, with every attempt.
    pub(crate) fn titles(&self) -> Vec<String> {
        self.delivered.borrow().iter().map(|alert| alert.title.clone()).collect()
    }

    /// Waits for this many attempts.
    pub(crate) async fn until(&self, count: usize) {
        let mut delivered = self.delivered.subscribe();
        within_patience("alerts are delivered", delivered.wait_for(|all| all.len() >= count)).await.unwrap();
    }

    /// The next attempt fails.
    pub(crate) fn fail(&self, failure: DeliveryFailure) {
        self.failures.lock().unwrap().push_back(failure);
    }

    /// From now on attempts never end, or end again.
    pub(crate) fn hang(&self, hangs: bool) {
        self.hangs.store(hangs, Ordering::SeqCst);
    }
}

#[async_trait]
impl AlertChannel for TestChannel {
    fn name(&self) -> &str {
        "test"
    }

    fn takes(&self, _: &OwnerId, kind: AlertKind) -> bool {
        matches!(kind, AlertKind::Reminder | AlertKind::Timer)
    }

    fn is_always(&self) -> bool {
        false
    }

    fn is_idempotent(&self) -> bool {
        self.is_idempotent.load(Ordering::SeqCst)
    }

    fn quiet_until(&self, _: &Alert, _: Timestamp) -> Option<Timestamp> {
        None
    }

    async fn deliver(&self, _: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        self.delivered.send_modify(|all| all.push(alert.clone()));
        if self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.failures.lock().unwrap().pop_front().map_or(Ok(()), Err)
    }
}
