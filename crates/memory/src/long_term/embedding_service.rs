//! Embeds texts in the background, so that writes do not wait for it.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
    time::Duration,
};

use journal::{Change, Memories};
use model::workers::BackgroundThread;
use protocol::{ItemId, OwnerId};
use tokio::sync::{Semaphore, mpsc, watch};

use super::{error::Error, owner_records::OwnerRecords};
use crate::{embedding::Embedder, search::UnembeddedText};

/// Texts embedded in one batch.
pub(super) const BATCH: usize = 16;
/// Pause after the embedding model has failed.
const PAUSE: Duration = Duration::from_secs(5);
/// Queries whose vectors are cached: a message is searched with first and stored right after.
const RECENT_MAX: usize = 32;

/// Embeds queries at once and records in the background.
#[derive(Clone)]
pub(super) struct EmbeddingService {
    pub(super) embedder: Result<Arc<dyn Embedder>, Arc<str>>,
    /// Lets one client's texts be embedded at a time, so that searches find a free processor.
    pub(super) requests: Arc<Semaphore>,
    pending: PendingOwners,
    /// Wakes the worker; one signal stands for all that is pending.
    wake: mpsc::Sender<()>,
    /// Increases whenever texts were embedded, or failed to be.
    progress: watch::Sender<u64>,
    failures: Arc<Mutex<HashMap<ItemId, String>>>,
    recent: VectorCache,
}

/// Owners whose records wait to be embedded, each once: the queue is never longer than there are
/// owners.
#[derive(Clone, Default)]
struct PendingOwners(Arc<Mutex<VecDeque<PendingOwner>>>);

/// An owner and their records, which may have been dropped meanwhile.
type PendingOwner = (OwnerId, Weak<RwLock<OwnerRecords>>);

impl PendingOwners {
    fn add(&self, owner: &OwnerId, records: Weak<RwLock<OwnerRecords>>) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match pending.iter_mut().find(|(known, _)| known == owner) {
            Some((_, known)) => *known = records,
            None => pending.push_back((owner.clone(), records)),
        }
    }

    fn take(&self) -> Option<PendingOwner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// A cache of the last queries and their vectors.
#[derive(Clone, Default)]
struct VectorCache(Arc<Mutex<RecentVectors>>);

/// Texts with their vectors, the newest first.
type RecentVectors = VecDeque<(String, Vec<f32>)>;

impl VectorCache {
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

impl EmbeddingService {
    pub(super) fn new(embedder: Result<Arc<dyn Embedder>, String>, store: Arc<dyn Memories>) -> Self {
        let (wake, woken) = mpsc::channel(1);
        let embedder = embedder.map_err(Arc::from);
        let meaning = Self {
            embedder,
            requests: Arc::new(Semaphore::new(1)),
            pending: PendingOwners::default(),
            wake,
            progress: watch::Sender::new(0),
            failures: Arc::default(),
            recent: VectorCache::default(),
        };
        if let Ok(embedder) = &meaning.embedder {
            let background = match BackgroundThread::start("embedding") {
                Ok(background) => background,
                Err(error) => return Self { embedder: Err(error.to_string().into()), ..meaning },
            };
            let worker = EmbeddingWorker {
                background,
                embedder: embedder.clone(),
                store,
                looked: meaning.progress.clone(),
                failures: meaning.failures.clone(),
                recent: meaning.recent.clone(),
                pending: meaning.pending.clone(),
            };
            tokio::spawn(worker.run(woken));
        }
        meaning
    }

    /// Why there is no embedding model, if there is none.
    pub(super) fn absence(&self) -> Option<&str> {
        self.embedder.as_ref().err().map(AsRef::as_ref)
    }

    /// The vector of a query; none without an embedding model.
    pub(super) async fn embed(&self, text: &str) -> Result<Option<Vec<f32>>, String> {
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
            Err(_) => Err("the embedding model failed on this text".to_owned()),
        }
    }

    /// Restores the stored vectors of records that were just loaded.
    pub(super) async fn restore_vectors(
        &self,
        owner: &OwnerId,
        owner_records: &Arc<RwLock<OwnerRecords>>,
        store: &dyn Memories,
    ) -> Result<(), Error> {
        let Ok(embedder) = &self.embedder else { return Ok(()) };
        let vectors = store.vectors(owner, embedder.name()).await?;
        {
            let mut owner_records = owner_records.write().unwrap_or_else(PoisonError::into_inner);
            for (id, bytes) in vectors {
                // A vector that no longer fits its text is computed again.
                owner_records.index.restore(id, &bytes);
            }
        }
        self.schedule(owner, owner_records);
        Ok(())
    }

    /// Schedules an owner's records for embedding.
    pub(super) fn schedule(&self, owner: &OwnerId, owner_records: &Arc<RwLock<OwnerRecords>>) {
        if self.embedder.is_ok() {
            self.pending.add(owner, Arc::downgrade(owner_records));
            // A pending signal wakes the worker as well.
            let _ = self.wake.try_send(());
        }
    }

    /// Increases whenever texts were embedded, or failed to be.
    pub(super) fn looked(&self) -> watch::Receiver<u64> {
        self.progress.subscribe()
    }

    /// Why a text could not be embedded.
    pub(super) fn failure(&self, id: ItemId) -> Option<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }
}

struct EmbeddingWorker {
    embedder: Arc<dyn Embedder>,
    store: Arc<dyn Memories>,
    looked: watch::Sender<u64>,
    failures: Arc<Mutex<HashMap<ItemId, String>>>,
    recent: VectorCache,
    pending: PendingOwners,
    /// The thread that embeds. No client waits for it, so it runs at low priority.
    background: BackgroundThread,
}

impl EmbeddingWorker {
    async fn run(self, mut woken: mpsc::Receiver<()>) {
        while woken.recv().await.is_some() {
            while let Some((owner, owner_records)) = self.pending.take() {
                self.look_through(&owner, &owner_records).await;
            }
        }
    }

    /// Embeds all of an owner's records that lack vectors.
    async fn look_through(&self, owner: &OwnerId, owner_records: &Weak<RwLock<OwnerRecords>>) {
        while let Some(owner_records) = owner_records.upgrade() {
            let wanted = owner_records.read().unwrap_or_else(PoisonError::into_inner).index.wanting(BATCH);
            if wanted.is_empty() {
                break;
            }
            let is_done = self.look(owner, &owner_records, wanted).await;
            self.looked.send_modify(|count| *count += 1);
            if !is_done {
                tokio::time::sleep(PAUSE).await;
            }
        }
        self.looked.send_modify(|count| *count += 1);
    }

    /// Embeds some texts; returns whether that succeeded.
    async fn look(&self, owner: &OwnerId, owner_records: &RwLock<OwnerRecords>, wanted: Vec<UnembeddedText>) -> bool {
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
                None => return self.fail(&wanted, "the embedding model failed"),
            };
            let mut made = made.into_iter();
            vectors.iter_mut().filter(|vector| vector.is_none()).for_each(|vector| *vector = made.next());
        }
        let mut changes = Vec::new();
        {
            let mut owner_records = owner_records.write().unwrap_or_else(PoisonError::into_inner);
            let mut ids: Vec<ItemId> = Vec::new();
            for (wanted, vector) in wanted.iter().zip(vectors).filter_map(|(it, vector)| Some((it, vector?))) {
                owner_records.index.set_vector(wanted, &vector);
                ids.push(wanted.id);
            }
            ids.dedup();
            let model = self.embedder.name();
            changes.extend(ids.into_iter().filter_map(|item_id| {
                let bytes = owner_records.index.vectors(item_id)?;
                Some(Change::Vector { item_id, model: model.to_owned(), bytes })
            }));
        }
        self.failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|id, _| !wanted.iter().any(|it| it.id == *id));
        if let Err(error) = self.store.change(owner, changes).await {
            // The texts can be found now; their vectors are computed again after a restart.
            tracing::warn!(%error, "failed to store embeddings");
        }
        true
    }

    fn fail(&self, wanted: &[UnembeddedText], why: &str) -> bool {
        tracing::warn!(texts = wanted.len(), why, "failed to embed texts; trying again");
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.extend(wanted.iter().map(|it| (it.id, why.to_owned())));
        false
    }
}
