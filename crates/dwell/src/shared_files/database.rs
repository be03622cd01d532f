//! The files in the database.

use anyhow::Context;
use async_trait::async_trait;
use journal::postgres;

use super::{FileContents, SharedFiles};

/// The shared files of a database.
pub(crate) struct DatabaseFiles {
    files: postgres::SharedFiles,
}

impl DatabaseFiles {
    /// The files of a store that is open.
    pub(crate) fn new(files: postgres::SharedFiles) -> Self {
        Self { files }
    }

    /// The files of the database at this address.
    pub(crate) async fn open(url: &str) -> anyhow::Result<Self> {
        let files = postgres::SharedFiles::open(url).await.context("failed to open the database (`store.url`)")?;
        Ok(Self { files })
    }

    /// Makes the tables, if there are none yet.
    pub(crate) async fn prepare(&self) -> anyhow::Result<()> {
        self.files.prepare().await.context("failed to prepare the database (`store.url`)")
    }
}

#[async_trait]
impl SharedFiles for DatabaseFiles {
    fn place(&self, name: &str) -> String {
        format!("`{name}` in the database")
    }

    async fn read(&self, name: &str) -> anyhow::Result<Option<FileContents>> {
        let found = self.files.read(name).await?;
        Ok(found.map(|file| FileContents { version: file.version, bytes: file.bytes }))
    }

    async fn write(&self, name: &str, expected: Option<i64>, bytes: &[u8]) -> anyhow::Result<bool> {
        Ok(self.files.write(name, expected, bytes).await?.is_some())
    }
}
