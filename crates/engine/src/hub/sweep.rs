//! Sweeping: deletes memory items and values after their expiry, old artifacts and old idempotency
//! keys.
//!
//! All of it uses [`crate::clock::SweepClock`]: while the clock is in doubt, nothing is deleted.

use std::time::Duration;

use journal::RemovedArtifacts;
use protocol::{ClockDoubt, SweepResult, Timestamp};

use super::Hub;
use crate::Error;

/// How often memory is swept.
const INTERVAL: Duration = Duration::from_secs(30);
/// How often artifacts are swept, starting at the start of the server.
const ARTIFACTS_INTERVAL: Duration = Duration::from_secs(600);
/// Artifacts that are deleted in one transaction, so that other writes do not wait long.
const BATCH_MAX: usize = 20;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn spawn(hub: &Hub) {
    super::retention::spawn(hub);
    let tasks = &hub.services().tasks;
    let memory = hub.clone();
    tasks.spawn(async move {
        let stopping = memory.services().stopping.clone();
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = memory.sweep_memory() => {}
            }
        }
    });
    let artifacts = hub.clone();
    tasks.spawn(async move {
        let stopping = artifacts.services().stopping.clone();
        loop {
            if let Err(error) = artifacts.sweep_old_artifacts().await {
                tracing::warn!(%error, "failed to delete old artifacts; trying again later");
            }
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(ARTIFACTS_INTERVAL) => {}
            }
        }
    });
}

impl Hub {
    /// Deletes everything that has expired by now; nothing while the clock is in doubt.
    pub async fn sweep_now(&self) -> Result<SweepResult, Error> {
        let now = match self.check_clock().await? {
            Ok(now) => now,
            Err(doubt) => return Ok(SweepResult { clock: Some(doubt), ..SweepResult::default() }),
        };
        let RemovedArtifacts { artifacts, bytes } = self.sweep_artifacts(now).await?;
        let memories = self.sweep_memory_by(now).await;
        Ok(SweepResult { artifacts, bytes, memories, ..self.sweep_sessions(now).await? })
    }

    /// The time to use for deletion, or why there is none. Everything that deletes by age uses it.
    pub async fn check_clock(&self) -> Result<Result<Timestamp, ClockDoubt>, Error> {
        let services = self.services();
        services.clock.look(&*services.store, &*services.world).await
    }

    /// Accepts the wall clock as correct, on the operator's word.
    pub async fn trust_clock(&self) -> Result<(), Error> {
        let services = self.services();
        services.clock.trust(&*services.store, &*services.world).await
    }

    /// Deletes memory items that have expired by now. Returns their number.
    pub async fn sweep_memory(&self) -> u64 {
        match self.check_clock().await {
            Ok(Ok(now)) => self.sweep_memory_by(now).await,
            Ok(Err(_)) => 0,
            Err(error) => {
                tracing::warn!(%error, "failed to check the clock; trying again later");
                0
            }
        }
    }

    async fn sweep_memory_by(&self, now: Timestamp) -> u64 {
        if let Err(error) = self.long_term().expire_keys(now).await {
            tracing::warn!(%error, "failed to delete old idempotency keys; trying again later");
        }
        if let Err(error) = self.sweep_values(now).await {
            tracing::warn!(%error, "failed to delete expired values; trying again later");
        }
        let owners = match self.services().store.owners().await {
            Ok(owners) => owners,
            Err(error) => {
                tracing::warn!(%error, "failed to list the owners; trying again later");
                return 0;
            }
        };
        let mut forgotten = 0;
        for owner in owners {
            match self.forget_expired(&owner, now).await {
                Ok(0) => {}
                Ok(count) => {
                    forgotten += count;
                    tracing::info!(owner = %owner, count, "deleted expired memory items");
                }
                Err(error) if error.is_elsewhere() => {}
                Err(error) => tracing::warn!(owner = %owner, %error, "failed to delete expired memory items"),
            }
        }
        forgotten
    }

    async fn sweep_old_artifacts(&self) -> Result<(), Error> {
        if let Ok(now) = self.check_clock().await? {
            self.sweep_artifacts(now).await?;
        }
        Ok(())
    }

    /// Deletes artifacts whose retention has ended, a few at a time.
    async fn sweep_artifacts(&self, now: Timestamp) -> Result<RemovedArtifacts, Error> {
        let services = self.services();
        let mut all = RemovedArtifacts::default();
        let Some(days) = services.options.artifact_days else { return Ok(all) };
        let before = now.as_millis().saturating_sub(i64::from(days) * DAY_MS);
        while !services.stopping.is_cancelled() {
            let some = services.store.sweep_artifacts(Timestamp::from_millis(before), BATCH_MAX).await?;
            all.artifacts += some.artifacts;
            all.bytes += some.bytes;
            if some.artifacts < BATCH_MAX as u64 {
                break;
            }
        }
        if all.artifacts > 0 {
            tracing::info!(artifacts = all.artifacts, bytes = all.bytes, days, "deleted old artifacts");
        }
        Ok(all)
    }
}
