//! The thread that owns the library's file and the indexes in memory.
//!
//! All other code sends it jobs. A document is written to the file and added to the indexes in one
//! job, so an index never contains half a change. A search needs the thread only to build an
//! owner's index; afterwards it reads the index directly.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    thread::JoinHandle,
};

use ports::LibraryError;
use protocol::{FolderId, LibraryUsage, OwnerId, QuotaUsage};
use tokio::sync::{mpsc, oneshot};

use super::{
    LibraryLimits, folder_list, folder_path,
    owner_documents::OwnerDocuments,
    passage_location::DocumentNo,
    store::{LibraryFolder, LibrarySize, LibraryStore, NewDocument, PassageDigest},
};

/// Maximum number of jobs in the queue of the thread.
const JOBS_MAX: usize = 64;
/// If more documents are removed at once, rebuilding the indexes is faster.
const GOING_MAX: usize = 200;

type Job = Box<dyn FnOnce(&mut LibraryThread) + Send>;
type DocumentsByOwner = Arc<RwLock<HashMap<OwnerId, Arc<RwLock<OwnerDocuments>>>>>;

/// A handle to the thread. Cheap to clone.
#[derive(Clone)]
pub(super) struct LibraryHandle {
    /// `None` ends the thread.
    jobs: mpsc::Sender<Option<Job>>,
    documents_by_owner: DocumentsByOwner,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// The state of the thread.
pub(super) struct LibraryThread {
    pub(super) store: LibraryStore,
    data: PathBuf,
    documents_by_owner: DocumentsByOwner,
    limits: LibraryLimits,
    /// Size of all folders; `None` until it is counted.
    held: Option<LibrarySize>,
}

impl LibraryHandle {
    /// Opens the file and starts the thread. Returns the existing folders.
    pub(super) fn open(
        data: &Path,
        model: Option<String>,
        limits: LibraryLimits,
    ) -> Result<(Self, Vec<LibraryFolder>), LibraryError> {
        let (store, is_new) = LibraryStore::open(data, model)?;
        if is_new {
            for folder in folder_list::read(data) {
                store.put_folder(&folder)?;
            }
        }
        let folders = store.folders()?;
        let (jobs, mut waiting) = mpsc::channel::<Option<Job>>(JOBS_MAX);
        let documents_by_owner = DocumentsByOwner::default();
        let mut library_thread = LibraryThread {
            store,
            data: data.to_owned(),
            documents_by_owner: documents_by_owner.clone(),
            limits,
            held: None,
        };
        let work = move || {
            while let Some(Some(job)) = waiting.blocking_recv() {
                // The caller gets an error; the other callers still need the thread.
                if catch_unwind(AssertUnwindSafe(|| job(&mut library_thread))).is_err() {
                    tracing::error!("a job of the library panicked");
                }
            }
        };
        let thread = std::thread::Builder::new().name("library".to_owned()).spawn(work);
        let thread = thread.map_err(|error| LibraryError::Failed(format!("its thread cannot be started: {error}")))?;
        Ok((Self { jobs, documents_by_owner, thread: Arc::new(Mutex::new(Some(thread))) }, folders))
    }

    /// Runs a job on the thread.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut LibraryThread) -> Result<T, LibraryError> + Send + 'static,
    ) -> Result<T, LibraryError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |library_thread| drop(reply.send(job(library_thread))));
        let closed = || LibraryError::Failed("it is closed".to_owned());
        self.jobs.send(Some(job)).await.map_err(|_| closed())?;
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    /// The index of an owner's documents, built if necessary.
    pub(super) async fn owner_documents(&self, owner: &OwnerId) -> Result<Arc<RwLock<OwnerDocuments>>, LibraryError> {
        if let Some(owner_documents) = self.documents_by_owner.read().unwrap_or_else(PoisonError::into_inner).get(owner)
        {
            return Ok(owner_documents.clone());
        }
        let owner = owner.clone();
        self.ask(move |library_thread| library_thread.owner_documents(&owner)).await
    }

    /// Closes the file after all queued jobs.
    pub(super) async fn close(&self) {
        // If this fails, the thread has already ended.
        let _ = self.jobs.send(None).await;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // The thread has caught every panic.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

impl LibraryThread {
    fn owner_documents(&mut self, owner: &OwnerId) -> Result<Arc<RwLock<OwnerDocuments>>, LibraryError> {
        let known = self.documents_by_owner.read().unwrap_or_else(PoisonError::into_inner).get(owner).cloned();
        if let Some(owner_documents) = known {
            return Ok(owner_documents);
        }
        let mut owner_documents = OwnerDocuments::new(owner.clone());
        for folder in self.store.folders_of(owner)? {
            self.store.each(folder.id, |filed| owner_documents.put(&folder.name, filed))?;
        }
        let owner_documents = Arc::new(RwLock::new(owner_documents));
        self.documents_by_owner
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(owner.clone(), owner_documents.clone());
        Ok(owner_documents)
    }

    /// Adds a folder, or returns the existing one with the same path.
    pub(super) fn add(&mut self, folder: LibraryFolder) -> Result<LibraryFolder, LibraryError> {
        let all = self.store.folders()?;
        let same = all.iter().find(|other| other.owner == folder.owner && other.path == folder.path);
        let folder = match same {
            Some(same) => LibraryFolder { shared: folder.shared, ..same.clone() },
            None => {
                let seen = all.iter().filter(|other| other.is_seen_by(&folder.owner));
                if let Some(why) = folder_path::clash(Path::new(&folder.path), seen) {
                    return Err(LibraryError::Invalid(format!("`{}` cannot be added: {why}", folder.path)));
                }
                let name =
                    folder_path::name(Path::new(&folder.path), |name| all.iter().any(|other| other.name == name));
                LibraryFolder { name, ..folder }
            }
        };
        let was_shared = same.map(|same| same.shared);
        self.store.put_folder(&folder)?;
        if was_shared.is_some_and(|was| was != folder.shared) {
            self.clear_owners(|_| true);
        }
        self.write_folder_list()?;
        Ok(folder)
    }

    /// Removes an owner's folder with all its documents.
    pub(super) fn remove_folder(&mut self, folder: &LibraryFolder) -> Result<(), LibraryError> {
        self.store.remove_folder(folder.id)?;
        self.held = None;
        self.clear_owners(|owner| folder.is_seen_by(owner));
        self.write_folder_list()
    }

    /// Stores a document and adds it to the indexes. Returns what is wrong with it, for example
    /// that the library is full; `None` if its folder was removed meanwhile.
    pub(super) fn put(
        &mut self,
        folder: FolderId,
        mut put: NewDocument,
    ) -> Result<Option<(DocumentNo, Option<String>)>, LibraryError> {
        let Some(folder) = self.store.folder(folder)? else { return Ok(None) };
        let before = self.store.held_by(folder.id, &put.path)?;
        if put.trouble.is_none()
            && let Some(reason) = self.without_room(before, &put)?
        {
            put.trouble = Some(reason);
            put.passages = Vec::new();
        }
        let trouble = put.trouble.clone();
        let is_troubled = trouble.is_some();
        if let Some(held) = self.held.as_mut().filter(|_| is_troubled) {
            // It may have been readable before.
            held.documents -= before.documents;
            held.bytes -= before.bytes;
        }
        let filed = match self.store.put(folder.id, put) {
            Ok(filed) => filed,
            Err(error) => {
                self.held = None;
                return Err(error);
            }
        };
        let document = filed.document;
        self.update_owners(&folder, |owner_documents| match is_troubled {
            true => owner_documents.remove(document),
            false => owner_documents.put(&folder.name, filed.clone()),
        });
        Ok(Some((document, trouble)))
    }

    /// Size of all folders, and the limits.
    pub(super) fn usage(&mut self) -> Result<LibraryUsage, LibraryError> {
        let held = self.held()?;
        Ok(LibraryUsage {
            documents: QuotaUsage { used: held.documents, max: self.limits.documents_max },
            bytes: QuotaUsage { used: held.bytes, max: self.limits.bytes_max },
        })
    }

    fn held(&mut self) -> Result<LibrarySize, LibraryError> {
        let held = match self.held {
            Some(held) => held,
            None => self.store.held()?,
        };
        self.held = Some(held);
        Ok(held)
    }

    /// Why a document exceeds the limits, if it does. The size of its earlier version is deducted.
    fn without_room(&mut self, before: LibrarySize, put: &NewDocument) -> Result<Option<String>, LibraryError> {
        let held = self.held()?;
        let documents = held.documents - before.documents + 1;
        let bytes = (held.bytes - before.bytes).saturating_add(u64::try_from(put.size).unwrap_or(0));
        let is_over = |now: u64, max: Option<u64>| max.filter(|max| now > *max);
        if let Some(max) = is_over(documents, self.limits.documents_max) {
            let reason = format!("the library has reached its limit of {max} documents (`library.documents_max`)");
            return Ok(Some(reason));
        }
        if let Some(max) = is_over(bytes, self.limits.bytes_max) {
            let used = held.bytes;
            let reason = format!("the library has {used} of {max} bytes, and this does not fit (`library.bytes_max`)");
            return Ok(Some(reason));
        }
        self.held = Some(LibrarySize { documents, bytes });
        Ok(None)
    }

    /// Removes documents of a folder.
    pub(super) fn remove(&mut self, folder: FolderId, documents: &[DocumentNo]) -> Result<(), LibraryError> {
        let Some(folder) = self.store.folder(folder)? else { return Ok(()) };
        self.store.remove(documents)?;
        self.held = None;
        if documents.len() > GOING_MAX {
            self.clear_owners(|owner| folder.is_seen_by(owner));
        } else {
            self.update_owners(&folder, |owner_documents| {
                documents.iter().for_each(|document| owner_documents.remove(*document))
            });
        }
        Ok(())
    }

    /// Stores embeddings of passages and adds them to the indexes.
    pub(super) fn store_vectors(&mut self, said: &[(PassageDigest, Vec<u8>)]) -> Result<(), LibraryError> {
        self.store.keep(said)?;
        let documents_by_owner: Vec<_> =
            self.documents_by_owner.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for (digest, bytes) in said {
            let passage_locations = self.store.passage_locations(*digest)?;
            for owner_documents in &documents_by_owner {
                let mut owner_documents = owner_documents.write().unwrap_or_else(PoisonError::into_inner);
                passage_locations
                    .iter()
                    .for_each(|passage_location| owner_documents.set_vector(*passage_location, bytes));
            }
        }
        Ok(())
    }

    fn update_owners(&self, folder: &LibraryFolder, mut change: impl FnMut(&mut OwnerDocuments)) {
        let documents_by_owner: Vec<_> =
            self.documents_by_owner.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for owner_documents in documents_by_owner {
            let mut owner_documents = owner_documents.write().unwrap_or_else(PoisonError::into_inner);
            if folder.is_seen_by(owner_documents.owner()) {
                change(&mut owner_documents);
            }
        }
    }

    /// Drops the indexes of these owners. The next search rebuilds them.
    fn clear_owners(&self, which: impl Fn(&OwnerId) -> bool) {
        self.documents_by_owner.write().unwrap_or_else(PoisonError::into_inner).retain(|owner, _| !which(owner));
    }

    fn write_folder_list(&self) -> Result<(), LibraryError> {
        folder_list::write(&self.data, &self.store.folders()?);
        Ok(())
    }
}
