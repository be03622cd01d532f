//! Appending, reading, following.

use futures::StreamExt;
use journal::{Append, Error, follow};

use super::{StoreFixture, with_session};
use crate::sample::{self, note, notes, session, turn};

pub(crate) async fn what_was_appended_is_read_back(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    store.append(lease, notes(id, 1, 9)).await.unwrap();
    let all = store.read(id, 0, 100).await.unwrap();
    assert_eq!(all.len(), 10);
    assert!(all[1..].iter().eq(notes(id, 1, 9).events.iter().map(AsRef::as_ref)));
    for after in 0..=10 {
        let suffix = store.read(id, after, 100).await.unwrap();
        assert_eq!(suffix, all[usize::try_from(after).unwrap()..]);
    }
    assert_eq!(store.read(id, 3, 2).await.unwrap(), all[3..5], "a limit cuts the tail");
    assert_eq!(store.read(session(99), 0, 1).await, Err(Error::NotFound));
}

pub(crate) async fn a_moved_head_refuses_the_append(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    store.append(lease, notes(id, 1, 2)).await.unwrap();
    let refused = store.append(lease, notes(id, 1, 1)).await;
    assert_eq!(refused, Err(Error::HeadMoved { expected: 1, actual: 3 }));
    assert_eq!(store.read(id, 0, 100).await.unwrap().len(), 3);
}

pub(crate) async fn numbers_with_a_gap_are_refused(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let gap = Append::new(1, vec![note(id, 2), note(id, 4)], None);
    assert!(matches!(store.append(lease, gap).await, Err(Error::HeadMoved { .. })));
    assert_eq!(store.read(id, 0, 100).await.unwrap().len(), 1, "all or none");
}

pub(crate) async fn a_lease_taken_over_cannot_append(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let old = store.acquire(id).await.unwrap();
    let new = store.acquire(id).await.unwrap();
    assert!(new.epoch > old.epoch);
    assert_eq!(store.append(old, notes(id, 1, 1)).await, Err(Error::StaleLease));
    store.release(old).await;
    store.append(new, notes(id, 1, 1)).await.unwrap();
    store.release(new).await;
    assert_eq!(store.append(new, notes(id, 2, 1)).await, Err(Error::StaleLease));
}

pub(crate) async fn a_lease_of_an_earlier_process_cannot_append(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let old = store.acquire(id).await.unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.append(old, notes(id, 1, 1)).await, Err(Error::StaleLease));
    assert!(store.acquire(id).await.unwrap().epoch > old.epoch);
    assert_eq!(store.append(old, notes(id, 1, 1)).await, Err(Error::StaleLease));
}

pub(crate) async fn a_missing_session_cannot_be_acquired(place: &dyn StoreFixture) {
    let store = place.open();
    assert_eq!(store.acquire(session(7)).await, Err(Error::NotFound));
}

pub(crate) async fn racing_writers_of_one_session_never_interleave(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let races = (0..32).map(|_| store.append(lease, notes(id, 1, 3)));
    let results = futures::future::join_all(races).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let numbers: Vec<u64> = store.read(id, 0, 100).await.unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
}

pub(crate) async fn sessions_do_not_see_each_other(place: &dyn StoreFixture) {
    let (store, first) = with_session(place).await;
    let (second, ada) = (session(2), sample::owner("ada"));
    store.create(vec![sample::started(second, &ada, None)], sample::summary(second, &ada, None, 0)).await.unwrap();
    let (one, two) = (store.acquire(first).await.unwrap(), store.acquire(second).await.unwrap());
    let (a, b) = tokio::join!(store.append(one, notes(first, 1, 5)), store.append(two, notes(second, 1, 7)));
    a.unwrap();
    b.unwrap();
    assert!(store.read(first, 0, 100).await.unwrap().iter().all(|event| event.session_id == first));
    assert_eq!(store.read(second, 0, 100).await.unwrap().len(), 8);
}

pub(crate) async fn everything_survives_reopening(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    store.append(lease, notes(id, 1, 20)).await.unwrap();
    let before = store.read(id, 0, 100).await.unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.read(id, 0, 100).await.unwrap(), before);
    let lease = store.acquire(id).await.unwrap();
    store.append(lease, notes(id, 21, 1)).await.unwrap();
}

pub(crate) async fn large_bodies_come_back_whole(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let long = "word ".repeat(100_000);
    let events = vec![sample::text(id, 2, turn(1), &long), sample::text(id, 3, turn(1), &long), note(id, 4)];
    store.append(lease, Append::new(1, events.clone(), None)).await.unwrap();
    assert_eq!(store.read(id, 1, 100).await.unwrap(), events);
    assert_eq!(store.turn(turn(1)).await.unwrap(), events[..2]);
}

pub(crate) async fn followers_see_the_same_log_from_any_number(place: &dyn StoreFixture) {
    const EVENTS: u64 = 400;
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let followers: Vec<_> = (0..64u64)
        .map(|after| {
            let store = store.clone();
            tokio::spawn(async move {
                let wanted = usize::try_from(EVENTS - after).unwrap();
                follow(store, id, after).take(wanted).map(Result::unwrap).collect::<Vec<_>>().await
            })
        })
        .collect();
    let mut head = 1;
    while head < EVENTS {
        let count = (head % 7 + 1).min(EVENTS - head);
        store.append(lease, notes(id, head, count)).await.unwrap();
        head += count;
    }
    let log = store.read(id, 0, 1_000).await.unwrap();
    for (after, follower) in followers.into_iter().enumerate() {
        assert_eq!(follower.await.unwrap(), log[after..], "after {after}");
    }
}

pub(crate) async fn one_refused_append_does_not_take_others_with_it(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = sample::owner("ada");
    let mut appends = Vec::new();
    for n in 10..30 {
        let other = session(n);
        store.create(vec![sample::started(other, &ada, None)], sample::summary(other, &ada, None, n)).await.unwrap();
        let lease = store.acquire(other).await.unwrap();
        // Every second one is wrong about the head.
        appends.push(store.append(lease, notes(other, 1 + n % 2, 1)));
    }
    let lease = store.acquire(id).await.unwrap();
    appends.push(store.append(lease, notes(id, 1, 1)));
    let results = futures::future::join_all(appends).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 11);
}
