//! A library of documents: adding, searching, changing, removing, and restarts.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use memory::{
    embedding::{Embedder, EmbeddingError},
    long_term::World,
};
use ports::{LibraryError, LibraryPort as _};
use protocol::{AddFolder, FolderView, LibrarySearch, OwnerId, Timestamp};
use research::{
    Lead, LibrarySource, Source,
    library::{FileReader, InProcessReader, Library, LibraryLimits, LibraryParts},
    read::{ExtractedText, MediaKind, ReadError},
    source::SourceQuery,
};
use tempfile::TempDir;

/// A clock one day after all files were written; ids are counted.
struct LaterWorld(AtomicU64);

impl World for LaterWorld {
    #[allow(clippy::disallowed_methods, reason = "files are stamped by the real clock")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap() + 86_400_000)
    }

    fn ulid(&self) -> ulid::Ulid {
        ulid::Ulid::from_parts(self.0.fetch_add(1, Ordering::Relaxed), 7)
    }
}

/// Counts what it reads.
#[derive(Default)]
struct CountingReader(AtomicUsize);

impl FileReader for CountingReader {
    fn read(&self, kind: MediaKind, bytes: &[u8]) -> Result<ExtractedText, ReadError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        InProcessReader.read(kind, bytes)
    }
}

/// Distinguishes only whether a text is about animals. Counts the texts.
#[derive(Default)]
struct AnimalEmbedder(AtomicUsize);

impl Embedder for AnimalEmbedder {
    fn name(&self) -> &str {
        "animals"
    }

    fn tokens_max(&self) -> usize {
        usize::MAX
    }

    fn tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        self.0.fetch_add(texts.len(), Ordering::Relaxed);
        let is_animal = |text: &&str| ["cat", "dog", "pet", "horse"].iter().any(|word| text.contains(word));
        Ok(texts.iter().map(|text| if is_animal(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
    }
}

/// A data folder, a folder of documents, and the dependencies of a library.
struct Harness {
    data: TempDir,
    documents: TempDir,
    reader: Arc<CountingReader>,
    animals: Option<Arc<AnimalEmbedder>>,
}

impl Harness {
    fn new() -> Self {
        let folder = || tempfile::tempdir().unwrap();
        Self { data: folder(), documents: folder(), reader: Arc::default(), animals: None }
    }

    fn with_meaning() -> Self {
        Self { animals: Some(Arc::default()), ..Self::new() }
    }

    fn parts(&self) -> LibraryParts {
        let embedder = self.animals.clone().map(|animals| animals as Arc<dyn Embedder>);
        LibraryParts {
            data: self.data.path().to_owned(),
            embedder: embedder.ok_or_else(|| "no embedding model is configured".to_owned()),
            reader: self.reader.clone(),
            world: Arc::new(LaterWorld(AtomicU64::new(1))),
            // Tests trigger scans themselves.
            poll: Duration::from_secs(3_600),
            limits: LibraryLimits::default(),
        }
    }

    fn open(&self) -> Library {
        Library::open(self.parts()).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.documents.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.documents.path().canonicalize().unwrap()
    }

    async fn add(&self, library: &Library, shared: bool) -> FolderView {
        add(library, &ada(), self.documents.path(), shared).await.unwrap()
    }
}

fn ada() -> OwnerId {
    "ada".parse().unwrap()
}

fn bob() -> OwnerId {
    "bob".parse().unwrap()
}

async fn add(library: &Library, owner: &OwnerId, path: &Path, shared: bool) -> Result<FolderView, LibraryError> {
    library.add(owner, AddFolder { path: path.to_str().unwrap().to_owned(), shared }).await
}

/// The sources of matching passages, best first, without their common prefix.
async fn search(library: &Library, owner: &OwnerId, query: &str) -> Vec<String> {
    let hits = library.search(owner, LibrarySearch { query: query.to_owned(), limit: None }).await.unwrap();
    let path = |source: &str| source.split_once('/').unwrap().1.to_owned();
    hits.data.iter().map(|hit| path(&hit.source)).collect()
}

#[tokio::test]
async fn documents_are_found_by_their_words_as_soon_as_the_folder_is_added() {
    let harness = Harness::new();
    harness.write("garden/roses.md", "# Roses\n\nPrune them in March.\n\nThey like loam.");
    harness.write("bikes.txt", "Grease the chain every month.");
    harness.write("notes.rs", "Nothing that is read: prune chain.");
    harness.write(".secret/diary.md", "Nothing that is seen: prune chain.");
    harness.write(".hidden.md", "Nothing that is seen: prune chain.");
    let library = harness.open();
    let folder = harness.add(&library, false).await;
    assert_eq!((folder.documents, folder.passages, folder.troubled), (2, 2, 0));
    assert_eq!(search(&library, &ada(), "when are roses pruned?").await[0], "garden/roses.md");
    assert_eq!(search(&library, &ada(), "chain").await, ["bikes.txt"]);
    let view = library.view(&ada()).await.unwrap();
    assert_eq!(view.without_meaning.as_deref(), Some("no embedding model is configured"));
    let hits = library.search(&ada(), LibrarySearch { query: "loam".to_owned(), limit: Some(1) }).await.unwrap();
    let name = harness.root().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(hits.data[0].source, format!("library:{name}/garden/roses.md"));
    assert!(hits.data[0].text.ends_with("They like loam."), "{hits:?}");
    assert!(hits.data[0].score > 0.0 && hits.data[0].score <= 1.0);
}

#[tokio::test]
async fn what_changes_and_what_goes_is_noticed() {
    let harness = Harness::new();
    harness.write("one.md", "The word is walrus.");
    harness.write("two.md", "The word is pelican.");
    let library = harness.open();
    harness.add(&library, false).await;
    harness.write("one.md", "The word is narwhal now.");
    fs::remove_file(harness.documents.path().join("two.md")).unwrap();
    harness.write("three.md", "The word is ostrich.");
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!(view.folders[0].documents, 2);
    for (word, expected) in
        [("walrus", None), ("narwhal", Some("one.md")), ("pelican", None), ("ostrich", Some("three.md"))]
    {
        assert_eq!(search(&library, &ada(), word).await.first().map(String::as_str), expected, "{word}");
    }
}

#[tokio::test]
async fn a_change_is_noticed_without_being_asked_for() {
    let harness = Harness::new();
    harness.write("one.md", "The word is walrus.");
    let parts = LibraryParts {
        data: harness.data.path().to_owned(),
        embedder: Err("none".to_owned()),
        reader: harness.reader.clone(),
        world: Arc::new(LaterWorld(AtomicU64::new(1))),
        poll: Duration::from_millis(10),
        limits: LibraryLimits::default(),
    };
    let library = Library::open(parts).unwrap();
    harness.add(&library, false).await;
    harness.write("two.md", "The word is pelican.");
    while search(&library, &ada(), "pelican").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn what_is_more_than_the_library_may_hold_is_left_out_by_name_until_there_is_room() {
    let harness = Harness::new();
    harness.write("one.md", "The word is walrus.");
    harness.write("two.md", "The word is pelican.");
    harness.write("wide.md", &"The word is ostrich. ".repeat(100));
    let limits = LibraryLimits { documents_max: Some(2), bytes_max: Some(1_000) };
    let library = Library::open(LibraryParts { limits, ..harness.parts() }).unwrap();
    let folder = harness.add(&library, false).await;
    let told: Vec<_> = folder.troubles.iter().map(|it| (it.path.as_str(), it.reason.as_str())).collect();
    assert_eq!(told, [("wide.md", "the library has reached its limit of 2 documents (`library.documents_max`)")]);
    assert_eq!(search(&library, &ada(), "ostrich").await, [""; 0]);
    let usage = library.usage().await.unwrap();
    assert_eq!((usage.documents.used, usage.documents.max, usage.bytes.max), (2, Some(2), Some(1_000)));
    assert_eq!(usage.bytes.used, 19 + 20);

    fs::remove_file(harness.documents.path().join("one.md")).unwrap();
    library.rescan(&ada()).await.unwrap();
    let view = library.rescan(&ada()).await.unwrap();
    let reason = &view.folders[0].troubles[0].reason;
    assert_eq!(reason, "the library has 20 of 1000 bytes, and this does not fit (`library.bytes_max`)");
    harness.write("wide.md", "The word is ostrich.");
    library.rescan(&ada()).await.unwrap();
    assert_eq!(search(&library, &ada(), "ostrich").await.len(), 1);
}

#[tokio::test]
async fn a_restart_reads_nothing_anew() {
    let harness = Harness::with_meaning();
    for number in 0..20 {
        harness.write(&format!("{number}.md"), &format!("# Note {number}\n\nThe word is walrus{number}."));
    }
    let library = harness.open();
    let added = harness.add(&library, false).await;
    let looked_at = settled(&harness, &library).await;
    library.stop().await;
    let read = harness.reader.0.load(Ordering::Relaxed);
    assert_eq!(read, 20);

    let library = harness.open();
    assert_eq!(search(&library, &ada(), "walrus7").await[0], "7.md", "before any look at the folder is through");
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!(view.folders[0].documents, added.documents);
    assert_eq!(view.folders[0].waiting, 0);
    assert_eq!(harness.reader.0.load(Ordering::Relaxed), read);
    let questions = 1;
    assert_eq!(harness.animals.as_ref().unwrap().0.load(Ordering::Relaxed), looked_at + questions);
}

/// Waits until all passages have embeddings, and returns how many texts were embedded.
async fn settled(harness: &Harness, library: &Library) -> usize {
    while library.view(&ada()).await.unwrap().folders.iter().any(|folder| folder.waiting > 0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    harness.animals.as_ref().unwrap().0.load(Ordering::Relaxed)
}

#[tokio::test]
async fn documents_are_found_by_what_they_mean() {
    let harness = Harness::with_meaning();
    harness.write("a.md", "My cat sleeps all day.");
    harness.write("b.md", "The tax form is due in May.");
    let library = harness.open();
    harness.add(&library, false).await;
    settled(&harness, &library).await;
    assert_eq!(search(&library, &ada(), "pet").await[0], "a.md");
    assert_eq!(library.view(&ada()).await.unwrap().without_meaning, None);
}

#[tokio::test]
async fn a_file_that_moves_is_not_looked_at_again() {
    let harness = Harness::with_meaning();
    harness.write("one/cat.md", "My cat sleeps all day.");
    harness.write("tax.md", "The tax form is due in May.");
    let library = harness.open();
    harness.add(&library, false).await;
    let before = settled(&harness, &library).await;
    fs::create_dir(harness.documents.path().join("two")).unwrap();
    fs::rename(harness.documents.path().join("one/cat.md"), harness.documents.path().join("two/cat.md")).unwrap();
    library.rescan(&ada()).await.unwrap();
    assert_eq!(settled(&harness, &library).await, before);
    assert_eq!(search(&library, &ada(), "pet").await[0], "two/cat.md");
}

#[tokio::test]
async fn owners_are_strangers_unless_a_folder_is_shared() {
    let harness = Harness::new();
    harness.write("one.md", "The word is walrus.");
    let library = harness.open();
    let folder = harness.add(&library, false).await;
    assert!(search(&library, &bob(), "walrus").await.is_empty());
    assert!(library.view(&bob()).await.unwrap().folders.is_empty());
    let source = LibrarySource::new(library.clone());
    assert!(source.is_there(&ada()).await && !source.is_there(&bob()).await);

    let again = harness.add(&library, true).await;
    assert_eq!(again.folder_id, folder.folder_id, "adding a folder again changes nothing but whether it is shared");
    assert_eq!(search(&library, &bob(), "walrus").await, ["one.md"]);
    assert_eq!(library.remove(&bob(), folder.folder_id).await, Err(LibraryError::NotFound), "it is not theirs");

    let removed = library.remove(&ada(), folder.folder_id).await.unwrap();
    assert_eq!(removed.documents, 1);
    for owner in [ada(), bob()] {
        assert!(search(&library, &owner, "walrus").await.is_empty());
    }
    assert!(harness.documents.path().join("one.md").exists(), "files stay where they are");
    assert_eq!(library.remove(&ada(), folder.folder_id).await, Err(LibraryError::NotFound));
}

#[tokio::test]
async fn some_folders_are_refused_with_the_reason() {
    let harness = Harness::new();
    harness.write("inner/one.md", "The word is walrus.");
    let library = harness.open();
    let data = harness.data.path().canonicalize().unwrap();
    let refused = async |path: &Path| match add(&library, &ada(), path, false).await {
        Err(LibraryError::Invalid(why)) => why,
        other => panic!("{path:?}: {other:?}"),
    };
    for (path, reason) in [
        (PathBuf::from("documents"), "absolute path"),
        (harness.root().join("inner/one.md"), "is not a folder"),
        (harness.root().join("nowhere"), "cannot be found"),
        (PathBuf::from("/"), "root folder"),
        (data.clone(), "secrets"),
        (data.parent().unwrap().to_owned(), "secrets"),
    ] {
        let why = refused(&path).await;
        assert!(why.contains(reason), "{why}");
    }
    harness.add(&library, false).await;
    let why = refused(&harness.root().join("inner")).await;
    assert!(why.contains("already") && why.contains(harness.root().to_str().unwrap()), "{why}");
    let search = library.search(&ada(), LibrarySearch { query: "  ".to_owned(), limit: None }).await;
    assert!(matches!(search, Err(LibraryError::Invalid(_))));
}

#[tokio::test]
async fn a_folder_around_one_that_is_there_is_refused() {
    let harness = Harness::new();
    harness.write("inner/one.md", "The word is walrus.");
    let library = harness.open();
    add(&library, &ada(), &harness.root().join("inner"), false).await.unwrap();
    let around = add(&library, &ada(), &harness.root(), false).await;
    assert!(matches!(around, Err(LibraryError::Invalid(why)) if why.contains("remove that one first")));
}

#[tokio::test]
async fn a_folder_that_is_not_there_keeps_its_documents_until_it_is_back() {
    let harness = Harness::new();
    harness.write("disk/one.md", "The word is walrus.");
    let library = harness.open();
    let (disk, away) = (harness.root().join("disk"), harness.root().join("away"));
    add(&library, &ada(), &disk, false).await.unwrap();
    fs::rename(&disk, &away).unwrap();
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!((view.folders[0].documents, view.folders[0].troubled), (1, 1));
    assert!(view.folders[0].troubles[0].reason.contains("not available"), "{view:?}");
    assert_eq!(search(&library, &ada(), "walrus").await, ["one.md"]);
    fs::rename(&away, &disk).unwrap();
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!((view.folders[0].documents, view.folders[0].troubled), (1, 0));
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_tried_again() {
    struct PickyReader;
    impl FileReader for PickyReader {
        fn read(&self, kind: MediaKind, bytes: &[u8]) -> Result<ExtractedText, ReadError> {
            match bytes.starts_with(b"bad") {
                true => Err(ReadError("it is bad".to_owned())),
                false => InProcessReader.read(kind, bytes),
            }
        }
    }
    let harness = Harness::new();
    harness.write("one.pdf", "bad walrus");
    let large = fs::File::create(harness.documents.path().join("large.txt")).unwrap();
    large.set_len(33 * 1024 * 1024).unwrap();
    let parts = LibraryParts {
        data: harness.data.path().to_owned(),
        embedder: Err("none".to_owned()),
        reader: Arc::new(PickyReader),
        world: Arc::new(LaterWorld(AtomicU64::new(1))),
        poll: Duration::from_secs(3_600),
        limits: LibraryLimits::default(),
    };
    let library = Library::open(parts).unwrap();
    let folder = harness.add(&library, false).await;
    let told: Vec<_> = folder.troubles.iter().map(|it| (it.path.as_str(), it.reason.as_str())).collect();
    assert_eq!(told, [("large.txt", "it is larger than 32 MB"), ("one.pdf", "it is bad")]);
    assert_eq!((folder.documents, folder.troubled), (0, 2));
    fs::remove_file(harness.documents.path().join("one.pdf")).unwrap();
    harness.write("one.md", "A good walrus.");
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!((view.folders[0].documents, view.folders[0].troubled), (1, 1));
}

#[cfg(unix)]
#[tokio::test]
async fn links_do_not_lead_out_of_the_folder() {
    let harness = Harness::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("secret.md"), "The word is walrus.").unwrap();
    harness.write("one.md", "The word is pelican.");
    std::os::unix::fs::symlink(elsewhere.path(), harness.documents.path().join("folder")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("secret.md"), harness.documents.path().join("file.md")).unwrap();
    std::os::unix::fs::symlink(harness.documents.path(), harness.documents.path().join("circle")).unwrap();
    let library = harness.open();
    assert_eq!(harness.add(&library, false).await.documents, 1);
    assert!(search(&library, &ada(), "walrus").await.is_empty());
}

#[tokio::test]
async fn a_damaged_file_is_put_aside_and_the_folders_are_known_again() {
    let harness = Harness::new();
    harness.write("one.md", "The word is walrus.");
    let library = harness.open();
    let added = harness.add(&library, true).await;
    library.stop().await;
    for broken in [b"not a database at all, but long enough to be taken for one".as_slice(), b"SQLite format 3\0broken"]
    {
        fs::write(harness.data.path().join("research.sqlite"), broken).unwrap();
        let library = harness.open();
        let view = library.rescan(&ada()).await.unwrap();
        assert_eq!(view.folders[0].folder_id, added.folder_id);
        assert!(view.folders[0].shared);
        assert_eq!(search(&library, &ada(), "walrus").await, ["one.md"]);
        assert_eq!(fs::read(harness.data.path().join("research.sqlite.old")).unwrap(), broken);
        library.stop().await;
    }
}

#[tokio::test]
async fn folders_of_one_name_are_told_apart() {
    let harness = Harness::new();
    harness.write("a/docs/one.md", "The word is walrus.");
    harness.write("b/docs/one.md", "The word is walrus, again.");
    let library = harness.open();
    for part in ["a", "b"] {
        add(&library, &ada(), &harness.root().join(part).join("docs"), false).await.unwrap();
    }
    let hits = library.search(&ada(), LibrarySearch { query: "walrus".to_owned(), limit: None }).await.unwrap();
    let mut sources: Vec<_> = hits.data.iter().map(|hit| hit.source.as_str()).collect();
    sources.sort_unstable();
    assert_eq!(sources, ["library:docs-2/one.md", "library:docs/one.md"]);
}

#[tokio::test]
async fn the_library_is_a_source_of_documents() {
    let harness = Harness::new();
    harness.write("short.md", "# Short\n\nThe walrus sleeps.\n\nThe walrus eats.");
    let long: Vec<String> = (0..500).map(|number| format!("Paragraph {number} says nothing. ").repeat(30)).collect();
    harness.write("long.md", &format!("{}\n\nThe pelican flies.\n\n{}", long.join("\n\n"), long.join("\n\n")));
    let library = harness.open();
    harness.add(&library, false).await;
    let source = LibrarySource::new(library.clone());
    let find = async |question| source.find(SourceQuery { owner: &ada(), question, limit: 5 }).await.unwrap();
    let leads = find("walrus").await;
    assert_eq!(leads.len(), 1, "passages of one document are one lead: {leads:?}");
    let reading = source.read(&ada(), &leads[0]).await.unwrap();
    assert_eq!(reading.passages, ["# Short\n\nThe walrus sleeps.\n\nThe walrus eats."]);
    let leads = find("pelican").await;
    let reading = source.read(&ada(), &leads[0]).await.unwrap();
    assert_eq!(reading.passages.len(), 200);
    assert!(reading.passages.contains(&leads[0].snippet), "what was found is among what is read of a long document");

    let elsewhere = Lead { address: "library:nowhere/one.md".to_owned(), ..leads[0].clone() };
    assert!(source.read(&ada(), &elsewhere).await.is_err());
    assert!(source.read(&bob(), &leads[0]).await.is_err(), "it belongs to another owner");
}
