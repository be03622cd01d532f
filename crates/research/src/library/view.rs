//! The library as it is shown.

use protocol::{FolderView, OwnerId, Trouble};
use tools::LibraryError;

use super::{Library, desk::Clerk, keeper::Standing, store::Folder};

/// Documents that cannot be read and are named.
const TROUBLES_MAX: u32 = 20;

impl Library {
    /// The folders that an owner sees, oldest first.
    pub(super) async fn folder_views(&self, owner: &OwnerId) -> Result<Vec<FolderView>, LibraryError> {
        let owner = owner.clone();
        let folders = self.0.desk.ask(move |clerk| clerk.store.folders_of(&owner)).await?;
        let mut views = Vec::with_capacity(folders.len());
        for folder in folders {
            views.push(self.folder_view(folder).await?);
        }
        Ok(views)
    }

    pub(super) async fn folder_view(&self, folder: Folder) -> Result<FolderView, LibraryError> {
        let id = folder.id;
        let looked = move |clerk: &mut Clerk| {
            let troubles = clerk.store.troubles(id, TROUBLES_MAX)?;
            Ok((clerk.store.extent(id)?, troubles))
        };
        let (extent, unreadable) = self.0.desk.ask(looked).await?;
        let Standing { scanned_at, troubles } = self.keeper(id).map(|keeper| keeper.standing()).unwrap_or_default();
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
            troubles: named.map(|(path, reason)| Trouble { path, reason }).collect(),
            troubled,
        })
    }
}
