//! Backups: a folder that holds all that a data folder cannot do without, checked, and complete or absent.
//!
//! The journal is copied as it stands at one moment through SQLite itself, so it makes no difference whether a server runs
//! on it. [`files`] says what comes along, [`make`] writes a backup under a temporary name and renames it when it is whole
//! and checked, [`manifest`] is what it says of itself, [`verify`] holds it against that, [`restore`] puts it into a data
//! folder, and [`schedule`] makes them by itself while the server runs.

mod files;
mod make;
mod manifest;
mod progress;
mod restore;
mod schedule;
mod verify;

pub(crate) use self::{
    make::{Wanted, make},
    manifest::{MadeBy, Manifest},
    progress::Progress,
    restore::{check_finished, restore},
    schedule::{Schedule, run as run_schedule},
    verify::verify,
};
