//! Sweeping: what was to be kept for a while only is forgotten, old artifacts are collected, and old keys are given up.
//!
//! All of it goes by [`crate::clock::SweepClock`]: while the clock is in doubt, nothing is deleted.

use std::time::Duration;

use journal::Collected;
use protocol::{ClockDoubt, Swept, Timestamp};

use super::Hub;
use crate::Error;

/// How often memory is looked through.
const INTERVAL: Duration = Duration::from_secs(30);
/// How often artifacts are: the first time at the start.
const ARTIFACTS_INTERVAL: Duration = Duration::from_secs(600);
/// Artifacts that are collected at one stroke, so that nobody waits long for the writer.
const BATCH_MAX: usize = 20;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn spawn(hub: &Hub) {
    super::retention::spawn(hub);
    let tasks = &hub.house().tasks;
    let memory = hub.clone();
    tasks.spawn(async move {
        let stopping = memory.house().stopping.clone();
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
        let stopping = artifacts.house().stopping.clone();
        loop {
            if let Err(error) = artifacts.sweep_old_artifacts().await {
                tracing::warn!(%error, "failed to collect old artifacts; trying again later");
            }
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(ARTIFACTS_INTERVAL) => {}
            }
        }
    });
}

impl Hub {
    /// Collects and forgets all that is to be gone by itself by now; nothing while the clock is in doubt.
    pub async fn sweep_now(&self) -> Result<Swept, Error> {
        let now = match self.check_clock().await? {
            Ok(now) => now,
            Err(doubt) => return Ok(Swept { clock: Some(doubt), ..Swept::default() }),
        };
        let Collected { artifacts, bytes } = self.sweep_artifacts(now).await?;
        let memories = self.sweep_memory_by(now).await;
        Ok(Swept { artifacts, bytes, memories, ..self.sweep_sessions(now).await? })
    }

    /// The time by which things may be deleted, or why there is none: what everything asks that deletes by age.
    pub async fn check_clock(&self) -> Result<Result<Timestamp, ClockDoubt>, Error> {
        let house = self.house();
        house.clock.look(&*house.store, &*house.world).await
    }

    /// Takes the wall clock for right: the operator says that it is.
    pub async fn trust_clock(&self) -> Result<(), Error> {
        let house = self.house();
        house.clock.trust(&*house.store, &*house.world).await
    }

    /// Forgets what is to be gone by itself by now; gives how much that was.
    pub async fn sweep_memory(&self) -> u64 {
        match self.check_clock().await {
            Ok(Ok(now)) => self.sweep_memory_by(now).await,
            Ok(Err(_)) => 0,
            Err(error) => {
                tracing::warn!(%error, "failed to look at the clock; trying again later");
                0
            }
        }
    }

    async fn sweep_memory_by(&self, now: Timestamp) -> u64 {
        if let Err(error) = self.room().expire_keys(now).await {
            tracing::warn!(%error, "failed to give up old keys; trying again later");
        }
        let owners = match self.house().store.owners().await {
            Ok(owners) => owners,
            Err(error) => {
                tracing::warn!(%error, "failed to look for owners; trying again later");
                return 0;
            }
        };
        let mut forgotten = 0;
        for owner in owners {
            match self.forget_expired(&owner, now).await {
                Ok(0) => {}
                Ok(count) => {
                    forgotten += count;
                    tracing::info!(owner = %owner, count, "forgot what was to be kept for a while only");
                }
                Err(error) => tracing::warn!(owner = %owner, %error, "failed to forget what has expired"),
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

    /// Collects the artifacts that were kept long enough, a few at a time.
    async fn sweep_artifacts(&self, now: Timestamp) -> Result<Collected, Error> {
        let house = self.house();
        let mut all = Collected::default();
        let Some(days) = house.options.artifact_days else { return Ok(all) };
        let before = now.as_millis().saturating_sub(i64::from(days) * DAY_MS);
        while !house.stopping.is_cancelled() {
            let some = house.store.sweep_artifacts(Timestamp::from_millis(before), BATCH_MAX).await?;
            all.artifacts += some.artifacts;
            all.bytes += some.bytes;
            if some.artifacts < BATCH_MAX as u64 {
                break;
            }
        }
        if all.artifacts > 0 {
            tracing::info!(artifacts = all.artifacts, bytes = all.bytes, days, "collected old artifacts");
        }
        Ok(all)
    }
}
