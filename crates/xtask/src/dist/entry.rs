//! Files on their way into an archive, and tar archives of them.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

/// A file, folder or link in an archive.
pub struct ArchiveEntry {
    /// Relative, with forward slashes, without `./`.
    pub path: String,
    pub mode: u32,
    /// User and group.
    pub owner: u32,
    pub content: EntryContent,
}

pub enum EntryContent {
    File(Vec<u8>),
    Folder,
}

impl ArchiveEntry {
    pub fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), mode: 0o644, owner: 0, content: EntryContent::File(bytes.into()) }
    }

    pub fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { mode: 0o755, ..Self::file(path, bytes) }
    }

    pub fn folder(path: impl Into<String>) -> Self {
        Self { path: path.into(), mode: 0o755, owner: 0, content: EntryContent::Folder }
    }

    pub fn with_mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    pub fn with_owner(self, owner: u32) -> Self {
        Self { owner, ..self }
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            EntryContent::File(bytes) => bytes,
            EntryContent::Folder => &[],
        }
    }
}

/// Adds the folders that the entries lie in, and sorts everything, so that a folder comes before
/// what is in it.
pub fn with_folders(mut entries: Vec<ArchiveEntry>) -> Vec<ArchiveEntry> {
    let known: BTreeSet<String> = entries.iter().map(|entry| entry.path.clone()).collect();
    let mut missing = BTreeSet::new();
    for path in &known {
        let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        missing.extend(parents.filter(|parent| !known.contains(*parent)).map(str::to_owned));
    }
    entries.extend(missing.into_iter().map(ArchiveEntry::folder));
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    entries
}

/// A tar archive.
pub fn tar(entries: &[ArchiveEntry], time: u64) -> Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = tar::Header::new_gnu();
        header.set_mode(entry.mode);
        header.set_uid(entry.owner.into());
        header.set_gid(entry.owner.into());
        header.set_mtime(time);
        let mut path = entry.path.clone();
        if matches!(entry.content, EntryContent::Folder) {
            header.set_entry_type(tar::EntryType::Directory);
            path.push('/');
        } else {
            header.set_entry_type(tar::EntryType::Regular);
        }
        let bytes = entry.bytes();
        header.set_size(bytes.len().try_into().context("a file is too large")?);
        builder.append_data(&mut header, &path, bytes).with_context(|| format!("failed to pack {path}"))?;
    }
    builder.into_inner().context("failed to pack")
}

pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).context("failed to compress")?;
    encoder.finish().context("failed to compress")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn folders_come_before_what_is_in_them() {
        let entries = vec![ArchiveEntry::file("b/c/d", "1"), ArchiveEntry::folder("b").with_mode(0o700)];
        let paths: Vec<(String, u32)> =
            with_folders(entries).into_iter().map(|entry| (entry.path, entry.mode)).collect();
        assert_eq!(paths, [("b".to_owned(), 0o700), ("b/c".to_owned(), 0o755), ("b/c/d".to_owned(), 0o644)]);
    }

    #[test]
    fn a_tar_has_modes_owners_and_contents() {
        let long = format!("{}/file", "folder/".repeat(30).trim_end_matches('/'));
        let entries = [ArchiveEntry::program("dwell", "run"), ArchiveEntry::file(long.clone(), "x").with_owner(7)];
        let packed = tar(&entries, 1_000).unwrap();
        let mut archive = tar::Archive::new(packed.as_slice());
        let read: Vec<(String, u32, u64, u64, String)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let mut entry = entry.unwrap();
                let path = entry.path().unwrap().display().to_string();
                let header = entry.header();
                let facts = (header.mode().unwrap(), header.uid().unwrap(), header.mtime().unwrap());
                let mut text = String::new();
                entry.read_to_string(&mut text).unwrap();
                (path, facts.0, facts.1, facts.2, text)
            })
            .collect();
        assert_eq!(read[0], ("dwell".to_owned(), 0o755, 0, 1_000, "run".to_owned()));
        assert_eq!(read[1], (long, 0o644, 7, 1_000, "x".to_owned()));
    }
}
