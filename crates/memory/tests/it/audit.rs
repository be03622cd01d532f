//! The audit of memory.

use std::sync::Arc;

use memory::{
    embedding::{Embedder, EmbeddingError},
    long_term::NewEntry,
};
use protocol::{Audit, Fact, Finding, Level, MemoryArchive, Timestamp};

use crate::harness::{Harness, owner};

fn is_secret(text: &str) -> bool {
    text.contains("sk-")
}

fn findings(audit: &Audit) -> [&Finding; 6] {
    [
        &audit.duplicates,
        &audit.near_duplicates,
        &audit.contradictions,
        &audit.stale,
        &audit.secrets,
        &audit.unsearchable,
    ]
}

#[tokio::test]
async fn a_clean_room_has_nothing_to_find() {
    let (harness, ada) = (Harness::new(), owner("ada"));
    assert!(findings(&harness.long_term.audit(&ada, is_secret).await.unwrap()).iter().all(|it| it.count == 0));
    let memory = harness.memory(&ada, "notes", "boat").await;
    harness.say(&ada, &memory, "user", "The boat lies at pier nine.").await;
    harness.say(&ada, &memory, "assistant", "The boat lies at pier nine.").await;
    harness.say(&ada, &memory, "user", "The train leaves for Bonn at 9:15.").await;
    harness.say(&ada, &memory, "user", "The train leaves for Bonn at 9:45.").await;
    harness.set(&ada, Level::Profile, "diet", "vegetarian").await;
    harness.set(&ada, Level::Profile, "diet", "vegan").await;
    let audit = harness.long_term.audit(&ada, is_secret).await.unwrap();
    assert!(findings(&audit).iter().all(|it| it.count == 0), "{audit:?}");
    let counts: Vec<(&str, u64)> = audit.counts.iter().map(|(level, count)| (level.as_str(), *count)).collect();
    assert_eq!(counts[..2], [("context", 0), ("entry", 4)]);
    assert_eq!(audit.counts["profile"], 2);
}

#[tokio::test]
async fn what_is_there_twice_is_counted_once_too_many() {
    let (harness, ada) = (Harness::new(), owner("ada"));
    let memory = harness.memory(&ada, "notes", "boat").await;
    let mut same = Vec::new();
    for words in ["The boat lies at pier nine.", "the boat lies at pier nine", "The boat lies at pier nine!"] {
        same.push(harness.say(&ada, &memory, "user", words).await.entry_id);
    }
    let long = "We walked along the old harbour wall after supper and watched the lanterns come in";
    let first = harness.say(&ada, &memory, "user", &format!("{long} slowly.")).await.entry_id;
    let second = harness.say(&ada, &memory, "user", &format!("{long}.")).await.entry_id;
    let audit = harness.long_term.audit(&ada, is_secret).await.unwrap();
    assert_eq!(audit.duplicates.count, 2);
    assert_eq!(audit.duplicates.examples[0].ids, same);
    assert_eq!(audit.near_duplicates.count, 1, "{audit:?}");
    assert_eq!(audit.near_duplicates.examples[0].ids, [first, second]);
}

#[tokio::test]
async fn contradictions_stale_facts_and_secrets_are_named_by_id() {
    let (here, harness, ada) = (Harness::in_realm(1), Harness::new(), owner("ada"));
    harness.set(&ada, Level::Profile, "diet", "vegetarian").await;
    // Two facts that contradict each other can only be imported.
    let other = here.set(&ada, Level::Profile, "diet", "eats everything").await;
    let archive = here.long_term.export(&ada).await.unwrap();
    harness.long_term.import(&ada, archive, "elsewhere", true).await.unwrap();
    let memory = harness.memory(&ada, "notes", "keys").await;
    let secret = harness.say(&ada, &memory, "assistant", "the key is sk-1234567890").await;
    let brief = NewEntry { ttl_s: Some(60), ..NewEntry::said("assistant", "Parked on level three.") };
    let brief = harness.add(&ada, &memory, brief).await;
    let old = harness.set(&ada, Level::Fact, "gym day", "Tuesday").await;
    harness.world.pass_days(5 * 365);
    let audit = harness.long_term.audit(&ada, is_secret).await.unwrap();
    assert_eq!(audit.contradictions.count, 1);
    assert!(audit.contradictions.examples[0].ids.contains(&other.fact_id));
    assert_eq!(audit.contradictions.examples[0].key.as_deref(), Some("diet"));
    let stale: Vec<_> = audit.stale.examples.iter().map(|it| it.ids[0]).collect();
    assert_eq!((audit.stale.count, stale.len()), (2, 2));
    assert!(stale.contains(&brief.entry_id) && stale.contains(&old.fact_id));
    assert_eq!(audit.secrets.count, 1);
    assert_eq!(audit.secrets.examples[0].ids, [secret.entry_id]);
    assert!(!serde_json::to_string(&audit).unwrap().contains("sk-"), "words are not repeated");
}

/// An embedding model that fails.
struct BrokenEmbedder;

impl Embedder for BrokenEmbedder {
    fn name(&self) -> &str {
        "broken"
    }

    fn tokens_max(&self) -> usize {
        usize::MAX
    }

    fn tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Err(EmbeddingError::Unusable("out of order".to_owned()))
    }
}

#[tokio::test]
async fn what_cannot_be_found_by_meaning_is_counted() {
    let (harness, ada) = (Harness::with(0, Ok(Arc::new(BrokenEmbedder))), owner("ada"));
    let memory = harness.memory(&ada, "notes", "boat").await;
    let entry = harness.say(&ada, &memory, "assistant", "The boat lies at pier nine.").await;
    let audit = harness.long_term.audit(&ada, is_secret).await.unwrap();
    assert_eq!(audit.unsearchable.count, 1);
    assert_eq!(audit.unsearchable.examples[0].ids, [entry.entry_id]);
}

#[tokio::test]
async fn many_of_one_kind_are_all_counted_and_twenty_are_named() {
    let (harness, ada) = (Harness::new(), owner("ada"));
    let mut archive = MemoryArchive::empty(Timestamp::from_millis(0));
    let fact: Fact = harness.set(&owner("ben"), Level::Fact, "key", "sk-0").await;
    for n in 0..30_u8 {
        let mut bytes = fact.fact_id.to_bytes();
        bytes[15] = n;
        bytes[14] = 200;
        let fact_id = protocol::ItemId::from_bytes(bytes);
        let (key, value) = (format!("code {n}"), format!("sk-{n}"));
        archive.facts.push(Fact { fact_id, text: format!("{key}: {value}"), key, value, ..fact.clone() });
    }
    harness.long_term.import(&ada, archive, "elsewhere", true).await.unwrap();
    let audit = harness.long_term.audit(&ada, is_secret).await.unwrap();
    assert_eq!((audit.secrets.count, audit.secrets.examples.len()), (30, 20));
}
