//! Backups that the server makes by itself, and how many of them it keeps.

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
    make::{Made, PREFIX, Wanted, make, unfinished},
    manifest::{MadeBy, Manifest},
    progress::Progress,
};

/// How long to wait after a backup that failed; sooner than the next one would be due.
const RETRY: Duration = Duration::from_secs(15 * 60);

/// How backups are scheduled.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    /// The folder they go into.
    pub(crate) into: PathBuf,
    pub(crate) every: Duration,
    /// How many are kept.
    pub(crate) keep: usize,
    /// The data folder.
    pub(crate) data: PathBuf,
}

/// A backup of this schedule.
struct Own {
    folder: PathBuf,
    manifest: Manifest,
}

/// Makes backups until the server stops.
pub(crate) async fn run(schedule: Schedule, hub: Hub, world: Arc<dyn World>, stopping: CancellationToken) {
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

/// How long until the first one is due. A clock that went back makes it wait no longer than between any two.
fn first_wait(schedule: &Schedule, hub: &Hub, now: Timestamp) -> Duration {
    let own = own(schedule);
    hub.note_backup(status(&own));
    own.last().map_or(Duration::ZERO, |newest| schedule.every.saturating_sub(now.since(newest.manifest.made_at)))
}

async fn backup_once(schedule: &Schedule, hub: &Hub, now: Timestamp) -> anyhow::Result<()> {
    let number = own(schedule).last().map_or(0, |newest| newest.manifest.number) + 1;
    let made = make_apart(schedule.clone(), number, now).await?;
    tracing::info!(folder = %made.folder.display(), bytes = made.manifest.bytes(), "made a backup");
    // A clock that jumps makes backups due that are not: while it is in doubt, none is given up for another.
    match hub.check_clock().await {
        Ok(Ok(_)) => remove_surplus(schedule),
        Ok(Err(_)) => tracing::warn!("no older backup is removed while the clock is in doubt"),
        Err(error) => tracing::warn!(%error, "no older backup is removed: the clock could not be looked at"),
    }
    hub.note_backup(status(&own(schedule)));
    Ok(())
}

/// Makes one in a thread of its own: a server that stops does not wait for it, and the next one takes away what it left.
async fn make_apart(schedule: Schedule, number: u64, now: Timestamp) -> anyhow::Result<Made> {
    let (done, made) = oneshot::channel();
    let work = move || {
        let Schedule { into, data, .. } = &schedule;
        let wanted = Wanted { data, into, with_secrets: true, made_by: MadeBy::Schedule, number, now };
        // A server that has stopped meanwhile wants no answer.
        let _ = done.send(make(&wanted, &mut Progress::silent()));
    };
    std::thread::Builder::new().name("backup".to_owned()).spawn(work).context("failed to start a thread for it")?;
    made.await.context("making it broke down")?
}

/// Removes the oldest of this schedule's own beyond those that are kept.
fn remove_surplus(schedule: &Schedule) {
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

/// Takes its name away first, so that what is left of one that could not be removed whole is no backup, and goes with the
/// next one.
fn remove(schedule: &Schedule, folder: &Path) -> std::io::Result<()> {
    let going = unfinished(&schedule.into, &whole(&schedule.data));
    fs::rename(folder, &going)?;
    fs::remove_dir_all(going)
}

/// The backups that this schedule has made of this data folder, oldest first. A folder of another name, with no whole
/// manifest, made by hand or of another data folder is none of them.
fn own(schedule: &Schedule) -> Vec<Own> {
    let data = whole(&schedule.data);
    let entries = fs::read_dir(&schedule.into).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let mut own: Vec<Own> = named
        .filter_map(|entry| Manifest::read(&entry.path()).ok().map(|manifest| Own { folder: entry.path(), manifest }))
        .filter(|own| own.manifest.made_by == MadeBy::Schedule)
        .filter(|own| Path::new(&own.manifest.data_dir) == data)
        .collect();
    own.sort_by_key(|own| own.manifest.number);
    own
}

/// A folder's whole path, by which one is told from another.
fn whole(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

fn status(own: &[Own]) -> BackupStatus {
    let newest = own.last().map(|own| &own.manifest);
    BackupStatus {
        made_at: newest.map(|manifest| manifest.made_at),
        bytes: newest.map_or(0, Manifest::bytes),
        kept: own.len() as u64,
        failed_at: None,
    }
}
