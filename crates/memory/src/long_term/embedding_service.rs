//! Embeds texts in the background, so that writes do not wait for it.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use journal::{Change, Memories};
use model::workers::BackgroundThread;
use protocol::{ItemId, OwnerId};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    time::Instant,
};

use super::{
    embedding_queue::{EmbeddingAttempts, PendingOwner, PendingOwners},
    owner_records::OwnerRecords,
};
use crate::{embedding::Embedder, search::UnembeddedText};

/// Texts embedded in one batch.
pub(super) const BATCH: usize = 16;
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

    /// How similar texts that belong together are, relative to those of the default model.
    pub(super) fn similarity_scale(&self) -> f32 {
        self.embedder.as_ref().map_or(1.0, |embedder| embedder.similarity_scale())
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

    /// The name of the embedding model, if there is one.
    pub(super) fn model(&self) -> Option<&str> {
        self.embedder.as_ref().ok().map(|embedder| embedder.name())
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
    /// Embeds one batch per owner in turn, so that one owner's backlog does not hold up the others.
    async fn run(self, mut woken: mpsc::Receiver<()>) {
        let mut attempts = EmbeddingAttempts::default();
        loop {
            let now = Instant::now();
            if let Some(pending) = self.pending.take(now) {
                self.look(pending, &mut attempts).await;
                continue;
            }
            // An owner whose batch failed waits; meanwhile others may have written.
            let is_woken = match self.pending.next_at() {
                None => woken.recv().await.is_some(),
                Some(at) => tokio::time::timeout_at(at, woken.recv()).await.unwrap_or(Some(())).is_some(),
            };
            if !is_woken {
                return;
            }
        }
    }

    /// Embeds a batch of an owner's texts, and queues the owner again while texts are left.
    async fn look(&self, pending: PendingOwner, attempts: &mut EmbeddingAttempts) {
        let Some(owner_records) = pending.records.upgrade() else { return };
        let wanted = owner_records.read().unwrap_or_else(PoisonError::into_inner).index.wanting(BATCH);
        if !wanted.is_empty() {
            let failed = match self.embed(&pending.owner, &owner_records, &wanted).await {
                Ok(()) => Vec::new(),
                Err(why) if wanted.len() == 1 => vec![(wanted[0].clone(), why)],
                Err(_) => self.embed_singly(&pending.owner, &owner_records, wanted).await,
            };
            let again = if failed.is_empty() {
                pending.again()
            } else {
                self.fail(&owner_records, &failed, attempts);
                pending.later(Instant::now())
            };
            self.pending.push(again);
        }
        self.looked.send_modify(|count| *count += 1);
    }

    /// Embeds the texts of a failed batch one by one, so that one text does not hold up the others;
    /// returns those that fail.
    async fn embed_singly(
        &self,
        owner: &OwnerId,
        owner_records: &RwLock<OwnerRecords>,
        wanted: Vec<UnembeddedText>,
    ) -> Vec<(UnembeddedText, String)> {
        let mut failed = Vec::new();
        for text in wanted {
            if let Err(why) = self.embed(owner, owner_records, std::slice::from_ref(&text)).await {
                failed.push((text, why));
            }
        }
        failed
    }

    /// Embeds some texts and stores their vectors.
    async fn embed(
        &self,
        owner: &OwnerId,
        owner_records: &RwLock<OwnerRecords>,
        wanted: &[UnembeddedText],
    ) -> Result<(), String> {
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
                Some(Err(error)) => return Err(error.to_string()),
                None => return Err("the embedding model failed".to_owned()),
            };
            let mut made = made.into_iter();
            vectors.iter_mut().filter(|vector| vector.is_none()).for_each(|vector| *vector = made.next());
        }
        if vectors.iter().any(Option::is_none) {
            return Err("the embedding model returned too few vectors".to_owned());
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
        Ok(())
    }

    /// Notes texts that failed, and sets those aside that have failed often enough.
    fn fail(
        &self,
        owner_records: &RwLock<OwnerRecords>,
        failed: &[(UnembeddedText, String)],
        attempts: &mut EmbeddingAttempts,
    ) {
        for (text, why) in failed {
            let is_last = attempts.is_last(text);
            let why = if is_last { format!("it is found by its words only: {why}") } else { why.clone() };
            if is_last {
                owner_records.write().unwrap_or_else(PoisonError::into_inner).index.set_aside(text);
                tracing::warn!(item = %text.id, why, "failed to embed a text; setting it aside until a restart");
            } else {
                tracing::warn!(item = %text.id, why, "failed to embed a text; trying again");
            }
            self.failures.lock().unwrap_or_else(PoisonError::into_inner).insert(text.id, why);
        }
    }
}
