//! A library of documents, as the doors know it.

use async_trait::async_trait;
use protocol::{AddFolder, FolderId, FolderView, LibraryHits, LibrarySearch, LibraryUsage, LibraryView, OwnerId};

/// Why something could not be done with the library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// What was asked makes no sense; it says what to do instead.
    #[error("{0}")]
    Invalid(String),
    /// There is no such folder, or it is somebody else's.
    #[error("there is no such folder in the library")]
    NotFound,
    /// It cannot be reached.
    #[error("the library cannot be reached: {0}")]
    Failed(String),
}

/// Whoever keeps documents in which owners can look for something. An owner sees their own folders and the shared ones.
#[async_trait]
pub trait Library: Send + Sync + 'static {
    /// Whether an owner has a folder there; nobody waits for it.
    fn has_folders(&self, owner: &OwnerId) -> bool;

    /// What an owner has.
    async fn view(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError>;

    /// Adds a folder, looks through it, and watches it from then on. Doing so again is harmless.
    async fn add(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, LibraryError>;

    /// Gives a folder up; its files stay where they are.
    async fn remove(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, LibraryError>;

    /// Looks through all folders of an owner now.
    async fn rescan(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError>;

    /// What the documents of all folders take, and how much they may.
    async fn usage(&self) -> Result<LibraryUsage, LibraryError>;

    /// Passages that fit a question, best first.
    async fn search(&self, owner: &OwnerId, search: LibrarySearch) -> Result<LibraryHits, LibraryError>;
}
