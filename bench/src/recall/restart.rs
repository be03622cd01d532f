//! What a user waits for after a restart: the time from opening memory to the answer of the first
//! search, with every vector present. The same data gives the rate of a bulk import.

use std::{
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use journal::{Memories, sqlite::Sqlite};
use memory::{
    embedding::{Embedder, EmbeddingError},
    long_term::{LongTermMemory, MemoryOptions, NewEntry, World},
    search::STORED_WORDS,
};
use protocol::{MemorySearch, OwnerId, Timestamp};
use rustix::time::ClockId;
use serde::Serialize;

use super::latency::SeededRandom;
use crate::percentile;

/// How often memory is opened again; the median counts.
const ROUNDS: usize = 5;
/// Messages of one conversation, which are imported in one write.
const TURNS: usize = 200;
/// The longest that the vectors may take.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// The time until memory can be searched after a restart.
#[derive(Debug, Serialize)]
pub(crate) struct Restart {
    /// Messages per second of an import, durable, before embedding.
    pub(super) imported_per_s: f64,
    /// From opening memory to the first answer, without embedding the question.
    pub(super) first_search_ms: f64,
    /// The same in CPU time of the whole process.
    pub(super) first_search_cpu_ms: f64,
}

/// A clock that advances by a millisecond with every reading.
pub(super) struct SteppingClock(AtomicI64);

impl SteppingClock {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_700_000_000_000)))
    }
}

impl World for SteppingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn ulid(&self) -> ulid::Ulid {
        let drawn = self.0.fetch_add(1, Ordering::Relaxed);
        ulid::Ulid::from_parts(drawn.cast_unsigned(), u128::from(drawn.cast_unsigned()))
    }
}

/// Gives each text a random vector, which takes no time: what loading a vector costs does not
/// depend on its numbers.
struct RandomEmbedder;

impl Embedder for RandomEmbedder {
    fn name(&self) -> &'static str {
        "random"
    }

    fn tokens_max(&self) -> usize {
        usize::MAX
    }

    fn tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        Ok(texts.iter().map(|text| SeededRandom::new(hasher.hash_one(text) | 1).vector()).collect())
    }
}

/// Imports that many messages, and opens memory again and again.
pub(super) fn run(count: usize, mut words: impl FnMut() -> String) -> Result<Restart> {
    let messages: Vec<String> = (0..count).map(|_| words()).collect();
    // On a thread of its own, since the benchmarks already run in a runtime.
    let measured = std::thread::spawn(move || measure(&messages)).join();
    measured.unwrap_or_else(|_| Err(anyhow::anyhow!("the measurement panicked")))
}

fn measure(messages: &[String]) -> Result<Restart> {
    let folder = tempfile::tempdir()?;
    let owner: OwnerId = "ada".parse()?;
    let taken = within_runtime(import(folder.path(), &owner, messages))?;
    let (mut walls, mut cpus) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (wall, cpu) = within_runtime(search_after_opening(folder.path(), &owner))?;
        walls.push(wall);
        cpus.push(cpu);
    }
    Ok(Restart {
        imported_per_s: messages.len() as f64 / taken.as_secs_f64(),
        first_search_ms: percentile::p50(&walls),
        first_search_cpu_ms: percentile::p50(&cpus),
    })
}

/// Runs something in a runtime of its own, which ends with all tasks, as a process does.
fn within_runtime<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(work)
}

fn open(store: Arc<Sqlite>) -> LongTermMemory {
    LongTermMemory::open(store, SteppingClock::new(), Ok(Arc::new(RandomEmbedder)), MemoryOptions::default())
}

async fn import(folder: &Path, owner: &OwnerId, messages: &[String]) -> Result<Duration> {
    let store = Arc::new(Sqlite::open(folder)?);
    let long_term = open(store.clone());
    let start = Instant::now();
    for (number, talk) in messages.chunks(TURNS).enumerate() {
        let memory = long_term.memory_titled(owner, "bench", format!("talk {number}")).await?;
        let role = |place: usize| if place.is_multiple_of(2) { "user" } else { "assistant" };
        let new = talk.iter().enumerate().map(|(place, words)| NewEntry::said(role(place), words.clone()));
        long_term.add_entries(owner, memory.memory_id, new.collect(), None).await?;
    }
    let taken = start.elapsed();
    let state = long_term.await_consistency(owner, None, PATIENCE).await?;
    ensure!(state.consistent, "not everything was embedded in time");
    // The words are stored while nothing is written.
    while store.vectors(owner, STORED_WORDS).await?.len() < messages.len() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(taken)
}

async fn search_after_opening(folder: &Path, owner: &OwnerId) -> Result<(Duration, Duration)> {
    let store = Arc::new(Sqlite::open(folder)?);
    let (start, cpu) = (Instant::now(), cpu_time(ClockId::ProcessCPUTime));
    let asked = MemorySearch { query: "What did I say?".to_owned(), ..MemorySearch::default() };
    open(store).search(owner, &asked, None).await?;
    Ok((start.elapsed(), cpu_time(ClockId::ProcessCPUTime).saturating_sub(cpu)))
}

/// The CPU time that a clock shows.
pub(super) fn cpu_time(clock: ClockId) -> Duration {
    let spent = rustix::time::clock_gettime(clock);
    Duration::new(u64::try_from(spent.tv_sec).unwrap_or(0), u32::try_from(spent.tv_nsec).unwrap_or(0))
}
