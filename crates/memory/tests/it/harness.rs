//! A test harness: long-term memory over a real store in a temporary folder, with a clock that only
//! tests advance.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use journal::sqlite::Sqlite;
use memory::{
    embedding::Embedder,
    long_term::{IdempotencyKey, LongTermMemory, MemoryOptions, NewEntry, NewFact, Provenance, World},
};
use protocol::{Entry, Fact, ItemSource, Level, Memory, Origin, OwnerId, Timestamp};
use tempfile::TempDir;
use ulid::Ulid;

/// The time at which every test begins.
pub(crate) const BEGINNING: i64 = 1_700_000_000_000;

/// The default reason why there is no embedding model.
const NO_MEANING: &str = "none in this test";

/// A deterministic world: ids increase by one, and time moves only when a test advances it.
pub(crate) struct CountingWorld {
    now: AtomicI64,
    drawn: AtomicU64,
    /// Distinguishes this world's ids from those of another.
    realm: u64,
}

impl World for CountingWorld {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::Relaxed))
    }

    fn ulid(&self) -> Ulid {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        let stamp = u64::try_from(self.now.load(Ordering::Relaxed)).unwrap();
        Ulid::from_parts(stamp, u128::from(drawn) << 8 | u128::from(self.realm))
    }
}

impl CountingWorld {
    /// A world with ids of its own.
    pub(crate) fn new(realm: u64) -> Arc<Self> {
        Arc::new(Self { now: AtomicI64::new(BEGINNING), drawn: AtomicU64::new(0), realm })
    }

    /// Advances the clock.
    pub(crate) fn pass(&self, time: Duration) {
        self.now.fetch_add(i64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
    }

    /// Advances the clock by days.
    pub(crate) fn pass_days(&self, days: u64) {
        self.pass(Duration::from_secs(days * 24 * 60 * 60));
    }
}

/// Long-term memory with its store and world.
pub(crate) struct Harness {
    pub(crate) long_term: LongTermMemory,
    pub(crate) world: Arc<CountingWorld>,
    pub(crate) folder: TempDir,
}

impl Harness {
    /// A harness without an embedding model.
    pub(crate) fn new() -> Self {
        Self::with(0, Err(NO_MEANING.to_owned()))
    }

    /// A harness with ids of another realm.
    pub(crate) fn in_realm(realm: u64) -> Self {
        Self::with(realm, Err(NO_MEANING.to_owned()))
    }

    /// A harness with an embedding model.
    pub(crate) fn with(realm: u64, embedder: Result<Arc<dyn Embedder>, String>) -> Self {
        let (folder, world) = (tempfile::tempdir().unwrap(), CountingWorld::new(realm));
        let store = Arc::new(Sqlite::open(folder.path()).unwrap());
        let long_term = LongTermMemory::open(store, world.clone(), embedder, MemoryOptions::default());
        Self { long_term, world, folder }
    }

    /// Reopens the same folder.
    pub(crate) async fn reopened(self) -> Self {
        let Self { long_term, world, folder } = self;
        drop(long_term);
        // The writer tasks release the store asynchronously.
        let store = loop {
            match Sqlite::open(folder.path()) {
                Ok(store) => break Arc::new(store),
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        let long_term =
            LongTermMemory::open(store, world.clone(), Err(NO_MEANING.to_owned()), MemoryOptions::default());
        Self { long_term, world, folder }
    }

    /// A memory in a vault, both created on first use.
    pub(crate) async fn memory(&self, owner: &OwnerId, vault: &str, title: &str) -> Memory {
        self.long_term.memory_titled(owner, vault, title.to_owned()).await.unwrap()
    }

    /// Adds an entry; a minute passes.
    pub(crate) async fn say(&self, owner: &OwnerId, memory: &Memory, role: &str, words: &str) -> Entry {
        self.add(owner, memory, NewEntry::said(role, words)).await
    }

    /// Adds an entry with more fields; a minute passes.
    pub(crate) async fn add(&self, owner: &OwnerId, memory: &Memory, new: NewEntry) -> Entry {
        self.world.pass(Duration::from_secs(60));
        self.long_term.add_entry(owner, memory.memory_id, new, IdempotencyKey::none(), None).await.unwrap().entry
    }

    /// Sets a fact; a minute passes.
    pub(crate) async fn set(&self, owner: &OwnerId, level: Level, key: &str, value: &str) -> Fact {
        self.world.pass(Duration::from_secs(60));
        let new = NewFact { level, key: key.to_owned(), value: value.to_owned(), priority: None, ttl_s: None };
        let provenance = Provenance {
            source: ItemSource::default(),
            origin: Origin::Trusted,
            at: self.long_term.now(),
            vault_id: None,
        };
        self.long_term.set(owner, new, provenance, IdempotencyKey::none()).await.unwrap()
    }
}

/// An owner by name.
pub(crate) fn owner(name: &str) -> OwnerId {
    name.parse().unwrap()
}
