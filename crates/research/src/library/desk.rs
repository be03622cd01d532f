//! The desk: the one thread that owns the library's file, and what is held in memory of it.
//!
//! Everybody else sends it work. A document is written down and put on the shelves in one go, so a shelf is never made of half a
//! change. Searching needs the desk only to have a shelf made; afterwards it reads the shelf itself.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    thread::JoinHandle,
};

use protocol::{FolderId, LibraryUsage, OwnerId, Share};
use tokio::sync::{mpsc, oneshot};
use tools::LibraryError;

use super::{
    Limits, place, roll,
    shelf::Shelf,
    spot::DocumentNo,
    store::{Digest, Folder, Held, Put, Store},
};

/// Work that may wait for the desk.
const JOBS_MAX: usize = 64;
/// When more documents go at once, making the shelves anew is quicker.
const GOING_MAX: usize = 200;

type Job = Box<dyn FnOnce(&mut Clerk) + Send>;
type Shelves = Arc<RwLock<HashMap<OwnerId, Arc<RwLock<Shelf>>>>>;

/// A way to the desk. Cheap to clone.
#[derive(Clone)]
pub(super) struct Desk {
    /// None ends the thread.
    jobs: mpsc::Sender<Option<Job>>,
    shelves: Shelves,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// Who works at the desk.
pub(super) struct Clerk {
    pub(super) store: Store,
    data: PathBuf,
    shelves: Shelves,
    limits: Limits,
    /// What all folders hold; none until it is counted.
    held: Option<Held>,
}

impl Desk {
    /// Opens the file and starts the thread. Gives the folders there are.
    pub(super) fn open(
        data: &Path,
        model: Option<String>,
        limits: Limits,
    ) -> Result<(Self, Vec<Folder>), LibraryError> {
        let (store, is_new) = Store::open(data, model)?;
        if is_new {
            for folder in roll::read(data) {
                store.put_folder(&folder)?;
            }
        }
        let folders = store.folders()?;
        let (jobs, mut waiting) = mpsc::channel::<Option<Job>>(JOBS_MAX);
        let shelves = Shelves::default();
        let mut clerk = Clerk { store, data: data.to_owned(), shelves: shelves.clone(), limits, held: None };
        let work = move || {
            while let Some(Some(job)) = waiting.blocking_recv() {
                // Whoever asked is told that there is no answer; the others should still have theirs.
                if catch_unwind(AssertUnwindSafe(|| job(&mut clerk))).is_err() {
                    tracing::error!("something the library was asked to do broke down");
                }
            }
        };
        let thread = std::thread::Builder::new().name("library".to_owned()).spawn(work);
        let thread = thread.map_err(|error| LibraryError::Failed(format!("its thread cannot be started: {error}")))?;
        Ok((Self { jobs, shelves, thread: Arc::new(Mutex::new(Some(thread))) }, folders))
    }

    /// Has something done at the desk.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Clerk) -> Result<T, LibraryError> + Send + 'static,
    ) -> Result<T, LibraryError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |clerk| drop(reply.send(job(clerk))));
        let closed = || LibraryError::Failed("it is closed".to_owned());
        self.jobs.send(Some(job)).await.map_err(|_| closed())?;
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    /// An owner's shelf, made if need be.
    pub(super) async fn shelf(&self, owner: &OwnerId) -> Result<Arc<RwLock<Shelf>>, LibraryError> {
        if let Some(shelf) = self.shelves.read().unwrap_or_else(PoisonError::into_inner).get(owner) {
            return Ok(shelf.clone());
        }
        let owner = owner.clone();
        self.ask(move |clerk| clerk.shelf(&owner)).await
    }

    /// Closes the file, once all that waits is done.
    pub(super) async fn close(&self) {
        // It is closed already if nobody takes this.
        let _ = self.jobs.send(None).await;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // It has caught every panic.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

impl Clerk {
    fn shelf(&mut self, owner: &OwnerId) -> Result<Arc<RwLock<Shelf>>, LibraryError> {
        let known = self.shelves.read().unwrap_or_else(PoisonError::into_inner).get(owner).cloned();
        if let Some(shelf) = known {
            return Ok(shelf);
        }
        let mut shelf = Shelf::new(owner.clone());
        for folder in self.store.folders_of(owner)? {
            self.store.each(folder.id, |filed| shelf.put(&folder.name, filed))?;
        }
        let shelf = Arc::new(RwLock::new(shelf));
        self.shelves.write().unwrap_or_else(PoisonError::into_inner).insert(owner.clone(), shelf.clone());
        Ok(shelf)
    }

    /// Adds a folder, or finds the same one there already.
    pub(super) fn add(&mut self, folder: Folder) -> Result<Folder, LibraryError> {
        let all = self.store.folders()?;
        let same = all.iter().find(|other| other.owner == folder.owner && other.path == folder.path);
        let folder = match same {
            Some(same) => Folder { shared: folder.shared, ..same.clone() },
            None => {
                let seen = all.iter().filter(|other| other.is_seen_by(&folder.owner));
                if let Some(why) = place::clash(Path::new(&folder.path), seen) {
                    return Err(LibraryError::Invalid(format!("`{}` cannot be added: {why}", folder.path)));
                }
                let name = place::name(Path::new(&folder.path), |name| all.iter().any(|other| other.name == name));
                Folder { name, ..folder }
            }
        };
        let was_shared = same.map(|same| same.shared);
        self.store.put_folder(&folder)?;
        if was_shared.is_some_and(|was| was != folder.shared) {
            self.clear_shelves(|_| true);
        }
        self.write_roll()?;
        Ok(folder)
    }

    /// Removes an owner's folder with all that was read in it.
    pub(super) fn remove_folder(&mut self, folder: &Folder) -> Result<(), LibraryError> {
        self.store.remove_folder(folder.id)?;
        self.held = None;
        self.clear_shelves(|owner| folder.is_seen_by(owner));
        self.write_roll()
    }

    /// Writes a document down and puts it on the shelves, and says what is wrong with it, which may be that there is no room
    /// for it; none if its folder has gone meanwhile.
    pub(super) fn put(
        &mut self,
        folder: FolderId,
        mut put: Put,
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
        self.on_shelves(&folder, |shelf| match is_troubled {
            true => shelf.remove(document),
            false => shelf.put(&folder.name, filed.clone()),
        });
        Ok(Some((document, trouble)))
    }

    /// What all folders hold, and how much they may.
    pub(super) fn usage(&mut self) -> Result<LibraryUsage, LibraryError> {
        let held = self.held()?;
        Ok(LibraryUsage {
            documents: Share { used: held.documents, max: self.limits.documents_max },
            bytes: Share { used: held.bytes, max: self.limits.bytes_max },
        })
    }

    fn held(&mut self) -> Result<Held, LibraryError> {
        let held = match self.held {
            Some(held) => held,
            None => self.store.held()?,
        };
        self.held = Some(held);
        Ok(held)
    }

    /// Why there is no room for a document, if there is none. What there is of it before gives its own room up.
    fn without_room(&mut self, before: Held, put: &Put) -> Result<Option<String>, LibraryError> {
        let held = self.held()?;
        let documents = held.documents - before.documents + 1;
        let bytes = (held.bytes - before.bytes).saturating_add(u64::try_from(put.size).unwrap_or(0));
        let is_over = |now: u64, max: Option<u64>| max.filter(|max| now > *max);
        if let Some(max) = is_over(documents, self.limits.documents_max) {
            let reason = format!("the library holds {max} documents, and no more are taken (`library.documents_max`)");
            return Ok(Some(reason));
        }
        if let Some(max) = is_over(bytes, self.limits.bytes_max) {
            let used = held.bytes;
            let reason = format!("the library holds {used} of {max} bytes, and this is more (`library.bytes_max`)");
            return Ok(Some(reason));
        }
        self.held = Some(Held { documents, bytes });
        Ok(None)
    }

    /// Removes documents of a folder.
    pub(super) fn remove(&mut self, folder: FolderId, documents: &[DocumentNo]) -> Result<(), LibraryError> {
        let Some(folder) = self.store.folder(folder)? else { return Ok(()) };
        self.store.remove(documents)?;
        self.held = None;
        if documents.len() > GOING_MAX {
            self.clear_shelves(|owner| folder.is_seen_by(owner));
        } else {
            self.on_shelves(&folder, |shelf| documents.iter().for_each(|document| shelf.remove(*document)));
        }
        Ok(())
    }

    /// Keeps what these words mean, and tells the shelves.
    pub(super) fn learn(&mut self, said: &[(Digest, Vec<u8>)]) -> Result<(), LibraryError> {
        self.store.keep(said)?;
        let shelves: Vec<_> = self.shelves.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for (digest, bytes) in said {
            let spots = self.store.spots(*digest)?;
            for shelf in &shelves {
                let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
                spots.iter().for_each(|spot| shelf.learn(*spot, bytes));
            }
        }
        Ok(())
    }

    fn on_shelves(&self, folder: &Folder, mut change: impl FnMut(&mut Shelf)) {
        let shelves: Vec<_> = self.shelves.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for shelf in shelves {
            let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
            if folder.is_seen_by(shelf.owner()) {
                change(&mut shelf);
            }
        }
    }

    /// Shelves that are made anew when they are next looked at.
    fn clear_shelves(&self, which: impl Fn(&OwnerId) -> bool) {
        self.shelves.write().unwrap_or_else(PoisonError::into_inner).retain(|owner, _| !which(owner));
    }

    fn write_roll(&self) -> Result<(), LibraryError> {
        roll::write(&self.data, &self.store.folders()?);
        Ok(())
    }
}
