//! A library of documents: added, found, changed, gone, and kept over a restart.

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
    room::World,
};
use protocol::{AddFolder, FolderView, LibrarySearch, OwnerId, Timestamp};
use research::{
    Lead, LibrarySource, Source,
    library::{Library, Limits, Parts, Plainly, Reader},
    read::{Kind, Text, Unreadable},
    source::Asked,
};
use tempfile::TempDir;
use tools::{Library as _, LibraryError};

/// A day later than all files were written; ids are counted.
struct Later(AtomicU64);

impl World for Later {
    #[allow(clippy::disallowed_methods, reason = "files are stamped by the real clock")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap() + 86_400_000)
    }

    fn ulid(&self) -> ulid::Ulid {
        ulid::Ulid::from_parts(self.0.fetch_add(1, Ordering::Relaxed), 7)
    }
}

/// Counts what it is given to read.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Reader for Counting {
    fn read(&self, kind: Kind, bytes: &[u8]) -> Result<Text, Unreadable> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Plainly.read(kind, bytes)
    }
}

/// Knows one thing about a text: whether it is about animals. Counts the texts.
#[derive(Default)]
struct Animals(AtomicUsize);

impl Embedder for Animals {
    fn name(&self) -> &str {
        "animals"
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        self.0.fetch_add(texts.len(), Ordering::Relaxed);
        let is_animal = |text: &&str| ["cat", "dog", "pet", "horse"].iter().any(|word| text.contains(word));
        Ok(texts.iter().map(|text| if is_animal(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
    }
}

/// A data folder, a folder of documents, and what a library is opened with.
struct House {
    data: TempDir,
    documents: TempDir,
    reader: Arc<Counting>,
    animals: Option<Arc<Animals>>,
}

impl House {
    fn new() -> Self {
        let folder = || tempfile::tempdir().unwrap();
        Self { data: folder(), documents: folder(), reader: Arc::default(), animals: None }
    }

    fn with_meaning() -> Self {
        Self { animals: Some(Arc::default()), ..Self::new() }
    }

    fn parts(&self) -> Parts {
        let embedder = self.animals.clone().map(|animals| animals as Arc<dyn Embedder>);
        Parts {
            data: self.data.path().to_owned(),
            embedder: embedder.ok_or_else(|| "no model of meaning was set up".to_owned()),
            reader: self.reader.clone(),
            world: Arc::new(Later(AtomicU64::new(1))),
            // Tests say themselves when a folder is looked at.
            poll: Duration::from_secs(3_600),
            limits: Limits::default(),
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

/// Where the passages are that fit, best first, without what all addresses begin with.
async fn search(library: &Library, owner: &OwnerId, query: &str) -> Vec<String> {
    let hits = library.search(owner, LibrarySearch { query: query.to_owned(), limit: None }).await.unwrap();
    let path = |source: &str| source.split_once('/').unwrap().1.to_owned();
    hits.data.iter().map(|hit| path(&hit.source)).collect()
}

#[tokio::test]
async fn documents_are_found_by_their_words_as_soon_as_the_folder_is_added() {
    let house = House::new();
    house.write("garden/roses.md", "# Roses\n\nPrune them in March.\n\nThey like loam.");
    house.write("bikes.txt", "Grease the chain every month.");
    house.write("notes.rs", "Nothing that is read: prune chain.");
    house.write(".secret/diary.md", "Nothing that is seen: prune chain.");
    house.write(".hidden.md", "Nothing that is seen: prune chain.");
    let library = house.open();
    let folder = house.add(&library, false).await;
    assert_eq!((folder.documents, folder.passages, folder.troubled), (2, 2, 0));
    assert_eq!(search(&library, &ada(), "when are roses pruned?").await[0], "garden/roses.md");
    assert_eq!(search(&library, &ada(), "chain").await, ["bikes.txt"]);
    let view = library.view(&ada()).await.unwrap();
    assert_eq!(view.without_meaning.as_deref(), Some("no model of meaning was set up"));
    let hits = library.search(&ada(), LibrarySearch { query: "loam".to_owned(), limit: Some(1) }).await.unwrap();
    let name = house.root().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(hits.data[0].source, format!("library:{name}/garden/roses.md"));
    assert!(hits.data[0].text.ends_with("They like loam."), "{hits:?}");
    assert!(hits.data[0].score > 0.0 && hits.data[0].score <= 1.0);
}

#[tokio::test]
async fn what_changes_and_what_goes_is_noticed() {
    let house = House::new();
    house.write("one.md", "The word is walrus.");
    house.write("two.md", "The word is pelican.");
    let library = house.open();
    house.add(&library, false).await;
    house.write("one.md", "The word is narwhal now.");
    fs::remove_file(house.documents.path().join("two.md")).unwrap();
    house.write("three.md", "The word is ostrich.");
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
    let house = House::new();
    house.write("one.md", "The word is walrus.");
    let parts = Parts {
        data: house.data.path().to_owned(),
        embedder: Err("none".to_owned()),
        reader: house.reader.clone(),
        world: Arc::new(Later(AtomicU64::new(1))),
        poll: Duration::from_millis(10),
        limits: Limits::default(),
    };
    let library = Library::open(parts).unwrap();
    house.add(&library, false).await;
    house.write("two.md", "The word is pelican.");
    while search(&library, &ada(), "pelican").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn what_is_more_than_the_library_may_hold_is_left_out_by_name_until_there_is_room() {
    let house = House::new();
    house.write("one.md", "The word is walrus.");
    house.write("two.md", "The word is pelican.");
    house.write("wide.md", &"The word is ostrich. ".repeat(100));
    let limits = Limits { documents_max: Some(2), bytes_max: Some(1_000) };
    let library = Library::open(Parts { limits, ..house.parts() }).unwrap();
    let folder = house.add(&library, false).await;
    let told: Vec<_> = folder.troubles.iter().map(|it| (it.path.as_str(), it.reason.as_str())).collect();
    assert_eq!(told, [("wide.md", "the library holds 2 documents, and no more are taken (`library.documents_max`)")]);
    assert_eq!(search(&library, &ada(), "ostrich").await, [""; 0]);
    let usage = library.usage().await.unwrap();
    assert_eq!((usage.documents.used, usage.documents.max, usage.bytes.max), (2, Some(2), Some(1_000)));
    assert_eq!(usage.bytes.used, 19 + 20);

    fs::remove_file(house.documents.path().join("one.md")).unwrap();
    library.rescan(&ada()).await.unwrap();
    let view = library.rescan(&ada()).await.unwrap();
    let reason = &view.folders[0].troubles[0].reason;
    assert_eq!(reason, "the library holds 20 of 1000 bytes, and this is more (`library.bytes_max`)");
    house.write("wide.md", "The word is ostrich.");
    library.rescan(&ada()).await.unwrap();
    assert_eq!(search(&library, &ada(), "ostrich").await.len(), 1);
}

#[tokio::test]
async fn a_restart_reads_nothing_anew() {
    let house = House::with_meaning();
    for number in 0..20 {
        house.write(&format!("{number}.md"), &format!("# Note {number}\n\nThe word is walrus{number}."));
    }
    let library = house.open();
    let added = house.add(&library, false).await;
    let looked_at = settled(&house, &library).await;
    library.stop().await;
    let read = house.reader.0.load(Ordering::Relaxed);
    assert_eq!(read, 20);

    let library = house.open();
    assert_eq!(search(&library, &ada(), "walrus7").await[0], "7.md", "before any look at the folder is through");
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!(view.folders[0].documents, added.documents);
    assert_eq!(view.folders[0].waiting, 0);
    assert_eq!(house.reader.0.load(Ordering::Relaxed), read);
    let questions = 1;
    assert_eq!(house.animals.as_ref().unwrap().0.load(Ordering::Relaxed), looked_at + questions);
}

/// Waits until all passages were looked at, and says how many texts that took.
async fn settled(house: &House, library: &Library) -> usize {
    while library.view(&ada()).await.unwrap().folders.iter().any(|folder| folder.waiting > 0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    house.animals.as_ref().unwrap().0.load(Ordering::Relaxed)
}

#[tokio::test]
async fn documents_are_found_by_what_they_mean() {
    let house = House::with_meaning();
    house.write("a.md", "My cat sleeps all day.");
    house.write("b.md", "The tax form is due in May.");
    let library = house.open();
    house.add(&library, false).await;
    settled(&house, &library).await;
    assert_eq!(search(&library, &ada(), "pet").await[0], "a.md");
    assert_eq!(library.view(&ada()).await.unwrap().without_meaning, None);
}

#[tokio::test]
async fn a_file_that_moves_is_not_looked_at_again() {
    let house = House::with_meaning();
    house.write("one/cat.md", "My cat sleeps all day.");
    house.write("tax.md", "The tax form is due in May.");
    let library = house.open();
    house.add(&library, false).await;
    let before = settled(&house, &library).await;
    fs::create_dir(house.documents.path().join("two")).unwrap();
    fs::rename(house.documents.path().join("one/cat.md"), house.documents.path().join("two/cat.md")).unwrap();
    library.rescan(&ada()).await.unwrap();
    assert_eq!(settled(&house, &library).await, before);
    assert_eq!(search(&library, &ada(), "pet").await[0], "two/cat.md");
}

#[tokio::test]
async fn owners_are_strangers_unless_a_folder_is_shared() {
    let house = House::new();
    house.write("one.md", "The word is walrus.");
    let library = house.open();
    let folder = house.add(&library, false).await;
    assert!(search(&library, &bob(), "walrus").await.is_empty());
    assert!(library.view(&bob()).await.unwrap().folders.is_empty());
    let source = LibrarySource::new(library.clone());
    assert!(source.is_there(&ada()).await && !source.is_there(&bob()).await);

    let again = house.add(&library, true).await;
    assert_eq!(again.folder_id, folder.folder_id, "adding a folder again changes nothing but whether it is shared");
    assert_eq!(search(&library, &bob(), "walrus").await, ["one.md"]);
    assert_eq!(library.remove(&bob(), folder.folder_id).await, Err(LibraryError::NotFound), "it is not theirs");

    let removed = library.remove(&ada(), folder.folder_id).await.unwrap();
    assert_eq!(removed.documents, 1);
    for owner in [ada(), bob()] {
        assert!(search(&library, &owner, "walrus").await.is_empty());
    }
    assert!(house.documents.path().join("one.md").exists(), "files stay where they are");
    assert_eq!(library.remove(&ada(), folder.folder_id).await, Err(LibraryError::NotFound));
}

#[tokio::test]
async fn some_folders_are_refused_with_the_reason() {
    let house = House::new();
    house.write("inner/one.md", "The word is walrus.");
    let library = house.open();
    let data = house.data.path().canonicalize().unwrap();
    let refused = async |path: &Path| match add(&library, &ada(), path, false).await {
        Err(LibraryError::Invalid(why)) => why,
        other => panic!("{path:?}: {other:?}"),
    };
    for (path, reason) in [
        (PathBuf::from("documents"), "from the root on"),
        (house.root().join("inner/one.md"), "is no folder"),
        (house.root().join("nowhere"), "cannot be found"),
        (PathBuf::from("/"), "whole machine"),
        (data.clone(), "secrets"),
        (data.parent().unwrap().to_owned(), "secrets"),
    ] {
        let why = refused(&path).await;
        assert!(why.contains(reason), "{why}");
    }
    house.add(&library, false).await;
    let why = refused(&house.root().join("inner")).await;
    assert!(why.contains("already") && why.contains(house.root().to_str().unwrap()), "{why}");
    let search = library.search(&ada(), LibrarySearch { query: "  ".to_owned(), limit: None }).await;
    assert!(matches!(search, Err(LibraryError::Invalid(_))));
}

#[tokio::test]
async fn a_folder_around_one_that_is_there_is_refused() {
    let house = House::new();
    house.write("inner/one.md", "The word is walrus.");
    let library = house.open();
    add(&library, &ada(), &house.root().join("inner"), false).await.unwrap();
    let around = add(&library, &ada(), &house.root(), false).await;
    assert!(matches!(around, Err(LibraryError::Invalid(why)) if why.contains("remove that one first")));
}

#[tokio::test]
async fn a_folder_that_is_not_there_keeps_its_documents_until_it_is_back() {
    let house = House::new();
    house.write("disk/one.md", "The word is walrus.");
    let library = house.open();
    let (disk, away) = (house.root().join("disk"), house.root().join("away"));
    add(&library, &ada(), &disk, false).await.unwrap();
    fs::rename(&disk, &away).unwrap();
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!((view.folders[0].documents, view.folders[0].troubled), (1, 1));
    assert!(view.folders[0].troubles[0].reason.contains("not there"), "{view:?}");
    assert_eq!(search(&library, &ada(), "walrus").await, ["one.md"]);
    fs::rename(&away, &disk).unwrap();
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!((view.folders[0].documents, view.folders[0].troubled), (1, 0));
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_tried_again() {
    struct Picky;
    impl Reader for Picky {
        fn read(&self, kind: Kind, bytes: &[u8]) -> Result<Text, Unreadable> {
            match bytes.starts_with(b"bad") {
                true => Err(Unreadable("it is bad".to_owned())),
                false => Plainly.read(kind, bytes),
            }
        }
    }
    let house = House::new();
    house.write("one.pdf", "bad walrus");
    let large = fs::File::create(house.documents.path().join("large.txt")).unwrap();
    large.set_len(33 * 1024 * 1024).unwrap();
    let parts = Parts {
        data: house.data.path().to_owned(),
        embedder: Err("none".to_owned()),
        reader: Arc::new(Picky),
        world: Arc::new(Later(AtomicU64::new(1))),
        poll: Duration::from_secs(3_600),
        limits: Limits::default(),
    };
    let library = Library::open(parts).unwrap();
    let folder = house.add(&library, false).await;
    let told: Vec<_> = folder.troubles.iter().map(|it| (it.path.as_str(), it.reason.as_str())).collect();
    assert_eq!(told, [("large.txt", "it has more than 32 MB"), ("one.pdf", "it is bad")]);
    assert_eq!((folder.documents, folder.troubled), (0, 2));
    fs::remove_file(house.documents.path().join("one.pdf")).unwrap();
    house.write("one.md", "A good walrus.");
    let view = library.rescan(&ada()).await.unwrap();
    assert_eq!((view.folders[0].documents, view.folders[0].troubled), (1, 1));
}

#[cfg(unix)]
#[tokio::test]
async fn links_do_not_lead_out_of_the_folder() {
    let house = House::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("secret.md"), "The word is walrus.").unwrap();
    house.write("one.md", "The word is pelican.");
    std::os::unix::fs::symlink(elsewhere.path(), house.documents.path().join("folder")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("secret.md"), house.documents.path().join("file.md")).unwrap();
    std::os::unix::fs::symlink(house.documents.path(), house.documents.path().join("circle")).unwrap();
    let library = house.open();
    assert_eq!(house.add(&library, false).await.documents, 1);
    assert!(search(&library, &ada(), "walrus").await.is_empty());
}

#[tokio::test]
async fn a_damaged_file_is_put_aside_and_the_folders_are_known_again() {
    let house = House::new();
    house.write("one.md", "The word is walrus.");
    let library = house.open();
    let added = house.add(&library, true).await;
    library.stop().await;
    for broken in [b"not a database at all, but long enough to be taken for one".as_slice(), b"SQLite format 3\0broken"]
    {
        fs::write(house.data.path().join("research.sqlite"), broken).unwrap();
        let library = house.open();
        let view = library.rescan(&ada()).await.unwrap();
        assert_eq!(view.folders[0].folder_id, added.folder_id);
        assert!(view.folders[0].shared);
        assert_eq!(search(&library, &ada(), "walrus").await, ["one.md"]);
        assert_eq!(fs::read(house.data.path().join("research.sqlite.old")).unwrap(), broken);
        library.stop().await;
    }
}

#[tokio::test]
async fn folders_of_one_name_are_told_apart() {
    let house = House::new();
    house.write("a/docs/one.md", "The word is walrus.");
    house.write("b/docs/one.md", "The word is walrus, again.");
    let library = house.open();
    for part in ["a", "b"] {
        add(&library, &ada(), &house.root().join(part).join("docs"), false).await.unwrap();
    }
    let hits = library.search(&ada(), LibrarySearch { query: "walrus".to_owned(), limit: None }).await.unwrap();
    let mut sources: Vec<_> = hits.data.iter().map(|hit| hit.source.as_str()).collect();
    sources.sort_unstable();
    assert_eq!(sources, ["library:docs-2/one.md", "library:docs/one.md"]);
}

#[tokio::test]
async fn the_library_is_a_source_of_documents() {
    let house = House::new();
    house.write("short.md", "# Short\n\nThe walrus sleeps.\n\nThe walrus eats.");
    let long: Vec<String> = (0..500).map(|number| format!("Paragraph {number} says nothing. ").repeat(30)).collect();
    house.write("long.md", &format!("{}\n\nThe pelican flies.\n\n{}", long.join("\n\n"), long.join("\n\n")));
    let library = house.open();
    house.add(&library, false).await;
    let source = LibrarySource::new(library.clone());
    let find = async |question| source.find(Asked { owner: &ada(), question, limit: 5 }).await.unwrap();
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
    assert!(source.read(&bob(), &leads[0]).await.is_err(), "it is somebody else's");
}
