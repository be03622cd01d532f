//! Tokens, owners and keys: files of the data folder, or, if the journal is in a database, rows
//! there, which all nodes share.
//!
//! A file is written only if it is still the one that the writer has read, so that nodes which
//! start together end with the same secrets, and no change is lost to another one.

mod copy;
mod database;
mod folder;
mod move_in;
mod subscriptions;
mod watched;

use anyhow::Context;
use async_trait::async_trait;

pub(crate) use self::{
    copy::{check_unused, copy_all, digest},
    database::DatabaseFiles,
    folder::FolderFiles,
    move_in::move_in,
    subscriptions::SharedSubscriptions,
    watched::WatchedFiles,
};

/// The token of the first owner.
pub(crate) const TOKEN: &str = "token";
/// The other owners.
pub(crate) const OWNERS: &str = "owners.json";
/// The scoped tokens of all owners.
pub(crate) const TOKENS: &str = "tokens.json";
/// The key that seals cookies and the state that clients keep.
pub(crate) const SEAL_KEY: &str = "seal-key";
/// The key of the Ollama API.
pub(crate) const OLLAMA_KEY: &str = "ollama-key";
/// The browsers that owners have subscribed to Web Push.
pub(crate) const SUBSCRIPTIONS: &str = "push_subscriptions.json";
/// All of them.
pub(crate) const NAMES: [&str; 6] = [TOKEN, OWNERS, TOKENS, SEAL_KEY, OLLAMA_KEY, SUBSCRIPTIONS];

/// How often a change is tried again because another writer was faster.
const CHANGES_MAX: u32 = 100;

/// The contents of a file, with what says whether it is still the same.
#[derive(Clone)]
pub(crate) struct FileContents {
    pub(crate) version: i64,
    pub(crate) bytes: Vec<u8>,
}

impl FileContents {
    /// The contents as text.
    pub(crate) fn text(&self) -> anyhow::Result<&str> {
        std::str::from_utf8(&self.bytes).context("it is not text")
    }
}

/// Where the shared files are.
#[async_trait]
pub(crate) trait SharedFiles: Send + Sync + 'static {
    /// Where a file is, for messages.
    fn place(&self, name: &str) -> String;

    /// A file, if there is one of that name.
    async fn read(&self, name: &str) -> anyhow::Result<Option<FileContents>>;

    /// Writes a file if it still has this version, `None` if there was none; answers whether it
    /// was written.
    async fn write(&self, name: &str, expected: Option<i64>, bytes: &[u8]) -> anyhow::Result<bool>;
}

/// Changes a file. The change is made again if another writer was faster, and may refuse.
pub(crate) async fn change<T, E: From<anyhow::Error>>(
    files: &dyn SharedFiles,
    name: &str,
    mut change: impl FnMut(Option<&FileContents>) -> Result<(Vec<u8>, T), E>,
) -> Result<T, E> {
    for _ in 0..CHANGES_MAX {
        let before = files.read(name).await?;
        let (bytes, outcome) = change(before.as_ref())?;
        if files.write(name, before.map(|before| before.version), &bytes).await? {
            return Ok(outcome);
        }
    }
    Err(anyhow::anyhow!("failed to write {}: others write it all the time", files.place(name)).into())
}
