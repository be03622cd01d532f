//! One writer task per owner. It decides writes one after the other on the current records, stores
//! them, and only then makes them visible.
//!
//! A write is a function from the records to changes, so that two writes can never both find "no
//! such title" or both end the same fact. The task finishes a write even if its caller goes away.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use journal::{Change, Memories, Record};
use model::workers;
use protocol::OwnerId;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{
    embedding_service::EmbeddingService,
    error::Error,
    loading,
    owner_records::OwnerRecords,
    quota::{MemoryQuota, UsageIncrease},
    stored_parts,
};

/// Length of the queue of writes; when it is full, callers wait.
const WRITES_MAX: usize = 256;
/// How long there must be no write before what is derived from the last ones is stored.
const IDLE: Duration = Duration::from_millis(200);
/// Pause after the store has failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Reports the outcome of a write to its caller.
type WriteCallback = Box<dyn FnOnce(Result<(), Error>) + Send>;
/// A write in the queue; it decides what to change when it runs.
type QueuedWrite = Box<dyn FnOnce(&OwnerRecords) -> Option<(Vec<Change>, WriteCallback)> + Send>;

/// Whether a write may be refused because memory is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is refused beyond the quota.
    Checked,
    /// It is always accepted: memory derives it from existing items, and it is small beside them.
    Granted,
}

/// A handle to an owner's writer task.
#[derive(Clone)]
pub(super) struct OwnerWriter {
    owner_records: Arc<RwLock<OwnerRecords>>,
    writes: mpsc::Sender<(Admission, QueuedWrite)>,
}

impl OwnerWriter {
    /// Loads the owner's records and starts the task.
    pub(super) async fn open(
        store: Arc<dyn Memories>,
        embeddings: EmbeddingService,
        owner: OwnerId,
        quota: MemoryQuota,
    ) -> Result<Self, Error> {
        let loaded = loading::load(store.as_ref(), &owner, embeddings.model()).await?;
        let owner_records = Arc::new(RwLock::new(loaded));
        embeddings.schedule(&owner, &owner_records);
        let (writes, mut mail) = mpsc::channel::<(Admission, QueuedWrite)>(WRITES_MAX);
        let own = owner_records.clone();
        tokio::spawn(async move {
            while let Some((admission, write)) = next_write(&mut mail, store.as_ref(), &owner, &own).await {
                let Some((mut changes, told)) = write(&read(&own)) else { continue };
                let bytes = changes.iter().map(bytes_of).sum();
                let growth = if admission == Admission::Checked {
                    UsageIncrease::of(&changes, &read(&own))
                } else {
                    UsageIncrease::default()
                };
                if quota.may_refuse(growth) {
                    // An owner's writes run one after the other, so nothing changes in between.
                    let totals = store.totals(&owner).await.map_err(Error::from);
                    if let Err(error) = totals.and_then(|totals| quota.check(totals, growth)) {
                        told(Err(error));
                        continue;
                    }
                }
                stored_parts::clear_outdated(&mut changes, &read(&own), embeddings.model());
                let stored = if changes.is_empty() { Ok(()) } else { store.change(&owner, changes.clone()).await };
                match &stored {
                    Ok(()) => {
                        let apply = || {
                            let mut owner_records = own.write().unwrap_or_else(PoisonError::into_inner);
                            changes.into_iter().for_each(|change| owner_records.apply(change));
                        };
                        workers::offload(bytes, apply).await;
                    }
                    // It is unknown whether the write was stored, so the records are loaded again
                    // before the next one.
                    Err(journal::Error::Storage { .. }) => {
                        while !mail.is_closed() && !reload(store.as_ref(), &embeddings, &owner, &own).await {
                            tokio::time::sleep(PAUSE).await;
                        }
                    }
                    Err(_) => {}
                }
                told(stored.map_err(Error::from));
                embeddings.schedule(&owner, &own);
            }
        });
        Ok(Self { owner_records, writes })
    }

    /// Reads the records.
    pub(super) fn read<T>(&self, look: impl FnOnce(&OwnerRecords) -> T) -> T {
        look(&read(&self.owner_records))
    }

    /// Queues a write, which is decided on the records when it runs; returns once it is durable and
    /// searchable.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&OwnerRecords) -> Result<(Vec<Change>, T), Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.write_with(Admission::Checked, decide).await
    }

    /// The same, subject to the quota or not.
    pub(super) async fn write_with<T: Send + 'static>(
        &self,
        admission: Admission,
        decide: impl FnOnce(&OwnerRecords) -> Result<(Vec<Change>, T), Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let write: QueuedWrite = Box::new(move |owner_records| match decide(owner_records) {
            Ok((changes, value)) => {
                // A caller that went away needs no answer, here and below.
                let told: WriteCallback = Box::new(move |stored| drop(reply.send(stored.map(|()| value))));
                Some((changes, told))
            }
            Err(error) => {
                let _ = reply.send(Err(error));
                None
            }
        });
        self.writes.send((admission, write)).await.map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }
}

/// The next write. While there is none, the words of new documents are stored for the next start.
async fn next_write(
    mail: &mut mpsc::Receiver<(Admission, QueuedWrite)>,
    store: &dyn Memories,
    owner: &OwnerId,
    owner_records: &RwLock<OwnerRecords>,
) -> Option<(Admission, QueuedWrite)> {
    let mut is_idle = false;
    while read(owner_records).has_unsaved() {
        let next = if is_idle { mail.try_recv().ok() } else { timeout(IDLE, mail.recv()).await.ok().flatten() };
        if next.is_some() || mail.is_closed() {
            // What is not stored yet is derived again after the next start.
            return next;
        }
        is_idle = true;
        stored_parts::save(store, owner, owner_records).await;
    }
    mail.recv().await
}

/// Estimated bytes of indexed text in a change.
fn bytes_of(change: &Change) -> usize {
    match change {
        Change::Put(Record::Entry(entry)) => entry.raw_entry.len(),
        Change::Put(Record::Context(context)) => context.content.len(),
        Change::Put(Record::Fact(fact)) => fact.text.len(),
        _ => 0,
    }
}

fn read(owner_records: &RwLock<OwnerRecords>) -> std::sync::RwLockReadGuard<'_, OwnerRecords> {
    owner_records.read().unwrap_or_else(PoisonError::into_inner)
}

/// Loads all records again; returns whether that succeeded.
async fn reload(
    store: &dyn Memories,
    embeddings: &EmbeddingService,
    owner: &OwnerId,
    owner_records: &Arc<RwLock<OwnerRecords>>,
) -> bool {
    let read = async {
        let fresh = loading::load(store, owner, embeddings.model()).await?;
        *owner_records.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        embeddings.schedule(owner, owner_records);
        Ok::<(), Error>(())
    };
    let read = read.await;
    if let Err(error) = &read {
        tracing::warn!(%owner, %error, "failed to reload memory; trying again");
    }
    read.is_ok()
}
