//! Checking a backup against its manifest: every byte of every file, the journal's pages, and its
//! contents.

use std::path::Path;

use journal::sqlite::{FILE as JOURNAL, backup};

use super::{
    files,
    manifest::{self, BackupManifest},
    progress::BackupProgress,
};

/// Most faults that are named.
const NAMED_MAX: usize = 10;

/// Checks a backup. The error names its faults.
pub(crate) fn verify(folder: &Path, progress: &mut BackupProgress) -> anyhow::Result<BackupManifest> {
    let manifest = BackupManifest::read(folder)?;
    let mut faults = Vec::new();
    for entry in &manifest.files {
        let doing = format!("checking {}", entry.path);
        progress.begin(&doing, entry.bytes);
        let place = files::place(folder, &entry.path);
        match files::digest(&place, &entry.path, &mut |done| progress.step(done, entry.bytes)) {
            Ok(found) if found == *entry => {}
            Ok(found) if found.bytes != entry.bytes => {
                faults.push(format!("{} has {} bytes and should have {}", entry.path, found.bytes, entry.bytes));
            }
            Ok(_) => faults.push(format!("{} is not what was written: its digest differs", entry.path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                faults.push(format!("{} is missing", entry.path));
            }
            Err(error) => faults.push(format!("{} cannot be read: {error}", entry.path)),
        }
    }
    if !manifest.files.iter().any(|entry| entry.path == JOURNAL) {
        faults.push(format!("{JOURNAL} is not in it"));
    }
    if faults.is_empty() {
        progress.begin("checking the journal's contents", manifest.journal_bytes());
        faults.extend(check_journal(folder, &manifest)?);
    }
    progress.end();
    if faults.is_empty() {
        return Ok(manifest);
    }
    let more = faults.len().saturating_sub(NAMED_MAX);
    faults.truncate(NAMED_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    anyhow::bail!("the backup {} is damaged: {}{rest}", folder.display(), faults.join("; "))
}

fn check_journal(folder: &Path, manifest: &BackupManifest) -> anyhow::Result<Option<String>> {
    match backup::check(&folder.join(JOURNAL)) {
        Ok(contents) => {
            let found = manifest::JournalSummary::from(contents);
            let expected = &manifest.journal;
            Ok((found != *expected).then(|| {
                let manifest::JournalSummary { sessions, events, artifacts, .. } = expected;
                format!(
                    "the journal has {} sessions, {} events and {} artifacts and should have {sessions}, {events} and \
                     {artifacts}",
                    found.sessions, found.events, found.artifacts
                )
            }))
        }
        // The journal may be intact, and this version too old for it.
        Err(error @ journal::Error::Newer { .. }) => Err(error.into()),
        Err(error) => Ok(Some(error.to_string())),
    }
}

impl BackupManifest {
    fn journal_bytes(&self) -> u64 {
        self.files.iter().find(|entry| entry.path == JOURNAL).map_or(0, |entry| entry.bytes)
    }
}
