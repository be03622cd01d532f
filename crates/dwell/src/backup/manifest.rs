//! A backup's description: `backup.json`, and `backup.sha256`, which `sha256sum -c` can check too.

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
/// The format that this version writes.
pub(super) const FORMAT: u32 = 1;

/// The description of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackupManifest {
    /// The format of backups; a newer one is refused.
    pub(super) format: u32,
    /// The version of the program that made it.
    pub(crate) version: String,
    /// When it was made, by that machine's clock.
    pub(crate) made_at: Timestamp,
    /// Who made it.
    pub(crate) made_by: BackupOrigin,
    /// The number among scheduled backups, so that their order does not depend on the clock.
    pub(crate) number: u64,
    /// The data folder that it was made from.
    pub(crate) data_dir: String,
    /// Whether it contains tokens and keys.
    pub(crate) has_secrets: bool,
    /// What the journal holds.
    pub(crate) journal: JournalSummary,
    /// The files, by path.
    pub(crate) files: Vec<BackupFile>,
}

/// Who made a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BackupOrigin {
    /// `dwell backup`.
    Command,
    /// The server, as configured under `[backup]`; only these backups are ever removed
    /// automatically.
    Schedule,
}

/// What the journal of a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JournalSummary {
    pub(crate) format: i64,
    pub(crate) sessions: u64,
    pub(crate) events: u64,
    pub(crate) artifacts: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) newest_at: Option<Timestamp>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackupFile {
    /// Its path, relative to the backup and to the data folder, with `/` as separator.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

impl From<journal::sqlite::backup::JournalContents> for JournalSummary {
    fn from(contents: journal::sqlite::backup::JournalContents) -> Self {
        let journal::sqlite::backup::JournalContents { format, sessions, events, artifacts, newest_at } = contents;
        Self { format, sessions, events, artifacts, newest_at }
    }
}

impl BackupManifest {
    /// The size of all files together.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|entry| entry.bytes).sum()
    }

    /// Reads the manifest of a backup, without checking the other files.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let text = fs::read(&path).with_context(|| no_backup(folder))?;
        let sums = fs::read_to_string(folder.join(SUMS)).with_context(|| {
            format!("{} is not a complete backup: its file {SUMS} cannot be read", folder.display())
        })?;
        let damaged = || format!("{} is damaged", path.display());
        anyhow::ensure!(
            sums.starts_with(&sum_line(&hex(&Sha256::digest(&text)), FILE)),
            "{}: its digest differs",
            damaged()
        );
        #[derive(Deserialize)]
        struct FormatField {
            format: u32,
        }
        let form: FormatField = serde_json::from_slice(&text).with_context(damaged)?;
        anyhow::ensure!(
            form.format <= FORMAT,
            "{} is a backup of format {}, made by a newer Dwell; this version reads formats up to {FORMAT}",
            folder.display(),
            form.format
        );
        let manifest: Self = serde_json::from_slice(&text).with_context(damaged)?;
        anyhow::ensure!(sums == manifest.sums(&text), "{}: {SUMS} does not match it", damaged());
        for entry in &manifest.files {
            anyhow::ensure!(is_within(&entry.path), "{}: `{}` is not a valid path in a backup", damaged(), entry.path);
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

/// The error for a folder that is not a backup. It names a backup inside, since users easily give
/// the parent folder by mistake.
fn no_backup(folder: &Path) -> String {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = inside
        .filter(|entry| entry.path().join(FILE).exists())
        .map(|entry| entry.path().display().to_string())
        .collect();
    names.sort();
    match names.last() {
        Some(newest) => {
            format!("{} is not a backup, but it contains backups; name one, for example {newest}", folder.display())
        }
        None => format!("{} is not a backup: its file {FILE} cannot be read", folder.display()),
    }
}

/// Whether a path stays within its folder. A manifest is untrusted input.
fn is_within(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// A digest in hexadecimal.
pub(super) fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        // Writing to a `String` cannot fail.
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
