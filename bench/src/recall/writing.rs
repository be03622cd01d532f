//! The latency of writing a message through long-term memory, until it is durable.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Result;
use journal::sqlite::Sqlite;
use memory::long_term::{IdempotencyKey, LongTermMemory, MemoryOptions, NewEntry, World};
use protocol::{MemorySearch, OwnerId, Timestamp};

/// A clock that advances by a millisecond with every reading.
struct SteppingClock(AtomicI64);

impl World for SteppingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn ulid(&self) -> ulid::Ulid {
        let drawn = self.0.fetch_add(1, Ordering::Relaxed);
        ulid::Ulid::from_parts(drawn.cast_unsigned(), u128::from(drawn.cast_unsigned()))
    }
}

/// The time of each message.
pub(super) fn run(count: usize, mut words: impl FnMut() -> String) -> Result<Vec<Duration>> {
    let messages: Vec<String> = (0..count).map(|_| words()).collect();
    // On a thread of its own, since the benchmarks already run in a runtime.
    let measured = std::thread::spawn(move || measure(messages)).join();
    measured.unwrap_or_else(|_| Err(anyhow::anyhow!("the measurement panicked")))
}

/// The time from opening memory with that many messages to the answer of the first search.
pub(super) fn first_search(count: usize, mut words: impl FnMut() -> String) -> Result<Duration> {
    let messages: Vec<String> = (0..count).map(|_| words()).collect();
    let measured = std::thread::spawn(move || search_after_opening(messages)).join();
    measured.unwrap_or_else(|_| Err(anyhow::anyhow!("the measurement panicked")))
}

fn search_after_opening(messages: Vec<String>) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Sqlite::open(folder.path())?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let world = Arc::new(SteppingClock(AtomicI64::new(1_700_000_000_000)));
        let open = || {
            let absent = Err("not measured here".to_owned());
            LongTermMemory::open(store.clone(), world.clone(), absent, MemoryOptions::default())
        };
        let owner: OwnerId = "ada".parse()?;
        let long_term = open();
        let memory = long_term.memory_titled(&owner, "bench", "talk".to_owned()).await?;
        for batch in messages.chunks(500) {
            let new = batch.iter().map(|words| NewEntry::said("user", words.clone())).collect();
            long_term.add_entries(&owner, memory.memory_id, new, None).await?;
        }
        drop(long_term);
        let start = Instant::now();
        let asked = MemorySearch { query: "What did I say?".to_owned(), ..MemorySearch::default() };
        open().search(&owner, &asked, None).await?;
        Ok(start.elapsed())
    })
}

fn measure(messages: Vec<String>) -> Result<Vec<Duration>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Sqlite::open(folder.path())?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let world = Arc::new(SteppingClock(AtomicI64::new(1_700_000_000_000)));
        let long_term =
            LongTermMemory::open(store, world, Err("not measured here".to_owned()), MemoryOptions::default());
        let owner: OwnerId = "ada".parse()?;
        let memory = long_term.memory_titled(&owner, "bench", "talk".to_owned()).await?;
        let mut taken = Vec::with_capacity(messages.len());
        for (number, words) in messages.into_iter().enumerate() {
            let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
            let new = NewEntry::said(role, words);
            let start = Instant::now();
            long_term.add_entry(&owner, memory.memory_id, new, IdempotencyKey::none(), None).await?;
            taken.push(start.elapsed());
        }
        Ok(taken)
    })
}
