//! What the store has of the index: a restart uses it, never trusts it over the records, and
//! nothing that was forgotten is left in it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use journal::{Change, Memories, sqlite::Sqlite};
use memory::{
    embedding::{Embedder, EmbeddingError},
    long_term::{LongTermMemory, MemoryOptions},
    search::STORED_WORDS,
};
use protocol::{ItemId, MemoryForget, MemorySearch, OwnerId, SearchMode};
use tempfile::TempDir;

use crate::harness::{CountingWorld, Harness, owner};

const MODEL: &str = "letters";

/// Counts letters, and how many texts it was given.
#[derive(Default)]
struct LetterEmbedder(AtomicUsize);

impl Embedder for LetterEmbedder {
    fn name(&self) -> &'static str {
        MODEL
    }

    fn tokens_max(&self) -> usize {
        usize::MAX
    }

    fn tokens(&self, text: &str) -> usize {
        text.len()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        self.0.fetch_add(texts.len(), Ordering::Relaxed);
        let letters = |text: &str| ('a'..='z').map(|letter| text.matches(letter).count() as f32).collect();
        Ok(texts.iter().map(|text| letters(text)).collect())
    }
}

/// Long-term memory over a store that the test can read.
struct OpenedMemory {
    harness: Harness,
    store: Arc<Sqlite>,
    embedder: Arc<LetterEmbedder>,
}

fn open(folder: TempDir, world: Arc<CountingWorld>) -> OpenedMemory {
    let (store, embedder) = (Arc::new(Sqlite::open(folder.path()).unwrap()), Arc::new(LetterEmbedder::default()));
    let long_term = LongTermMemory::open(store.clone(), world.clone(), Ok(embedder.clone()), MemoryOptions::default());
    OpenedMemory { harness: Harness { long_term, world, folder }, store, embedder }
}

impl OpenedMemory {
    /// What is stored of each item under a name.
    async fn stored(&self, owner: &OwnerId, name: &str) -> BTreeMap<ItemId, Vec<u8>> {
        self.store.vectors(owner, name).await.unwrap().into_iter().collect()
    }

    /// Waits until the store has the words of that many items.
    async fn words(&self, owner: &OwnerId, count: usize) -> BTreeMap<ItemId, Vec<u8>> {
        loop {
            let words = self.stored(owner, STORED_WORDS).await;
            if words.values().filter(|bytes| !bytes.is_empty()).count() == count {
                return words;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The items that have a word of the query, best first.
    async fn found(&self, owner: &OwnerId, query: &str) -> Vec<ItemId> {
        // The letters of two texts say little about them.
        let mode = SearchMode::Lexical;
        let asked = MemorySearch { query: query.to_owned(), mode, ..MemorySearch::default() };
        let found = self.harness.long_term.search(owner, &asked, None).await.unwrap();
        found.items.iter().filter(|hit| hit.score.lexical > 0.0).map(|hit| hit.item.id).collect()
    }

    /// Opens the same folder again, after the writer tasks have released the store.
    async fn again(self) -> Self {
        let Self { harness: Harness { long_term, world, folder }, store, .. } = self;
        drop(long_term);
        while Arc::strong_count(&store) > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        drop(store);
        open(folder, world)
    }
}

#[tokio::test]
async fn a_restart_reads_stored_words_and_derives_damaged_ones_again() {
    let (ada, opened) = (owner("ada"), open(tempfile::tempdir().unwrap(), CountingWorld::new(0)));
    let memory = opened.harness.memory(&ada, "notes", "talk").await;
    let boiler = opened.harness.say(&ada, &memory, "user", "The boiler makes strange noises.").await.entry_id;
    let chess = opened.harness.say(&ada, &memory, "user", "Grandma plays chess on Thursdays.").await.entry_id;
    let before = opened.words(&ada, 2).await;
    assert_eq!(opened.found(&ada, "strange noises of the boiler").await, [boiler]);
    let state = opened.harness.long_term.await_consistency(&ada, None, Duration::from_secs(60)).await.unwrap();
    assert!(state.consistent, "{state:?}");

    let opened = opened.again().await;
    assert_eq!(opened.found(&ada, "strange noises of the boiler").await, [boiler]);
    let state = opened.harness.long_term.await_consistency(&ada, None, Duration::from_secs(60)).await.unwrap();
    assert!(state.consistent, "{state:?}");
    // Nothing was embedded: the vectors are those of the store.
    assert_eq!(opened.embedder.0.load(Ordering::Relaxed), 0);

    // Damaged bytes, and those of another text, are replaced without a word.
    let damage = |item_id, bytes| Change::Vector { item_id, model: STORED_WORDS.to_owned(), bytes };
    let mut flipped = before[&boiler].clone();
    flipped[30] ^= 1;
    let damages = vec![damage(boiler, flipped), damage(chess, before[&boiler].clone())];
    opened.store.change(&ada, damages).await.unwrap();
    let opened = opened.again().await;
    assert_eq!(opened.found(&ada, "strange noises of the boiler").await, [boiler]);
    assert_eq!(opened.found(&ada, "who plays chess?").await, [chess]);
    while opened.words(&ada, 2).await != before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn nothing_derived_from_a_forgotten_text_is_left() {
    let (ada, opened) = (owner("ada"), open(tempfile::tempdir().unwrap(), CountingWorld::new(0)));
    let memory = opened.harness.memory(&ada, "notes", "talk").await;
    let secret = "xylophone cupboard";
    let whole = opened.harness.say(&ada, &memory, "user", secret).await.entry_id;
    let part =
        opened.harness.say(&ada, &memory, "user", &format!("Look into the {secret}, then call Bo.")).await.entry_id;
    let words = opened.words(&ada, 2).await;
    let long_term = &opened.harness.long_term;
    long_term.await_consistency(&ada, None, Duration::from_secs(60)).await.unwrap();
    let vectors = opened.stored(&ada, MODEL).await;
    assert_eq!((words.len(), vectors.len()), (2, 2));

    let asked = MemoryForget { text: Some(secret.to_owned()), ..MemoryForget::default() };
    let plan = long_term.forget_plan(&ada, &asked).await.unwrap();
    let redact = move |text: &str, _: &[String]| text.contains(secret).then(|| text.replace(secret, "[forgotten]"));
    long_term.forget(&ada, plan, redact).await.unwrap();

    for (name, before) in [(STORED_WORDS, words), (MODEL, vectors)] {
        let after = opened.stored(&ada, name).await;
        assert!(!after.contains_key(&whole), "{name}");
        assert_ne!(after.get(&part), before.get(&part), "{name}");
    }
    // What is left is stored again, and found after a restart.
    opened.words(&ada, 1).await;
    let opened = opened.again().await;
    assert_eq!(opened.found(&ada, "whom to call: Bo").await, [part]);
    assert_eq!(opened.found(&ada, secret).await, []);
}
