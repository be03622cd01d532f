//! One writer task per owner. It decides writes one after the other on the current records, stores
//! them, and only then makes them visible.
//!
//! A write is a function from the records to changes, so that two writes can never both find "no
//! such title" or both end the same fact. The task finishes a write even if its caller goes away.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use journal::{Change, Memories, Record, RecordCursor, RecordFilter};
use model::workers;
use protocol::OwnerId;
use tokio::sync::{mpsc, oneshot};

use super::{
    embedding_service::EmbeddingService,
    error::Error,
    owner_records::OwnerRecords,
    quota::{MemoryQuota, UsageIncrease},
};

/// Length of the queue of writes; when it is full, callers wait.
const WRITES_MAX: usize = 256;
/// Records in one page of a read.
const PAGE: usize = 2_000;
/// Estimated bytes of indexed text in a record.
const RECORD_BYTES: usize = 100;
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
        let owner_records = Arc::new(RwLock::new(load(store.as_ref(), &owner).await?));
        embeddings.restore_vectors(&owner, &owner_records, store.as_ref()).await?;
        let (writes, mut mail) = mpsc::channel::<(Admission, QueuedWrite)>(WRITES_MAX);
        let own = owner_records.clone();
        tokio::spawn(async move {
            while let Some((admission, write)) = mail.recv().await {
                let Some((changes, told)) = write(&read(&own)) else { continue };
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
        let fresh = load(store, owner).await?;
        *owner_records.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        embeddings.restore_vectors(owner, owner_records, store).await
    };
    let read = read.await;
    if let Err(error) = &read {
        tracing::warn!(%owner, %error, "failed to reload memory; trying again");
    }
    read.is_ok()
}

async fn load(store: &dyn Memories, owner: &OwnerId) -> Result<OwnerRecords, Error> {
    let mut owner_records = OwnerRecords::empty();
    let mut after = None;
    loop {
        let page = store.vaults(owner, after, PAGE).await?;
        after = page.last().map(|it| RecordCursor { at: it.created_at, id: it.vault_id.to_bytes() });
        let is_last = page.len() < PAGE;
        page.into_iter().for_each(|vault| owner_records.apply(Change::Vault(vault)));
        if is_last {
            break;
        }
    }
    after = None;
    loop {
        let page = store.memories(owner, None, after, PAGE).await?;
        after = page.last().map(|it| RecordCursor { at: it.created_at, id: it.memory_id.to_bytes() });
        let is_last = page.len() < PAGE;
        page.into_iter().for_each(|memory| owner_records.apply(Change::Memory(memory)));
        if is_last {
            break;
        }
    }
    after = None;
    let mut records = Vec::new();
    loop {
        let filter = RecordFilter { oldest_first: true, ..RecordFilter::default() };
        let page: Vec<Record> = store.records(owner, filter, after, PAGE).await?;
        after = page.last().map(|it| RecordCursor { at: it.at(), id: it.id().to_bytes() });
        let is_last = page.len() < PAGE;
        records.extend(page);
        if is_last {
            break;
        }
    }
    // An owner's memory is loaded once, and may be large.
    let bytes = records.len() * RECORD_BYTES;
    Ok(workers::offload(bytes, || {
        owner_records.load(records);
        owner_records
    })
    .await)
}
