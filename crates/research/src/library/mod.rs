//! Documents on this machine, found by their words and by what they mean.
//!
//! A folder that was added is walked ([`walk`]), what can be read in it is read ([`reader`]), and what has changed is noticed by
//! walking it again and again ([`keeper`]), which also works where a file system does not tell. One thread, the desk ([`desk`]), owns the
//! file ([`store`]) and what is held in memory of it: a [`shelf`] for each owner, made when it is first looked at. What passages mean is
//! looked at in the background ([`meaning`]) and kept by their words, so that a file that moves costs nothing. All of it can be
//! made again from the folders; only their list ([`roll`]) is worth keeping, and is written down twice.

mod adding;
mod desk;
mod keeper;
mod meaning;
mod place;
mod reader;
mod roll;
mod shelf;
mod spot;
mod store;
mod view;
mod walk;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use memory::{embedding::Embedder, room::World};
use protocol::{
    AddFolder, FolderId, FolderView, LibraryHit, LibraryHits, LibrarySearch, LibraryUsage, LibraryView, OwnerId,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tools::LibraryError;

pub use self::reader::{Plainly, Reader};
pub(crate) use self::shelf::Found;
use self::{
    desk::{Clerk, Desk},
    keeper::Keeper,
    meaning::Meaning,
    store::Folder,
};

/// Passages told unless another number is asked for.
const HITS: u32 = 10;
/// Passages told at most.
const HITS_MAX: u32 = 100;
/// Bytes of a question.
const QUERY_BYTES_MAX: usize = 4 * 1024;

/// What a library is made of.
pub struct Parts {
    /// The data folder, where the library keeps its own files.
    pub data: PathBuf,
    /// What says what texts mean, or why there is nothing that does.
    pub embedder: Result<Arc<dyn Embedder>, String>,
    /// What makes text of files.
    pub reader: Arc<dyn Reader>,
    /// Time and chance.
    pub world: Arc<dyn World>,
    /// How long to wait between two looks at a folder.
    pub poll: Duration,
    /// How much all folders may hold together.
    pub limits: Limits,
}

/// How much all folders may hold together; none means any amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Documents that can be read.
    pub documents_max: Option<u64>,
    /// Bytes of their files.
    pub bytes_max: Option<u64>,
}

/// The library. Cheap to clone.
#[derive(Clone)]
pub struct Library(Arc<Rooms>);

/// What every part of the library shares.
struct Rooms {
    data: PathBuf,
    desk: Desk,
    meaning: Meaning,
    reader: Arc<dyn Reader>,
    world: Arc<dyn World>,
    poll: Duration,
    /// How many files are read at once, over all folders.
    reading: tokio::sync::Semaphore,
    keepers: Mutex<HashMap<FolderId, Keeper>>,
    /// The folders there are, at hand for who cannot wait for the desk.
    folders: Mutex<HashMap<FolderId, Folder>>,
    stopping: CancellationToken,
    tasks: TaskTracker,
}

/// Files read at once.
const READING_MAX: usize = 3;

impl Library {
    /// Opens the library in the data folder, and looks after its folders from then on. It has to be called within a runtime.
    pub fn open(parts: Parts) -> Result<Self, LibraryError> {
        let Parts { data, embedder, reader, world, poll, limits } = parts;
        let model = embedder.as_ref().ok().map(|embedder| embedder.name().to_owned());
        let (desk, folders) = Desk::open(&data, model, limits)?;
        let (stopping, tasks) = (CancellationToken::new(), TaskTracker::new());
        let meaning = Meaning::new(embedder);
        let library = Self(Arc::new(Rooms {
            data,
            desk,
            meaning,
            reader,
            world,
            poll,
            reading: tokio::sync::Semaphore::new(READING_MAX),
            keepers: Mutex::default(),
            folders: Mutex::default(),
            stopping,
            tasks,
        }));
        let rooms = &library.0;
        rooms.tasks.spawn(rooms.meaning.clone().run(rooms.desk.clone(), rooms.stopping.clone()));
        for folder in folders {
            library.keep(folder);
        }
        Ok(library)
    }

    /// Stops looking after the folders and closes the file.
    pub async fn stop(&self) {
        self.0.stopping.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
        self.0.desk.close().await;
    }

    /// Lets a folder be looked after, once.
    fn keep(&self, folder: Folder) -> Keeper {
        self.0.folders.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.id, folder.clone());
        let mut keepers = self.0.keepers.lock().unwrap_or_else(PoisonError::into_inner);
        keepers.entry(folder.id).or_insert_with(|| keeper::start(&self.0, folder)).clone()
    }

    /// Ends looking after a folder.
    fn let_go(&self, id: FolderId) {
        self.0.folders.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        let keeper = self.0.keepers.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(keeper) = keeper {
            keeper.stop();
        }
    }

    fn keeper(&self, id: FolderId) -> Option<Keeper> {
        self.0.keepers.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// What fits a question, best first; passage by passage, or the best of each document.
    pub(crate) async fn find(
        &self,
        owner: &OwnerId,
        question: &str,
        limit: usize,
        by_document: bool,
    ) -> Result<Vec<Found>, LibraryError> {
        let question = question.trim().to_owned();
        if question.is_empty() || question.len() > QUERY_BYTES_MAX {
            return Err(LibraryError::Invalid(format!("a question has 1 to {QUERY_BYTES_MAX} bytes")));
        }
        let shelf = self.0.desk.shelf(owner).await?;
        let (meaning, now) = (self.0.meaning.clone(), self.0.world.now());
        let looked = tokio::task::spawn_blocking(move || {
            let vector = meaning.of(&question);
            let shelf = shelf.read().unwrap_or_else(PoisonError::into_inner);
            shelf.find(question, vector, limit, by_document, now)
        });
        looked.await.map_err(|_| LibraryError::Failed("looking for it broke down".to_owned()))
    }

    /// A document's title, date and passages, around the one that is given where there are very many; none if there is no
    /// such document for this owner.
    pub(crate) async fn document(
        &self,
        owner: &OwnerId,
        source: &str,
        around: &str,
        limit: usize,
    ) -> Result<Option<shelf::Taken>, LibraryError> {
        let shelf = self.0.desk.shelf(owner).await?;
        let shelf = shelf.read().unwrap_or_else(PoisonError::into_inner);
        Ok(shelf.take(source, around, limit))
    }

    /// Whether an owner has any document.
    pub(crate) async fn has_documents(&self, owner: &OwnerId) -> bool {
        let owner = owner.clone();
        let asked = self.0.desk.ask(move |desk| desk.store.has_documents(&owner)).await;
        asked.unwrap_or_default()
    }
}

#[async_trait]
impl tools::Library for Library {
    fn has_folders(&self, owner: &OwnerId) -> bool {
        let folders = self.0.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.values().any(|folder| folder.is_seen_by(owner))
    }

    async fn view(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError> {
        let folders = self.folder_views(owner).await?;
        Ok(LibraryView { folders, without_meaning: self.0.meaning.absence().map(str::to_owned) })
    }

    async fn add(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, LibraryError> {
        self.add_folder(owner, add).await
    }

    async fn remove(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, LibraryError> {
        self.remove_folder(owner, id).await
    }

    async fn rescan(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError> {
        let owned = owner.clone();
        let folders = self.0.desk.ask(move |desk| desk.store.folders_of(&owned)).await?;
        let keepers = folders.iter().filter_map(|folder| self.keeper(folder.id));
        futures::future::join_all(keepers.map(|keeper| async move { keeper.look(true).await })).await;
        self.view(owner).await
    }

    async fn usage(&self) -> Result<LibraryUsage, LibraryError> {
        self.0.desk.ask(Clerk::usage).await
    }

    async fn search(&self, owner: &OwnerId, search: LibrarySearch) -> Result<LibraryHits, LibraryError> {
        let limit = search.limit.unwrap_or(HITS);
        if limit == 0 || limit > HITS_MAX {
            return Err(LibraryError::Invalid(format!("`limit` is 1 to {HITS_MAX}")));
        }
        let found = self.find(owner, &search.query, limit as usize, false).await?;
        let hit = |it: Found| LibraryHit { title: it.title, source: it.source, text: it.text, score: it.score };
        Ok(LibraryHits { data: found.into_iter().map(hit).collect() })
    }
}
