//! Memory: atomic changes, isolation of owners, ordered lists.

use journal::{Bookmark, Change, Error, Record, RecordCursor as At, RecordFilter, Store, UnreadSession, WriteKey};
use protocol::{ItemId, Level, Memory, OwnerId, SessionId};

use super::{StoreFixture, with_session};
use crate::sample::{
    at, context, entry, fact, item_id, memory, memory_id, notes, owner, session, started, summary, vault, vault_id,
};

const MODEL: &str = "small 1";

/// The vault 1 with the memory 1.
fn vault_with_memory() -> Vec<Change> {
    vec![Change::Vault(vault(1)), Change::Memory(memory(1, 1))]
}

fn vector(n: u64, model: &str, bytes: &[u8]) -> Change {
    Change::Vector { item_id: item_id(n), model: model.to_owned(), bytes: bytes.to_vec() }
}

fn key(name: &str, used: u64) -> WriteKey {
    WriteKey { key: name.to_owned(), digest: "d".to_owned(), answer: "{}".to_owned(), at: at(used) }
}

fn read_on(session_id: SessionId, from: u64, seq: u64) -> Change {
    let (follower, state) = ("reader".to_owned(), format!("{{\"at\":{seq}}}"));
    Change::Bookmark { from, bookmark: Bookmark { follower, session_id, seq, state } }
}

async fn ids(store: &dyn Store, who: &OwnerId, filter: &RecordFilter, limit: usize) -> Vec<ItemId> {
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.records(who, filter.clone(), after, limit).await.unwrap();
        assert!(page.len() <= limit);
        let Some(last) = page.last() else { return seen };
        after = Some(At { at: last.at(), id: last.id().to_bytes() });
        seen.extend(page.iter().map(Record::id));
    }
}

pub(crate) async fn what_is_remembered_survives_reopening(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    let of_session = Memory { session_id: Some(id), ..memory(2, 1) };
    let records =
        [entry(1, 1, 1, "a \"quoted\"\nword"), context(2, 1, 2), fact(3, Level::Fact, 3), fact(4, Level::Profile, 4)];
    let mut changes = vault_with_memory();
    changes.push(Change::Memory(of_session.clone()));
    changes.extend(records.iter().cloned().map(Change::Put));
    changes.extend([vector(1, MODEL, &[1, 2, 3]), Change::Key(key("k", 1)), read_on(id, 0, 1)]);
    store.change(&ada, changes).await.unwrap();
    let mut store = Some(store);
    for _ in ["at once", "after reopening"] {
        let store = store.take().unwrap_or_else(|| place.open());
        assert_eq!(store.vaults(&ada, None, 10).await.unwrap(), [vault(1)]);
        assert_eq!(store.memories(&ada, None, None, 10).await.unwrap(), [memory(1, 1), of_session.clone()]);
        let oldest_first = RecordFilter { oldest_first: true, ..RecordFilter::default() };
        assert_eq!(store.records(&ada, oldest_first, None, 10).await.unwrap(), records);
        assert_eq!(store.record(&ada, item_id(1)).await.unwrap().as_ref(), Some(&records[0]));
        assert_eq!(store.record(&ada, item_id(9)).await, Ok(None));
        assert_eq!(store.vectors(&ada, MODEL).await.unwrap(), [(item_id(1), vec![1, 2, 3])]);
        assert_eq!(store.write_key(&ada, "k").await.unwrap(), Some(key("k", 1)));
        assert_eq!(store.bookmark("reader", id).await.unwrap().unwrap().seq, 1);
        assert_eq!(store.owners().await.unwrap(), vec![ada.clone()]);
    }
}

pub(crate) async fn a_refused_change_takes_all_with_it(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    store.change(&ada, vault_with_memory()).await.unwrap();
    store.change(&ada, vec![Change::Key(key("used", 1)), Change::Put(entry(1, 1, 1, "kept"))]).await.unwrap();
    let same_title = |n| Memory { title: memory(1, 1).title, ..memory(n, 1) };
    let refusals = [
        (Change::Vault(protocol::Vault { title: "vault 1".to_owned(), ..vault(9) }), "TitleTaken"),
        (Change::Vault(protocol::Vault { title: "other".to_owned(), ..vault(1) }), "KeyTaken"),
        (Change::Memory(same_title(9)), "TitleTaken"),
        (Change::Memory(Memory { title: "other".to_owned(), ..memory(1, 1) }), "KeyTaken"),
        (Change::Memory(memory(9, 9)), "NotFound"),
        (Change::Put(entry(9, 9, 1, "no such memory")), "NotFound"),
        (Change::Put(context(9, 9, 1)), "NotFound"),
        (Change::UpdateVault(vault(9)), "NotFound"),
        (Change::UpdateVault(protocol::Vault { title: "vault 5".to_owned(), ..vault(1) }), "TitleTaken"),
        (Change::UpdateMemory(memory(9, 1)), "NotFound"),
        (Change::RemoveMemory(memory_id(9)), "NotFound"),
        (Change::RemoveVault(vault_id(9)), "NotFound"),
        (Change::Key(key("used", 2)), "KeyTaken"),
        (read_on(id, 3, 4), "HeadMoved"),
        (read_on(session(9), 0, 1), "NotFound"),
    ];
    for (refused, why) in refusals {
        let batch = vec![
            Change::Vault(vault(5)),
            Change::Put(fact(5, Level::Fact, 5)),
            Change::Put(entry(1, 1, 1, "overwritten")),
            Change::Key(key("new", 1)),
            refused.clone(),
            Change::Remove(item_id(1)),
        ];
        // Other changes in the same commit are not affected.
        let (failed, other) = tokio::join!(store.change(&ada, batch), store.change(&ada, vec![]));
        other.unwrap();
        let error = failed.unwrap_err();
        assert!(format!("{error:?}").starts_with(why), "{refused:?}: {error:?}");
        assert_eq!(store.vaults(&ada, None, 10).await.unwrap(), [vault(1)]);
        assert_eq!(store.records(&ada, RecordFilter::default(), None, 10).await.unwrap(), [entry(1, 1, 1, "kept")]);
        assert_eq!(store.write_key(&ada, "new").await, Ok(None));
    }
}

pub(crate) async fn a_vault_and_a_memory_get_another_title(place: &dyn StoreFixture) {
    let store = place.open();
    let (ada, bob) = (owner("ada"), owner("bob"));
    store.change(&ada, vault_with_memory()).await.unwrap();
    store.change(&ada, vec![Change::Memory(memory(2, 1))]).await.unwrap();
    let renamed = protocol::Vault { title: "other".to_owned(), description: "new".to_owned(), ..vault(1) };
    let moved = Memory { title: "notes".to_owned(), ..memory(1, 1) };
    let changes = vec![Change::UpdateVault(renamed.clone()), Change::UpdateMemory(moved.clone())];
    assert!(store.change(&bob, changes.clone()).await.is_err(), "another owner's");
    store.change(&ada, changes).await.unwrap();
    assert_eq!(store.vaults(&ada, None, 10).await.unwrap(), [renamed]);
    assert_eq!(store.memories(&ada, None, None, 10).await.unwrap(), [moved, memory(2, 1)]);
    let taken = Change::UpdateMemory(Memory { title: "notes".to_owned(), ..memory(2, 1) });
    assert!(format!("{:?}", store.change(&ada, vec![taken]).await.unwrap_err()).starts_with("TitleTaken"));
    // The old title is free again.
    store.change(&ada, vec![Change::Vault(protocol::Vault { title: vault(1).title, ..vault(3) })]).await.unwrap();
}

pub(crate) async fn a_session_has_one_memory_of_an_owner(place: &dyn StoreFixture) {
    let store = place.open();
    let (ada, bob) = (owner("ada"), owner("bob"));
    let of_session = |n, of| Change::Memory(Memory { session_id: Some(session(1)), ..memory(n, of) });
    store.change(&ada, vec![Change::Vault(vault(1)), of_session(1, 1)]).await.unwrap();
    assert_eq!(store.change(&ada, vec![of_session(2, 1)]).await, Err(Error::SessionTaken(memory_id(1))));
    store.change(&ada, vec![Change::Memory(memory(3, 1)), Change::Memory(memory(4, 1))]).await.unwrap();
    store.change(&bob, vec![Change::Vault(vault(2)), of_session(2, 2)]).await.unwrap();
    store.change(&ada, vec![Change::RemoveMemory(memory_id(1)), of_session(5, 1)]).await.unwrap();
}

pub(crate) async fn owners_neither_see_nor_change_each_others_records(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let mut changes = vault_with_memory();
    changes.extend([entry(1, 1, 1, "hers"), fact(2, Level::Fact, 2)].map(Change::Put));
    changes.extend([vector(1, MODEL, &[1]), Change::Key(key("k", 1)), read_on(id, 0, 1)]);
    store.change(&ada, changes).await.unwrap();

    let of_memory = RecordFilter { memory_id: Some(memory_id(1)), ..RecordFilter::default() };
    assert_eq!(store.vaults(&bob, None, 10).await.unwrap(), []);
    assert_eq!(store.memories(&bob, None, None, 10).await.unwrap(), []);
    assert_eq!(store.memories(&bob, Some(vault_id(1)), None, 10).await.unwrap(), []);
    assert_eq!(store.records(&bob, RecordFilter::default(), None, 10).await.unwrap(), []);
    assert_eq!(store.records(&bob, of_memory.clone(), None, 10).await.unwrap(), []);
    assert_eq!(store.record(&bob, item_id(1)).await, Ok(None));
    assert_eq!(store.vectors(&bob, MODEL).await.unwrap(), []);
    assert_eq!(store.write_key(&bob, "k").await, Ok(None));

    for foreign in [
        Change::Vault(vault(1)),
        Change::Memory(memory(2, 1)),
        Change::Put(entry(3, 1, 1, "in her memory")),
        Change::Put(fact(2, Level::Fact, 9)),
        Change::RemoveMemory(memory_id(1)),
        Change::RemoveVault(vault_id(1)),
        read_on(id, 1, 2),
    ] {
        assert_eq!(store.change(&bob, vec![foreign.clone()]).await, Err(Error::NotFound), "{foreign:?}");
    }
    // Other owners can use the same titles and keys. Removing or describing another owner's items
    // does nothing.
    let own_title = protocol::Vault { title: vault(1).title, ..vault(7) };
    let harmless =
        vec![Change::Vault(own_title), Change::Key(key("k", 1)), Change::Remove(item_id(1)), vector(1, MODEL, &[9])];
    store.change(&bob, harmless).await.unwrap();
    assert_eq!(store.records(&ada, of_memory, None, 10).await.unwrap(), [entry(1, 1, 1, "hers")]);
    assert_eq!(store.record(&ada, item_id(2)).await.unwrap(), Some(fact(2, Level::Fact, 2)));
    assert_eq!(store.vectors(&ada, MODEL).await.unwrap(), [(item_id(1), vec![1])]);
    assert_eq!(store.owners().await.unwrap(), [ada, bob]);
}

pub(crate) async fn an_id_of_another_owner_is_known_as_taken(place: &dyn StoreFixture) {
    let store = place.open();
    let (ada, ben) = (owner("ada"), owner("ben"));
    let mut changes = vault_with_memory();
    changes.push(Change::Put(entry(5, 1, 1, "a word")));
    store.change(&ada, changes).await.unwrap();
    let ids = vec![vault_id(1).to_bytes(), memory_id(1).to_bytes(), item_id(5).to_bytes(), item_id(9).to_bytes()];
    assert_eq!(store.taken(&ada, ids.clone()).await.unwrap(), Vec::<[u8; 16]>::new(), "one's own are not");
    let taken = store.taken(&ben, ids.clone()).await.unwrap();
    assert!(taken.contains(&ids[2]) && !taken.contains(&ids[3]));
    assert_eq!(taken.len(), 3);
}

pub(crate) async fn lists_of_records_lose_no_ties(place: &dyn StoreFixture) {
    let store = place.open();
    let ada = owner("ada");
    let mut changes = vault_with_memory();
    changes.push(Change::Memory(memory(2, 1)));
    // Many have the same time, so that a cursor with the time alone would skip some.
    let record = |n: u64| match n % 5 {
        0 => entry(n, 1, n / 8, "first"),
        1 => entry(n, 2, n / 8, "second"),
        2 => context(n, 1, n / 8),
        3 => fact(n, Level::Fact, n / 8),
        _ => fact(n, Level::Profile, n / 8),
    };
    changes.extend((0..43).map(|n| Change::Put(record(n))));
    store.change(&ada, changes).await.unwrap();
    type ListQuery = fn(&Record) -> bool;
    let filters: [(RecordFilter, ListQuery); 5] = [
        (RecordFilter::default(), |_| true),
        (RecordFilter { levels: vec![Level::Profile], ..RecordFilter::default() }, |it| it.level() == Level::Profile),
        (RecordFilter { levels: vec![Level::Entry, Level::Fact, Level::Entry], ..RecordFilter::default() }, |it| {
            matches!(it.level(), Level::Entry | Level::Fact)
        }),
        (RecordFilter { memory_id: Some(memory_id(1)), ..RecordFilter::default() }, |it| {
            it.memory_id() == Some(memory_id(1))
        }),
        (
            RecordFilter { memory_id: Some(memory_id(1)), levels: vec![Level::Context], ..RecordFilter::default() },
            |it| it.memory_id() == Some(memory_id(1)) && it.level() == Level::Context,
        ),
    ];
    for (filter, wanted) in filters {
        let mut expected: Vec<ItemId> = (0..43).map(record).filter(wanted).map(|it| it.id()).collect();
        for oldest_first in [true, false] {
            let filter = RecordFilter { oldest_first, ..filter.clone() };
            for limit in [1, 4, 8, 43, 100] {
                assert_eq!(ids(&*store, &ada, &filter, limit).await, expected, "{filter:?}, {limit} at a time");
            }
            expected.reverse();
        }
    }
}

pub(crate) async fn lists_of_vaults_and_memories_lose_no_ties(place: &dyn StoreFixture) {
    let store = place.open();
    let ada = owner("ada");
    let vaults: Vec<_> = (0..13).map(|n| protocol::Vault { created_at: at(n / 5), ..vault(n) }).collect();
    let memories: Vec<_> = (0..13).map(|n| Memory { created_at: at(n / 5), ..memory(n, n % 2) }).collect();
    let changes = vaults.iter().cloned().map(Change::Vault).chain(memories.iter().cloned().map(Change::Memory));
    store.change(&ada, changes.collect()).await.unwrap();
    for limit in [1, 4, 13, 100] {
        let (mut seen, mut after) = (Vec::new(), None);
        while let page = store.vaults(&ada, after, limit).await.unwrap()
            && let Some(last) = page.last()
        {
            after = Some(At { at: last.created_at, id: last.vault_id.to_bytes() });
            seen.extend(page);
        }
        assert_eq!(seen, vaults, "{limit} at a time");
        for of in [None, Some(vault_id(1)), Some(vault_id(5))] {
            let (mut seen, mut after) = (Vec::new(), None);
            while let page = store.memories(&ada, of, after, limit).await.unwrap()
                && let Some(last) = page.last()
            {
                after = Some(At { at: last.created_at, id: last.memory_id.to_bytes() });
                seen.extend(page);
            }
            let expected: Vec<_> = memories.iter().filter(|it| of.is_none_or(|of| it.vault_id == of)).collect();
            assert_eq!(seen.iter().collect::<Vec<_>>(), expected, "{limit} at a time");
        }
    }
}

pub(crate) async fn a_record_takes_the_place_of_the_one_with_its_id(place: &dyn StoreFixture) {
    let store = place.open();
    let ada = owner("ada");
    let mut changes = vault_with_memory();
    changes.extend([Change::Put(entry(1, 1, 1, "before")), vector(1, MODEL, &[1]), vector(1, "other", &[7])]);
    store.change(&ada, changes).await.unwrap();
    store.change(&ada, vec![Change::Put(entry(1, 1, 8, "after")), vector(1, MODEL, &[2])]).await.unwrap();
    assert_eq!(store.records(&ada, RecordFilter::default(), None, 10).await.unwrap(), [entry(1, 1, 8, "after")]);
    assert_eq!(store.vectors(&ada, MODEL).await.unwrap(), [(item_id(1), vec![2])]);
    assert_eq!(store.vectors(&ada, "other").await.unwrap(), [(item_id(1), vec![7])]);
}

pub(crate) async fn vectors_go_with_their_record(place: &dyn StoreFixture) {
    let store = place.open();
    let ada = owner("ada");
    let mut changes = vault_with_memory();
    changes.extend([Change::Memory(memory(2, 1)), Change::Vault(vault(2)), Change::Memory(memory(3, 2))]);
    changes
        .extend([entry(1, 1, 1, "a"), entry(2, 1, 1, "b"), entry(3, 2, 1, "c"), entry(4, 3, 1, "d")].map(Change::Put));
    changes.extend([Change::Put(fact(5, Level::Fact, 1)), vector(6, MODEL, &[6])]);
    changes.extend((1..6).map(|n| vector(n, MODEL, &[1])));
    store.change(&ada, changes).await.unwrap();
    let left = async |change: Change| {
        store.change(&ada, vec![change]).await.unwrap();
        let mut items: Vec<_> = store.vectors(&ada, MODEL).await.unwrap().into_iter().map(|(id, _)| id).collect();
        items.sort();
        assert_eq!(ids(&*store, &ada, &RecordFilter { oldest_first: true, ..RecordFilter::default() }, 9).await, items);
        items
    };
    let items = |all: &[u64]| all.iter().map(|n| item_id(*n)).collect::<Vec<_>>();
    assert_eq!(left(Change::Remove(item_id(1))).await, items(&[2, 3, 4, 5]));
    assert_eq!(left(Change::Remove(item_id(1))).await, items(&[2, 3, 4, 5]), "there is nothing to remove");
    assert_eq!(left(Change::RemoveMemory(memory_id(1))).await, items(&[3, 4, 5]));
    assert_eq!(left(Change::RemoveVault(vault_id(1))).await, items(&[4, 5]));
    assert_eq!(store.memories(&ada, None, None, 9).await.unwrap(), [memory(3, 2)]);
    assert_eq!(left(Change::RemoveVault(vault_id(2))).await, items(&[5]));
    assert_eq!(store.vaults(&ada, None, 9).await.unwrap(), []);
}

pub(crate) async fn write_keys_are_used_once_until_they_expire(place: &dyn StoreFixture) {
    let store = place.open();
    let ada = owner("ada");
    for (name, used) in [("old", 1), ("new", 5)] {
        store.change(&ada, vec![Change::Key(key(name, used))]).await.unwrap();
        let again = store.change(&ada, vec![Change::Key(key(name, 9))]).await;
        assert_eq!(again, Err(Error::KeyTaken(name.to_owned())));
    }
    store.expire_keys(at(5)).await.unwrap();
    assert_eq!(store.write_key(&ada, "old").await, Ok(None));
    assert_eq!(store.write_key(&ada, "new").await, Ok(Some(key("new", 5))));
    store.change(&ada, vec![Change::Key(key("old", 9))]).await.unwrap();
}

pub(crate) async fn what_a_follower_made_of_a_session_is_written_once(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    store.change(&ada, vault_with_memory()).await.unwrap();
    let reading = |n: u64, from: u64, to: u64| vec![Change::Put(entry(n, 1, n, "read")), read_on(id, from, to)];
    let both = tokio::join!(store.change(&ada, reading(1, 0, 1)), store.change(&ada, reading(2, 0, 1)));
    assert!(both.0.is_ok() != both.1.is_ok(), "{both:?}");
    assert_eq!(store.change(&ada, reading(3, 0, 1)).await, Err(Error::HeadMoved { expected: 0, actual: 1 }));
    assert_eq!(store.records(&ada, RecordFilter::default(), None, 9).await.unwrap().len(), 1);
    store.change(&ada, reading(4, 1, 7)).await.unwrap();
    let bookmark = store.bookmark("reader", id).await.unwrap().unwrap();
    assert_eq!((bookmark.seq, bookmark.state.as_str()), (7, "{\"at\":7}"));
    assert_eq!(store.bookmark("another", id).await, Ok(None));
    assert_eq!(store.bookmark("reader", session(9)).await, Ok(None));
}

pub(crate) async fn unread_sessions_are_those_with_newer_events(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let (bobs, brief) = (session(2), session(3));
    store.create(vec![started(bobs, &bob, None)], summary(bobs, &bob, None, 0)).await.unwrap();
    let mut temporary = started(brief, &ada, None);
    if let protocol::Body::SessionStarted(started) = &mut temporary.body {
        started.temporary = true;
    }
    store.create(vec![temporary], summary(brief, &ada, None, 0)).await.unwrap();
    let unread = |owner: &OwnerId, session_id, seq| UnreadSession { owner: owner.clone(), session_id, seq };

    assert_eq!(store.unread("reader").await.unwrap(), [unread(&ada, id, 0), unread(&bob, bobs, 0)]);
    store.change(&ada, vec![read_on(id, 0, 1)]).await.unwrap();
    let both = [unread(&ada, id, 1), unread(&bob, bobs, 0)];
    assert_eq!(store.unread("reader").await.unwrap(), both, "something is still in the follower's mind");
    let Change::Bookmark { bookmark, .. } = read_on(id, 1, 1) else { unreachable!() };
    let done = Change::Bookmark { from: 1, bookmark: Bookmark { state: String::new(), ..bookmark } };
    store.change(&ada, vec![done]).await.unwrap();
    assert_eq!(store.unread("reader").await.unwrap(), [unread(&bob, bobs, 0)]);
    assert_eq!(store.unread("another").await.unwrap().len(), 2);
    let lease = store.acquire(id).await.unwrap();
    store.append(lease, notes(id, 1, 2)).await.unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.unread("reader").await.unwrap(), [unread(&ada, id, 1), unread(&bob, bobs, 0)]);
}

pub(crate) async fn bookmarks_go_with_their_session_and_memories_stay(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    let of_session = Memory { session_id: Some(id), ..memory(1, 1) };
    let changes = vec![Change::Vault(vault(1)), Change::Memory(of_session.clone()), read_on(id, 0, 1)];
    store.change(&ada, changes).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    store.remove(lease).await.unwrap();
    assert_eq!(store.bookmark("reader", id).await, Ok(None));
    assert_eq!(store.unread("reader").await, Ok(vec![]));
    assert_eq!(store.memories(&ada, None, None, 9).await.unwrap(), [of_session]);
    // A later session is not mistaken for the one before.
    let next = session(2);
    store.create(vec![started(next, &ada, None)], summary(next, &ada, None, 0)).await.unwrap();
    assert_eq!(store.unread("reader").await.unwrap()[0].seq, 0);
}
