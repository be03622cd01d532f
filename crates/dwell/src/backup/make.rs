//! Making a backup: it appears under its name complete and checked, or not at all.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use journal::sqlite::{FILE as JOURNAL, backup};
use protocol::Timestamp;
use sha2::{Digest, Sha256};

use super::{
    files,
    manifest::{self, BackupFile, BackupManifest, BackupOrigin},
    progress::BackupProgress,
};

/// Prefix of the names of backups.
pub(super) const PREFIX: &str = "dwell-backup-";
/// Prefix of backups that are being made.
const UNFINISHED: &str = ".dwell-backup-";
/// Most backups that can get a name within the same second.
const SAME_SECOND_MAX: u32 = 100;

/// A backup to make.
pub(crate) struct BackupRequest<'a> {
    /// The data folder.
    pub(crate) data: &'a Path,
    /// The folder in which the backup is created, under a name of its own.
    pub(crate) into: &'a Path,
    pub(crate) with_secrets: bool,
    pub(crate) made_by: BackupOrigin,
    /// Its number among the scheduled backups.
    pub(crate) number: u64,
    pub(crate) now: Timestamp,
}

/// A finished backup.
pub(crate) struct BackupResult {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: BackupManifest,
}

/// Makes a backup. If anything fails, no folder with the name of a backup is left.
pub(crate) fn make(wanted: &BackupRequest<'_>, progress: &mut BackupProgress) -> anyhow::Result<BackupResult> {
    let failed = || format!("failed to write to {}", wanted.into.display());
    files::create_folder(wanted.into).with_context(failed)?;
    let data = check_place(wanted)?;
    let unfinished = match wanted.made_by {
        BackupOrigin::Command => wanted.into.join(format!("{UNFINISHED}{}-{}", stamp(wanted.now), std::process::id())),
        BackupOrigin::Schedule => unfinished(wanted.into, &data),
    };
    if unfinished.exists() {
        // An earlier run was interrupted while it made a backup.
        fs::remove_dir_all(&unfinished).with_context(failed)?;
    }
    let made = fill(wanted, &data, &unfinished, progress).and_then(|manifest| {
        let folder = settle(&unfinished, wanted).with_context(failed)?;
        Ok(BackupResult { folder, manifest })
    });
    progress.end();
    if made.is_err()
        && let Err(error) = fs::remove_dir_all(&unfinished)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, folder = %unfinished.display(), "an unfinished backup could not be removed");
    }
    made
}

/// The temporary folder in which a data folder's scheduled backups are made. Only one server uses a
/// data folder at a time, so one such folder is enough.
pub(super) fn unfinished(into: &Path, data: &Path) -> PathBuf {
    let digest = Sha256::digest(data.as_os_str().as_encoded_bytes());
    into.join(format!("{UNFINISHED}of-{}", manifest::hex(&digest[..8])))
}

/// Refuses a target within the data folder: such a backup would be lost together with the data.
/// Returns the data folder's absolute path.
fn check_place(wanted: &BackupRequest<'_>) -> anyhow::Result<PathBuf> {
    let whole = |path: &Path| fs::canonicalize(path).with_context(|| format!("failed to find {}", path.display()));
    let (data, into) = (whole(wanted.data)?, whole(wanted.into)?);
    anyhow::ensure!(
        !into.starts_with(&data),
        "{} is within the data folder; put the backup elsewhere, best on another disk",
        wanted.into.display()
    );
    Ok(data)
}

fn fill(
    wanted: &BackupRequest<'_>,
    data: &Path,
    folder: &Path,
    progress: &mut BackupProgress,
) -> anyhow::Result<BackupManifest> {
    let failed = || format!("failed to write {}", folder.display());
    files::create_folder(folder).with_context(failed)?;
    let copy = folder.join(JOURNAL);
    progress.begin("copying the journal", fs::metadata(wanted.data.join(JOURNAL)).map_or(0, |file| file.len()));
    let contents = backup::copy(wanted.data, &copy, &mut |done, total| progress.step(done, total))
        .context("failed to copy the journal")?;
    let bytes = fs::metadata(&copy).with_context(failed)?.len();
    progress.begin("checking the copy", bytes);
    let journal = files::digest(&copy, JOURNAL, &mut |done| progress.step(done, bytes));
    let mut entries = vec![journal.with_context(failed)?];
    let paths = files::list(wanted.data, wanted.with_secrets)
        .with_context(|| format!("failed to list {}", wanted.data.display()))?;
    for path in paths {
        entries.extend(copy_file(wanted.data, folder, &path, progress)?);
    }
    let manifest = BackupManifest {
        format: manifest::FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: wanted.now,
        made_by: wanted.made_by,
        number: wanted.number,
        data_dir: data.display().to_string(),
        has_secrets: wanted.with_secrets,
        journal: contents.into(),
        files: entries,
    };
    let (text, sums) = manifest.texts()?;
    files::write(&folder.join(manifest::FILE), &text).with_context(failed)?;
    files::write(&folder.join(manifest::SUMS), &sums).with_context(failed)?;
    files::sync_folder(folder).with_context(failed)?;
    Ok(manifest)
}

/// Copies a file. Returns `None` if it no longer exists, since a running server may remove files
/// meanwhile.
fn copy_file(
    data: &Path,
    folder: &Path,
    path: &str,
    progress: &mut BackupProgress,
) -> anyhow::Result<Option<BackupFile>> {
    let (from, to) = (files::place(data, path), files::place(folder, path));
    let failed = || format!("failed to copy {}", from.display());
    let bytes = match fs::metadata(&from) {
        Ok(file) => file.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(failed),
    };
    if let Some(above) = to.parent().filter(|above| *above != folder) {
        files::create_folder(above).with_context(failed)?;
    }
    let doing = format!("copying {path}");
    progress.begin(&doing, bytes);
    let copied = files::copy(&from, &to, path, &mut |done| progress.step(done, bytes)).with_context(failed)?;
    if let Some(above) = to.parent() {
        files::sync_folder(above).with_context(failed)?;
    }
    Ok(Some(copied))
}

/// Gives a finished backup its name.
fn settle(unfinished: &Path, wanted: &BackupRequest<'_>) -> std::io::Result<PathBuf> {
    let name = format!("{PREFIX}{}", stamp(wanted.now));
    let mut folder = wanted.into.join(&name);
    for again in 2..SAME_SECOND_MAX {
        if !folder.exists() {
            break;
        }
        folder = wanted.into.join(format!("{name}-{again}"));
    }
    fs::rename(unfinished, &folder)?;
    files::sync_folder(wanted.into)?;
    Ok(folder)
}

/// A time in a form that every system accepts in file names.
pub(super) fn stamp(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{}Z", text.split('.').next().unwrap_or(&text).replace(':', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_part_of_a_name() {
        assert_eq!(stamp(Timestamp::from_millis(1_700_000_000_120)), "2023-11-14T22-13-20Z");
    }
}
