//! Putting a backup into a data folder. What was there is moved aside, never removed.
//!
//! All files are first copied into a temporary folder. Then they are renamed into place, the
//! journal last. If this is interrupted, the server finds either a complete data folder or one that
//! it refuses to start on.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use journal::sqlite::{FILE as JOURNAL, FolderLock, LOCK_FILE};
use protocol::Timestamp;

use super::{
    files,
    make::stamp,
    manifest::{BackupFile, BackupManifest},
    progress::BackupProgress,
    verify::verify,
};

/// The temporary folder that holds the files until all of them are copied.
const WAITING: &str = ".restoring";
/// Prefix of the folders into which existing files are moved.
const ASIDE: &str = "before-restore-";
/// What stays in place: downloaded, large, and the same for every journal.
const STAYS: [&str; 2] = ["models", "sentences"];

/// The outcome of a restore.
pub(crate) struct RestoreResult {
    pub(crate) manifest: BackupManifest,
    /// Where the previous files were moved, if there were any.
    pub(crate) aside: Option<PathBuf>,
}

/// Restores a backup into a data folder. No server may use that folder, and it has to be empty
/// unless `replace` is set.
pub(crate) fn restore(
    backup: &Path,
    data: &Path,
    replace: bool,
    now: Timestamp,
    progress: &mut BackupProgress,
) -> anyhow::Result<RestoreResult> {
    let manifest = verify(backup, progress).context("nothing was restored")?;
    let failed = || format!("failed to write to {}", data.display());
    let lock = FolderLock::take(data).context("nothing was restored")?;
    let older = older_files(data).with_context(failed)?;
    anyhow::ensure!(
        older.is_empty() || replace,
        "{} is not empty ({}); name another folder with --data, or use --replace to move its files aside",
        data.display(),
        some_of(&older)
    );
    let waiting = data.join(WAITING);
    let copied = copy_all(backup, &waiting, &manifest, progress);
    progress.end();
    if let Err(error) = copied {
        // The existing files have not been touched yet.
        let _ = fs::remove_dir_all(&waiting);
        return Err(error);
    }
    let aside = move_aside(data, &older, now).with_context(failed)?;
    put_in_place(data, &waiting, &manifest).with_context(failed)?;
    renew_heads(data)?;
    drop(lock);
    Ok(RestoreResult { manifest, aside })
}

/// Refuses a data folder in which a restore was interrupted.
pub(crate) fn check_finished(data: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        !data.join(WAITING).exists(),
        "restoring a backup into {} was interrupted; run `dwell restore` again with --replace",
        data.display()
    );
    Ok(())
}

/// The existing files that would be overwritten.
fn older_files(data: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(data)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let stays = STAYS.contains(&name.as_str()) || name.starts_with(ASIDE);
        if name != LOCK_FILE && !stays {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn some_of(names: &[String]) -> String {
    let shown = names.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 3 { format!("{shown}, …") } else { shown }
}

/// Copies all files, and compares each with the manifest once more: a disk may fail between two
/// reads.
fn copy_all(
    backup: &Path,
    waiting: &Path,
    manifest: &BackupManifest,
    progress: &mut BackupProgress,
) -> anyhow::Result<()> {
    let failed = || format!("failed to write {}", waiting.display());
    if waiting.exists() {
        fs::remove_dir_all(waiting).with_context(failed)?;
    }
    files::create_folder(waiting).with_context(failed)?;
    for entry in &manifest.files {
        copy_one(backup, waiting, entry, progress).with_context(|| format!("failed to copy {}", entry.path))?;
    }
    files::sync_folder(waiting).with_context(failed)
}

fn copy_one(backup: &Path, waiting: &Path, entry: &BackupFile, progress: &mut BackupProgress) -> anyhow::Result<()> {
    let (from, to) = (files::place(backup, &entry.path), files::place(waiting, &entry.path));
    if let Some(above) = to.parent() {
        files::create_folder(above)?;
    }
    let doing = format!("restoring {}", entry.path);
    progress.begin(&doing, entry.bytes);
    let copied = files::copy(&from, &to, &entry.path, &mut |done| progress.step(done, entry.bytes))?;
    anyhow::ensure!(copied == *entry, "it changed while it was copied");
    if let Some(above) = to.parent() {
        files::sync_folder(above)?;
    }
    Ok(())
}

/// Moves the existing files into a folder within the data folder. Returns that folder, if there
/// were any files.
fn move_aside(data: &Path, older: &[String], now: Timestamp) -> io::Result<Option<PathBuf>> {
    let older: Vec<&String> = older.iter().filter(|name| *name != WAITING).collect();
    if older.is_empty() {
        return Ok(None);
    }
    let mut aside = data.join(format!("{ASIDE}{}", stamp(now)));
    let mut again = 2;
    while aside.exists() {
        aside = data.join(format!("{ASIDE}{}-{again}", stamp(now)));
        again += 1;
    }
    files::create_folder(&aside)?;
    for name in older {
        fs::rename(data.join(name), aside.join(name))?;
    }
    files::sync_folder(&aside)?;
    Ok(Some(aside))
}

/// Moves the files into place, the journal last: without a journal a folder is not a data folder
/// yet.
fn put_in_place(data: &Path, waiting: &Path, manifest: &BackupManifest) -> io::Result<()> {
    let (journal, others): (Vec<&BackupFile>, Vec<&BackupFile>) =
        manifest.files.iter().partition(|entry| entry.path == JOURNAL);
    for entry in others.into_iter().chain(journal) {
        let to = files::place(data, &entry.path);
        if let Some(above) = to.parent() {
            files::create_folder(above)?;
        }
        fs::rename(files::place(waiting, &entry.path), to)?;
    }
    files::sync_folder(data)?;
    fs::remove_dir_all(waiting)?;
    files::sync_folder(data)
}

/// Rebuilds the record of the last acknowledged events. It is not part of a backup: the old one
/// belongs to the journal that was moved aside.
fn renew_heads(data: &Path) -> anyhow::Result<()> {
    journal::sqlite::make_heads(data)?;
    Ok(())
}
