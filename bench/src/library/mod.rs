//! `library`: the cost of building, storing and searching a library of many passages.
//!
//! The documents are generated from plain words with a fixed seed, so they are the same on every
//! machine. Questions ask for needles in them, some by a unique name, some in other words.
//! Everything uses the library's public interface, as the server does.

mod documents;

use std::{
    fmt, fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use memory::{embedding::Embedder, long_term::World};
use ports::LibraryPort as _;
use protocol::{AddFolder, LibrarySearch, OwnerId, Timestamp};
use research::library::{InProcessReader, Library, LibraryLimits, LibraryParts};
use serde::Serialize;

use self::documents::{Needle, SeededRandom};
use crate::{
    percentile::LatencySummary,
    recall::CachedEmbedder,
    table::{Table, grouped, rounded},
};

const QUESTIONS: usize = 500;
/// A needle counts as found among this many first passages.
const FIRST: u32 = 5;

/// The cost of the library.
#[derive(Debug, Serialize)]
pub(crate) struct LibraryResult {
    documents: u64,
    passages: u64,
    questions: usize,
    /// From adding the folder until everything can be found by words.
    words_s: f64,
    /// From then until everything is embedded; `None` without an embedding model.
    meaning_s: Option<f64>,
    /// Opening it again, until the first answer.
    reopen_s: f64,
    text_bytes: u64,
    disk_bytes: u64,
    /// The growth of the process.
    memory_bytes: u64,
    ways: Vec<LibraryModeResult>,
}

/// The results of one search mode.
#[derive(Debug, Serialize)]
struct LibraryModeResult {
    name: &'static str,
    /// A whole search, including the embedding of the question if it is needed.
    search_ms: LatencySummary,
    named_found: f64,
    paraphrased_found: f64,
}

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

/// Measures a library with this many passages.
pub(crate) async fn run(passages: usize) -> Result<LibraryResult> {
    let (data, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let needles = documents::needles();
    documents::write(folder.path(), passages, &needles)?;
    let embedder = CachedEmbedder::load()?;
    if let Some(embedder) = &embedder {
        // The memory of the model itself is not counted.
        embedder.embed(&["The first text takes room for all that follow."; 16])?;
    }
    let resident_before = resident()?;
    let owner: OwnerId = "ada".parse()?;
    let library = open(data.path(), embedder.clone())?;
    let started_at = Instant::now();
    let add = AddFolder { path: folder.path().to_string_lossy().into_owned(), shared: false };
    let added = library.add(&owner, add).await?;
    let words_s = started_at.elapsed().as_secs_f64();
    let started_at = Instant::now();
    while library.view(&owner).await?.folders.iter().any(|folder| folder.waiting > 0) {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let meaning_s = embedder.is_some().then(|| started_at.elapsed().as_secs_f64());
    library.stop().await;
    drop(library);

    let disk_bytes = ["research.sqlite", "research.sqlite-wal"].iter().map(|name| size(&data.path().join(name))).sum();
    let started_at = Instant::now();
    let library = open(data.path(), embedder.clone())?;
    ask(&library, &owner, "Which bridge is it?").await?;
    let reopen_s = started_at.elapsed().as_secs_f64();
    let memory_bytes = resident()?.saturating_sub(resident_before);
    let mut ways = Vec::new();
    if embedder.is_some() {
        ways.push(look(&library, &owner, "words and meaning", &needles).await?);
    }
    library.stop().await;
    let library = open(data.path(), None)?;
    ways.insert(0, look(&library, &owner, "words alone", &needles).await?);
    library.stop().await;
    Ok(LibraryResult {
        documents: added.documents,
        passages: added.passages,
        questions: QUESTIONS,
        words_s,
        meaning_s,
        reopen_s,
        text_bytes: text_bytes(folder.path())?,
        disk_bytes,
        memory_bytes,
        ways,
    })
}

fn open(data: &Path, embedder: Option<Arc<dyn Embedder>>) -> Result<Library> {
    let library = Library::open(LibraryParts {
        data: data.to_owned(),
        embedder: embedder.ok_or_else(|| "not measured".to_owned()),
        reader: Arc::new(InProcessReader),
        world: Arc::new(SteppingClock(AtomicI64::new(1_800_000_000_000))),
        poll: Duration::from_secs(2),
        limits: LibraryLimits::default(),
    });
    Ok(library?)
}

async fn ask(library: &Library, owner: &OwnerId, question: &str) -> Result<Vec<String>> {
    let search = LibrarySearch { query: question.to_owned(), limit: Some(FIRST) };
    let hits = library.search(owner, search).await?;
    Ok(hits.data.into_iter().map(|hit| hit.text).collect())
}

async fn look(library: &Library, owner: &OwnerId, name: &'static str, needles: &[Needle]) -> Result<LibraryModeResult> {
    let mut draw = SeededRandom::new(7);
    ask(library, owner, "Is everything there?").await?;
    let mut searches = Vec::with_capacity(QUESTIONS);
    for _ in 0..QUESTIONS {
        let question = draw.question();
        let started_at = Instant::now();
        ask(library, owner, &question).await?;
        searches.push(started_at.elapsed());
    }
    let mut found = [(0_usize, 0_usize); 2];
    for needle in needles {
        let texts = ask(library, owner, &needle.question).await?;
        let (hits, all) = &mut found[usize::from(needle.is_paraphrase)];
        *hits += usize::from(texts.iter().any(|text| text.contains(&needle.text)));
        *all += 1;
    }
    let share = |(hits, all): (usize, usize)| hits as f64 / all.max(1) as f64;
    let [named, paraphrased] = found.map(share);
    Ok(LibraryModeResult {
        name,
        search_ms: LatencySummary::of(&searches),
        named_found: named,
        paraphrased_found: paraphrased,
    })
}

/// The resident memory of the process in bytes.
fn resident() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("failed to read the status of the process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("failed to find VmRSS")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse().context("failed to read VmRSS")?;
    Ok(kilobytes * 1024)
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn text_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { text_bytes(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

impl fmt::Display for LibraryResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1_000_000.0);
        let (passages, documents) = (grouped(self.passages), grouped(self.documents));
        writeln!(f, "{passages} passages in {documents} documents, {} MB of text.\n", megabytes(self.text_bytes))?;
        let mut table = Table::new(["", ""]).row(["found by words after, s".to_owned(), rounded(self.words_s)]);
        if let Some(meaning_s) = self.meaning_s {
            table = table.row(["and by embeddings after, s more".to_owned(), rounded(meaning_s)]);
        }
        let table = table
            .row(["opened again to the first answer, s".to_owned(), rounded(self.reopen_s)])
            .row(["on disk, MB".to_owned(), megabytes(self.disk_bytes)])
            .row(["in memory, MB".to_owned(), megabytes(self.memory_bytes)]);
        writeln!(f, "{table}")?;
        let mut table = Table::new(["", "p50 ms", "p99 ms", "max ms", "named hit@5", "paraphrased hit@5"]);
        for LibraryModeResult { name, search_ms, named_found, paraphrased_found } in &self.ways {
            table = table.row([
                (*name).to_owned(),
                rounded(search_ms.p50),
                rounded(search_ms.p99),
                rounded(search_ms.max),
                format!("{named_found:.3}"),
                format!("{paraphrased_found:.3}"),
            ]);
        }
        write!(f, "{} questions:\n\n{table}", self.questions)?;
        match self.meaning_s {
            Some(_) => Ok(()),
            None => write!(f, "There is no embedding model in {}.", CachedEmbedder::folder().display()),
        }
    }
}
