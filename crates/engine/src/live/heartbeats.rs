//! Signs of life of turns in the background, between two events of a long call.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{Timestamp, TurnId};

use crate::world::World;

/// The time between two signs of life.
const INTERVAL: Duration = Duration::from_secs(10);

/// When each running turn in the background was last seen at work.
#[derive(Default)]
pub(crate) struct Heartbeats {
    at: Mutex<HashMap<TurnId, Timestamp>>,
}

impl Heartbeats {
    /// When a turn was last seen at work.
    pub(crate) fn get(&self, turn_id: TurnId) -> Option<Timestamp> {
        self.lock().get(&turn_id).copied()
    }

    /// Shows that a turn is at work for as long as the future is polled.
    pub(crate) async fn beat(self: Arc<Self>, world: Arc<dyn World>, turn_id: TurnId) {
        let guard = HeartbeatGuard { heartbeats: self, turn_id };
        loop {
            guard.heartbeats.lock().insert(turn_id, world.now());
            tokio::time::sleep(INTERVAL).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TurnId, Timestamp>> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the turn when its work ends, however it ends.
struct HeartbeatGuard {
    heartbeats: Arc<Heartbeats>,
    turn_id: TurnId,
}

impl Drop for HeartbeatGuard {
    fn drop(&mut self) {
        self.heartbeats.lock().remove(&self.turn_id);
    }
}
