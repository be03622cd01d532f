//! Erased text is in no byte of the data folder, and all other data is intact.

use std::{collections::BTreeMap, fs, path::Path};

use aho_corasick::AhoCorasick;
use journal::{Append, Artifact, Artifacts, Change, Eraser, Journal, Memories, RecordFilter, RedactedEvent, Snapshot};
use protocol::{Body, Event, SessionId, TextDelta};
use rusqlite::Connection;

use crate::{
    sample::{self, artifact, artifact_id, entry, item_id, memory, owner, session, text, turn, vault},
    sqlite::TestFolder,
};

const SESSIONS: u64 = 7;
const ROUNDS: u64 = 60;

/// A unique text of that many bytes.
fn words(name: &str, bytes: usize) -> String {
    let mut words = format!("{name} said \"yes\": ");
    let mut n = 0;
    while words.len() < bytes {
        words.push_str(&format!("{name}-{n} "));
        n += 1;
    }
    words
}

/// Sizes around the limits of a row, of a page, of several pages, and of the table of blobs.
fn size(session: u64, round: u64) -> usize {
    [30, 700, 90, 1_500, 40, 6 * 1024, 300, 2_500, 60, 12_000, 20, 60 * 1024][((session * 5 + round) % 12) as usize]
}

fn name(session: u64, round: u64) -> String {
    format!("w{session}x{round}y")
}

fn is_forgotten(session: u64, round: u64) -> bool {
    (session * 31 + round * 17) % 5 < 2
}

/// The content of every file in the folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.display().to_string(), fs::read(path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(read).collect()
}

/// A text is full of these marks, so a remaining part of it has one.
fn check_gone(folder: &Path, marks: &[String]) {
    let search = AhoCorasick::new(marks).unwrap();
    for (file, bytes) in files(folder) {
        let found = search.find(&bytes).map(|found| &marks[found.pattern()]);
        assert_eq!(found, None, "in {file}");
    }
}

async fn fill(store: &dyn journal::Store) -> Vec<Vec<Event>> {
    let ada = owner("ada");
    let mut kept = Vec::new();
    for n in 0..SESSIONS {
        let first = sample::started(session(n), &ada, None);
        store.create(vec![first.clone()], sample::summary(session(n), &ada, None, n)).await.unwrap();
        kept.push(vec![first]);
    }
    // Alternating, so that rows are inserted between rows and pages are split.
    for round in 0..ROUNDS {
        for n in 0..SESSIONS {
            let id = session(n);
            let lease = store.acquire(id).await.unwrap();
            let event = text(id, round + 2, turn(n), &words(&name(n, round), size(n, round)));
            let append = Append::new(round + 1, vec![event.clone()], None);
            store.append(lease, append).await.unwrap();
            kept[n as usize].push(event);
            if round % 20 == 19 {
                let state = words(&name(n, round), 5_000);
                store.save(id, Snapshot { seq: round + 2, format: 1, state }).await.unwrap();
            }
        }
    }
    kept
}

fn redacted(seq: u64) -> RedactedEvent {
    RedactedEvent { seq, body: Body::Text(TextDelta { offset: 0, delta: String::new() }) }
}

async fn redact(store: &dyn journal::Store, id: SessionId, n: u64, events: &mut [Event]) -> (Vec<String>, Vec<String>) {
    let rounds: Vec<u64> = (0..ROUNDS).filter(|round| is_forgotten(n, *round)).collect();
    let lease = store.acquire(id).await.unwrap();
    store.redact(lease, rounds.iter().map(|round| redacted(round + 2)).collect(), None).await.unwrap();
    for round in &rounds {
        events[*round as usize + 1].body = redacted(0).body;
    }
    let texts = rounds.iter().map(|round| words(&name(n, *round), size(n, *round))).collect();
    (texts, rounds.iter().map(|round| name(n, *round)).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_byte_of_what_was_struck_is_left_in_the_folder() {
    let folder = TestFolder::new();
    let path = folder.0.path();
    let store = folder.open();
    let mut kept = fill(&store).await;
    let (mut texts, mut marks) = (Vec::new(), Vec::new());
    for (n, events) in (0..SESSIONS).zip(&mut kept) {
        let (more_texts, more_marks) = redact(&store, session(n), n, events).await;
        texts.extend(more_texts);
        marks.extend(more_marks);
    }
    assert!(marks.len() > 100 && texts.iter().any(|text| text.len() > 60_000));
    assert_eq!(store.scrub(&texts).await.unwrap(), [] as [String; 0]);
    check_gone(path, &marks);
    for (n, events) in (0..SESSIONS).zip(&kept) {
        assert_eq!(&store.read(session(n), 0, 1_000).await.unwrap(), events);
        let lease = store.acquire(session(n)).await.unwrap();
        store.append(lease, sample::notes(session(n), ROUNDS + 1, 3)).await.unwrap();
    }
    drop(store);
    check_gone(path, &marks);
    let file = Connection::open(path.join("journal.db")).unwrap();
    assert_eq!(file.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap(), "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_byte_of_forgotten_memories_and_artifacts_is_left_in_the_folder() {
    let folder = TestFolder::new();
    let store = folder.open();
    let (id, ada) = (session(1), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    store.change(&ada, vec![Change::Vault(vault(1)), Change::Memory(memory(1, 1))]).await.unwrap();
    let record = |n: u64| entry(n, 1, n, &words(&name(0, n), size(n, n * 7)));
    for n in 0..200 {
        // Not in order, so that pages are split.
        let n = n * 83 % 200;
        store.change(&ada, vec![Change::Put(record(n))]).await.unwrap();
        if n % 10 == 0 {
            let bytes = words(&name(1, n), size(n, n)).into_bytes();
            store.put(Artifact { bytes, ..artifact(n, id, &ada, n, 0) }).await.unwrap();
        }
    }
    let gone: Vec<u64> = (0..200).filter(|n| is_forgotten(0, *n)).collect();
    store.change(&ada, gone.iter().map(|n| Change::Remove(item_id(*n))).collect()).await.unwrap();
    let artifacts: Vec<u64> = (0..20).map(|n| n * 10).filter(|n| is_forgotten(1, *n)).collect();
    let marked = |marks: &[String]| marks.iter().map(|mark| format!("{mark} said")).collect::<Vec<_>>();
    let of_artifacts: Vec<String> = artifacts.iter().map(|n| name(1, *n)).collect();
    let removed = store.remove_artifacts_with(&ada, &marked(&of_artifacts)).await.unwrap();
    assert_eq!(removed, artifacts.len() as u64);

    let texts = gone.iter().map(|n| words(&name(0, *n), size(*n, *n * 7)));
    let texts: Vec<String> = texts.chain(artifacts.iter().map(|n| words(&name(1, *n), size(*n, *n)))).collect();
    assert_eq!(store.scrub(&texts).await.unwrap(), [] as [String; 0]);
    let marks: Vec<String> = gone.iter().map(|n| name(0, *n)).chain(of_artifacts).collect();
    check_gone(folder.0.path(), &marks);
    let left: Vec<_> = (0..200).filter(|n| !is_forgotten(0, *n)).map(record).collect();
    let oldest_first = RecordFilter { oldest_first: true, ..RecordFilter::default() };
    assert_eq!(store.records(&ada, oldest_first, None, 1_000).await.unwrap(), left);
    for n in (0..20).map(|n| n * 10).filter(|n| !is_forgotten(1, *n)) {
        let (_, bytes) = store.artifact(&ada, artifact_id(n)).await.unwrap().unwrap();
        assert_eq!(bytes, words(&name(1, n), size(n, n)).into_bytes());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_byte_of_a_removed_session_is_left_in_the_folder() {
    let folder = TestFolder::new();
    let path = folder.0.path();
    let store = folder.open();
    let kept = fill(&store).await;
    let gone = [1u64, 4];
    let said = |n: u64| (0..ROUNDS).map(move |round| words(&name(n, round), size(n, round)));
    let marks: Vec<String> = gone.iter().flat_map(|n| (0..ROUNDS).map(|round| name(*n, round))).collect();
    for n in gone {
        let lease = store.acquire(session(n)).await.unwrap();
        store.remove(lease).await.unwrap();
    }
    let texts: Vec<String> = gone.into_iter().flat_map(said).collect();
    assert_eq!(store.scrub(&texts).await.unwrap(), [] as [String; 0]);
    check_gone(path, &marks);
    for (n, events) in (0..SESSIONS).zip(&kept).filter(|(n, _)| !gone.contains(n)) {
        assert_eq!(&store.read(session(n), 0, 1_000).await.unwrap(), events);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_crash_left_of_a_removed_session_is_gone_once_that_is_finished() {
    let folder = TestFolder::new();
    let path = folder.0.path();
    let store = folder.open();
    fill(&store).await;
    let lease = store.acquire(session(1)).await.unwrap();
    store.begin_erasing().await.unwrap();
    store.remove(lease).await.unwrap();
    // The residue was not cleaned, and the next process does not know the text.
    drop(store);
    let store = folder.open();
    assert!(store.finish_erasing().await.unwrap());
    check_gone(path, &(0..ROUNDS).map(|round| name(1, round)).collect::<Vec<_>>());
}

/// A file from before removed data was overwritten has text in its free pages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_only_let_go_of_earlier_is_scrubbed_too() {
    let folder = TestFolder::new();
    let path = folder.0.path();
    drop(folder.open());
    let secret = words("secret", 9_000);
    let file = Connection::open(path.join("journal.db")).unwrap();
    file.execute_batch("PRAGMA secure_delete = OFF").unwrap();
    file.execute("INSERT INTO snapshots (sid, seq, format, state) VALUES (77, 1, 1, ?1)", [&secret]).unwrap();
    file.execute("DELETE FROM snapshots", []).unwrap();
    drop(file);
    let is_left = || files(path).values().any(|bytes| bytes.windows(11).any(|window| window == b"secret-200 "));
    assert!(is_left());
    let store = folder.open();
    assert_eq!(store.scrub(&[secret]).await.unwrap(), [] as [String; 0]);
    assert!(!is_left());
}

/// The file is rewritten only for bytes that belong to no row.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_keep_is_no_reason_to_write_the_file_anew() {
    let folder = TestFolder::new();
    let store = folder.open();
    let (id, bob) = (session(1), owner("bob"));
    store.create(vec![sample::started(id, &bob, None)], sample::summary(id, &bob, None, 0)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    let text_of_bob = words("bobs", 7_000);
    let events = vec![text(id, 2, turn(1), &text_of_bob), text(id, 3, turn(1), &words("room", 60_000))];
    store.append(lease, Append::new(1, events, None)).await.unwrap();
    store.redact(lease, vec![redacted(3)], None).await.unwrap();
    let texts = [text_of_bob];
    for _ in ["once", "again"] {
        assert_eq!(store.scrub(&texts).await.unwrap(), texts);
    }
    let file = Connection::open(folder.0.path().join("journal.db")).unwrap();
    let free: i64 = file.query_row("PRAGMA freelist_count", [], |row| row.get(0)).unwrap();
    assert!(free > 10, "the free pages are still there: {free}");
}

/// A long reader blocks the checkpoint of the log. The answer then names what is left and is no
/// error.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_stays_does_not_make_scrubbing_lie() {
    let folder = TestFolder::new();
    let store = folder.open();
    let (id, ada) = (session(1), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    let secret = words("secret", 300);
    let append = Append::new(1, vec![text(id, 2, turn(1), &secret)], None);
    store.append(lease, append).await.unwrap();
    // A read commits everything to the file.
    store.read(id, 0, 10).await.unwrap();
    let other = Connection::open(folder.0.path().join("journal.db")).unwrap();
    other.execute_batch("BEGIN").unwrap();
    let _: i64 = other.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap();
    store.redact(lease, vec![redacted(2)], None).await.unwrap();
    assert_eq!(store.scrub(std::slice::from_ref(&secret)).await.unwrap(), std::slice::from_ref(&secret));
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(store.scrub(std::slice::from_ref(&secret)).await.unwrap(), [] as [String; 0]);
    check_gone(folder.0.path(), &["secret-1".to_owned()]);
}

/// Writes during the cleaning neither block it nor are lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scrubbing_and_appending_at_once_both_succeed() {
    let folder = TestFolder::new();
    let store = folder.open();
    let (id, ada) = (session(1), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    let texts = ["a word that was never said".to_owned()];
    for head in 1..=60 {
        let append = Append::new(head, vec![text(id, head + 1, turn(1), "said meanwhile")], None);
        let (scrubbed, appended) = tokio::join!(store.scrub(&texts), store.append(lease, append));
        assert_eq!((scrubbed, appended), (Ok(Vec::new()), Ok(())));
    }
    assert_eq!(store.read(id, 0, 100).await.unwrap().len(), 61);
}
