//! The disk: how much is free, and how long a flush takes, for which every acknowledged message
//! waits.

use std::{
    fs::File,
    io::{Seek, Write},
    path::Path,
    time::{Duration, Instant},
};

use super::Diagnosis;
use crate::{commands::size::size, config::Config};

/// Free bytes below which writes are about to fail.
const FREE_MIN: u64 = 100_000_000;
/// Free bytes below which a backup may not fit.
const FREE_FEW: u64 = 1_000_000_000;
/// A flush that takes longer is felt in every answer.
const FLUSH_SLOW: Duration = Duration::from_millis(50);
const FLUSHES: usize = 9;
/// What a commit writes.
const BYTES: usize = 4_096;

pub(super) fn check(config: &Config) -> Vec<Diagnosis> {
    let folder = config.data_dir().ancestors().find(|above| above.is_dir());
    let Some(folder) = folder else { return Vec::new() };
    free(folder).into_iter().chain(flush(folder)).collect()
}

#[cfg(target_os = "linux")]
fn free(folder: &Path) -> Option<Diagnosis> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
    let found = format!("{} free", size(bytes));
    Some(match bytes {
        0..FREE_MIN => Diagnosis::problem("disk", found, "make space: writes fail once the disk is full"),
        FREE_MIN..FREE_FEW => Diagnosis::warning("disk", found, "make space soon: a backup may not fit any more"),
        _ => Diagnosis::ok("disk", found),
    })
}

#[cfg(not(target_os = "linux"))]
fn free(_: &Path) -> Option<Diagnosis> {
    None
}

/// Measures flushes as the journal makes them.
fn flush(folder: &Path) -> Option<Diagnosis> {
    let mut file = tempfile::Builder::new().prefix(".doctor-").tempfile_in(folder).ok()?;
    let times: std::io::Result<Vec<Duration>> = (0..FLUSHES).map(|_| flush_once(file.as_file_mut())).collect();
    let mut times = match times {
        Ok(times) => times,
        Err(error) => {
            let advice = "the journal cannot be written either: look at the disk and at the system's log";
            return Some(Diagnosis::problem("flush", format!("a write failed: {error}"), advice));
        }
    };
    times.sort_unstable();
    let median = times[FLUSHES / 2];
    let found = format!("{:.1} ms (median of {FLUSHES})", median.as_secs_f64() * 1_000.0);
    Some(if median > FLUSH_SLOW {
        let advice = "every message waits for this: put the data folder on an SSD, not on a network share";
        Diagnosis::warning("flush", found, advice)
    } else {
        Diagnosis::ok("flush", found)
    })
}

fn flush_once(file: &mut File) -> std::io::Result<Duration> {
    file.rewind()?;
    let began = Instant::now();
    file.write_all(&[7; BYTES])?;
    file.sync_data()?;
    Ok(began.elapsed())
}
