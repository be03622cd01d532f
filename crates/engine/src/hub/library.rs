//! The library as clients use it.

use std::sync::Arc;

use ports::LibraryPort;
use protocol::{AddFolder, FolderId, FolderView, LibraryHits, LibrarySearch, LibraryView, OwnerId};

use super::Hub;
use crate::Error;

impl Hub {
    /// The folders that an owner sees.
    pub async fn library(&self, owner: &OwnerId) -> Result<LibraryView, Error> {
        Ok(self.open_library()?.view(owner).await?)
    }

    /// Adds a folder, and answers after it was indexed.
    pub async fn add_folder(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, Error> {
        Ok(self.open_library()?.add(owner, add).await?)
    }

    /// Removes an owner's folder from the library.
    pub async fn remove_folder(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, Error> {
        Ok(self.open_library()?.remove(owner, id).await?)
    }

    /// Scans the folders that an owner sees.
    pub async fn rescan_library(&self, owner: &OwnerId) -> Result<LibraryView, Error> {
        Ok(self.open_library()?.rescan(owner).await?)
    }

    /// Passages that match a query.
    pub async fn search_library(&self, owner: &OwnerId, search: LibrarySearch) -> Result<LibraryHits, Error> {
        Ok(self.open_library()?.search(owner, search).await?)
    }

    fn open_library(&self) -> Result<&Arc<dyn LibraryPort>, Error> {
        self.services().library.as_ref().ok_or(Error::NoLibrary)
    }
}
