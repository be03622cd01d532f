//! Looking at what texts mean, in the background: nobody who writes waits for it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
    time::Duration,
};

use journal::{Change, Memories};
use protocol::{ItemId, OwnerId};
use tokio::sync::{mpsc, watch};

use super::{error::Error, shelf::Shelf};
use crate::{embedding::Embedder, search::Wanted};

/// Texts looked at in one go.
const BATCH: usize = 16;
/// How long to leave a model alone that has failed.
const PAUSE: Duration = Duration::from_secs(5);

/// Looks at what texts mean.
#[derive(Clone)]
pub(super) struct Meaning {
    embedder: Result<Arc<dyn Embedder>, Arc<str>>,
    /// Owners whose shelves should be looked at.
    asked: mpsc::UnboundedSender<(OwnerId, Weak<RwLock<Shelf>>)>,
    /// Rises whenever some texts were looked at, or could not be.
    looked: watch::Sender<u64>,
    failures: Arc<Mutex<HashMap<ItemId, String>>>,
}

impl Meaning {
    pub(super) fn new(embedder: Result<Arc<dyn Embedder>, String>, store: Arc<dyn Memories>) -> Self {
        let (asked, questions) = mpsc::unbounded_channel();
        let embedder = embedder.map_err(Arc::from);
        let meaning = Self { embedder, asked, looked: watch::Sender::new(0), failures: Arc::default() };
        if let Ok(embedder) = &meaning.embedder {
            let worker = Worker {
                embedder: embedder.clone(),
                store,
                looked: meaning.looked.clone(),
                failures: meaning.failures.clone(),
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
        let text = text.to_owned();
        let task = tokio::task::spawn_blocking(move || embedder.embed(&[&text]));
        match task.await {
            Ok(Ok(vectors)) => Ok(vectors.into_iter().next()),
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
}

impl Worker {
    async fn run(self, mut questions: mpsc::UnboundedReceiver<(OwnerId, Weak<RwLock<Shelf>>)>) {
        while let Some((owner, shelf)) = questions.recv().await {
            while let Some(shelf) = shelf.upgrade() {
                let wanted = shelf.read().unwrap_or_else(PoisonError::into_inner).index.wanting(BATCH);
                if wanted.is_empty() {
                    break;
                }
                let is_done = self.look(&owner, &shelf, wanted).await;
                self.looked.send_modify(|count| *count += 1);
                if !is_done {
                    tokio::time::sleep(PAUSE).await;
                }
            }
            self.looked.send_modify(|count| *count += 1);
        }
    }

    /// Looks at some texts; whether it could.
    async fn look(&self, owner: &OwnerId, shelf: &RwLock<Shelf>, wanted: Vec<Wanted>) -> bool {
        let embedder = self.embedder.clone();
        let texts: Vec<String> = wanted.iter().map(|it| it.text.clone()).collect();
        let task = tokio::task::spawn_blocking(move || {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            embedder.embed(&texts)
        });
        let vectors = match task.await {
            Ok(Ok(vectors)) => vectors,
            Ok(Err(error)) => return self.fail(&wanted, &error.to_string()),
            Err(_) => return self.fail(&wanted, "the model of meaning broke down"),
        };
        let mut changes = Vec::new();
        {
            let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
            let mut ids: Vec<ItemId> = Vec::new();
            for (wanted, vector) in wanted.iter().zip(vectors) {
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
