//! Documents on this machine, found by words and by embeddings.
//!
//! An added folder is scanned ([`walk`]), and its readable files are read ([`reader`]). Repeated
//! scans ([`folder_watcher`]) notice changes, which also works on file systems without
//! notifications. One thread ([`library_thread`]) owns the file ([`store`]) and the indexes in
//! memory ([`owner_documents`]), one per owner, built on first use. Embeddings are computed in the
//! background ([`embedding_service`]) and stored by the digest of the text, so that a moved file
//! costs nothing. Everything can be rebuilt from the folders except their list ([`folder_list`]),
//! which is therefore stored twice.

mod embedding_service;
mod folder_list;
mod folder_path;
mod folder_watcher;
mod folders;
mod library_thread;
mod owner_documents;
mod passage_location;
mod reader;
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
use memory::{embedding::Embedder, long_term::World};
use ports::LibraryError;
use protocol::{
    AddFolder, FolderId, FolderView, LibraryHit, LibraryHits, LibrarySearch, LibraryUsage, LibraryView, OwnerId,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) use self::owner_documents::PassageHit;
pub use self::reader::{FileReader, InProcessReader};
use self::{
    embedding_service::EmbeddingService,
    folder_watcher::FolderWatcher,
    library_thread::{LibraryHandle, LibraryThread},
    store::LibraryFolder,
};

/// Default number of passages in a result.
const HITS: u32 = 10;
/// Maximum number of passages in a result.
const HITS_MAX: u32 = 100;
/// Maximum length of a query in bytes.
const QUERY_BYTES_MAX: usize = 4 * 1024;

/// Dependencies of a library.
pub struct LibraryParts {
    /// The data folder, which holds the library's own files.
    pub data: PathBuf,
    /// The embedding model, or why there is none.
    pub embedder: Result<Arc<dyn Embedder>, String>,
    /// Extracts the text of files.
    pub reader: Arc<dyn FileReader>,
    /// Clock and random numbers.
    pub world: Arc<dyn World>,
    /// Time between two scans of a folder.
    pub poll: Duration,
    /// Limits for all folders together.
    pub limits: LibraryLimits,
}

/// Limits for all folders together; `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LibraryLimits {
    /// Number of readable documents.
    pub documents_max: Option<u64>,
    /// Bytes of their files.
    pub bytes_max: Option<u64>,
}

/// The library. Cheap to clone.
#[derive(Clone)]
pub struct Library(Arc<LibraryState>);

/// State shared by all parts of the library.
struct LibraryState {
    data: PathBuf,
    handle: LibraryHandle,
    embeddings: EmbeddingService,
    reader: Arc<dyn FileReader>,
    world: Arc<dyn World>,
    poll: Duration,
    /// Limits how many files are read at the same time, over all folders.
    reading: tokio::sync::Semaphore,
    folder_watchers: Mutex<HashMap<FolderId, FolderWatcher>>,
    /// The folders, for callers that cannot wait for the library's thread.
    folders: Mutex<HashMap<FolderId, LibraryFolder>>,
    stopping: CancellationToken,
    tasks: TaskTracker,
}

/// Maximum number of files that are read at the same time.
const READING_MAX: usize = 3;

impl Library {
    /// Opens the library in the data folder and watches its folders. It must be called within a
    /// runtime.
    pub fn open(parts: LibraryParts) -> Result<Self, LibraryError> {
        let LibraryParts { data, embedder, reader, world, poll, limits } = parts;
        let model = embedder.as_ref().ok().map(|embedder| embedder.name().to_owned());
        let (handle, folders) = LibraryHandle::open(&data, model, limits)?;
        let (stopping, tasks) = (CancellationToken::new(), TaskTracker::new());
        let embeddings = EmbeddingService::new(embedder);
        let library = Self(Arc::new(LibraryState {
            data,
            handle,
            embeddings,
            reader,
            world,
            poll,
            reading: tokio::sync::Semaphore::new(READING_MAX),
            folder_watchers: Mutex::default(),
            folders: Mutex::default(),
            stopping,
            tasks,
        }));
        let state = &library.0;
        state.tasks.spawn(state.embeddings.clone().run(state.handle.clone(), state.stopping.clone()));
        for folder in folders {
            library.watch(folder);
        }
        Ok(library)
    }

    /// Stops the watchers and closes the file.
    pub async fn stop(&self) {
        self.0.stopping.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
        self.0.handle.close().await;
    }

    /// Starts the watcher of a folder, unless it runs already.
    fn watch(&self, folder: LibraryFolder) -> FolderWatcher {
        self.0.folders.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.id, folder.clone());
        let mut folder_watchers = self.0.folder_watchers.lock().unwrap_or_else(PoisonError::into_inner);
        folder_watchers.entry(folder.id).or_insert_with(|| folder_watcher::start(&self.0, folder)).clone()
    }

    /// Stops the watcher of a folder.
    fn unwatch(&self, id: FolderId) {
        self.0.folders.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        let folder_watcher = self.0.folder_watchers.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(folder_watcher) = folder_watcher {
            folder_watcher.stop();
        }
    }

    fn folder_watcher(&self, id: FolderId) -> Option<FolderWatcher> {
        self.0.folder_watchers.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// Passages that match a question, best first: all of them, or the best one of each document.
    pub(crate) async fn find(
        &self,
        owner: &OwnerId,
        question: &str,
        limit: usize,
        by_document: bool,
    ) -> Result<Vec<PassageHit>, LibraryError> {
        let question = question.trim().to_owned();
        if question.is_empty() || question.len() > QUERY_BYTES_MAX {
            return Err(LibraryError::Invalid(format!("a query must have 1 to {QUERY_BYTES_MAX} bytes")));
        }
        let owner_documents = self.0.handle.owner_documents(owner).await?;
        let (embeddings, now) = (self.0.embeddings.clone(), self.0.world.now());
        let looked = tokio::task::spawn_blocking(move || {
            let vector = embeddings.of(&question);
            let owner_documents = owner_documents.read().unwrap_or_else(PoisonError::into_inner);
            owner_documents.find(question, vector, limit, by_document, now)
        });
        looked.await.map_err(|_| LibraryError::Failed("the search failed unexpectedly".to_owned()))
    }

    /// Title, date and passages of a document. Of a very long document, the passages around the
    /// given one. `None` if the owner has no such document.
    pub(crate) async fn document(
        &self,
        owner: &OwnerId,
        source: &str,
        around: &str,
        limit: usize,
    ) -> Result<Option<owner_documents::DocumentPassages>, LibraryError> {
        let owner_documents = self.0.handle.owner_documents(owner).await?;
        let owner_documents = owner_documents.read().unwrap_or_else(PoisonError::into_inner);
        Ok(owner_documents.document(source, around, limit))
    }

    /// Whether an owner has any document.
    pub(crate) async fn has_documents(&self, owner: &OwnerId) -> bool {
        let owner = owner.clone();
        let asked = self.0.handle.ask(move |handle| handle.store.has_documents(&owner)).await;
        asked.unwrap_or_default()
    }
}

#[async_trait]
impl ports::LibraryPort for Library {
    fn has_folders(&self, owner: &OwnerId) -> bool {
        let folders = self.0.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.values().any(|folder| folder.is_seen_by(owner))
    }

    async fn view(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError> {
        let folders = self.folder_views(owner).await?;
        Ok(LibraryView { folders, without_meaning: self.0.embeddings.absence().map(str::to_owned) })
    }

    async fn add(&self, owner: &OwnerId, add: AddFolder) -> Result<FolderView, LibraryError> {
        self.add_folder(owner, add).await
    }

    async fn remove(&self, owner: &OwnerId, id: FolderId) -> Result<FolderView, LibraryError> {
        self.remove_folder(owner, id).await
    }

    async fn rescan(&self, owner: &OwnerId) -> Result<LibraryView, LibraryError> {
        let owned = owner.clone();
        let folders = self.0.handle.ask(move |handle| handle.store.folders_of(&owned)).await?;
        let folder_watchers = folders.iter().filter_map(|folder| self.folder_watcher(folder.id));
        futures::future::join_all(folder_watchers.map(|folder_watcher| async move { folder_watcher.scan(true).await }))
            .await;
        self.view(owner).await
    }

    async fn usage(&self) -> Result<LibraryUsage, LibraryError> {
        self.0.handle.ask(LibraryThread::usage).await
    }

    async fn search(&self, owner: &OwnerId, search: LibrarySearch) -> Result<LibraryHits, LibraryError> {
        let limit = search.limit.unwrap_or(HITS);
        if limit == 0 || limit > HITS_MAX {
            return Err(LibraryError::Invalid(format!("`limit` must be 1 to {HITS_MAX}")));
        }
        let found = self.find(owner, &search.query, limit as usize, false).await?;
        let hit = |it: PassageHit| LibraryHit { title: it.title, source: it.source, text: it.text, score: it.score };
        Ok(LibraryHits { data: found.into_iter().map(hit).collect() })
    }
}
