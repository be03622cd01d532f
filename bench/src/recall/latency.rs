//! What search and insertion take with many memories of one owner.

use std::{
    fmt,
    time::{Duration, Instant},
};

use anyhow::Result;
use memory::{
    embedding::Embedder,
    search::{Document, Index, Query},
};
use protocol::{Level, Timestamp};
use serde::Serialize;

use super::{sets::Ids, vectors::Vectors, writing};
use crate::{
    percentile::Spread,
    table::{Table, grouped, rounded},
};

/// So many messages are written through the room.
const WRITES: usize = 1_000;
/// So many questions are asked.
const QUESTIONS: usize = 500;
/// So many turns belong together.
const TURNS: usize = 20;
const DIMENSIONS: usize = 384;

/// What it takes with that many memories.
#[derive(Debug, Serialize)]
pub(crate) struct Latency {
    documents: usize,
    questions: usize,
    /// Without what the embedding takes, which goes on in the background.
    insert_ms: Spread,
    /// The same through the room: statements read off, stored and on the disk.
    write_ms: Spread,
    search_ms: Spread,
    /// None if there is no model of meaning.
    search_with_embedding_ms: Option<Spread>,
}

/// Measures on generated conversations. Their vectors are drawn: what a comparison takes does not depend on the numbers.
pub(crate) fn run(documents: usize) -> Result<Latency> {
    let vectors = Vectors::open()?;
    let mut index = Index::new();
    let mut draw = Draw(7);
    let mut ids = Ids::default();
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
    let (mut searches, mut wholes) = (Vec::new(), Vec::new());
    for _ in 0..QUESTIONS {
        let text = format!("What did I tell you about {} last time?", draw.word());
        let start = Instant::now();
        let vector = match &vectors {
            Some(vectors) => vectors.model().embed(&[&text])?.pop(),
            None => Some(draw.vector()),
        };
        let embedded = start.elapsed();
        let start = Instant::now();
        index.search(&Query { vector, ..Query::new(text, 8) }, now);
        let searched: Duration = start.elapsed();
        searches.push(searched);
        wholes.push(embedded + searched);
    }
    Ok(Latency {
        documents,
        questions: QUESTIONS,
        insert_ms: Spread::of(&inserts),
        write_ms: Spread::of(&writing::run(WRITES, || draw.sentences(2))?),
        search_ms: Spread::of(&searches),
        search_with_embedding_ms: vectors.map(|_| Spread::of(&wholes)),
    })
}

/// Draws the same words on every machine.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Some words are frequent and most are rare, as in any language.
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

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| (self.next() % 2_001) as f32 / 1_000.0 - 1.0).collect()
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = |name: &str, spread: &Spread| {
            [name.to_owned(), rounded(spread.p50), rounded(spread.p99), rounded(spread.max)]
        };
        writeln!(f, "{} memories of one owner, {} questions.\n", grouped(self.documents as u64), self.questions)?;
        let mut table = Table::new(["", "p50 ms", "p99 ms", "max ms"]);
        table = table.row(cells("insert into the index, before embedding", &self.insert_ms));
        table = table.row(cells("write through the room, durable, before embedding", &self.write_ms));
        table = table.row(cells("search, without embedding the question", &self.search_ms));
        if let Some(spread) = &self.search_with_embedding_ms {
            table = table.row(cells("search, with embedding the question", spread));
        }
        write!(f, "{table}")?;
        match self.search_with_embedding_ms {
            Some(_) => Ok(()),
            None => write!(f, "There is no model of meaning in {}.", Vectors::folder().display()),
        }
    }
}
