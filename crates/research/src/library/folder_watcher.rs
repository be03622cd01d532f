//! The watcher of a folder: a task that scans it regularly and reads the changed files.
//!
//! The library starts it when the folder is added or the library is opened, and stops it when the
//! folder is removed or the library is closed. It owns the known state of the folder's files.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures::{StreamExt, stream};
use protocol::Timestamp;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    LibraryState, READING_MAX,
    reader::{self, FileDigest, FileReader, ReadOutcome},
    store::{KnownFile, LibraryFolder, NewDocument},
    walk::{self, FolderScan, ScannedFile},
};

/// Maximum number of queued scan requests.
const LOOKS_MAX: usize = 64;
/// A scan of an unchanged folder takes at most one part in so many of the time.
const REST: u32 = 20;
/// A file that was written this shortly before it was read may be written again with the same time.
const SETTLED_NS: i64 = 2_000_000_000;

/// A handle to the watcher of a folder. Cheap to clone.
#[derive(Clone)]
pub(super) struct FolderWatcher {
    looks: mpsc::Sender<ScanRequest>,
    status: Arc<Mutex<FolderStatus>>,
    stopping: CancellationToken,
}

/// A request to scan the folder.
struct ScanRequest {
    /// Whether unreadable documents are tried again although they have not changed.
    tries_again: bool,
    done: oneshot::Sender<()>,
}

/// Status of a folder, beside the state of its documents.
#[derive(Debug, Clone, Default)]
pub(super) struct FolderStatus {
    /// When the folder was last scanned.
    pub(super) scanned_at: Option<Timestamp>,
    /// What could not be scanned, and why.
    pub(super) troubles: Vec<(String, String)>,
}

impl FolderWatcher {
    /// Requests a scan, and waits for its end.
    pub(super) async fn scan(&self, tries_again: bool) {
        let (done, end) = oneshot::channel();
        // The watcher has ended if the folder was removed or the library is closed.
        if self.looks.send(ScanRequest { tries_again, done }).await.is_ok() {
            let _ = end.await;
        }
    }

    pub(super) fn status(&self) -> FolderStatus {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the task.
    pub(super) fn stop(&self) {
        self.stopping.cancel();
    }
}

/// Starts to watch a folder.
pub(super) fn start(state: &Arc<LibraryState>, folder: LibraryFolder) -> FolderWatcher {
    let (looks, asked) = mpsc::channel(LOOKS_MAX);
    let folder_watcher = FolderWatcher { looks, status: Arc::default(), stopping: state.stopping.child_token() };
    let task = WatchTask {
        handle: state.handle.clone(),
        reader: state.reader.clone(),
        state: state.clone(),
        root: PathBuf::from(&folder.path),
        folder,
        known: None,
        unsettled: HashSet::new(),
        status: folder_watcher.status.clone(),
    };
    let stopping = folder_watcher.stopping.clone();
    state.tasks.spawn(async move { stopping.run_until_cancelled(task.run(asked)).await });
    folder_watcher
}

struct WatchTask {
    state: Arc<LibraryState>,
    handle: super::library_thread::LibraryHandle,
    reader: Arc<dyn FileReader>,
    root: PathBuf,
    folder: LibraryFolder,
    /// The known files, by path; `None` until they are loaded from the store.
    known: Option<HashMap<String, KnownFile>>,
    /// Files that the next scan reads again, whatever their times are.
    unsettled: HashSet<String>,
    status: Arc<Mutex<FolderStatus>>,
}

impl WatchTask {
    async fn run(mut self, mut asked: mpsc::Receiver<ScanRequest>) {
        let mut pause = Duration::ZERO;
        loop {
            let mut waiting = Vec::new();
            if let Ok(Some(first)) = tokio::time::timeout(pause, asked.recv()).await {
                waiting.push(first);
                // One scan answers all waiting requests.
                while let Ok(next) = asked.try_recv() {
                    waiting.push(next);
                }
            }
            if waiting.iter().any(|look| look.tries_again) {
                self.try_again();
            }
            let started_at = Instant::now();
            self.look().await;
            for look in waiting {
                // The caller may have stopped waiting.
                let _ = look.done.send(());
            }
            pause = self.state.poll.max(started_at.elapsed() * REST);
        }
    }

    /// Marks unreadable documents to be read again, because the reader may have improved.
    fn try_again(&mut self) {
        let known = self.known.iter_mut().flatten().filter(|(_, known)| known.trouble.is_some());
        for (path, known) in known {
            known.digest = None;
            self.unsettled.insert(path.clone());
        }
    }

    /// Scans the folder once, and records its status.
    async fn look(&mut self) {
        let troubles = match self.try_look().await {
            Ok(troubles) => troubles,
            // The documents stay until the folder is available again.
            Err(why) => vec![(self.folder.path.clone(), why)],
        };
        let scanned_at = Some(self.state.world.now());
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = FolderStatus { scanned_at, troubles };
    }

    async fn try_look(&mut self) -> Result<Vec<(String, String)>, String> {
        if self.known.is_none() {
            let id = self.folder.id;
            let known = self
                .handle
                .ask(move |library_thread| library_thread.store.known(id))
                .await
                .map_err(|error| error.to_string())?;
            self.known = Some(known);
        }
        let root = self.root.clone();
        let walked = tokio::task::spawn_blocking(move || walk::walk(&root)).await;
        let walked = walked.map_err(|_| "the scan failed unexpectedly".to_owned())??;
        self.check_mounted(&walked).await?;
        let is_changed = self.read_changed(&walked).await? | self.remove_gone(&walked).await?;
        if is_changed {
            let dropped = self.handle.ask(|library_thread| library_thread.store.drop_orphans()).await;
            dropped.map_err(|error| error.to_string())?;
            self.state.embeddings.look();
        }
        Ok(walked.troubles)
    }

    /// An empty folder on another disk than before is probably an unmounted mount point.
    async fn check_mounted(&mut self, walked: &FolderScan) -> Result<(), String> {
        let has_known = self.known.as_ref().is_some_and(|known| !known.is_empty());
        let is_elsewhere = self.folder.device.is_some_and(|device| device != walked.device);
        if walked.files.is_empty() && has_known && is_elsewhere {
            return Err("the folder is empty and on another disk than before: is something not mounted?".to_owned());
        }
        if !walked.files.is_empty() && self.folder.device != Some(walked.device) {
            self.folder.device = Some(walked.device);
            let (id, device) = (self.folder.id, walked.device);
            let noted = self.handle.ask(move |library_thread| match library_thread.store.folder(id)? {
                Some(folder) => library_thread.store.put_folder(&LibraryFolder { device: Some(device), ..folder }),
                None => Ok(()),
            });
            noted.await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Reads new and changed files. Returns whether there were any.
    async fn read_changed(&mut self, walked: &FolderScan) -> Result<bool, String> {
        let changed: Vec<(ScannedFile, Option<FileDigest>)> = walked
            .files
            .iter()
            .filter(|seen| self.is_changed(seen))
            .map(|seen| (seen.clone(), self.known_of(&seen.path).and_then(|known| known.digest)))
            .collect();
        let (state, root, files_reader) = (self.state.clone(), self.root.clone(), self.reader.clone());
        let reading = changed.into_iter().map(|(seen, known)| {
            let (state, root, files_reader) = (state.clone(), root.clone(), files_reader.clone());
            async move {
                let _permit = state.reading.acquire().await;
                let path = seen.path.clone();
                let is_too_large = seen.is_too_large();
                let read = tokio::task::spawn_blocking(move || match is_too_large {
                    true => reader::too_large(),
                    false => reader::read_file(&root, &path, known, files_reader.as_ref()),
                });
                (read.await.unwrap_or_else(|_| reader::broke_down()), seen)
            }
        });
        // In the order of paths, so that the limits always admit the same files.
        let mut outcomes = stream::iter(reading).buffered(READING_MAX);
        let mut is_changed = false;
        while let Some((outcome, seen)) = outcomes.next().await {
            is_changed |= self.take(outcome, seen).await?;
        }
        Ok(is_changed)
    }

    fn known_of(&self, path: &str) -> Option<&KnownFile> {
        self.known.as_ref()?.get(path)
    }

    fn is_changed(&self, seen: &ScannedFile) -> bool {
        let is_known = |known: &KnownFile| known.size == seen.size && known.written_ns == seen.written_ns;
        self.unsettled.contains(&seen.path) || !self.known_of(&seen.path).is_some_and(is_known)
    }

    /// Stores the result of reading a file. Returns whether it changes the index.
    async fn take(&mut self, outcome: ReadOutcome, seen: ScannedFile) -> Result<bool, String> {
        let now_ns = self.state.world.now().as_millis().saturating_mul(1_000_000);
        let is_fresh = now_ns.saturating_sub(seen.written_ns).saturating_abs() < SETTLED_NS;
        let is_closed = matches!(outcome, ReadOutcome::Closed { .. });
        if is_fresh || is_closed {
            self.unsettled.insert(seen.path.clone());
        } else {
            self.unsettled.remove(&seen.path);
        }
        let (digest, title, published, trouble, passages) = match outcome {
            ReadOutcome::Gone => return Ok(false),
            ReadOutcome::Same => return self.touch(seen).await.map(|()| false),
            ReadOutcome::Read { digest, title, published, passages } => {
                (Some(digest), title, published, None, passages)
            }
            ReadOutcome::Unreadable { digest, reason } => (digest, String::new(), None, Some(reason), Vec::new()),
            ReadOutcome::Closed { reason } => (None, String::new(), None, Some(reason), Vec::new()),
        };
        let same_trouble =
            |known: &KnownFile| known.trouble.is_some() && known.trouble == trouble && known.digest == digest;
        if self.known_of(&seen.path).is_some_and(same_trouble) {
            return self.touch(seen).await.map(|()| false);
        }
        let ScannedFile { path, size, written_ns } = seen;
        let put = NewDocument { path: path.clone(), size, written_ns, digest, title, published, trouble, passages };
        let id = self.folder.id;
        let written = self
            .handle
            .ask(move |library_thread| library_thread.put(id, put))
            .await
            .map_err(|error| error.to_string())?;
        if let (Some((document, trouble)), Some(all)) = (written, &mut self.known) {
            all.insert(path, KnownFile { document, size, written_ns, digest, trouble });
            self.state.embeddings.look();
        }
        Ok(true)
    }

    async fn touch(&mut self, seen: ScannedFile) -> Result<(), String> {
        let known = self.known.as_mut().and_then(|known| known.get_mut(&seen.path));
        let Some(known) = known.filter(|known| (known.size, known.written_ns) != (seen.size, seen.written_ns)) else {
            return Ok(());
        };
        (known.size, known.written_ns) = (seen.size, seen.written_ns);
        let document = known.document;
        let touched = self
            .handle
            .ask(move |library_thread| library_thread.store.touch(document, seen.size, seen.written_ns))
            .await;
        touched.map_err(|error| error.to_string())
    }

    /// Removes documents whose files are gone. Returns whether there were any.
    async fn remove_gone(&mut self, walked: &FolderScan) -> Result<bool, String> {
        let there: HashSet<&str> = walked.files.iter().map(|seen| seen.path.as_str()).collect();
        let Some(known) = &mut self.known else { return Ok(false) };
        let is_gone = |path: &str| !there.contains(path) && !walked.is_unknown(path);
        let gone: Vec<_> = known.iter().filter(|(path, _)| is_gone(path)).map(|(_, known)| known.document).collect();
        if gone.is_empty() {
            return Ok(false);
        }
        known.retain(|path, _| !is_gone(path));
        self.unsettled.retain(|path| !is_gone(path));
        let id = self.folder.id;
        let removed = self.handle.ask(move |library_thread| library_thread.remove(id, &gone)).await;
        removed.map_err(|error| error.to_string())?;
        Ok(true)
    }
}
