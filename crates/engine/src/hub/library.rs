//! The library, for those who look into it.

use std::sync::Arc;

use protocol::{AddFolder, FolderId, FolderView, LibraryHits, LibrarySearch, LibraryView, OwnerId};
use tools::Library;

use super::Hub;
use crate::Error;

impl Hub {
    /// The folders that an owner sees.
    pub async fn library(&self, owner: &OwnerId) -> Result<LibraryView, Error> {
        Ok(self.shelves()?.view(owner).await?)
    }

    /// Adds a folder, and answers when it was looked through.
    pub async fn add_folder(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, Error> {
        Ok(self.shelves()?.add(owner, add).await?)
    }

    /// Gives an owner's folder up.
    pub async fn remove_folder(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, Error> {
        Ok(self.shelves()?.remove(owner, id).await?)
    }

    /// Looks through the folders that an owner sees.
    pub async fn rescan_library(&self, owner: &OwnerId) -> Result<LibraryView, Error> {
        Ok(self.shelves()?.rescan(owner).await?)
    }

    /// Passages that fit a question.
    pub async fn search_library(&self, owner: &OwnerId, search: LibrarySearch) -> Result<LibraryHits, Error> {
        Ok(self.shelves()?.search(owner, search).await?)
    }

    fn shelves(&self) -> Result<&Arc<dyn Library>, Error> {
        self.house().library.as_ref().ok_or(Error::NoLibrary)
    }
}
