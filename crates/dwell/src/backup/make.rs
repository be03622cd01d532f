//! Making a backup: complete and checked under its name, or not there at all.

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
    manifest::{self, Entry, MadeBy, Manifest},
    progress::Progress,
};

/// How the names of backups begin.
pub(super) const PREFIX: &str = "dwell-backup-";
/// How those begin that are being made.
const UNFINISHED: &str = ".dwell-backup-";
/// Backups of one second that get a name at most.
const SAME_SECOND_MAX: u32 = 100;

/// A backup that is wanted.
pub(crate) struct Wanted<'a> {
    /// The data folder.
    pub(crate) data: &'a Path,
    /// The folder that it goes into, under a name of its own.
    pub(crate) into: &'a Path,
    pub(crate) with_secrets: bool,
    pub(crate) made_by: MadeBy,
    /// Its place among the schedule's.
    pub(crate) number: u64,
    pub(crate) now: Timestamp,
}

/// A backup that was made.
pub(crate) struct Made {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
}

/// Makes a backup. Whatever fails, nothing is left under the name of a backup.
pub(crate) fn make(wanted: &Wanted<'_>, progress: &mut Progress) -> anyhow::Result<Made> {
    let failed = || format!("failed to write to {}", wanted.into.display());
    files::create_folder(wanted.into).with_context(failed)?;
    let data = check_place(wanted)?;
    let unfinished = match wanted.made_by {
        MadeBy::Command => wanted.into.join(format!("{UNFINISHED}{}-{}", stamp(wanted.now), std::process::id())),
        MadeBy::Schedule => unfinished(wanted.into, &data),
    };
    if unfinished.exists() {
        // A run before this one was cut off while it made one.
        fs::remove_dir_all(&unfinished).with_context(failed)?;
    }
    let made = fill(wanted, &data, &unfinished, progress).and_then(|manifest| {
        let folder = settle(&unfinished, wanted).with_context(failed)?;
        Ok(Made { folder, manifest })
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

/// The folder under which the schedule of a data folder makes its backups. A server has its data folder for itself, so there is
/// never more than one at work.
pub(super) fn unfinished(into: &Path, data: &Path) -> PathBuf {
    let digest = Sha256::digest(data.as_os_str().as_encoded_bytes());
    into.join(format!("{UNFINISHED}of-{}", manifest::hex(&digest[..8])))
}

/// A backup within what it is a backup of is lost with it. Gives the data folder's whole path.
fn check_place(wanted: &Wanted<'_>) -> anyhow::Result<PathBuf> {
    let whole = |path: &Path| fs::canonicalize(path).with_context(|| format!("failed to find {}", path.display()));
    let (data, into) = (whole(wanted.data)?, whole(wanted.into)?);
    anyhow::ensure!(
        !into.starts_with(&data),
        "{} is within the data folder: a backup belongs elsewhere, best on another disk",
        wanted.into.display()
    );
    Ok(data)
}

fn fill(wanted: &Wanted<'_>, data: &Path, folder: &Path, progress: &mut Progress) -> anyhow::Result<Manifest> {
    let failed = || format!("failed to write {}", folder.display());
    files::create_folder(folder).with_context(failed)?;
    let copy = folder.join(JOURNAL);
    progress.begin("copying the journal", fs::metadata(wanted.data.join(JOURNAL)).map_or(0, |file| file.len()));
    let contents =
        backup::copy(wanted.data, &copy, &mut |done, total| progress.step("copying the journal", done, total))
            .context("failed to copy the journal")?;
    let bytes = fs::metadata(&copy).with_context(failed)?.len();
    progress.begin("reading the copy again", bytes);
    let journal = files::digest(&copy, JOURNAL, &mut |done| progress.step("reading the copy again", done, bytes));
    let mut entries = vec![journal.with_context(failed)?];
    let paths = files::list(wanted.data, wanted.with_secrets)
        .with_context(|| format!("failed to look into {}", wanted.data.display()))?;
    for path in paths {
        entries.extend(copy_file(wanted.data, folder, &path, progress)?);
    }
    let manifest = Manifest {
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

/// Copies a file; none if it is gone by now, since a server may take a file away meanwhile.
fn copy_file(data: &Path, folder: &Path, path: &str, progress: &mut Progress) -> anyhow::Result<Option<Entry>> {
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
    let copied = files::copy(&from, &to, path, &mut |done| progress.step(&doing, done, bytes)).with_context(failed)?;
    if let Some(above) = to.parent() {
        files::sync_folder(above).with_context(failed)?;
    }
    Ok(Some(copied))
}

/// Gives a finished backup its name.
fn settle(unfinished: &Path, wanted: &Wanted<'_>) -> std::io::Result<PathBuf> {
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

/// A time as part of a file's name, on every system.
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
