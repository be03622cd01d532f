//! What is in a folder: the files that can be read, how large they are and when they were written last.

use std::{
    fs::{self, DirEntry, Metadata},
    path::Path,
    time::UNIX_EPOCH,
};

use super::reader::FILE_BYTES_MAX;
use crate::read::Kind;

/// Files of one folder.
pub(super) const FILES_MAX: usize = 100_000;
/// Folders within folders.
const DEPTH_MAX: usize = 64;

/// A file that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// Its path within the folder, with `/` between names.
    pub(super) path: String,
    pub(super) size: i64,
    /// When it was written last, in nanoseconds since 1970.
    pub(super) written_ns: i64,
}

impl Seen {
    pub(super) const fn is_too_large(&self) -> bool {
        self.size > FILE_BYTES_MAX as i64
    }
}

/// What a walk found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Walked {
    /// The files, by their paths.
    pub(super) files: Vec<Seen>,
    /// What could not be looked at, and why.
    pub(super) troubles: Vec<(String, String)>,
    /// Folders whose files are not known this time, each ending in `/`.
    pub(super) closed: Vec<String>,
    /// Which disk the folder is on, as far as the system tells.
    pub(super) device: u64,
}

impl Walked {
    /// Whether nothing is known of this path, so that its absence means nothing.
    pub(super) fn is_unknown(&self, path: &str) -> bool {
        self.closed.iter().any(|folder| path.starts_with(folder))
    }
}

/// Walks a folder. Links are not followed, hidden names are left alone. The error says why the folder cannot be walked at all.
pub(super) fn walk(root: &Path) -> Result<Walked, String> {
    let metadata = fs::symlink_metadata(root).map_err(|error| format!("the folder is not there: {error}"))?;
    if !metadata.is_dir() {
        return Err("the folder is not there: something else has its name".to_owned());
    }
    let mut walked = Walked { device: device(&metadata), ..Walked::default() };
    let mut entries = 0;
    let listed = list(root, "", 0, &mut walked, &mut entries);
    listed.map_err(|error| format!("the folder cannot be looked into: {error}"))?;
    Ok(walked)
}

fn list(root: &Path, within: &str, depth: usize, walked: &mut Walked, entries: &mut usize) -> std::io::Result<()> {
    let mut names: Vec<DirEntry> = fs::read_dir(root.join(within))?.collect::<Result<_, _>>()?;
    // In a fixed order, so that a folder with too many files gives the same ones every time.
    names.sort_by_key(DirEntry::file_name);
    for entry in names {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let path = format!("{within}{}", name.to_string_lossy());
            walked.troubles.push((path, "its name is not text".to_owned()));
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{within}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => go_in(root, path + "/", depth, walked, entries),
            Ok(kind) if kind.is_file() && Kind::of_path(Path::new(name)).is_some() => {
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

fn go_in(root: &Path, path: String, depth: usize, walked: &mut Walked, entries: &mut usize) {
    let listed = match depth {
        DEPTH_MAX.. => Err(std::io::Error::other("it lies too deep")),
        _ => list(root, &path, depth + 1, walked, entries),
    };
    if let Err(error) = listed
        && error.kind() != std::io::ErrorKind::NotFound
    {
        walked.troubles.push((path.clone(), format!("it cannot be looked into: {error}")));
        walked.closed.push(path);
    }
}

fn see(entry: &DirEntry, path: String, walked: &mut Walked) {
    match entry.metadata() {
        Ok(metadata) => {
            walked.files.push(Seen {
                path,
                size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
                written_ns: written_ns(&metadata),
            });
        }
        // It went while we looked.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => {
            // Not a folder, but as little is known of it.
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
