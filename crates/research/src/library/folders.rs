//! Adding and removing folders.

use ports::LibraryError;
use protocol::{AddFolder, FolderId, FolderView, OwnerId};

use super::{Library, folder_path, store::LibraryFolder};

impl Library {
    /// Adds a folder, and answers after its first scan.
    pub(super) async fn add_folder(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, LibraryError> {
        let (data, path) = (self.0.data.clone(), add.path);
        let settled = tokio::task::spawn_blocking(move || folder_path::settle(&path, &data)).await;
        let settled =
            settled.map_err(|_| LibraryError::Failed("checking the folder failed unexpectedly".to_owned()))?;
        let path = settled.map_err(LibraryError::Invalid)?;
        let folder = LibraryFolder {
            id: FolderId::new(self.0.world.ulid()),
            owner: owner.clone(),
            path: path.to_string_lossy().into_owned(),
            name: String::new(),
            shared: add.shared,
            added_at: self.0.world.now(),
            device: None,
        };
        let folder = self.0.handle.ask(move |library_thread| library_thread.add(folder)).await?;
        let folder_watcher = self.watch(folder.clone());
        folder_watcher.scan(false).await;
        self.folder_view(folder).await
    }

    /// Removes an owner's folder, and returns what was in it.
    pub(super) async fn remove_folder(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, LibraryError> {
        let folder = self.0.handle.ask(move |library_thread| library_thread.store.folder(id)).await?;
        let folder = folder.filter(|folder| folder.owner == *owner).ok_or(LibraryError::NotFound)?;
        let view = self.folder_view(folder.clone()).await?;
        self.0.handle.ask(move |library_thread| library_thread.remove_folder(&folder)).await?;
        self.unwatch(id);
        Ok(view)
    }
}
