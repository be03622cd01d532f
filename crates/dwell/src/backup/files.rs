//! Which files of a data folder a backup holds, and how they are copied: readable by their user
//! only, synced to disk, with their digests.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::manifest::{BackupFile, hex};

/// Files without secrets. Every other file counts as secret, including files that later versions
/// add.
const PLAIN: [&str; 3] = ["owners.json", "library.json", "simulated-home.json"];
/// Files that are rebuilt, or that belong to the running process.
const LEFT_OUT: [&str; 2] = ["address", "research.sqlite"];
/// Subfolders that are backed up: archives of sessions.
const FOLDERS: [&str; 1] = ["archive"];
/// Bytes copied at a time.
const CHUNK: usize = 256 * 1024;

/// The files of a data folder that a backup holds besides the journal, by relative path.
pub(super) fn list(data: &Path, with_secrets: bool) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for name in names(data)? {
        if is_ours(&name) && (with_secrets || PLAIN.contains(&name.as_str())) && is_file(&data.join(&name)) {
            paths.push(name);
        }
    }
    for folder in FOLDERS.iter().filter(|folder| data.join(folder).is_dir()) {
        for name in names(&data.join(folder))? {
            if !name.starts_with('.') && is_file(&data.join(folder).join(&name)) {
                paths.push(format!("{folder}/{name}"));
            }
        }
    }
    paths.sort();
    Ok(paths)
}

/// Whether a name at the top of a data folder belongs in a backup. The journal's files are copied
/// separately, through SQLite: closing a plain file handle on them would release the server's
/// locks.
fn is_ours(name: &str) -> bool {
    let is_unfinished = name.ends_with(".new") || name.ends_with(".lock");
    let is_left_out = LEFT_OUT.iter().any(|left_out| name.starts_with(left_out));
    !name.starts_with('.') && !name.starts_with("journal.") && !is_unfinished && !is_left_out
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        // Dwell's own file names are valid UTF-8; others are skipped.
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}

/// Symbolic links are not followed: they may lead anywhere.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Copies a file to a new one that only its user can read, syncs it to disk, and returns its size
/// and digest.
pub(super) fn copy(from: &Path, to: &Path, path: &str, told: &mut dyn FnMut(u64)) -> io::Result<BackupFile> {
    let (mut source, mut target) = (File::open(from)?, create_private(to)?);
    let entry = pass(&mut source, path, told, |bytes| target.write_all(bytes))?;
    target.sync_all()?;
    Ok(entry)
}

/// The size and digest of a file.
pub(super) fn digest(file: &Path, path: &str, told: &mut dyn FnMut(u64)) -> io::Result<BackupFile> {
    pass(&mut File::open(file)?, path, told, |_| Ok(()))
}

fn pass(
    source: &mut File,
    path: &str,
    told: &mut dyn FnMut(u64),
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<BackupFile> {
    let (mut hash, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
    loop {
        let read = match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hash.update(&chunk[..read]);
        take(&chunk[..read])?;
        bytes += read as u64;
        told(bytes);
    }
    Ok(BackupFile { path: path.to_owned(), bytes, sha256: hex(&hash.finalize()) })
}

/// Writes a new file that only its user can read, and syncs it to disk.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = create_private(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a folder that only its user can open, with its parents.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Syncs a folder's directory entries to disk.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Where a path of a manifest lies in a folder.
pub(super) fn place(folder: &Path, path: &str) -> PathBuf {
    path.split('/').fold(folder.to_owned(), |place, part| place.join(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_anew_or_belongs_to_a_process_stays() {
        for name in ["token", "owners.json", "library.json", "simulated-home.json", "config.toml", "seal-key"] {
            assert!(is_ours(name), "{name}");
        }
        for name in [
            "journal.db",
            "journal.db-wal",
            "journal.heads",
            "research.sqlite",
            "research.sqlite-shm",
            "dwell.lock",
            "owners.lock",
            "address",
            "owners.new",
            "library.json.new",
            ".hidden",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }
}
