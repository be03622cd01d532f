//! A real room over a real store in a folder that goes away, in a world whose time stands still until it is moved.

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
    room::{Keyed, NewEntry, NewFact, Options, Provenance, Room, World},
};
use protocol::{Entry, Fact, Level, Memory, Origin, OwnerId, Source, Timestamp};
use tempfile::TempDir;
use ulid::Ulid;

/// When every story begins.
pub(crate) const BEGINNING: i64 = 1_700_000_000_000;

/// Why these rooms find by words alone unless told.
const NO_MEANING: &str = "none in this test";

/// A world that counts: ids rise by one, time moves only when it is told to.
pub(crate) struct Counting {
    now: AtomicI64,
    drawn: AtomicU64,
    /// What tells this world's ids from those of another.
    realm: u64,
}

impl World for Counting {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::Relaxed))
    }

    fn ulid(&self) -> Ulid {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        let stamp = u64::try_from(self.now.load(Ordering::Relaxed)).unwrap();
        Ulid::from_parts(stamp, u128::from(drawn) << 8 | u128::from(self.realm))
    }
}

impl Counting {
    /// A world of its own.
    pub(crate) fn new(realm: u64) -> Arc<Self> {
        Arc::new(Self { now: AtomicI64::new(BEGINNING), drawn: AtomicU64::new(0), realm })
    }

    /// Time passes.
    pub(crate) fn pass(&self, time: Duration) {
        self.now.fetch_add(i64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
    }

    /// Days pass.
    pub(crate) fn pass_days(&self, days: u64) {
        self.pass(Duration::from_secs(days * 24 * 60 * 60));
    }
}

/// A room with what it stands on.
pub(crate) struct House {
    pub(crate) room: Room,
    pub(crate) world: Arc<Counting>,
    pub(crate) folder: TempDir,
}

impl House {
    /// A house where things are found by their words.
    pub(crate) fn new() -> Self {
        Self::with(0, Err(NO_MEANING.to_owned()))
    }

    /// A house in another realm, whose ids are its own.
    pub(crate) fn in_realm(realm: u64) -> Self {
        Self::with(realm, Err(NO_MEANING.to_owned()))
    }

    /// A house with a model of meaning.
    pub(crate) fn with(realm: u64, embedder: Result<Arc<dyn Embedder>, String>) -> Self {
        let (folder, world) = (tempfile::tempdir().unwrap(), Counting::new(realm));
        let store = Arc::new(Sqlite::open(folder.path()).unwrap());
        let room = Room::open(store, world.clone(), embedder, Options::default());
        Self { room, world, folder }
    }

    /// The same folder, read anew.
    pub(crate) async fn reopened(self) -> Self {
        let Self { room, world, folder } = self;
        drop(room);
        // The librarians let go of the store in their own time.
        let store = loop {
            match Sqlite::open(folder.path()) {
                Ok(store) => break Arc::new(store),
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        let room = Room::open(store, world.clone(), Err(NO_MEANING.to_owned()), Options::default());
        Self { room, world, folder }
    }

    /// A memory in a vault, both made on first use.
    pub(crate) async fn memory(&self, owner: &OwnerId, vault: &str, title: &str) -> Memory {
        self.room.memory_titled(owner, vault, title.to_owned()).await.unwrap()
    }

    /// An entry; a minute passes.
    pub(crate) async fn say(&self, owner: &OwnerId, memory: &Memory, role: &str, words: &str) -> Entry {
        self.add(owner, memory, NewEntry::said(role, words)).await
    }

    /// An entry of which more is said; a minute passes.
    pub(crate) async fn add(&self, owner: &OwnerId, memory: &Memory, new: NewEntry) -> Entry {
        self.world.pass(Duration::from_secs(60));
        self.room.add_entry(owner, memory.memory_id, new, Keyed::none(), None).await.unwrap().entry
    }

    /// A fact set by hand; a minute passes.
    pub(crate) async fn set(&self, owner: &OwnerId, level: Level, key: &str, value: &str) -> Fact {
        self.world.pass(Duration::from_secs(60));
        let new = NewFact { level, key: key.to_owned(), value: value.to_owned(), priority: None, ttl_s: None };
        let provenance = Provenance { source: Source::default(), origin: Origin::Trusted, at: self.room.now() };
        self.room.set(owner, new, provenance, Keyed::none()).await.unwrap()
    }
}

/// Somebody.
pub(crate) fn owner(name: &str) -> OwnerId {
    name.parse().unwrap()
}
