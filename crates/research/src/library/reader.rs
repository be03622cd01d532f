//! Reading one file: its bytes, what they are the digest of, and the passages of its text.

use std::{fs::File, io::Read, path::Path};

use sha2::{Digest, Sha256};

use crate::{
    passages,
    read::{self, Kind, Text, Unreadable},
};

/// Bytes of a file that is read.
pub(super) const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Characters of a title; what is longer is cut.
const TITLE_CHARS_MAX: usize = 200;

/// What makes text of files. It works on the calling thread, which may take its time.
pub trait Reader: Send + Sync + 'static {
    /// The text of these bytes, or why there is none.
    fn read(&self, kind: Kind, bytes: &[u8]) -> Result<Text, Unreadable>;
}

/// Reads in this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plainly;

impl Reader for Plainly {
    fn read(&self, kind: Kind, bytes: &[u8]) -> Result<Text, Unreadable> {
        read::read(kind, bytes, None)
    }
}

/// The digest of a file's bytes.
pub(super) type FileDigest = [u8; 32];

/// What came of reading a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its bytes are those that were read before.
    Same,
    /// It was read.
    Read { digest: FileDigest, title: String, published: Option<String>, passages: Vec<String> },
    /// Its bytes are there and cannot be made sense of, so it is tried again when they change.
    Unreadable { digest: Option<FileDigest>, reason: String },
    /// Its bytes could not be had; the next look may have more luck.
    Closed { reason: String },
    /// It is not there any more.
    Gone,
}

/// Reads the file at `relative` in the folder `root`, unless its bytes have the digest that is `known`.
pub(super) fn read_file(root: &Path, relative: &str, known: Option<FileDigest>, reader: &dyn Reader) -> Outcome {
    let path = root.join(relative);
    let bytes = match bytes_within(root, &path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Outcome::Gone,
        Err(error) => return Outcome::Closed { reason: error.to_string() },
    };
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return too_large();
    }
    let digest = Sha256::digest(&bytes).into();
    if known == Some(digest) {
        return Outcome::Same;
    }
    let Some(kind) = Kind::of_path(&path) else { return Outcome::Gone };
    match reader.read(kind, &bytes) {
        Ok(Text { title, published, body }) => {
            let title = title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
            let title = title.unwrap_or_else(|| stem(&path));
            Outcome::Read { digest, title, published, passages: passages::cut(&body) }
        }
        Err(Unreadable(reason)) => Outcome::Unreadable { digest: Some(digest), reason },
    }
}

/// What comes of a file that is not even opened.
pub(super) fn too_large() -> Outcome {
    Outcome::Unreadable { digest: None, reason: format!("it has more than {} MB", FILE_BYTES_MAX / 1024 / 1024) }
}

/// What comes of a file over which whoever reads it broke down.
pub(super) fn broke_down() -> Outcome {
    Outcome::Unreadable { digest: None, reason: "reading it broke down".to_owned() }
}

/// The file's bytes, and one more than is read at most if there are too many.
fn bytes_within(root: &Path, path: &Path) -> std::io::Result<Vec<u8>> {
    // Since it was seen, a folder on the way may have become a link that leads elsewhere.
    if !path.canonicalize()?.starts_with(root) {
        return Err(std::io::Error::other("it lies outside of the folder"));
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
