//! The latency of writing a message through long-term memory, until it is durable.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use journal::sqlite::Sqlite;
use memory::long_term::{IdempotencyKey, LongTermMemory, MemoryOptions, NewEntry};
use protocol::OwnerId;

use super::restart::SteppingClock;

/// The time of each message.
pub(super) fn run(count: usize, mut words: impl FnMut() -> String) -> Result<Vec<Duration>> {
    let messages: Vec<String> = (0..count).map(|_| words()).collect();
    // On a thread of its own, since the benchmarks already run in a runtime.
    let measured = std::thread::spawn(move || measure(messages)).join();
    measured.unwrap_or_else(|_| Err(anyhow::anyhow!("the measurement panicked")))
}

fn measure(messages: Vec<String>) -> Result<Vec<Duration>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Sqlite::open(folder.path())?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let world = SteppingClock::new();
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
