//! Taking memory out and in.

use std::collections::BTreeSet;

use memory::room::{Keyed, NewContext, NewEntry};
use protocol::{
    Imported, Level, MemoryArchive, MemoryCorrect, MemoryForget, MemorySearch, Origin, OwnerId, SessionId, Source,
};

use crate::room::{House, owner};

/// A life with a bit of everything: two vaults, versions, a correction, facts that ended, labels, a life span.
async fn lived(house: &House, who: &OwnerId) {
    let trip = house.memory(who, "travel", "Rome").await;
    let wrong = house.say(who, &trip, "user", "The ferry leaves at seven in the evening.").await;
    house.say(who, &trip, "assistant", "Then dinner is at five.").await;
    let correct =
        MemoryCorrect { id: wrong.entry_id, text: "The ferry leaves at eight.".to_owned(), idempotency_key: None };
    house.room.correct(who, correct).await.unwrap();
    for content in ["A trip to Rome.", "A trip to Rome by ferry."] {
        house.world.pass_days(1);
        let new = NewContext {
            content: content.to_owned(),
            written_by: "extract".to_owned(),
            conversation_time: None,
            origin: Origin::Trusted,
        };
        house.room.put_context(who, trip.memory_id, new, Keyed::none(), None).await.unwrap();
    }
    let session = SessionId::new(memory::room::World::ulid(house.world.as_ref()));
    let talk = house.room.memory_of_session(who, session, Some("kitchen")).await.unwrap();
    let new = NewEntry {
        tags: [("mood".to_owned(), "glad".to_owned())].into(),
        source: Source { session_id: Some(session), seq: Some(4), ..Source::default() },
        ttl_s: Some(1_000_000),
        ..NewEntry::said("user", "My 5k time is 27:12.")
    };
    house.add(who, &talk, new).await;
    house.world.pass_days(3);
    house.say(who, &talk, "user", "My 5k time is now 25:50.").await;
    house.set(who, Level::Profile, "diet", "vegetarian").await;
    house.set(who, Level::Profile, "diet", "vegan").await;
}

/// An archive without what depends on where and when it was made.
fn bare(archive: &MemoryArchive) -> MemoryArchive {
    let mut bare = archive.clone();
    bare.exported_at = protocol::Timestamp::from_millis(0);
    bare.entries.iter_mut().for_each(|entry| entry.source.imported_from = None);
    bare.facts.iter_mut().for_each(|fact| fact.source.imported_from = None);
    bare
}

fn is_nothing_new(imported: &Imported) -> bool {
    [imported.vaults, imported.memories, imported.entries, imported.contexts, imported.facts] == [0; 5]
}

#[tokio::test]
async fn an_export_gives_everything_to_another_folder_with_where_it_came_from() {
    let (here, there) = (House::new(), House::in_realm(1));
    let ada = owner("ada");
    lived(&here, &ada).await;
    let archive = here.room.export(&ada).await.unwrap();
    assert!(archive.facts.iter().any(|fact| fact.superseded_by.is_some()), "history is in it");
    assert!(archive.entries.iter().any(|entry| entry.corrected_by.is_some()));
    let through_json = serde_json::from_str(&serde_json::to_string(&archive).unwrap()).unwrap();
    let imported = there.room.import(&ada, through_json, "old server", true).await.unwrap();
    let counts = [imported.vaults, imported.memories, imported.entries, imported.contexts, imported.facts];
    let lens = [&archive.vaults.len(), &archive.memories.len(), &archive.entries.len(), &archive.contexts.len()];
    assert_eq!(counts[..4], lens.map(|len| u64::try_from(*len).unwrap()));
    assert_eq!((counts[4], imported.known), (u64::try_from(archive.facts.len()).unwrap(), 0));
    let there = there.reopened().await;
    let taken = there.room.export(&ada).await.unwrap();
    assert_eq!(bare(&taken), bare(&archive));
    let is_marked = |source: &Source| source.imported_from.as_deref() == Some("old server");
    assert!(taken.entries.iter().all(|entry| is_marked(&entry.source)));
    assert!(taken.facts.iter().all(|fact| is_marked(&fact.source)));
    let asked = MemorySearch { query: "when does the ferry leave".to_owned(), ..MemorySearch::default() };
    let found = there.room.search(&ada, &asked, None).await.unwrap();
    assert!(found.items.iter().any(|found| found.item.text == "The ferry leaves at eight."), "and it is found");
}

#[tokio::test]
async fn importing_again_or_ones_own_export_changes_nothing() {
    let (here, there) = (House::new(), House::in_realm(1));
    let ada = owner("ada");
    lived(&here, &ada).await;
    let archive = here.room.export(&ada).await.unwrap();
    let own = here.room.import(&ada, archive.clone(), "myself", true).await.unwrap();
    assert!(is_nothing_new(&own) && own.notices.is_empty(), "{own:?}");
    assert_eq!(here.room.export(&ada).await.unwrap(), archive);
    there.room.import(&ada, archive.clone(), "old server", true).await.unwrap();
    let once = there.room.export(&ada).await.unwrap();
    let again = there.room.import(&ada, archive, "old server", true).await.unwrap();
    assert!(is_nothing_new(&again) && again.notices.is_empty(), "{again:?}");
    assert_eq!(there.room.export(&ada).await.unwrap(), once);
}

#[tokio::test]
async fn another_owner_of_the_same_server_gets_ids_of_their_own_and_whole_chains() {
    let house = House::new();
    let (ada, ben) = (owner("ada"), owner("ben"));
    lived(&house, &ada).await;
    let archive = house.room.export(&ada).await.unwrap();
    let imported = house.room.import(&ben, archive.clone(), "ada", true).await.unwrap();
    assert_eq!(imported.entries, u64::try_from(archive.entries.len()).unwrap());
    assert_eq!(bare(&house.room.export(&ada).await.unwrap()), bare(&archive), "ada's are untouched");
    let house = house.reopened().await;
    let taken = house.room.export(&ben).await.unwrap();
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
    let again = house.room.import(&ben, archive, "ada", true).await.unwrap();
    assert!(is_nothing_new(&again), "{again:?}");
    assert_eq!(house.room.export(&ben).await.unwrap(), taken);
}

#[tokio::test]
async fn ids_that_are_derived_stay_so_when_the_other_owner_forgets() {
    let house = House::new();
    let (ada, ben) = (owner("ada"), owner("ben"));
    let memory = house.memory(&ada, "notes", "boat").await;
    house.say(&ada, &memory, "user", "The boat lies at pier nine.").await;
    let archive = house.room.export(&ada).await.unwrap();
    house.room.import(&ben, archive.clone(), "ada", true).await.unwrap();
    let asked = MemoryForget { memory_id: Some(memory.memory_id), ..MemoryForget::default() };
    let going = house.room.going(&ada, &asked).await.unwrap();
    house.room.forget(&ada, going, |_, _| None).await.unwrap();
    let after = house.room.export(&ada).await.unwrap();
    assert!(after.entries.is_empty() && after.memories.is_empty(), "what is forgotten is in no export");
    let again = house.room.import(&ben, archive, "ada", true).await.unwrap();
    assert!(is_nothing_new(&again), "{again:?}");
}

#[tokio::test]
async fn titles_that_clash_are_merged_or_marked() {
    let (here, there) = (House::new(), House::in_realm(1));
    let ada = owner("ada");
    for house in [&here, &there] {
        let same = house.memory(&ada, "notes", "same").await;
        house.say(&ada, &same, "user", "The very same words.").await;
        let other = house.memory(&ada, "notes", "other").await;
        house.say(&ada, &other, "user", &format!("Words of {:?}.", house.folder.path())).await;
    }
    let archive = here.room.export(&ada).await.unwrap();
    let imported = there.room.import(&ada, archive.clone(), "here", true).await.unwrap();
    assert_eq!((imported.vaults, imported.memories, imported.entries), (0, 1, 1), "{imported:?}");
    assert_eq!(imported.notices, ["the memory `other` is called `other (imported)` here: its title was taken"]);
    let taken = there.room.export(&ada).await.unwrap();
    let titles: BTreeSet<&str> = taken.memories.iter().map(|memory| memory.title.as_str()).collect();
    assert_eq!(titles, BTreeSet::from(["same", "other", "other (imported)"]));
    assert_eq!(taken.vaults.len(), 1);
    let again = there.room.import(&ada, archive, "here", true).await.unwrap();
    assert!(is_nothing_new(&again), "{again:?}");
}

#[tokio::test]
async fn a_newer_archive_ends_what_has_ended_and_an_older_one_undoes_nothing() {
    let (here, there) = (House::new(), House::in_realm(1));
    let ada = owner("ada");
    house_with_diet(&here, &ada).await;
    let older = here.room.export(&ada).await.unwrap();
    there.room.import(&ada, older.clone(), "here", true).await.unwrap();
    here.set(&ada, Level::Profile, "diet", "vegan").await;
    let newer = here.room.export(&ada).await.unwrap();
    let imported = there.room.import(&ada, newer.clone(), "here", true).await.unwrap();
    assert_eq!((imported.facts, imported.notices.len()), (1, 1), "{imported:?}");
    let current = there.room.profile(&ada).await.unwrap();
    assert_eq!(current.iter().map(|fact| fact.value.as_str()).collect::<Vec<_>>(), ["vegan"]);
    let old = there.room.import(&ada, older, "here", true).await.unwrap();
    assert!(is_nothing_new(&old) && old.notices.is_empty());
    assert_eq!(bare(&there.room.export(&ada).await.unwrap()), bare(&newer));
}

async fn house_with_diet(house: &House, who: &OwnerId) {
    house.set(who, Level::Profile, "diet", "vegetarian").await;
}

#[tokio::test]
async fn many_records_come_in_chunks_and_in_order() {
    let (here, there) = (House::new(), House::in_realm(1));
    let ada = owner("ada");
    let memory = here.memory(&ada, "notes", "long").await;
    let many = (0..2_300).map(|n| NewEntry::said("assistant", format!("Line {n} of a long talk."))).collect();
    here.room.add_entries(&ada, memory.memory_id, many, None).await.unwrap();
    let archive = here.room.export(&ada).await.unwrap();
    let imported = there.room.import(&ada, archive.clone(), "here", true).await.unwrap();
    assert_eq!(imported.entries, 2_300);
    assert_eq!(bare(&there.room.export(&ada).await.unwrap()), bare(&archive));
}

#[tokio::test]
async fn a_bad_archive_is_refused_by_name_and_writes_nothing() {
    let (here, there) = (House::new(), House::in_realm(1));
    let ada = owner("ada");
    lived(&here, &ada).await;
    let archive = here.room.export(&ada).await.unwrap();
    type Spoil = fn(&mut MemoryArchive);
    let spoilt: [(&str, Spoil); 9] = [
        ("`other` version 1", |it| it.format = "other".to_owned()),
        ("version 2; what can be taken in is `dwell.memory` version 1", |it| it.version = 2),
        ("refers to the vault", |it| it.vaults.clear()),
        ("refers to the memory", |it| it.memories.truncate(1)),
        ("refers to the item", |it| it.facts.retain(|fact| fact.superseded_by.is_some())),
        ("`raw_entry` has at most", |it| it.entries[0].raw_entry = "x".repeat(300_000)),
        ("is twice in the archive", |it| it.entries.push(it.entries[0].clone())),
        ("a title has words", |it| it.vaults[0].title = " \n".to_owned()),
        ("a confidence is 0 to 1", |it| it.facts[0].confidence = f32::NAN),
    ];
    for (expected, spoil) in spoilt {
        let mut bad = archive.clone();
        spoil(&mut bad);
        let error = there.room.import(&ada, bad, "here", true).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = there.room.import(&ada, archive, "", true).await.unwrap_err();
    assert!(error.to_string().contains("imported_from"));
    let nothing = there.room.export(&ada).await.unwrap();
    assert_eq!(nothing, MemoryArchive::empty(nothing.exported_at));
}
