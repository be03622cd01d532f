//! The port to a library of documents, as the APIs use it.

use async_trait::async_trait;
use protocol::{AddFolder, FolderId, FolderView, LibraryHits, LibrarySearch, LibraryUsage, LibraryView, OwnerId};

/// Why an operation of the library failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// The request is invalid; the text says what to do instead.
    #[error("{0}")]
    Invalid(String),
    /// There is no such folder, or it belongs to another owner.
    #[error("there is no such folder in the library")]
    NotFound,
    /// The library cannot be reached.
    #[error("the library cannot be reached: {0}")]
    Failed(String),
}

/// A library of documents that owners can search. An owner sees their own folders and the shared
/// ones.
#[async_trait]
pub trait LibraryPort: Send + Sync + 'static {
    /// Whether the owner has a folder in the library. Does not block.
    fn has_folders(&self, owner: &OwnerId) -> bool;

    /// The folders of an owner.
    async fn view(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError>;

    /// Adds a folder, scans it and watches it from then on. Adding it again has no effect.
    async fn add(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, LibraryError>;

    /// Removes a folder from the library; its files stay where they are.
    async fn remove(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, LibraryError>;

    /// Scans all folders of an owner now.
    async fn rescan(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError>;

    /// The storage that the documents of all folders use, and the quota.
    async fn usage(&self) -> Result<LibraryUsage, LibraryError>;

    /// The passages that match a query, best first.
    async fn search(&self, owner: &OwnerId, search: LibrarySearch) -> Result<LibraryHits, LibraryError>;
}
