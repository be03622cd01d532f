//! Folders come and go.

use protocol::{AddFolder, FolderId, FolderView, OwnerId};
use tools::LibraryError;

use super::{Library, place, store::Folder};

impl Library {
    /// Adds a folder, and answers when it was looked through for the first time.
    pub(super) async fn add_folder(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, LibraryError> {
        let (data, path) = (self.0.data.clone(), add.path);
        let settled = tokio::task::spawn_blocking(move || place::settle(&path, &data)).await;
        let settled = settled.map_err(|_| LibraryError::Failed("looking at the folder broke down".to_owned()))?;
        let path = settled.map_err(LibraryError::Invalid)?;
        let folder = Folder {
            id: FolderId::new(self.0.world.ulid()),
            owner: owner.clone(),
            path: path.to_string_lossy().into_owned(),
            name: String::new(),
            shared: add.shared,
            added_at: self.0.world.now(),
            device: None,
        };
        let folder = self.0.desk.ask(move |clerk| clerk.add(folder)).await?;
        let keeper = self.keep(folder.clone());
        keeper.look(false).await;
        self.folder_view(folder).await
    }

    /// Gives an owner's folder up, and says what was in it.
    pub(super) async fn remove_folder(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, LibraryError> {
        let folder = self.0.desk.ask(move |clerk| clerk.store.folder(id)).await?;
        let folder = folder.filter(|folder| folder.owner == *owner).ok_or(LibraryError::NotFound)?;
        let view = self.folder_view(folder.clone()).await?;
        self.0.desk.ask(move |clerk| clerk.remove_folder(&folder)).await?;
        self.let_go(id);
        Ok(view)
    }
}
