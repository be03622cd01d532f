//! What a backup says of itself: `backup.json`, and `backup.sha256`, which `sha256sum -c` reads too.

use std::{
    fmt::Write as _,
    fs,
    path::{Component, Path},
};

use anyhow::Context;
use protocol::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The manifest's file.
pub(super) const FILE: &str = "backup.json";
/// The digests of all files, the manifest's among them.
pub(super) const SUMS: &str = "backup.sha256";
/// The format this program writes.
pub(super) const FORMAT: u32 = 1;

/// What a backup says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The format of backups; a newer one is refused.
    pub(super) format: u32,
    /// The version of the program that made it.
    pub(crate) version: String,
    /// When it was made, by the clock of that machine.
    pub(crate) made_at: Timestamp,
    /// Who made it.
    pub(crate) made_by: MadeBy,
    /// Counts the schedule's backups up, so that their order does not depend on a clock.
    pub(crate) number: u64,
    /// The data folder it was made of.
    pub(crate) data_dir: String,
    /// Whether tokens and keys are in it.
    pub(crate) has_secrets: bool,
    /// What the journal holds.
    pub(crate) journal: Journal,
    /// The files, by path.
    pub(crate) files: Vec<Entry>,
}

/// Who made a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MadeBy {
    /// `dwell backup`.
    Command,
    /// The server, as `[backup]` says; only these are ever removed.
    Schedule,
}

/// What the journal of a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub(crate) format: i64,
    pub(crate) sessions: u64,
    pub(crate) events: u64,
    pub(crate) artifacts: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) newest_at: Option<Timestamp>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Where it is, within the backup and within a data folder, with `/` between its parts.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

impl From<journal::sqlite::backup::Contents> for Journal {
    fn from(contents: journal::sqlite::backup::Contents) -> Self {
        let journal::sqlite::backup::Contents { format, sessions, events, artifacts, newest_at } = contents;
        Self { format, sessions, events, artifacts, newest_at }
    }
}

impl Manifest {
    /// All bytes of its files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|entry| entry.bytes).sum()
    }

    /// Reads the manifest of a backup, without looking at the other files.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let text = fs::read(&path).with_context(|| no_backup(folder))?;
        let sums = fs::read_to_string(folder.join(SUMS))
            .with_context(|| format!("{} is no complete backup: its file {SUMS} cannot be read", folder.display()))?;
        let damaged = || format!("{} is damaged", path.display());
        anyhow::ensure!(
            sums.starts_with(&sum_line(&hex(&Sha256::digest(&text)), FILE)),
            "{}: its digest is another",
            damaged()
        );
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let form: Form = serde_json::from_slice(&text).with_context(damaged)?;
        anyhow::ensure!(
            form.format <= FORMAT,
            "{} is a backup of format {}, made by a newer Dwell; this one knows formats up to {FORMAT}",
            folder.display(),
            form.format
        );
        let manifest: Self = serde_json::from_slice(&text).with_context(damaged)?;
        anyhow::ensure!(sums == manifest.sums(&text), "{}: {SUMS} does not fit it", damaged());
        for entry in &manifest.files {
            anyhow::ensure!(is_within(&entry.path), "{}: `{}` is no path of a backup", damaged(), entry.path);
        }
        Ok(manifest)
    }

    /// The texts of both files.
    pub(super) fn texts(&self) -> anyhow::Result<(String, String)> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        let sums = self.sums(text.as_bytes());
        Ok((text, sums))
    }

    fn sums(&self, manifest: &[u8]) -> String {
        let mut lines = sum_line(&hex(&Sha256::digest(manifest)), FILE);
        lines.extend(self.files.iter().map(|entry| sum_line(&entry.sha256, &entry.path)));
        lines
    }
}

fn sum_line(digest: &str, path: &str) -> String {
    format!("{digest}  {path}\n")
}

/// Why a folder is no backup, naming those that are in it, since the folder above is easily given by mistake.
fn no_backup(folder: &Path) -> String {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = inside
        .filter(|entry| entry.path().join(FILE).exists())
        .map(|entry| entry.path().display().to_string())
        .collect();
    names.sort();
    match names.last() {
        Some(newest) => format!("{} is no backup, but has backups in it; give one, as {newest}", folder.display()),
        None => format!("{} is no backup: its file {FILE} cannot be read", folder.display()),
    }
}

/// Whether a path stays within its folder; a manifest may come from anywhere.
fn is_within(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// A digest in hexadecimal.
pub(super) fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        // A text takes whatever is written to it.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_within_their_folder() {
        for path in ["journal.db", "archive/one.ndjson", "my file"] {
            assert!(is_within(path), "{path}");
        }
        for path in ["", "/etc/passwd", "../token", "archive/../../token", ".", "./x"] {
            assert!(!is_within(path), "{path}");
        }
    }
}
