//! Lookup of sessions and turns, and snapshots.

use journal::{Append, Cursor, Error, SessionFilter, Snapshot, TurnLocation};
use protocol::{Body, Order, SessionName, SessionStatus};

use super::{StoreFixture, with_session};
use crate::sample::{self, note, owner, session, started, summary, text, turn};

pub(crate) async fn a_name_is_unique_per_owner(place: &dyn StoreFixture) {
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

pub(crate) async fn lists_are_the_owners_alone_and_lose_no_ties(place: &dyn StoreFixture) {
    let store = place.open();
    let (ada, bob) = (owner("ada"), owner("bob"));
    for n in 0..23 {
        let who = if n % 5 == 0 { &bob } else { &ada };
        // Many have the same time, so that a cursor with the time alone would skip some.
        store.create(vec![started(session(n), who, None)], summary(session(n), who, None, n / 8)).await.unwrap();
    }
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.list(&ada, &SessionFilter::default(), cursor, 4).await.unwrap();
        seen.extend(page.sessions.iter().map(|view| (view.updated_at, view.session_id)));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 18);
    assert!(seen.is_sorted_by(|a, b| a > b), "newest activity first, none twice");
}

pub(crate) async fn idle_sessions_of_all_owners_are_found_in_pages(place: &dyn StoreFixture) {
    let store = place.open();
    for n in 0..20u64 {
        let who = owner(["ada", "bob", "eve"][(n % 3) as usize]);
        let id = session(n);
        let mut first = started(id, &who, None);
        if let Body::SessionStarted(started) = &mut first.body {
            started.temporary = n == 4;
        }
        store.create(vec![first], summary(id, &who, None, n / 4)).await.unwrap();
    }
    let before = summary(session(0), &owner("ada"), None, 3).view.updated_at;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.idle(before, after, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.owner.clone(), Cursor { updated_at: last.updated_at, session_id: last.session_id }));
        seen.extend(page.into_iter().map(|view| (view.owner.to_string(), view.updated_at, view.session_id)));
    }
    assert!(seen.is_sorted_by(|a, b| a < b), "by owner, time and id, none twice");
    let idle: std::collections::BTreeSet<_> = seen.iter().map(|(_, _, id)| *id).collect();
    assert_eq!(idle, (0..12).filter(|n| *n != 4).map(session).collect(), "neither younger nor temporary ones");
    assert_eq!(store.idle(before, None, 100).await.unwrap().len(), 11);
}

pub(crate) async fn lists_have_only_what_is_wanted(place: &dyn StoreFixture) {
    let store = place.open();
    let ada = owner("ada");
    for n in 0..12u64 {
        let name: SessionName = format!("note-{n}").parse().unwrap();
        let mut entry = summary(session(n), &ada, Some(&name), n / 3);
        entry.view.title = (n != 7).then(|| format!("{} der Äpfel", if n % 2 == 0 { "ERNTE" } else { "Preis" }));
        entry.view.status = if n % 4 == 0 { SessionStatus::Ended } else { SessionStatus::Active };
        store.create(vec![started(session(n), &ada, Some(&name))], entry).await.unwrap();
    }
    let all = async |wanted: SessionFilter| {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = store.list(&ada, &wanted, cursor, 2).await.unwrap();
            seen.extend(page.sessions.iter().map(|view| view.session_id));
            cursor = page.next;
            if cursor.is_none() {
                return seen;
            }
        }
    };
    assert_eq!(all(SessionFilter::new("", None)).await.len(), 12);
    assert_eq!(all(SessionFilter::new(" äPFEL  ernte ", None)).await, [10, 8, 6, 4, 2, 0].map(session));
    assert_eq!(all(SessionFilter::new("ernte", Some(SessionStatus::Active))).await, [10, 6, 2].map(session));
    assert_eq!(all(SessionFilter::new("", Some(SessionStatus::Ended))).await, [8, 4, 0].map(session));
    assert_eq!(all(SessionFilter::new("NOTE-7", None)).await, [session(7)], "a name counts as well");
    assert_eq!(all(SessionFilter::new("note-1 preis", None)).await, [11, 1].map(session), "and both together");
    assert_eq!(all(SessionFilter::new("birnen", None)).await, []);
}

pub(crate) async fn moving_sessions_are_found_after_reopening(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    assert_eq!(store.moving().await, Ok(vec![]));
    let lease = store.acquire(id).await.unwrap();
    let mut entry = summary(id, &owner("ada"), None, 5);
    entry.is_moving = true;
    let append = Append::new(1, vec![note(id, 2)], Some(Box::new(entry.clone())));
    store.append(lease, append).await.unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.moving().await, Ok(vec![id]));
    let listed = store.list(&owner("ada"), &SessionFilter::default(), None, 10).await.unwrap().sessions;
    assert_eq!((listed[0].updated_at, listed[0].last_seq), (entry.view.updated_at, 2));
}

pub(crate) async fn a_turn_is_found_with_all_its_events(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let events = vec![text(id, 2, turn(1), "a"), text(id, 3, turn(2), "b"), note(id, 4), text(id, 5, turn(1), "c")];
    store.append(lease, Append::new(1, events.clone(), None)).await.unwrap();
    assert_eq!(store.turn(turn(1)).await.unwrap(), [events[0].clone(), events[3].clone()]);
    assert_eq!(store.turn(turn(9)).await.unwrap(), []);
}

pub(crate) async fn a_turns_events_come_in_pages(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let mine = |seq| text(id, seq, turn(1), "a");
    let events = vec![mine(2), text(id, 3, turn(2), "b"), note(id, 4), mine(5), mine(6), text(id, 7, turn(2), "c")];
    store.append(lease, Append::new(1, events, None)).await.unwrap();
    assert_eq!(store.turn_events(turn(1), 0, 2).await.unwrap(), [mine(2), mine(5)]);
    assert_eq!(store.turn_events(turn(1), 5, 2).await.unwrap(), [mine(6)]);
    assert_eq!(store.turn_events(turn(1), 6, 2).await.unwrap(), []);
    assert_eq!(store.turn_events(turn(9), 0, 2).await.unwrap(), []);
    assert_eq!(store.turn_place(turn(1)).await, Ok(Some(TurnLocation { session_id: id, last_seq: 6 })));
    assert_eq!(store.turn_place(turn(9)).await, Ok(None));
}

pub(crate) async fn turns_are_listed_by_their_beginning_from_either_end(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    // Turn 9 starts first and continues among the others, whose ids do not count up.
    let turns = [9, 4, 7, 1, 3].map(turn);
    let mut events = Vec::new();
    for turn_id in turns {
        for (turn_id, delta) in [(turn_id, "begins"), (turns[0], "goes on")] {
            events.push(text(id, events.len() as u64 + 2, turn_id, delta));
        }
        events.push(note(id, events.len() as u64 + 2));
    }
    store.append(lease, Append::new(1, events, None)).await.unwrap();
    let pages = async |order, limit| {
        let (mut seen, mut from) = (Vec::new(), None);
        loop {
            let page = store.turns(id, order, from, limit).await.unwrap();
            assert!(page.len() <= limit);
            let Some(last) = page.last() else { return seen };
            from = Some(last.first_seq);
            seen.extend(page.iter().map(|entry| (entry.first_seq, entry.turn_id)));
        }
    };
    let oldest: Vec<_> = (2..).step_by(3).zip(turns).collect();
    let newest: Vec<_> = oldest.iter().rev().copied().collect();
    for limit in 1..=6 {
        assert_eq!(pages(Order::Oldest, limit).await, oldest);
        assert_eq!(pages(Order::Newest, limit).await, newest);
    }
    assert_eq!(store.turns(session(9), Order::Newest, None, 1).await, Err(Error::NotFound));
}

pub(crate) async fn the_newest_snapshot_is_kept(place: &dyn StoreFixture) {
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
