//! The latency of search and insertion with many memories of one owner.

use std::{
    fmt,
    time::{Duration, Instant},
};

use anyhow::Result;
use memory::search::{Document, DocumentIndex, Query};
use protocol::{Level, Timestamp};
use rustix::time::ClockId;
use serde::Serialize;

use super::{
    restart::{self, Restart, cpu_time},
    sets::IdGenerator,
    vectors::CachedEmbedder,
    writing,
};
use crate::{
    percentile::LatencySummary,
    table::{Table, grouped, rounded},
};

/// Messages that are written through long-term memory.
const WRITES: usize = 1_000;
/// Questions that are asked.
const QUESTIONS: usize = 500;
/// Turns of one memory.
const TURNS: usize = 20;
const DIMENSIONS: usize = 384;

/// The latency with this many memories.
#[derive(Debug, Serialize)]
pub(crate) struct Latency {
    documents: usize,
    questions: usize,
    /// Without the embedding, which runs in the background.
    insert_ms: LatencySummary,
    /// The same through long-term memory: facts extracted, stored and durable.
    write_ms: LatencySummary,
    search_ms: LatencySummary,
    /// The same in CPU time, which depends less on what else the machine does.
    search_cpu_ms: LatencySummary,
    /// Messages per second, one durable write after the other, before embedding.
    written_per_s: f64,
    restart: Restart,
    /// `None` without an embedding model.
    search_with_embedding_ms: Option<LatencySummary>,
}

/// Measures on generated conversations. Their vectors are random: the cost of a comparison does not
/// depend on the values.
pub(crate) fn run(documents: usize) -> Result<Latency> {
    let vectors = CachedEmbedder::open()?;
    let mut index = DocumentIndex::new();
    let mut draw = SeededRandom::new(7);
    let mut ids = IdGenerator::default();
    let mut inserts = Vec::with_capacity(documents);
    let mut memory_id = ids.memory();
    for number in 0..documents {
        if number.is_multiple_of(TURNS) {
            memory_id = ids.memory();
        }
        let at = Timestamp::from_millis(1_700_000_000_000 + number as i64 * 60_000);
        let document = Document::new(ids.item(), Level::Entry, draw.sentences(3), at);
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        let document = Document { memory_id: Some(memory_id), role: Some(role.to_owned()), ..document };
        let start = Instant::now();
        index.insert(document);
        inserts.push(start.elapsed());
    }
    for wanted in index.wanting(usize::MAX) {
        index.set_vector(&wanted, &draw.vector());
    }
    let now = Timestamp::from_millis(1_700_000_000_000 + documents as i64 * 60_000);
    let (mut searches, mut cpus, mut wholes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..QUESTIONS {
        let text = format!("What did I tell you about {} last time?", draw.word());
        let start = Instant::now();
        let vector = match &vectors {
            Some(vectors) => vectors.model().embed(&[&text])?.pop(),
            None => Some(draw.vector()),
        };
        let embedded = start.elapsed();
        let (start, cpu) = (Instant::now(), cpu_time(ClockId::ThreadCPUTime));
        index.search(&Query { vector, ..Query::new(text, 8) }, now);
        let searched: Duration = start.elapsed();
        cpus.push(cpu_time(ClockId::ThreadCPUTime).saturating_sub(cpu));
        searches.push(searched);
        wholes.push(embedded + searched);
    }
    let writes = writing::run(WRITES, || draw.sentences(2))?;
    Ok(Latency {
        documents,
        questions: QUESTIONS,
        insert_ms: LatencySummary::of(&inserts),
        write_ms: LatencySummary::of(&writes),
        written_per_s: writes.len() as f64 / writes.iter().sum::<Duration>().as_secs_f64(),
        search_ms: LatencySummary::of(&searches),
        search_cpu_ms: LatencySummary::of(&cpus),
        restart: restart::run(documents, || draw.sentences(3))?,
        search_with_embedding_ms: vectors.map(|_| LatencySummary::of(&wholes)),
    })
}

/// A random generator of words with a fixed seed.
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    /// The seed must not be 0.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A few words are frequent and most are rare, as in any language.
    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 16] =
            ["ba", "de", "fi", "go", "lu", "ma", "ne", "pi", "ro", "su", "ta", "ve", "wo", "zu", "kel", "mor"];
        let share = (self.next() % 10_000) as f64 / 10_000.0;
        let mut rank = (share.powi(3) * 20_000.0) as usize + 16;
        let mut word = String::new();
        while rank > 0 {
            word.push_str(SYLLABLES[rank % 16]);
            rank /= 16;
        }
        word
    }

    fn sentences(&mut self, count: usize) -> String {
        let sentence = |draw: &mut Self| format!("{}.", (0..10).map(|_| draw.word()).collect::<Vec<_>>().join(" "));
        (0..count).map(|_| sentence(self)).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| (self.next() % 2_001) as f32 / 1_000.0 - 1.0).collect()
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = |name: &str, spread: &LatencySummary| {
            [name.to_owned(), rounded(spread.p50), rounded(spread.p99), rounded(spread.max)]
        };
        writeln!(f, "{} memories of one owner, {} questions.\n", grouped(self.documents as u64), self.questions)?;
        let mut table = Table::new(["", "p50 ms", "p99 ms", "max ms"]);
        table = table.row(cells("insert into the index, before embedding", &self.insert_ms));
        table = table.row(cells("write through long-term memory, durable, before embedding", &self.write_ms));
        table = table.row(cells("search, without embedding the question", &self.search_ms));
        table = table.row(cells("the same in CPU time", &self.search_cpu_ms));
        if let Some(spread) = &self.search_with_embedding_ms {
            table = table.row(cells("search, with embedding the question", spread));
        }
        write!(f, "{table}")?;
        let Restart { imported_per_s, first_search_ms, first_search_cpu_ms } = self.restart;
        let (written, imported) = (grouped(self.written_per_s as u64), grouped(imported_per_s as u64));
        writeln!(f, "Messages per second before embedding: {written} one by one, {imported} imported.")?;
        let (wall, cpu) = (rounded(first_search_ms), rounded(first_search_cpu_ms));
        writeln!(f, "First search after a restart, every vector present: {wall} ms ({cpu} ms of CPU).")?;
        match self.search_with_embedding_ms {
            Some(_) => Ok(()),
            None => write!(f, "There is no embedding model in {}.", CachedEmbedder::folder().display()),
        }
    }
}
