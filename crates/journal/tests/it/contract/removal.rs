//! Removing a session.

use futures::StreamExt;
use journal::{Append, Error, SessionFilter, Snapshot, follow};
use protocol::SessionName;

use super::{StoreFixture, with_session};
use crate::sample::{artifact, artifact_id, notes, owner, session, started, summary, text, turn};

pub(crate) async fn nothing_is_left_of_a_removed_session(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    let lease = store.acquire(id).await.unwrap();
    let mut entry = summary(id, &ada, None, 5);
    entry.is_moving = true;
    let events = vec![text(id, 2, turn(1), &"long ".repeat(10_000))];
    store.append(lease, Append::new(1, events, Some(Box::new(entry)))).await.unwrap();
    store.save(id, Snapshot { seq: 2, format: 1, state: "state".to_owned() }).await.unwrap();
    store.put(artifact(1, id, &ada, 1, 10)).await.unwrap();

    store.remove(lease).await.unwrap();
    let mut store = Some(store);
    for _ in ["at once", "after reopening"] {
        let store = store.take().unwrap_or_else(|| place.open());
        assert_eq!(store.read(id, 0, 10).await, Err(Error::NotFound));
        assert_eq!(store.turn(turn(1)).await, Ok(vec![]));
        assert_eq!(store.list(&ada, &SessionFilter::default(), None, 10).await.unwrap().sessions, []);
        assert_eq!(store.moving().await, Ok(vec![]));
        assert_eq!(store.latest(id).await, Ok(None));
        assert_eq!(store.artifact(&ada, artifact_id(1)).await, Ok(None));
        assert_eq!(store.artifacts(&ada, None, None, 10).await.unwrap().artifacts, []);
        assert_eq!(store.artifact_bytes(id).await, Ok(0));
        assert_eq!(store.put(artifact(2, id, &ada, 1, 10)).await, Err(Error::NotFound));
        assert_eq!(store.acquire(id).await, Err(Error::NotFound));
    }
}

pub(crate) async fn a_removed_sessions_name_is_free(place: &dyn StoreFixture) {
    let store = place.open();
    let (ada, name): (_, SessionName) = (owner("ada"), "kitchen".parse().unwrap());
    for n in 1..4 {
        let id = session(n);
        let entry = summary(id, &ada, Some(&name), 0);
        store.create(vec![started(id, &ada, Some(&name))], entry).await.unwrap();
        assert_eq!(store.named(&ada, &name).await, Ok(Some(id)));
        let lease = store.acquire(id).await.unwrap();
        store.remove(lease).await.unwrap();
        assert_eq!(store.named(&ada, &name).await, Ok(None));
    }
}

pub(crate) async fn bodies_that_others_refer_to_stay(place: &dyn StoreFixture) {
    let (store, first) = with_session(place).await;
    let (second, ada) = (session(2), owner("ada"));
    store.create(vec![started(second, &ada, None)], summary(second, &ada, None, 0)).await.unwrap();
    let (shared, own) = ("shared ".repeat(10_000), "own ".repeat(10_000));
    for id in [first, second] {
        let lease = store.acquire(id).await.unwrap();
        let events = [text(id, 2, turn(1), &shared), text(id, 3, turn(1), &shared), text(id, 4, turn(1), &own)];
        let count = if id == first { 3 } else { 2 };
        let append = Append::new(1, events[..count].to_vec(), None);
        store.append(lease, append).await.unwrap();
    }
    let before = store.read(second, 0, 10).await.unwrap();
    let lease = store.acquire(first).await.unwrap();
    store.remove(lease).await.unwrap();
    assert_eq!(store.read(second, 0, 10).await.unwrap(), before);
    // What was removed can be written again.
    let lease = store.acquire(second).await.unwrap();
    let append = Append::new(3, vec![text(second, 4, turn(1), &own)], None);
    store.append(lease, append.clone()).await.unwrap();
    let kept = store.read(second, 3, 10).await.unwrap();
    assert!(kept.iter().eq(append.events.iter().map(AsRef::as_ref)));
}

pub(crate) async fn a_stale_lease_removes_nothing(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let old = store.acquire(id).await.unwrap();
    let new = store.acquire(id).await.unwrap();
    assert_eq!(store.remove(old).await, Err(Error::StaleLease));
    store.release(new).await;
    assert_eq!(store.remove(new).await, Err(Error::StaleLease));
    assert_eq!(store.read(id, 0, 10).await.unwrap().len(), 1);
}

pub(crate) async fn a_removed_session_is_gone_for_its_lease_too(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let (removed, appended) = tokio::join!(store.remove(lease), store.append(lease, notes(id, 1, 1)));
    removed.unwrap();
    assert_eq!(appended, Err(Error::StaleLease));
    assert_eq!(store.remove(lease).await, Err(Error::StaleLease));
    store.release(lease).await;
    let snapshot = Snapshot { seq: 1, format: 1, state: String::new() };
    assert_eq!(store.save(id, snapshot).await, Err(Error::NotFound));
}

pub(crate) async fn a_follower_of_a_removed_session_is_told(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let follower = follow(store.clone(), id, 0);
    tokio::pin!(follower);
    assert_eq!(follower.next().await.unwrap().unwrap().seq, 1);
    let (next, removed) = tokio::join!(follower.next(), store.remove(lease));
    removed.unwrap();
    assert_eq!(next.unwrap(), Err(Error::NotFound));
}
