//! Backups that the server makes automatically, and how many of them it keeps.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use engine::{Hub, World};
use protocol::{BackupStatus, Timestamp};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{
    make::{BackupRequest, BackupResult, PREFIX, make, unfinished},
    manifest::{BackupManifest, BackupOrigin},
    progress::BackupProgress,
};

/// How long to wait after a failed backup; shorter than the usual interval.
const RETRY: Duration = Duration::from_secs(15 * 60);

/// How backups are scheduled.
#[derive(Debug, Clone)]
pub(crate) struct BackupSchedule {
    /// The folder in which they are created.
    pub(crate) into: PathBuf,
    pub(crate) every: Duration,
    /// How many are kept.
    pub(crate) keep: usize,
    /// The data folder.
    pub(crate) data: PathBuf,
}

/// A backup that this schedule made.
struct ScheduledBackup {
    folder: PathBuf,
    manifest: BackupManifest,
}

/// Makes backups until the server stops.
pub(crate) async fn run(schedule: BackupSchedule, hub: Hub, world: Arc<dyn World>, stopping: CancellationToken) {
    let mut wait = first_wait(&schedule, &hub, world.now());
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        let made = tokio::select! {
            () = stopping.cancelled() => return,
            made = backup_once(&schedule, &hub, world.now()) => made,
        };
        wait = match made {
            Ok(()) => schedule.every,
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "a scheduled backup failed; trying again later");
                let status = status(&own(&schedule));
                hub.note_backup(BackupStatus { failed_at: Some(world.now()), ..status });
                schedule.every.min(RETRY)
            }
        };
    }
}

/// How long until the first backup is due. If the clock was set back, the wait is still at most one
/// interval.
fn first_wait(schedule: &BackupSchedule, hub: &Hub, now: Timestamp) -> Duration {
    let own = own(schedule);
    hub.note_backup(status(&own));
    own.last().map_or(Duration::ZERO, |newest| schedule.every.saturating_sub(now.since(newest.manifest.made_at)))
}

async fn backup_once(schedule: &BackupSchedule, hub: &Hub, now: Timestamp) -> anyhow::Result<()> {
    let number = own(schedule).last().map_or(0, |newest| newest.manifest.number) + 1;
    let made = make_apart(schedule.clone(), number, now).await?;
    tracing::info!(folder = %made.folder.display(), bytes = made.manifest.bytes(), "made a backup");
    // A clock that jumps ahead makes backups due too early. While the clock is in doubt, no backup
    // is removed to make space for another.
    match hub.check_clock().await {
        Ok(Ok(_)) => remove_surplus(schedule),
        Ok(Err(_)) => tracing::warn!("no older backup is removed while the clock is in doubt"),
        Err(error) => tracing::warn!(%error, "no older backup is removed: the clock could not be checked"),
    }
    hub.note_backup(status(&own(schedule)));
    Ok(())
}

/// Makes a backup in a thread of its own. A server that stops does not wait for it, and the next
/// backup removes an unfinished one.
async fn make_apart(schedule: BackupSchedule, number: u64, now: Timestamp) -> anyhow::Result<BackupResult> {
    let (done, made) = oneshot::channel();
    let work = move || {
        let BackupSchedule { into, data, .. } = &schedule;
        let wanted = BackupRequest { data, into, with_secrets: true, made_by: BackupOrigin::Schedule, number, now };
        // The receiver is gone if the server has stopped meanwhile.
        let _ = done.send(make(&wanted, &mut BackupProgress::silent()));
    };
    std::thread::Builder::new().name("backup".to_owned()).spawn(work).context("failed to start the backup thread")?;
    made.await.context("the backup thread panicked")?
}

/// Removes this schedule's oldest backups beyond those that are kept.
fn remove_surplus(schedule: &BackupSchedule) {
    let own = own(schedule);
    let surplus = own.len().saturating_sub(schedule.keep);
    for old in own.into_iter().take(surplus) {
        match remove(schedule, &old.folder) {
            Ok(()) => tracing::info!(folder = %old.folder.display(), "removed an old backup"),
            Err(error) => {
                tracing::warn!(%error, folder = %old.folder.display(), "an old backup could not be removed");
            }
        }
    }
}

/// Renames the folder first, so that a partly removed backup does not look like a backup. The next
/// backup removes the rest.
fn remove(schedule: &BackupSchedule, folder: &Path) -> std::io::Result<()> {
    let going = unfinished(&schedule.into, &whole(&schedule.data));
    fs::rename(folder, &going)?;
    fs::remove_dir_all(going)
}

/// The backups that this schedule has made of this data folder, oldest first. Folders with other
/// names, without a valid manifest, made by hand or made of another data folder are excluded.
fn own(schedule: &BackupSchedule) -> Vec<ScheduledBackup> {
    let data = whole(&schedule.data);
    let entries = fs::read_dir(&schedule.into).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let mut own: Vec<ScheduledBackup> = named
        .filter_map(|entry| {
            BackupManifest::read(&entry.path()).ok().map(|manifest| ScheduledBackup { folder: entry.path(), manifest })
        })
        .filter(|own| own.manifest.made_by == BackupOrigin::Schedule)
        .filter(|own| Path::new(&own.manifest.data_dir) == data)
        .collect();
    own.sort_by_key(|own| own.manifest.number);
    own
}

/// A folder's canonical path, to compare folders.
fn whole(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// The newest backup of this schedule, and how many there are.
pub(crate) fn schedule_status(schedule: &BackupSchedule) -> BackupStatus {
    status(&own(schedule))
}

fn status(own: &[ScheduledBackup]) -> BackupStatus {
    let newest = own.last().map(|own| &own.manifest);
    BackupStatus {
        made_at: newest.map(|manifest| manifest.made_at),
        bytes: newest.map_or(0, BackupManifest::bytes),
        kept: own.len() as u64,
        failed_at: None,
    }
}
