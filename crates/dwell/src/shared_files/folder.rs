//! The files in the data folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use async_trait::async_trait;
use sha2::{Digest, Sha256};

use super::{FileContents, SharedFiles};
use crate::private_file::{create_private, private, write_private};

/// Held while one of the files is compared and written. Older versions lock it too.
const LOCK: &str = "owners.lock";

/// The files of a data folder.
pub(crate) struct FolderFiles {
    folder: PathBuf,
}

impl FolderFiles {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn find(&self, name: &str) -> anyhow::Result<Option<FileContents>> {
        let path = self.path(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(FileContents { version: version_of(&bytes), bytes })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("failed to read {}", path.display())),
        }
    }

    fn replace(&self, name: &str, expected: Option<i64>, bytes: &[u8]) -> anyhow::Result<bool> {
        create_private(&self.folder).with_context(|| format!("failed to create {}", self.folder.display()))?;
        let lock = self.folder.join(LOCK);
        let failed = || format!("failed to lock {}", lock.display());
        let mut options = fs::OpenOptions::new();
        let held = private(options.write(true).create(true).truncate(false)).open(&lock).with_context(failed)?;
        held.lock().with_context(failed)?;
        if self.find(name)?.map(|found| found.version) != expected {
            return Ok(false);
        }
        let path = self.path(name);
        let text = String::from_utf8_lossy(bytes);
        write_private(&path, &text).with_context(|| format!("failed to write {}", path.display()))?;
        Ok(true)
    }
}

/// Equal contents are the same version: there is nothing to lose between two of them.
fn version_of(bytes: &[u8]) -> i64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | i64::from(*byte))
}

#[async_trait]
impl SharedFiles for FolderFiles {
    fn place(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    async fn read(&self, name: &str) -> anyhow::Result<Option<FileContents>> {
        self.find(name)
    }

    async fn write(&self, name: &str, expected: Option<i64>, bytes: &[u8]) -> anyhow::Result<bool> {
        self.replace(name, expected, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_written_only_over_the_one_that_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let files = FolderFiles::new(folder.path());
        assert!(files.read("token").await.unwrap().is_none());
        assert!(files.write("token", None, b"one").await.unwrap());
        assert!(!files.write("token", None, b"two").await.unwrap(), "another one was faster");
        let first = files.read("token").await.unwrap().unwrap();
        assert_eq!(first.text().unwrap().trim(), "one");
        assert!(files.write("token", Some(first.version), b"two").await.unwrap());
        assert!(!files.write("token", Some(first.version), b"three").await.unwrap());
    }
}
