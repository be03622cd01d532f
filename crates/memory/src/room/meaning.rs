//! Looking at what texts mean, in the background: nobody who writes waits for it.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
    time::Duration,
};

use journal::{Change, Memories};
use model::workers::Background;
use protocol::{ItemId, OwnerId};
use tokio::sync::{mpsc, watch};

use super::{error::Error, shelf::Shelf};
use crate::{embedding::Embedder, search::Wanted};

/// Texts looked at in one go.
const BATCH: usize = 16;
/// How long to leave a model alone that has failed.
const PAUSE: Duration = Duration::from_secs(5);
/// Questions whose meaning is kept: a message that is asked with is written down next.
const RECENT_MAX: usize = 32;

/// Looks at what texts mean.
#[derive(Clone)]
pub(super) struct Meaning {
    embedder: Result<Arc<dyn Embedder>, Arc<str>>,
    /// Owners whose shelves should be looked at.
    asked: mpsc::UnboundedSender<(OwnerId, Weak<RwLock<Shelf>>)>,
    /// Rises whenever some texts were looked at, or could not be.
    looked: watch::Sender<u64>,
    failures: Arc<Mutex<HashMap<ItemId, String>>>,
    recent: Recent,
}

/// The texts that were asked about last, with what they mean.
#[derive(Clone, Default)]
struct Recent(Arc<Mutex<Known>>);

/// Texts with their vectors, the newest first.
type Known = VecDeque<(String, Vec<f32>)>;

impl Recent {
    fn of(&self, text: &str) -> Option<Vec<f32>> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().find(|(known, _)| known == text).map(|(_, vector)| vector.clone())
    }

    fn keep(&self, text: String, vector: Vec<f32>) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.push_front((text, vector));
        recent.truncate(RECENT_MAX);
    }
}

impl Meaning {
    pub(super) fn new(embedder: Result<Arc<dyn Embedder>, String>, store: Arc<dyn Memories>) -> Self {
        let (asked, questions) = mpsc::unbounded_channel();
        let embedder = embedder.map_err(Arc::from);
        let meaning = Self {
            embedder,
            asked,
            looked: watch::Sender::new(0),
            failures: Arc::default(),
            recent: Recent::default(),
        };
        if let Ok(embedder) = &meaning.embedder {
            let background = match Background::start("embedding") {
                Ok(background) => background,
                Err(error) => return Self { embedder: Err(error.to_string().into()), ..meaning },
            };
            let worker = Worker {
                background,
                embedder: embedder.clone(),
                store,
                looked: meaning.looked.clone(),
                failures: meaning.failures.clone(),
                recent: meaning.recent.clone(),
            };
            tokio::spawn(worker.run(questions));
        }
        meaning
    }

    /// Why there is none.
    pub(super) fn absence(&self) -> Option<&str> {
        self.embedder.as_ref().err().map(AsRef::as_ref)
    }

    /// What a question means; none where meaning cannot be looked at.
    pub(super) async fn of(&self, text: &str) -> Result<Option<Vec<f32>>, String> {
        let Ok(embedder) = self.embedder.clone() else { return Ok(None) };
        if let Some(vector) = self.recent.of(text) {
            return Ok(Some(vector));
        }
        let text = text.to_owned();
        let task = tokio::task::spawn_blocking(move || (embedder.embed(&[&text]), text));
        match task.await.map(|(embedded, text)| embedded.map(|vectors| (vectors.into_iter().next(), text))) {
            Ok(Ok((vector, text))) => {
                if let Some(vector) = &vector {
                    self.recent.keep(text, vector.clone());
                }
                Ok(vector)
            }
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the model of meaning broke down over this text".to_owned()),
        }
    }

    /// Gives a shelf that was just read the vectors that were made before.
    pub(super) async fn take_over(
        &self,
        owner: &OwnerId,
        shelf: &Arc<RwLock<Shelf>>,
        store: &dyn Memories,
    ) -> Result<(), Error> {
        let Ok(embedder) = &self.embedder else { return Ok(()) };
        let vectors = store.vectors(owner, embedder.name()).await?;
        {
            let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
            for (id, bytes) in vectors {
                // Those that no longer fit their text are made anew.
                shelf.index.restore(id, &bytes);
            }
        }
        self.look(owner, shelf);
        Ok(())
    }

    /// There may be new texts.
    pub(super) fn look(&self, owner: &OwnerId, shelf: &Arc<RwLock<Shelf>>) {
        if self.embedder.is_ok() {
            // Nobody listens only while the room is being closed.
            let _ = self.asked.send((owner.clone(), Arc::downgrade(shelf)));
        }
    }

    /// Rises whenever some texts were looked at.
    pub(super) fn looked(&self) -> watch::Receiver<u64> {
        self.looked.subscribe()
    }

    /// Why a text could not be looked at.
    pub(super) fn failure(&self, id: ItemId) -> Option<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }
}

struct Worker {
    embedder: Arc<dyn Embedder>,
    store: Arc<dyn Memories>,
    looked: watch::Sender<u64>,
    failures: Arc<Mutex<HashMap<ItemId, String>>>,
    recent: Recent,
    /// Where texts are embedded: no client waits for it, so it gives way.
    background: Background,
}

impl Worker {
    async fn run(self, mut questions: mpsc::UnboundedReceiver<(OwnerId, Weak<RwLock<Shelf>>)>) {
        while let Some((owner, shelf)) = questions.recv().await {
            self.look_through(&owner, &shelf).await;
        }
    }

    /// Looks at all that lacks its vectors on a shelf.
    async fn look_through(&self, owner: &OwnerId, shelf: &Weak<RwLock<Shelf>>) {
        while let Some(shelf) = shelf.upgrade() {
            let wanted = shelf.read().unwrap_or_else(PoisonError::into_inner).index.wanting(BATCH);
            if wanted.is_empty() {
                break;
            }
            let is_done = self.look(owner, &shelf, wanted).await;
            self.looked.send_modify(|count| *count += 1);
            if !is_done {
                tokio::time::sleep(PAUSE).await;
            }
        }
        self.looked.send_modify(|count| *count += 1);
    }

    /// Looks at some texts; whether it could.
    async fn look(&self, owner: &OwnerId, shelf: &RwLock<Shelf>, wanted: Vec<Wanted>) -> bool {
        let mut vectors: Vec<Option<Vec<f32>>> = wanted.iter().map(|it| self.recent.of(&it.text)).collect();
        let unknown = wanted.iter().zip(&vectors).filter(|(_, vector)| vector.is_none());
        let texts: Vec<String> = unknown.map(|(it, _)| it.text.clone()).collect();
        if !texts.is_empty() {
            let embedder = self.embedder.clone();
            let work = move || {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                embedder.embed(&texts)
            };
            let made = match self.background.run(work).await {
                Some(Ok(made)) => made,
                Some(Err(error)) => return self.fail(&wanted, &error.to_string()),
                None => return self.fail(&wanted, "the embedding model broke down"),
            };
            let mut made = made.into_iter();
            vectors.iter_mut().filter(|vector| vector.is_none()).for_each(|vector| *vector = made.next());
        }
        let mut changes = Vec::new();
        {
            let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
            let mut ids: Vec<ItemId> = Vec::new();
            for (wanted, vector) in wanted.iter().zip(vectors).filter_map(|(it, vector)| Some((it, vector?))) {
                shelf.index.set_vector(wanted, &vector);
                ids.push(wanted.id);
            }
            ids.dedup();
            let model = self.embedder.name();
            changes.extend(ids.into_iter().filter_map(|item_id| {
                let bytes = shelf.index.vectors(item_id)?;
                Some(Change::Vector { item_id, model: model.to_owned(), bytes })
            }));
        }
        self.failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|id, _| !wanted.iter().any(|it| it.id == *id));
        if let Err(error) = self.store.change(owner, changes).await {
            // They can be found, and are made again after the next start.
            tracing::warn!(%error, "failed to keep what texts mean");
        }
        true
    }

    fn fail(&self, wanted: &[Wanted], why: &str) -> bool {
        tracing::warn!(texts = wanted.len(), why, "failed to look at what texts mean; trying again");
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.extend(wanted.iter().map(|it| (it.id, why.to_owned())));
        false
    }
}
