//! Sweeping memory: what was to be kept for a while only is forgotten, and old keys are given up.

use std::time::Duration;

use super::Hub;

/// How often memory is looked through.
const INTERVAL: Duration = Duration::from_secs(30);

pub(super) fn spawn(hub: &Hub) {
    let hub = hub.clone();
    let tasks = hub.house().tasks.clone();
    tasks.spawn(async move {
        let stopping = hub.house().stopping.clone();
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
            tokio::select! {
                () = stopping.cancelled() => return,
                () = hub.sweep_memory() => {}
            }
        }
    });
}

impl Hub {
    /// Forgets what is to be gone by itself by now.
    pub async fn sweep_memory(&self) {
        if let Err(error) = self.room().expire_keys().await {
            tracing::warn!(%error, "failed to give up old keys; trying again later");
        }
        let owners = match self.house().store.owners().await {
            Ok(owners) => owners,
            Err(error) => {
                tracing::warn!(%error, "failed to look for owners; trying again later");
                return;
            }
        };
        for owner in owners {
            match self.forget_expired(&owner).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(owner = %owner, count, "forgot what was to be kept for a while only"),
                Err(error) => tracing::warn!(owner = %owner, %error, "failed to forget what has expired"),
            }
        }
    }
}
