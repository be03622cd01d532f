//! Damage is noticed and located, whatever causes it.

use std::sync::Arc;

use journal::{Append, Error, RedactedEvent, Snapshot, Store};
use protocol::{Body, SessionId, TextDelta};

use super::{Corruption, StoreFixture, with_session};
use crate::sample::{self, note, notes, session, text, turn};

/// The number of the event whose body is stored outside of its row.
const LARGE: u64 = 4;

/// A session with 1,200 events, more than are checked in one read; one of them has a large body.
async fn written(place: &dyn StoreFixture) -> (Arc<dyn Store>, SessionId) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let large = text(id, LARGE, turn(1), &"words ".repeat(10_000));
    let mut events = vec![note(id, 2), text(id, 3, turn(1), "one two"), large];
    events.extend((5..=1_200).map(|seq| note(id, seq)));
    store.append(lease, Append::new(1, events, None)).await.unwrap();
    (store, id)
}

pub(crate) async fn what_was_written_is_sound(place: &dyn StoreFixture) {
    let (store, id) = written(place).await;
    let sound = async |store: &dyn Store, events| {
        let verdict = store.verify(id).await.unwrap();
        assert_eq!((verdict.events, verdict.damage), (events, None));
    };
    sound(&*store, 1_200).await;
    let lease = store.acquire(id).await.unwrap();
    let redacted = |seq| RedactedEvent { seq, body: Body::Text(TextDelta { offset: 0, delta: "[gone]".to_owned() }) };
    store.redact(lease, vec![redacted(LARGE), redacted(3)], None).await.unwrap();
    sound(&*store, 1_200).await;
    store.append(lease, notes(id, 1_200, 3)).await.unwrap();
    sound(&*store, 1_203).await;
    drop(store);
    let store = place.open();
    sound(&*store, 1_203).await;
    assert_eq!(store.verify(session(9)).await, Err(Error::NotFound));
    assert_eq!(store.damaged(), []);
}

/// The numbers at which a check and a paged read find a session damaged.
async fn found(store: &dyn Store, id: SessionId) -> (u64, u64) {
    let verdict = store.verify(id).await.unwrap();
    let damage = verdict.damage.unwrap();
    assert_eq!((damage.session_id, verdict.events), (id, damage.seq - 1));
    let mut after = 0;
    loop {
        match store.read(id, after, 100).await {
            Ok(events) => after = events.last().unwrap().seq,
            Err(Error::DamagedSession { session_id, seq, .. }) => {
                assert_eq!(session_id, id);
                let before = usize::try_from(seq - 1 - after).unwrap();
                assert_eq!(store.read(id, after, before).await.unwrap().len(), before, "what is before can be read");
                return (damage.seq, seq);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

pub(crate) async fn every_damage_is_named_with_its_event(place: &dyn StoreFixture) {
    let (store, id) = written(place).await;
    drop(store);
    for (harm, seq) in [
        (Corruption::ChangeTime(1_100), 1_100),
        (Corruption::Remove(1_000), 1_000),
        (Corruption::ChangeBody(700), 700),
        (Corruption::Remove(513), 513),
        (Corruption::Remove(100), 100),
        (Corruption::ChangeLargeBody(LARGE), LARGE),
        (Corruption::ChangeBody(3), 3),
        (Corruption::ChangeTime(2), 2),
        (Corruption::ChangeBody(1), 1),
    ] {
        place.corrupt(id, harm);
        assert_eq!(found(&*place.open(), id).await, (seq, seq), "{harm:?}");
    }
}

pub(crate) async fn a_damaged_session_is_refused_and_the_others_go_on(place: &dyn StoreFixture) {
    let (store, id) = written(place).await;
    let (other, ada) = (session(2), sample::owner("ada"));
    store.create(vec![sample::started(other, &ada, None)], sample::summary(other, &ada, None, 0)).await.unwrap();
    let (lease, others) = (store.acquire(id).await.unwrap(), store.acquire(other).await.unwrap());
    place.corrupt(id, Corruption::ChangeBody(3));
    // Nothing has been read yet; any operation finds the damage.
    assert!(matches!(store.turn(turn(1)).await, Err(Error::DamagedSession { seq: 3, .. })));
    assert!(matches!(store.append(lease, notes(id, 1_200, 1)).await, Err(Error::DamagedSession { seq: 3, .. })));
    assert!(matches!(store.latest(id).await, Err(Error::DamagedSession { seq: 3, .. })));
    assert_eq!(store.damaged().iter().map(|damage| (damage.session_id, damage.seq)).collect::<Vec<_>>(), [(id, 3)]);
    store.append(others, notes(other, 1, 1)).await.unwrap();
    assert_eq!(store.verify(other).await.unwrap().damage, None);
}

pub(crate) async fn a_damaged_snapshot_is_none(place: &dyn StoreFixture) {
    let (store, id) = written(place).await;
    let snapshot = Snapshot { seq: 900, format: 1, state: "state".to_owned() };
    store.save(id, snapshot.clone()).await.unwrap();
    assert_eq!(store.latest(id).await, Ok(Some(snapshot.clone())));
    place.corrupt(id, Corruption::ChangeSnapshot);
    assert_eq!(store.latest(id).await, Ok(None));
    store.save(id, snapshot).await.unwrap();
    place.corrupt(id, Corruption::Remove(900));
    assert_eq!(store.latest(id).await, Ok(None), "the event up to which it goes is not there");
}

pub(crate) async fn a_damaged_session_can_be_removed(place: &dyn StoreFixture) {
    let (store, id) = written(place).await;
    place.corrupt(id, Corruption::Remove(5));
    assert!(store.verify(id).await.unwrap().damage.is_some());
    let lease = store.acquire(id).await.unwrap();
    store.remove(lease).await.unwrap();
    assert_eq!(store.damaged(), []);
    assert_eq!(store.verify(id).await, Err(Error::NotFound));
}

pub(crate) async fn sessions_are_gone_through_in_order(place: &dyn StoreFixture) {
    let (store, ada) = (place.open(), sample::owner("ada"));
    for n in [3, 1, 2] {
        let id = session(n);
        store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    }
    let (mut last, mut seen) = (None, Vec::new());
    while let Some(next) = store.next_session(last).await.unwrap() {
        seen.push(next);
        last = Some(next);
    }
    assert_eq!(seen, [session(1), session(2), session(3)]);
}

pub(crate) async fn a_probe_writes_and_changes_nothing(place: &dyn StoreFixture) {
    let (store, id) = written(place).await;
    for _ in 0..3 {
        store.probe().await.unwrap();
    }
    drop(store);
    let store = place.open();
    assert_eq!(store.verify(id).await.unwrap().events, 1_200);
}
