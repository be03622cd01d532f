//! Export and import of memory.

use std::collections::BTreeSet;

use memory::long_term::{IdempotencyKey, NewContext, NewEntry};
use protocol::{
    ItemSource, Level, MemoryArchive, MemoryCorrect, MemoryForget, MemoryImportResult, MemorySearch, Origin, OwnerId,
    SessionId,
};

use crate::harness::{Harness, owner};

/// Fills a memory with a bit of everything: two vaults, versions, a correction, ended facts, tags,
/// an expiry.
async fn lived(harness: &Harness, who: &OwnerId) {
    let trip = harness.memory(who, "travel", "Rome").await;
    let wrong = harness.say(who, &trip, "user", "The ferry leaves at seven in the evening.").await;
    harness.say(who, &trip, "assistant", "Then dinner is at five.").await;
    let correct =
        MemoryCorrect { id: wrong.entry_id, text: "The ferry leaves at eight.".to_owned(), idempotency_key: None };
    harness.long_term.correct(who, correct).await.unwrap();
    for content in ["A trip to Rome.", "A trip to Rome by ferry."] {
        harness.world.pass_days(1);
        let new = NewContext {
            content: content.to_owned(),
            written_by: "extract".to_owned(),
            conversation_time: None,
            origin: Origin::Trusted,
        };
        harness.long_term.put_context(who, trip.memory_id, new, IdempotencyKey::none(), None).await.unwrap();
    }
    let session = SessionId::new(memory::long_term::World::ulid(harness.world.as_ref()));
    let talk = harness.long_term.memory_of_session(who, session, Some("kitchen")).await.unwrap();
    let new = NewEntry {
        tags: [("mood".to_owned(), "glad".to_owned())].into(),
        source: ItemSource { session_id: Some(session), seq: Some(4), ..ItemSource::default() },
        ttl_s: Some(1_000_000),
        ..NewEntry::said("user", "My 5k time is 27:12.")
    };
    harness.add(who, &talk, new).await;
    harness.world.pass_days(3);
    harness.say(who, &talk, "user", "My 5k time is now 25:50.").await;
    harness.set(who, Level::Profile, "diet", "vegetarian").await;
    harness.set(who, Level::Profile, "diet", "vegan").await;
}

/// An archive without what depends on where and when it was made.
fn bare(archive: &MemoryArchive) -> MemoryArchive {
    let mut bare = archive.clone();
    bare.exported_at = protocol::Timestamp::from_millis(0);
    bare.entries.iter_mut().for_each(|entry| entry.source.imported_from = None);
    bare.facts.iter_mut().for_each(|fact| fact.source.imported_from = None);
    bare
}

fn is_nothing_new(imported: &MemoryImportResult) -> bool {
    [imported.vaults, imported.memories, imported.entries, imported.contexts, imported.facts] == [0; 5]
}

#[tokio::test]
async fn an_export_gives_everything_to_another_folder_with_where_it_came_from() {
    let (here, there) = (Harness::new(), Harness::in_realm(1));
    let ada = owner("ada");
    lived(&here, &ada).await;
    let archive = here.long_term.export(&ada).await.unwrap();
    assert!(archive.facts.iter().any(|fact| fact.superseded_by.is_some()), "history is in it");
    assert!(archive.entries.iter().any(|entry| entry.corrected_by.is_some()));
    let through_json = serde_json::from_str(&serde_json::to_string(&archive).unwrap()).unwrap();
    let imported = there.long_term.import(&ada, through_json, "old server", true).await.unwrap();
    let counts = [imported.vaults, imported.memories, imported.entries, imported.contexts, imported.facts];
    let lens = [&archive.vaults.len(), &archive.memories.len(), &archive.entries.len(), &archive.contexts.len()];
    assert_eq!(counts[..4], lens.map(|len| u64::try_from(*len).unwrap()));
    assert_eq!((counts[4], imported.known), (u64::try_from(archive.facts.len()).unwrap(), 0));
    let there = there.reopened().await;
    let taken = there.long_term.export(&ada).await.unwrap();
    assert_eq!(bare(&taken), bare(&archive));
    let is_marked = |source: &ItemSource| source.imported_from.as_deref() == Some("old server");
    assert!(taken.entries.iter().all(|entry| is_marked(&entry.source)));
    assert!(taken.facts.iter().all(|fact| is_marked(&fact.source)));
    let asked = MemorySearch { query: "when does the ferry leave".to_owned(), ..MemorySearch::default() };
    let found = there.long_term.search(&ada, &asked, None).await.unwrap();
    assert!(found.items.iter().any(|found| found.item.text == "The ferry leaves at eight."), "and it is found");
}

#[tokio::test]
async fn importing_again_or_ones_own_export_changes_nothing() {
    let (here, there) = (Harness::new(), Harness::in_realm(1));
    let ada = owner("ada");
    lived(&here, &ada).await;
    let archive = here.long_term.export(&ada).await.unwrap();
    let own = here.long_term.import(&ada, archive.clone(), "myself", true).await.unwrap();
    assert!(is_nothing_new(&own) && own.notices.is_empty(), "{own:?}");
    assert_eq!(here.long_term.export(&ada).await.unwrap(), archive);
    there.long_term.import(&ada, archive.clone(), "old server", true).await.unwrap();
    let once = there.long_term.export(&ada).await.unwrap();
    let again = there.long_term.import(&ada, archive, "old server", true).await.unwrap();
    assert!(is_nothing_new(&again) && again.notices.is_empty(), "{again:?}");
    assert_eq!(there.long_term.export(&ada).await.unwrap(), once);
}

#[tokio::test]
async fn another_owner_of_the_same_server_gets_ids_of_their_own_and_whole_chains() {
    let harness = Harness::new();
    let (ada, ben) = (owner("ada"), owner("ben"));
    lived(&harness, &ada).await;
    let archive = harness.long_term.export(&ada).await.unwrap();
    let imported = harness.long_term.import(&ben, archive.clone(), "ada", true).await.unwrap();
    assert_eq!(imported.entries, u64::try_from(archive.entries.len()).unwrap());
    assert_eq!(bare(&harness.long_term.export(&ada).await.unwrap()), bare(&archive), "ada's are untouched");
    let harness = harness.reopened().await;
    let taken = harness.long_term.export(&ben).await.unwrap();
    let ids = |archive: &MemoryArchive| -> BTreeSet<String> {
        let entries = archive.entries.iter().map(|it| it.entry_id.to_string());
        let others = archive.facts.iter().map(|it| it.fact_id.to_string());
        let places = archive.memories.iter().flat_map(|it| [it.memory_id.to_string(), it.vault_id.to_string()]);
        entries.chain(others).chain(places).collect()
    };
    assert!(ids(&taken).is_disjoint(&ids(&archive)));
    let words = |archive: &MemoryArchive| -> Vec<(String, Option<String>)> {
        let of = |id| archive.entries.iter().find(|it| Some(it.entry_id) == id).map(|it| it.raw_entry.clone());
        archive.entries.iter().map(|it| (it.raw_entry.clone(), of(it.corrected_by))).collect()
    };
    assert_eq!(words(&taken), words(&archive), "corrections point where they did");
    let ends = |archive: &MemoryArchive| -> BTreeSet<(String, Option<String>, bool)> {
        let of = |id| archive.facts.iter().find(|it| Some(it.fact_id) == id).map(|it| it.value.clone());
        let read_off = |id| archive.entries.iter().any(|it| Some(it.entry_id) == id);
        archive.facts.iter().map(|it| (it.value.clone(), of(it.superseded_by), read_off(it.source.item_id))).collect()
    };
    assert_eq!(ends(&taken), ends(&archive), "and so do ends and sources");
    let again = harness.long_term.import(&ben, archive, "ada", true).await.unwrap();
    assert!(is_nothing_new(&again), "{again:?}");
    assert_eq!(harness.long_term.export(&ben).await.unwrap(), taken);
}

#[tokio::test]
async fn ids_that_are_derived_stay_so_when_the_other_owner_forgets() {
    let harness = Harness::new();
    let (ada, ben) = (owner("ada"), owner("ben"));
    let memory = harness.memory(&ada, "notes", "boat").await;
    harness.say(&ada, &memory, "user", "The boat lies at pier nine.").await;
    let archive = harness.long_term.export(&ada).await.unwrap();
    harness.long_term.import(&ben, archive.clone(), "ada", true).await.unwrap();
    let asked = MemoryForget { memory_id: Some(memory.memory_id), ..MemoryForget::default() };
    let going = harness.long_term.forget_plan(&ada, &asked).await.unwrap();
    harness.long_term.forget(&ada, going, |_, _| None).await.unwrap();
    let after = harness.long_term.export(&ada).await.unwrap();
    assert!(after.entries.is_empty() && after.memories.is_empty(), "what is forgotten is in no export");
    let again = harness.long_term.import(&ben, archive, "ada", true).await.unwrap();
    assert!(is_nothing_new(&again), "{again:?}");
}

#[tokio::test]
async fn titles_that_clash_are_merged_or_marked() {
    let (here, there) = (Harness::new(), Harness::in_realm(1));
    let ada = owner("ada");
    for harness in [&here, &there] {
        let same = harness.memory(&ada, "notes", "same").await;
        harness.say(&ada, &same, "user", "The very same words.").await;
        let other = harness.memory(&ada, "notes", "other").await;
        harness.say(&ada, &other, "user", &format!("Words of {:?}.", harness.folder.path())).await;
    }
    let archive = here.long_term.export(&ada).await.unwrap();
    let imported = there.long_term.import(&ada, archive.clone(), "here", true).await.unwrap();
    assert_eq!((imported.vaults, imported.memories, imported.entries), (0, 1, 1), "{imported:?}");
    assert_eq!(imported.notices, ["the memory `other` was imported as `other (imported)`: its title was taken"]);
    let taken = there.long_term.export(&ada).await.unwrap();
    let titles: BTreeSet<&str> = taken.memories.iter().map(|memory| memory.title.as_str()).collect();
    assert_eq!(titles, BTreeSet::from(["same", "other", "other (imported)"]));
    assert_eq!(taken.vaults.len(), 1);
    let again = there.long_term.import(&ada, archive, "here", true).await.unwrap();
    assert!(is_nothing_new(&again), "{again:?}");
}

#[tokio::test]
async fn a_newer_archive_ends_what_has_ended_and_an_older_one_undoes_nothing() {
    let (here, there) = (Harness::new(), Harness::in_realm(1));
    let ada = owner("ada");
    harness_with_diet(&here, &ada).await;
    let older = here.long_term.export(&ada).await.unwrap();
    there.long_term.import(&ada, older.clone(), "here", true).await.unwrap();
    here.set(&ada, Level::Profile, "diet", "vegan").await;
    let newer = here.long_term.export(&ada).await.unwrap();
    let imported = there.long_term.import(&ada, newer.clone(), "here", true).await.unwrap();
    assert_eq!((imported.facts, imported.notices.len()), (1, 1), "{imported:?}");
    let current = there.long_term.profile(&ada).await.unwrap();
    assert_eq!(current.iter().map(|fact| fact.value.as_str()).collect::<Vec<_>>(), ["vegan"]);
    let old = there.long_term.import(&ada, older, "here", true).await.unwrap();
    assert!(is_nothing_new(&old) && old.notices.is_empty());
    assert_eq!(bare(&there.long_term.export(&ada).await.unwrap()), bare(&newer));
}

async fn harness_with_diet(harness: &Harness, who: &OwnerId) {
    harness.set(who, Level::Profile, "diet", "vegetarian").await;
}

#[tokio::test]
async fn many_records_come_in_chunks_and_in_order() {
    let (here, there) = (Harness::new(), Harness::in_realm(1));
    let ada = owner("ada");
    let memory = here.memory(&ada, "notes", "long").await;
    let many = (0..2_300).map(|n| NewEntry::said("assistant", format!("Line {n} of a long talk."))).collect();
    here.long_term.add_entries(&ada, memory.memory_id, many, None).await.unwrap();
    let archive = here.long_term.export(&ada).await.unwrap();
    let imported = there.long_term.import(&ada, archive.clone(), "here", true).await.unwrap();
    assert_eq!(imported.entries, 2_300);
    assert_eq!(bare(&there.long_term.export(&ada).await.unwrap()), bare(&archive));
}

#[tokio::test]
async fn a_bad_archive_is_refused_by_name_and_writes_nothing() {
    let (here, there) = (Harness::new(), Harness::in_realm(1));
    let ada = owner("ada");
    lived(&here, &ada).await;
    let archive = here.long_term.export(&ada).await.unwrap();
    type Spoil = fn(&mut MemoryArchive);
    let spoilt: [(&str, Spoil); 9] = [
        ("`other` version 1", |it| it.format = "other".to_owned()),
        ("version 2; supported is `dwell.memory` version 1", |it| it.version = 2),
        ("refers to the vault", |it| it.vaults.clear()),
        ("refers to the memory", |it| it.memories.truncate(1)),
        ("refers to the item", |it| it.facts.retain(|fact| fact.superseded_by.is_some())),
        ("`raw_entry` has at most", |it| it.entries[0].raw_entry = "x".repeat(300_000)),
        ("the archive contains the ", |it| it.entries.push(it.entries[0].clone())),
        ("a title has words", |it| it.vaults[0].title = " \n".to_owned()),
        ("a confidence is 0 to 1", |it| it.facts[0].confidence = f32::NAN),
    ];
    for (expected, spoil) in spoilt {
        let mut bad = archive.clone();
        spoil(&mut bad);
        let error = there.long_term.import(&ada, bad, "here", true).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = there.long_term.import(&ada, archive, "", true).await.unwrap_err();
    assert!(error.to_string().contains("imported_from"));
    let nothing = there.long_term.export(&ada).await.unwrap();
    assert_eq!(nothing, MemoryArchive::empty(nothing.exported_at));
}
