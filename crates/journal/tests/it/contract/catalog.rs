//! Finding sessions and turns, and the snapshots.

use journal::{Append, Error, Snapshot};
use protocol::SessionName;

use super::{Place, with_session};
use crate::sample::{self, note, owner, session, started, summary, text, turn};

pub(crate) async fn a_name_is_unique_per_owner(place: &dyn Place) {
    let store = place.open();
    let name: SessionName = "kitchen".parse().unwrap();
    let create = |n: u64, who: &str| {
        let (id, who) = (session(n), owner(who));
        store.create(vec![started(id, &who, Some(&name))], summary(id, &who, Some(&name), 0))
    };
    create(1, "ada").await.unwrap();
    assert_eq!(create(2, "ada").await, Err(Error::NameTaken(session(1))));
    create(3, "bob").await.unwrap();
    assert_eq!(store.named(&owner("ada"), &name).await, Ok(Some(session(1))));
    assert_eq!(store.named(&owner("bob"), &name).await, Ok(Some(session(3))));
    assert_eq!(store.named(&owner("eve"), &name).await, Ok(None));
    assert_eq!(store.read(session(2), 0, 1).await, Err(Error::NotFound), "a refused session leaves nothing");
}

pub(crate) async fn lists_are_the_owners_alone_and_lose_no_ties(place: &dyn Place) {
    let store = place.open();
    let (ada, bob) = (owner("ada"), owner("bob"));
    for n in 0..23 {
        let who = if n % 5 == 0 { &bob } else { &ada };
        // Many share a time, so that a cursor on the time alone would skip some.
        store.create(vec![started(session(n), who, None)], summary(session(n), who, None, n / 8)).await.unwrap();
    }
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.list(&ada, cursor, 4).await.unwrap();
        seen.extend(page.sessions.iter().map(|view| (view.updated_at, view.session_id)));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 18);
    assert!(seen.is_sorted_by(|a, b| a > b), "newest activity first, none twice");
}

pub(crate) async fn moving_sessions_are_found_after_reopening(place: &dyn Place) {
    let (store, id) = with_session(place).await;
    assert_eq!(store.moving().await, Ok(vec![]));
    let lease = store.acquire(id).await.unwrap();
    let mut entry = summary(id, &owner("ada"), None, 5);
    entry.is_moving = true;
    let append = Append { expected_head: 1, events: vec![note(id, 2)], summary: Some(Box::new(entry.clone())) };
    store.append(lease, append).await.unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.moving().await, Ok(vec![id]));
    let listed = store.list(&owner("ada"), None, 10).await.unwrap().sessions;
    assert_eq!((listed[0].updated_at, listed[0].last_seq), (entry.view.updated_at, 2));
}

pub(crate) async fn a_turn_is_found_with_all_its_events(place: &dyn Place) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let events = vec![text(id, 2, turn(1), "a"), text(id, 3, turn(2), "b"), note(id, 4), text(id, 5, turn(1), "c")];
    store.append(lease, Append { expected_head: 1, events: events.clone(), summary: None }).await.unwrap();
    assert_eq!(store.turn(turn(1)).await.unwrap(), [events[0].clone(), events[3].clone()]);
    assert_eq!(store.turn(turn(9)).await.unwrap(), []);
}

pub(crate) async fn the_newest_snapshot_is_kept(place: &dyn Place) {
    let (store, id) = with_session(place).await;
    assert_eq!(store.latest(id).await, Ok(None));
    let snapshot = |seq| Snapshot { seq, format: 1, state: format!("state {seq}") };
    store.save(id, snapshot(3)).await.unwrap();
    store.save(id, snapshot(8)).await.unwrap();
    assert_eq!(store.save(session(9), snapshot(1)).await, Err(Error::NotFound));
    drop(store);
    assert_eq!(place.open().latest(id).await, Ok(Some(snapshot(8))));
    assert_eq!(place.open().latest(sample::session(9)).await, Ok(None));
}
