//! The long-term store: vaults, memories, entries, context documents, facts, the profile.
//!
//! Every item belongs to one owner, and that owner's writer task makes all writes. A write returns
//! when it is durable and can be found by its words. It is embedded in the background;
//! [`LongTermMemory::await_consistency`] waits for that too.

mod archive;
mod audit;
mod consistency;
mod contexts;
mod document;
mod doubtful;
mod embedding_queue;
mod embedding_request;
mod embedding_service;
mod entries;
mod error;
mod extracted;
mod fact_words;
mod facts;
mod follower_progress;
mod forget;
mod graph;
mod idempotency;
mod loading;
mod owner_records;
mod owner_writer;
mod prepared_texts;
mod quota;
mod recall;
mod session;
mod spent_tokens;
mod stored_parts;
mod superseded;
mod vaults;
mod windows;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

pub use contexts::{CLIENT, NewContext};
pub use embedding_request::{EmbeddedTexts, EmbeddingFault, EmbeddingModel};
use embedding_service::EmbeddingService;
pub use entries::{AddedEntries, AddedEntry, NewEntry, worth_keeping};
pub use error::Error;
pub use extracted::ExtractedFacts;
pub use facts::{NewFact, Provenance, StatementResult};
pub use follower_progress::FollowerProgress;
pub use forget::ForgetPlan;
pub use idempotency::{IdempotencyKey, digest};
use journal::{Memories, OwnerHold};
use model::workers;
pub use owner_records::OwnerRecords;
use owner_writer::OwnerWriter;
use protocol::{ItemId, OwnerId, Timestamp};
use quota::MemoryQuota;
pub use recall::{ConversationSummary, Recall, decode_cursor, encode_cursor};
pub use spent_tokens::SpentTokens;
use tokio::sync::OnceCell;
use ulid::Ulid;
pub use windows::OpenWindows;

use embedding::Embedder;

use crate::search::Recipe;

/// The vault of the memories that follow sessions.
pub const CONVERSATIONS: &str = "conversations";

/// Estimated bytes that a search reads of each document.
const DOCUMENT_BYTES: usize = 8;

/// Where time and ids come from.
pub trait World: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;

    /// A new id, larger than all before it.
    fn ulid(&self) -> Ulid;
}

/// Retention, decay and limits.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// Days after which an entry expires; none means never.
    pub entry_days: Option<u32>,
    /// Days after which the belief in a fact that was not repeated has halved.
    pub half_life_days: u32,
    /// The weight of recency in a search that does not ask for what is new, 0 to 1.
    pub recency: f32,
    /// Whether conversations become memories by themselves.
    pub follows_sessions: bool,
    /// Vaults, memories and records that an owner may have; none means any number.
    pub records_max: Option<u64>,
    /// Bytes that an owner's vaults, memories and records may take together.
    pub bytes_max: Option<u64>,
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self {
            entry_days: None,
            half_life_days: 365,
            recency: Recipe::default().recency,
            follows_sessions: true,
            records_max: None,
            bytes_max: None,
        }
    }
}

/// Long-term memory. Cheap to clone.
#[derive(Clone)]
pub struct LongTermMemory {
    inner: Arc<Inner>,
}

/// An owner's writer, and this node's right to it.
#[derive(Default, Clone)]
struct WriterSlot {
    hold: OwnerHold,
    writer: Arc<OnceCell<OwnerWriter>>,
}

struct Inner {
    store: Arc<dyn Memories>,
    world: Arc<dyn World>,
    embeddings: EmbeddingService,
    options: MemoryOptions,
    owner_writers: Mutex<HashMap<OwnerId, WriterSlot>>,
}

impl LongTermMemory {
    /// Opens memory. Without an embedder it searches by words only, and says why.
    pub fn open(
        store: Arc<dyn Memories>,
        world: Arc<dyn World>,
        embedder: Result<Arc<dyn Embedder>, String>,
        options: MemoryOptions,
    ) -> Self {
        let embeddings = EmbeddingService::new(embedder, store.clone());
        Self { inner: Arc::new(Inner { store, world, embeddings, options, owner_writers: Mutex::default() }) }
    }

    /// The options it was opened with.
    pub fn options(&self) -> &MemoryOptions {
        &self.inner.options
    }

    /// Why there is no embedding model, if there is none.
    pub fn embedder_absence(&self) -> Option<&str> {
        self.inner.embeddings.absence()
    }

    /// The number of documents in the indexes that are in memory.
    pub fn indexed_documents(&self) -> usize {
        let all = self.inner.owner_writers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.values().filter_map(|held| held.writer.get()).map(|writer| writer.read(|records| records.index.len())).sum()
    }

    /// Reads an owner's records.
    pub async fn read<T>(&self, owner: &OwnerId, look: impl FnOnce(&OwnerRecords) -> T) -> Result<T, Error> {
        Ok(self.owner_writer(owner).await?.read(look))
    }

    /// The same for a reader that visits all records; a long one runs off the async threads.
    async fn read_offloaded<T>(&self, owner: &OwnerId, look: impl FnOnce(&OwnerRecords) -> T) -> Result<T, Error> {
        let owner_writer = self.owner_writer(owner).await?;
        let size = owner_writer.read(|owner_records| owner_records.index.len()) * DOCUMENT_BYTES;
        Ok(workers::offload(size, || owner_writer.read(look)).await)
    }

    async fn owner_writer(&self, owner: &OwnerId) -> Result<OwnerWriter, Error> {
        let hold = self.inner.store.hold(owner).await?;
        let cell = {
            let mut all = self.inner.owner_writers.lock().unwrap_or_else(PoisonError::into_inner);
            let held = all.entry(owner.clone()).or_default();
            if held.hold.is_lost() {
                // Another node has written since; what is in memory here is out of date.
                *held = WriterSlot::default();
            }
            held.hold = hold;
            held.writer.clone()
        };
        let quota =
            MemoryQuota { records_max: self.inner.options.records_max, bytes_max: self.inner.options.bytes_max };
        let open = || OwnerWriter::open(self.inner.store.clone(), self.inner.embeddings.clone(), owner.clone(), quota);
        cell.get_or_try_init(open).await.cloned()
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.inner.world.now()
    }

    fn item_id(&self) -> ItemId {
        ItemId::new(self.inner.world.ulid())
    }
}
