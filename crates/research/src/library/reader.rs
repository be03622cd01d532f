//! Reading one file: its bytes, their digest, and the passages of its text.

use std::{fs::File, io::Read, path::Path};

use sha2::{Digest, Sha256};

use crate::{
    passages,
    read::{self, ExtractedText, MediaKind, ReadError},
};

/// Maximum size of a file in bytes.
pub(super) const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Maximum length of a title in characters. Longer ones are cut.
const TITLE_CHARS_MAX: usize = 200;

/// Extracts the text of files. It runs on the calling thread and may block.
pub trait FileReader: Send + Sync + 'static {
    /// The text of these bytes, or why there is none.
    fn read(&self, kind: MediaKind, bytes: &[u8]) -> Result<ExtractedText, ReadError>;
}

/// Reads in this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcessReader;

impl FileReader for InProcessReader {
    fn read(&self, kind: MediaKind, bytes: &[u8]) -> Result<ExtractedText, ReadError> {
        read::read(kind, bytes, None)
    }
}

/// The digest of a file's bytes.
pub(super) type FileDigest = [u8; 32];

/// Result of reading a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadOutcome {
    /// The bytes have not changed.
    Same,
    /// The file was read.
    Read { digest: FileDigest, title: String, published: Option<String>, passages: Vec<String> },
    /// The content cannot be read. It is tried again when it changes.
    Unreadable { digest: Option<FileDigest>, reason: String },
    /// The file could not be opened. The next scan tries again.
    Closed { reason: String },
    /// The file no longer exists.
    Gone,
}

/// Reads the file at `relative` in the folder `root`, unless its bytes have the digest `known`.
pub(super) fn read_file(
    root: &Path,
    relative: &str,
    known: Option<FileDigest>,
    reader: &dyn FileReader,
) -> ReadOutcome {
    let path = root.join(relative);
    let bytes = match bytes_within(root, &path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return ReadOutcome::Gone,
        Err(error) => return ReadOutcome::Closed { reason: error.to_string() },
    };
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return too_large();
    }
    let digest = Sha256::digest(&bytes).into();
    if known == Some(digest) {
        return ReadOutcome::Same;
    }
    let Some(kind) = MediaKind::of_path(&path) else { return ReadOutcome::Gone };
    match reader.read(kind, &bytes) {
        Ok(ExtractedText { title, published, body }) => {
            let title = title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
            let title = title.unwrap_or_else(|| stem(&path));
            ReadOutcome::Read { digest, title, published, passages: passages::cut(&body) }
        }
        Err(ReadError(reason)) => ReadOutcome::Unreadable { digest: Some(digest), reason },
    }
}

/// The result for a file that is too large to be opened.
pub(super) fn too_large() -> ReadOutcome {
    ReadOutcome::Unreadable { digest: None, reason: format!("it is larger than {} MB", FILE_BYTES_MAX / 1024 / 1024) }
}

/// The result for a file whose reader panicked.
pub(super) fn broke_down() -> ReadOutcome {
    ReadOutcome::Unreadable { digest: None, reason: "reading it failed unexpectedly".to_owned() }
}

/// The file's bytes, at most one more than the limit.
fn bytes_within(root: &Path, path: &Path) -> std::io::Result<Vec<u8>> {
    // Since the scan, a folder on the path may have become a symbolic link to another place.
    if !path.canonicalize()?.starts_with(root) {
        return Err(std::io::Error::other("it is outside of the folder"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn one_line(title: &str) -> String {
    let words = title.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(TITLE_CHARS_MAX).collect()
}

fn stem(path: &Path) -> String {
    one_line(&path.file_stem().unwrap_or_default().to_string_lossy())
}
