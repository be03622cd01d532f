//! Scanning a folder: its readable files, their sizes and modification times.

use std::{
    fs::{self, DirEntry, Metadata},
    path::Path,
    time::UNIX_EPOCH,
};

use super::reader::FILE_BYTES_MAX;
use crate::read::MediaKind;

/// Maximum number of files in a folder.
pub(super) const FILES_MAX: usize = 100_000;
/// Maximum nesting of folders.
const DEPTH_MAX: usize = 64;

/// A file in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScannedFile {
    /// Path within the folder, with `/` as separator.
    pub(super) path: String,
    pub(super) size: i64,
    /// Modification time, in nanoseconds since 1970.
    pub(super) written_ns: i64,
}

impl ScannedFile {
    pub(super) const fn is_too_large(&self) -> bool {
        self.size > FILE_BYTES_MAX as i64
    }
}

/// Result of a scan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FolderScan {
    /// The files, ordered by path.
    pub(super) files: Vec<ScannedFile>,
    /// What could not be scanned, and why.
    pub(super) troubles: Vec<(String, String)>,
    /// Folders that could not be scanned this time, each ending in `/`.
    pub(super) closed: Vec<String>,
    /// Device of the folder, if the system reports it.
    pub(super) device: u64,
}

impl FolderScan {
    /// Whether this path was not scanned, so that its absence means nothing.
    pub(super) fn is_unknown(&self, path: &str) -> bool {
        self.closed.iter().any(|folder| path.starts_with(folder))
    }
}

/// Scans a folder. Symbolic links are not followed, and hidden files are skipped. The error says
/// why the folder cannot be scanned at all.
pub(super) fn walk(root: &Path) -> Result<FolderScan, String> {
    let metadata = fs::symlink_metadata(root).map_err(|error| format!("the folder is not available: {error}"))?;
    if !metadata.is_dir() {
        return Err("the folder is not available: its path is not a folder".to_owned());
    }
    let mut walked = FolderScan { device: device(&metadata), ..FolderScan::default() };
    let mut entries = 0;
    let listed = list(root, "", 0, &mut walked, &mut entries);
    listed.map_err(|error| format!("the folder cannot be read: {error}"))?;
    Ok(walked)
}

fn list(root: &Path, within: &str, depth: usize, walked: &mut FolderScan, entries: &mut usize) -> std::io::Result<()> {
    let mut names: Vec<DirEntry> = fs::read_dir(root.join(within))?.collect::<Result<_, _>>()?;
    // In a fixed order, so that a folder with too many files always gives the same ones.
    names.sort_by_key(DirEntry::file_name);
    for entry in names {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let path = format!("{within}{}", name.to_string_lossy());
            walked.troubles.push((path, "its name is not valid UTF-8".to_owned()));
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{within}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => go_in(root, path + "/", depth, walked, entries),
            Ok(kind) if kind.is_file() && MediaKind::of_path(Path::new(name)).is_some() => {
                if *entries == FILES_MAX {
                    let reason =
                        format!("the folder has more than {FILES_MAX} files; this one and those after it are left out");
                    walked.troubles.push((path.clone(), reason));
                }
                *entries += 1;
                if *entries <= FILES_MAX {
                    see(&entry, path, walked);
                }
            }
            Ok(_) => {}
            Err(error) => walked.troubles.push((path, error.to_string())),
        }
    }
    Ok(())
}

fn go_in(root: &Path, path: String, depth: usize, walked: &mut FolderScan, entries: &mut usize) {
    let listed = match depth {
        DEPTH_MAX.. => Err(std::io::Error::other("it is nested too deeply")),
        _ => list(root, &path, depth + 1, walked, entries),
    };
    if let Err(error) = listed
        && error.kind() != std::io::ErrorKind::NotFound
    {
        walked.troubles.push((path.clone(), format!("it cannot be read: {error}")));
        walked.closed.push(path);
    }
}

fn see(entry: &DirEntry, path: String, walked: &mut FolderScan) {
    match entry.metadata() {
        Ok(metadata) => {
            walked.files.push(ScannedFile {
                path,
                size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
                written_ns: written_ns(&metadata),
            });
        }
        // It was removed during the scan.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => {
            // Not a folder, but its state is unknown in the same way.
            walked.closed.push(path.clone());
            walked.troubles.push((path, error.to_string()));
        }
    }
}

fn written_ns(metadata: &Metadata) -> i64 {
    let written = metadata.modified().ok().and_then(|written| written.duration_since(UNIX_EPOCH).ok());
    written.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(unix)]
fn device(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(metadata)
}

#[cfg(not(unix))]
fn device(_: &Metadata) -> u64 {
    0
}
