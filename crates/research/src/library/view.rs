//! Views of the library.

use ports::LibraryError;
use protocol::{FolderView, OwnerId, UnreadableDocument};

use super::{Library, folder_watcher::FolderStatus, library_thread::LibraryThread, store::LibraryFolder};

/// Maximum number of unreadable documents that are listed.
const TROUBLES_MAX: u32 = 20;

impl Library {
    /// The folders that an owner can search, oldest first.
    pub(super) async fn folder_views(&self, owner: &OwnerId) -> Result<Vec<FolderView>, LibraryError> {
        let owner = owner.clone();
        let folders = self.0.handle.ask(move |library_thread| library_thread.store.folders_of(&owner)).await?;
        let mut views = Vec::with_capacity(folders.len());
        for folder in folders {
            views.push(self.folder_view(folder).await?);
        }
        Ok(views)
    }

    pub(super) async fn folder_view(&self, folder: LibraryFolder) -> Result<FolderView, LibraryError> {
        let id = folder.id;
        let looked = move |library_thread: &mut LibraryThread| {
            let troubles = library_thread.store.troubles(id, TROUBLES_MAX)?;
            Ok((library_thread.store.extent(id)?, troubles))
        };
        let (extent, unreadable) = self.0.handle.ask(looked).await?;
        let FolderStatus { scanned_at, troubles } =
            self.folder_watcher(id).map(|folder_watcher| folder_watcher.status()).unwrap_or_default();
        let troubled = extent.troubled + troubles.len() as u64;
        let named = troubles.into_iter().chain(unreadable).take(TROUBLES_MAX as usize);
        Ok(FolderView {
            folder_id: id,
            path: folder.path,
            shared: folder.shared,
            added_at: folder.added_at,
            documents: extent.documents,
            passages: extent.passages,
            waiting: extent.waiting,
            scanned_at,
            troubles: named.map(|(path, reason)| UnreadableDocument { path, reason }).collect(),
            troubled,
        })
    }
}
