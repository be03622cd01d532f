//! Putting a backup into a data folder. What was there is moved aside, never removed.
//!
//! All files are copied into a folder of their own first; then they are renamed into place, the journal last. Whatever
//! cuts this off, the server finds a whole data folder or refuses to start on one that is not.

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
    manifest::{Entry, Manifest},
    progress::Progress,
    verify::verify,
};

/// Where files wait until all of them are there.
const WAITING: &str = ".restoring";
/// How the folders begin into which older files are moved.
const ASIDE: &str = "before-restore-";
/// What stays where it is: fetched from elsewhere, large, and the same for every journal.
const STAYS: [&str; 2] = ["models", "sentences"];

/// What restoring came to.
pub(crate) struct Restored {
    pub(crate) manifest: Manifest,
    /// Where the older files are, if there were any.
    pub(crate) aside: Option<PathBuf>,
}

/// Restores a backup into a data folder, which no server may use and which has to be empty unless `replace` is said.
pub(crate) fn restore(
    backup: &Path,
    data: &Path,
    replace: bool,
    now: Timestamp,
    progress: &mut Progress,
) -> anyhow::Result<Restored> {
    let manifest = verify(backup, progress).context("nothing was restored")?;
    let failed = || format!("failed to write to {}", data.display());
    let lock = FolderLock::take(data).context("nothing was restored")?;
    let older = older_files(data).with_context(failed)?;
    anyhow::ensure!(
        older.is_empty() || replace,
        "{} is not empty ({}); give another folder with --data, or --replace to move what is there aside",
        data.display(),
        some_of(&older)
    );
    let waiting = data.join(WAITING);
    let copied = copy_all(backup, &waiting, &manifest, progress);
    progress.end();
    if let Err(error) = copied {
        // Nothing of what was there has been touched yet.
        let _ = fs::remove_dir_all(&waiting);
        return Err(error);
    }
    let aside = move_aside(data, &older, now).with_context(failed)?;
    put_in_place(data, &waiting, &manifest).with_context(failed)?;
    renew_heads(data)?;
    drop(lock);
    Ok(Restored { manifest, aside })
}

/// Refuses a data folder in which restoring was cut off half-way.
pub(crate) fn check_finished(data: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        !data.join(WAITING).exists(),
        "restoring a backup into {} was cut off; run `dwell restore` again, with --replace",
        data.display()
    );
    Ok(())
}

/// What is in the folder and would be in the way.
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

/// Copies all files, and compares each with the manifest once more: a disk may fail between two readings.
fn copy_all(backup: &Path, waiting: &Path, manifest: &Manifest, progress: &mut Progress) -> anyhow::Result<()> {
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

fn copy_one(backup: &Path, waiting: &Path, entry: &Entry, progress: &mut Progress) -> anyhow::Result<()> {
    let (from, to) = (files::place(backup, &entry.path), files::place(waiting, &entry.path));
    if let Some(above) = to.parent() {
        files::create_folder(above)?;
    }
    let doing = format!("restoring {}", entry.path);
    progress.begin(&doing, entry.bytes);
    let copied = files::copy(&from, &to, &entry.path, &mut |done| progress.step(&doing, done, entry.bytes))?;
    anyhow::ensure!(copied == *entry, "it has changed while it was copied");
    if let Some(above) = to.parent() {
        files::sync_folder(above)?;
    }
    Ok(())
}

/// Moves what was there into a folder beside it; its place, if there was anything.
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

/// Gives the files their places, the journal last: a folder without one is no data folder yet.
fn put_in_place(data: &Path, waiting: &Path, manifest: &Manifest) -> io::Result<()> {
    let (journal, others): (Vec<&Entry>, Vec<&Entry>) = manifest.files.iter().partition(|entry| entry.path == JOURNAL);
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

/// What says which events were acknowledged last is not part of a backup: it belongs to the journal that was moved aside, and
/// is made anew from the restored one.
fn renew_heads(data: &Path) -> anyhow::Result<()> {
    journal::sqlite::make_heads(data)?;
    Ok(())
}
