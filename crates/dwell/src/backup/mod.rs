//! Backups: a folder with everything that a data folder needs, checked, and either complete or
//! absent.
//!
//! SQLite copies the journal as of one moment, so a server may run on it meanwhile. [`files`]
//! selects what is included. [`make`] writes a backup under a temporary name and renames it when it
//! is complete and checked. [`manifest`] describes it, [`verify`] checks it against that
//! description, and [`restore`] puts it into a data folder. [`schedule`] makes backups
//! automatically while the server runs.

mod files;
mod make;
mod manifest;
mod progress;
mod restore;
mod schedule;
mod verify;

pub(crate) use self::{
    make::{BackupRequest, make},
    manifest::{BackupManifest, BackupOrigin},
    progress::BackupProgress,
    restore::{check_finished, restore},
    schedule::{BackupSchedule, run as run_schedule, schedule_status},
    verify::verify,
};
