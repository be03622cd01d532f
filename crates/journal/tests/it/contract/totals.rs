//! Totals of owners after writes and removals.

use journal::{Append, Change, OwnerTotals, Record, RedactedEvent, Store};
use protocol::{Event, OwnerId, SessionId};

use super::{StoreFixture, with_session};
use crate::sample::{
    artifact, artifact_id, at, context, entry, item_id, memory, memory_id, owner, session, started, summary, text,
    turn, vault, vault_id,
};

/// The totals of a store, compared with its content.
async fn checked(store: &dyn Store, who: &OwnerId, sessions: &[SessionId]) -> OwnerTotals {
    let totals = store.totals(who).await.unwrap();
    let mut bytes = 0;
    for id in sessions {
        let events = store.read(*id, 0, 1_000).await.unwrap();
        bytes += events.iter().map(bytes_of).sum::<u64>();
    }
    assert_eq!((totals.sessions, totals.journal_bytes), (sessions.len() as u64, bytes));
    totals
}

fn bytes_of(event: &Event) -> u64 {
    serde_json::to_string(&event.body).unwrap().len() as u64
}

pub(crate) async fn sessions_and_their_bytes_are_counted(place: &dyn StoreFixture) {
    let (store, first) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let second = session(2);
    store.create(vec![started(second, &ada, None)], summary(second, &ada, None, 0)).await.unwrap();
    checked(&*store, &ada, &[first, second]).await;
    assert_eq!(store.totals(&bob).await.unwrap(), OwnerTotals::default());

    let lease = store.acquire(first).await.unwrap();
    // Short, large, with multi-byte letters, and a duplicate, which is stored once but counts
    // twice.
    let words = ["short", &"long ".repeat(10_000), "Grüße, 東京", &"long ".repeat(10_000)];
    let events: Vec<Event> = (2..).zip(words).map(|(seq, words)| text(first, seq, turn(1), words)).collect();
    store.append(lease, Append::new(1, events, None)).await.unwrap();
    let before = checked(&*store, &ada, &[first, second]).await;
    assert!(before.journal_bytes > 100_000);

    let left = text(first, 3, turn(1), "struck").body;
    store.redact(lease, vec![RedactedEvent { seq: 3, body: left }], None).await.unwrap();
    assert!(checked(&*store, &ada, &[first, second]).await.journal_bytes < before.journal_bytes - 40_000);

    store.remove(lease).await.unwrap();
    drop(store);
    let store = place.open();
    checked(&*store, &ada, &[second]).await;
    let lease = store.acquire(second).await.unwrap();
    store.remove(lease).await.unwrap();
    assert_eq!(store.totals(&ada).await.unwrap(), OwnerTotals::default());
    assert_eq!(store.all_totals().await.unwrap(), [], "who has nothing is not listed");
}

pub(crate) async fn a_refused_write_counts_for_nothing(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    let before = checked(&*store, &ada, &[id]).await;
    let lease = store.acquire(id).await.unwrap();
    let append = Append::new(9, vec![text(id, 10, turn(1), "x")], None);
    assert!(store.append(lease, append).await.is_err());
    assert!(store.put(artifact(1, session(7), &ada, 1, 10)).await.is_err());
    let changes = vec![Change::Vault(vault(1)), Change::Memory(memory(1, 9))];
    assert!(store.change(&ada, changes).await.is_err());
    assert_eq!(store.totals(&ada).await.unwrap(), before);
}

pub(crate) async fn artifacts_and_their_bytes_are_counted(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    for (n, bytes) in [(1, 10), (2, 300), (3, 0), (2, 999)] {
        store.put(artifact(n, id, &ada, n, bytes)).await.unwrap();
    }
    let counted = |totals: OwnerTotals| (totals.artifacts, totals.artifact_bytes);
    assert_eq!(counted(store.totals(&ada).await.unwrap()), (3, 310));
    assert_eq!(store.owner_artifact_bytes(&ada).await, Ok(310));
    store.remove_artifact(&ada, artifact_id(1)).await.unwrap();
    assert_eq!(counted(store.totals(&ada).await.unwrap()), (2, 300));
    store.sweep_artifacts(at(3), 10).await.unwrap();
    assert_eq!(counted(store.totals(&ada).await.unwrap()), (1, 0));
    let lease = store.acquire(id).await.unwrap();
    store.remove(lease).await.unwrap();
    assert_eq!(store.totals(&ada).await.unwrap(), OwnerTotals::default());
}

pub(crate) async fn what_is_remembered_is_counted(place: &dyn StoreFixture) {
    let store = place.open();
    let (ada, bob) = (owner("ada"), owner("bob"));
    let first = vec![
        Change::Vault(vault(1)),
        Change::Memory(memory(1, 1)),
        Change::Put(entry(1, 1, 1, "Grüße")),
        Change::Put(context(2, 1, 2)),
    ];
    store.change(&ada, first).await.unwrap();
    let counted = |totals: OwnerTotals| (totals.records, totals.record_bytes);
    let (records, bytes) = counted(store.totals(&ada).await.unwrap());
    assert_eq!(records, 4);
    let length = |record: &Record| match record {
        Record::Entry(entry) => serde_json::to_string(entry).unwrap().len() as u64,
        _ => 0,
    };
    // A record with the same id replaces the earlier one.
    let longer = entry(1, 1, 1, &"Grüße ".repeat(100));
    let grown = length(&longer) - length(&entry(1, 1, 1, "Grüße"));
    store.change(&ada, vec![Change::Put(longer)]).await.unwrap();
    assert_eq!(counted(store.totals(&ada).await.unwrap()), (4, bytes + grown));
    store.change(&ada, vec![Change::Remove(item_id(1)), Change::Remove(item_id(9))]).await.unwrap();
    assert_eq!(store.totals(&ada).await.unwrap().records, 3);
    store.change(&ada, vec![Change::RemoveMemory(memory_id(1))]).await.unwrap();
    assert_eq!(store.totals(&ada).await.unwrap().records, 1);
    store.change(&bob, vec![Change::Vault(vault(2))]).await.unwrap();
    let all = store.all_totals().await.unwrap();
    assert_eq!(
        all.iter().map(|(who, totals)| (who.clone(), totals.records)).collect::<Vec<_>>(),
        [(ada.clone(), 1), (bob, 1)]
    );
    store.change(&ada, vec![Change::RemoveVault(vault_id(1))]).await.unwrap();
    assert_eq!(store.totals(&ada).await.unwrap(), OwnerTotals::default());
}
