//! The long-term store: vaults, memories, entries, context documents, facts, the profile.
//!
//! Everything is in one owner's scope, and everything is written by that owner's librarian. What is written is on the disk
//! and can be found by its words when the answer is given; what it means is looked at in the background, and
//! [`Room::await_consistency`] waits for that too.

mod archive;
mod audit;
mod consistency;
mod contexts;
mod controls;
mod document;
mod entries;
mod error;
mod facts;
mod keys;
mod librarian;
mod meaning;
mod overtaken;
mod quota;
mod reading;
mod recall;
mod session;
mod shelf;
mod vaults;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

pub use contexts::{CLIENT, NewContext};
pub use controls::Going;
pub use entries::{Added, AddedEntries, NewEntry, worth_keeping};
pub use error::Error;
pub use facts::{NewFact, Provenance, Stated};
use journal::Memories;
pub use keys::{Keyed, digest};
use librarian::Librarian;
use meaning::Meaning;
use model::workers;
use protocol::{ItemId, OwnerId, Timestamp};
use quota::Quota;
pub use reading::Reading;
pub use recall::{Recall, Summary, read_place, write_place};
pub use shelf::Shelf;
use tokio::sync::OnceCell;
use ulid::Ulid;

use embedding::Embedder;

/// The vault in which the sessions' own memories stand.
pub const CONVERSATIONS: &str = "conversations";

/// About so much is looked at of each document that a search goes through.
const DOCUMENT_BYTES: usize = 8;

/// Where time and ids come from.
pub trait World: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;

    /// A new id, larger than all before it.
    fn ulid(&self) -> Ulid;
}

/// How long things are kept and believed.
#[derive(Debug, Clone)]
pub struct Options {
    /// Days after which an entry is forgotten by itself; none means never.
    pub entry_days: Option<u32>,
    /// Days after which a fact that nobody repeated is believed half as much.
    pub half_life_days: u32,
    /// Whether conversations become memories by themselves.
    pub follows_sessions: bool,
    /// Vaults, memories and records that an owner may have; none means any number.
    pub records_max: Option<u64>,
    /// Bytes that these may have together.
    pub bytes_max: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { entry_days: None, half_life_days: 365, follows_sessions: true, records_max: None, bytes_max: None }
    }
}

/// Long-term memory. Cheap to clone.
#[derive(Clone)]
pub struct Room {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Memories>,
    world: Arc<dyn World>,
    meaning: Meaning,
    options: Options,
    librarians: Mutex<HashMap<OwnerId, Arc<OnceCell<Librarian>>>>,
}

impl Room {
    /// Opens memory. Without an embedder it finds by words alone, and says why.
    pub fn open(
        store: Arc<dyn Memories>,
        world: Arc<dyn World>,
        embedder: Result<Arc<dyn Embedder>, String>,
        options: Options,
    ) -> Self {
        let meaning = Meaning::new(embedder, store.clone());
        Self { inner: Arc::new(Inner { store, world, meaning, options, librarians: Mutex::default() }) }
    }

    /// How it is set.
    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    /// Why meaning is not looked at, where it is not.
    pub fn without_meaning(&self) -> Option<&str> {
        self.inner.meaning.absence()
    }

    /// Looks at what an owner has.
    pub async fn read<T>(&self, owner: &OwnerId, look: impl FnOnce(&Shelf) -> T) -> Result<T, Error> {
        Ok(self.librarian(owner).await?.read(look))
    }

    /// The same for what looks at all of it: with much to look at, others are served meanwhile.
    async fn read_much<T>(&self, owner: &OwnerId, look: impl FnOnce(&Shelf) -> T) -> Result<T, Error> {
        let librarian = self.librarian(owner).await?;
        let size = librarian.read(|shelf| shelf.index.len()) * DOCUMENT_BYTES;
        Ok(workers::apart(size, || librarian.read(look)).await)
    }

    async fn librarian(&self, owner: &OwnerId) -> Result<Librarian, Error> {
        let cell = {
            let mut all = self.inner.librarians.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(owner.clone()).or_default().clone()
        };
        let quota = Quota { records_max: self.inner.options.records_max, bytes_max: self.inner.options.bytes_max };
        let open = || Librarian::open(self.inner.store.clone(), self.inner.meaning.clone(), owner.clone(), quota);
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
