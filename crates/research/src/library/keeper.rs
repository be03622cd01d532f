//! Looking after one folder: a task that walks it every now and then and has read what has changed.
//!
//! The library starts it when the folder is added or the library is opened, and ends it when the folder is given up or the
//! library closed. It owns what is known of the folder's files.

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
    READING_MAX, Rooms,
    reader::{self, FileDigest, Outcome, Reader},
    store::{Folder, Known, Put},
    walk::{self, Seen, Walked},
};

/// Those who may wait for a look.
const LOOKS_MAX: usize = 64;
/// The share of its time that is spent looking at a folder in which nothing happens is at most one in so many.
const REST: u32 = 20;
/// What was written this shortly before it was read may be written again with the same time on it.
const SETTLED_NS: i64 = 2_000_000_000;

/// A way to the one who looks after a folder. Cheap to clone; when it is given up, so is the folder.
#[derive(Clone)]
pub(super) struct Keeper {
    looks: mpsc::Sender<Look>,
    standing: Arc<Mutex<Standing>>,
    stopping: CancellationToken,
}

/// Somebody wants the folder looked through.
struct Look {
    /// Whether documents that could not be read are tried again, though they have not changed.
    tries_again: bool,
    done: oneshot::Sender<()>,
}

/// How a folder stands, beside what its documents say.
#[derive(Debug, Clone, Default)]
pub(super) struct Standing {
    /// When it was looked through last.
    pub(super) scanned_at: Option<Timestamp>,
    /// What could not be looked at, and why.
    pub(super) troubles: Vec<(String, String)>,
}

impl Keeper {
    /// Has the folder looked through from now on, and waits for the end of it.
    pub(super) async fn look(&self, tries_again: bool) {
        let (done, end) = oneshot::channel();
        // Nobody looks any more when the folder is given up or the library closed.
        if self.looks.send(Look { tries_again, done }).await.is_ok() {
            let _ = end.await;
        }
    }

    pub(super) fn standing(&self) -> Standing {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the task.
    pub(super) fn stop(&self) {
        self.stopping.cancel();
    }
}

/// Starts looking after a folder.
pub(super) fn start(rooms: &Arc<Rooms>, folder: Folder) -> Keeper {
    let (looks, asked) = mpsc::channel(LOOKS_MAX);
    let keeper = Keeper { looks, standing: Arc::default(), stopping: rooms.stopping.child_token() };
    let task = Task {
        desk: rooms.desk.clone(),
        reader: rooms.reader.clone(),
        rooms: rooms.clone(),
        root: PathBuf::from(&folder.path),
        folder,
        known: None,
        unsettled: HashSet::new(),
        standing: keeper.standing.clone(),
    };
    let stopping = keeper.stopping.clone();
    rooms.tasks.spawn(async move { stopping.run_until_cancelled(task.run(asked)).await });
    keeper
}

struct Task {
    rooms: Arc<Rooms>,
    desk: super::desk::Desk,
    reader: Arc<dyn Reader>,
    root: PathBuf,
    folder: Folder,
    /// What is known of the files, by path; none until the store was asked.
    known: Option<HashMap<String, Known>>,
    /// Files that are read again at the next look, whatever their times say.
    unsettled: HashSet<String>,
    standing: Arc<Mutex<Standing>>,
}

impl Task {
    async fn run(mut self, mut asked: mpsc::Receiver<Look>) {
        let mut pause = Duration::ZERO;
        loop {
            let mut waiting = Vec::new();
            if let Ok(Some(first)) = tokio::time::timeout(pause, asked.recv()).await {
                waiting.push(first);
                // One look serves all who wait for one.
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
                // Whoever asked may have stopped waiting.
                let _ = look.done.send(());
            }
            pause = self.rooms.poll.max(started_at.elapsed() * REST);
        }
    }

    /// Has documents that could not be read tried again, for whoever reads them may have learned something.
    fn try_again(&mut self) {
        let known = self.known.iter_mut().flatten().filter(|(_, known)| known.trouble.is_some());
        for (path, known) in known {
            known.digest = None;
            self.unsettled.insert(path.clone());
        }
    }

    /// Looks through the folder once, and says how it stands.
    async fn look(&mut self) {
        let troubles = match self.try_look().await {
            Ok(troubles) => troubles,
            // What was read stays until the folder is back.
            Err(why) => vec![(self.folder.path.clone(), why)],
        };
        let scanned_at = Some(self.rooms.world.now());
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = Standing { scanned_at, troubles };
    }

    async fn try_look(&mut self) -> Result<Vec<(String, String)>, String> {
        if self.known.is_none() {
            let id = self.folder.id;
            let known = self.desk.ask(move |clerk| clerk.store.known(id)).await.map_err(|error| error.to_string())?;
            self.known = Some(known);
        }
        let root = self.root.clone();
        let walked = tokio::task::spawn_blocking(move || walk::walk(&root)).await;
        let walked = walked.map_err(|_| "looking through it broke down".to_owned())??;
        self.check_mounted(&walked).await?;
        let is_changed = self.read_changed(&walked).await? | self.remove_gone(&walked).await?;
        if is_changed {
            let dropped = self.desk.ask(|clerk| clerk.store.drop_orphans()).await;
            dropped.map_err(|error| error.to_string())?;
            self.rooms.meaning.look();
        }
        Ok(walked.troubles)
    }

    /// An empty folder on another disk than before is the place where a disk should be.
    async fn check_mounted(&mut self, walked: &Walked) -> Result<(), String> {
        let has_known = self.known.as_ref().is_some_and(|known| !known.is_empty());
        let is_elsewhere = self.folder.device.is_some_and(|device| device != walked.device);
        if walked.files.is_empty() && has_known && is_elsewhere {
            return Err("the folder is empty and on another disk than before: is something not mounted?".to_owned());
        }
        if !walked.files.is_empty() && self.folder.device != Some(walked.device) {
            self.folder.device = Some(walked.device);
            let (id, device) = (self.folder.id, walked.device);
            let noted = self.desk.ask(move |clerk| match clerk.store.folder(id)? {
                Some(folder) => clerk.store.put_folder(&Folder { device: Some(device), ..folder }),
                None => Ok(()),
            });
            noted.await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Reads what is new or has changed; whether there was anything.
    async fn read_changed(&mut self, walked: &Walked) -> Result<bool, String> {
        let changed: Vec<(Seen, Option<FileDigest>)> = walked
            .files
            .iter()
            .filter(|seen| self.is_changed(seen))
            .map(|seen| (seen.clone(), self.known_of(&seen.path).and_then(|known| known.digest)))
            .collect();
        let (rooms, root, files_reader) = (self.rooms.clone(), self.root.clone(), self.reader.clone());
        let reading = changed.into_iter().map(|(seen, known)| {
            let (rooms, root, files_reader) = (rooms.clone(), root.clone(), files_reader.clone());
            async move {
                let _permit = rooms.reading.acquire().await;
                let path = seen.path.clone();
                let is_too_large = seen.is_too_large();
                let read = tokio::task::spawn_blocking(move || match is_too_large {
                    true => reader::too_large(),
                    false => reader::read_file(&root, &path, known, files_reader.as_ref()),
                });
                (read.await.unwrap_or_else(|_| reader::broke_down()), seen)
            }
        });
        // In the order of paths: where there is room for some of them only, it is the same ones every time.
        let mut outcomes = stream::iter(reading).buffered(READING_MAX);
        let mut is_changed = false;
        while let Some((outcome, seen)) = outcomes.next().await {
            is_changed |= self.take(outcome, seen).await?;
        }
        Ok(is_changed)
    }

    fn known_of(&self, path: &str) -> Option<&Known> {
        self.known.as_ref()?.get(path)
    }

    fn is_changed(&self, seen: &Seen) -> bool {
        let is_known = |known: &Known| known.size == seen.size && known.written_ns == seen.written_ns;
        self.unsettled.contains(&seen.path) || !self.known_of(&seen.path).is_some_and(is_known)
    }

    /// Writes down what came of reading a file; whether that changes what can be found.
    async fn take(&mut self, outcome: Outcome, seen: Seen) -> Result<bool, String> {
        let now_ns = self.rooms.world.now().as_millis().saturating_mul(1_000_000);
        let is_fresh = now_ns.saturating_sub(seen.written_ns).saturating_abs() < SETTLED_NS;
        let is_closed = matches!(outcome, Outcome::Closed { .. });
        if is_fresh || is_closed {
            self.unsettled.insert(seen.path.clone());
        } else {
            self.unsettled.remove(&seen.path);
        }
        let (digest, title, published, trouble, passages) = match outcome {
            Outcome::Gone => return Ok(false),
            Outcome::Same => return self.touch(seen).await.map(|()| false),
            Outcome::Read { digest, title, published, passages } => (Some(digest), title, published, None, passages),
            Outcome::Unreadable { digest, reason } => (digest, String::new(), None, Some(reason), Vec::new()),
            Outcome::Closed { reason } => (None, String::new(), None, Some(reason), Vec::new()),
        };
        let same_trouble =
            |known: &Known| known.trouble.is_some() && known.trouble == trouble && known.digest == digest;
        if self.known_of(&seen.path).is_some_and(same_trouble) {
            return self.touch(seen).await.map(|()| false);
        }
        let Seen { path, size, written_ns } = seen;
        let put = Put { path: path.clone(), size, written_ns, digest, title, published, trouble, passages };
        let id = self.folder.id;
        let written = self.desk.ask(move |clerk| clerk.put(id, put)).await.map_err(|error| error.to_string())?;
        if let (Some((document, trouble)), Some(all)) = (written, &mut self.known) {
            all.insert(path, Known { document, size, written_ns, digest, trouble });
            self.rooms.meaning.look();
        }
        Ok(true)
    }

    async fn touch(&mut self, seen: Seen) -> Result<(), String> {
        let known = self.known.as_mut().and_then(|known| known.get_mut(&seen.path));
        let Some(known) = known.filter(|known| (known.size, known.written_ns) != (seen.size, seen.written_ns)) else {
            return Ok(());
        };
        (known.size, known.written_ns) = (seen.size, seen.written_ns);
        let document = known.document;
        let touched = self.desk.ask(move |clerk| clerk.store.touch(document, seen.size, seen.written_ns)).await;
        touched.map_err(|error| error.to_string())
    }

    /// Removes what is not there any more; whether there was anything.
    async fn remove_gone(&mut self, walked: &Walked) -> Result<bool, String> {
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
        let removed = self.desk.ask(move |clerk| clerk.remove(id, &gone)).await;
        removed.map_err(|error| error.to_string())?;
        Ok(true)
    }
}
