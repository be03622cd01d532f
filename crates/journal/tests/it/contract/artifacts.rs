//! Artifacts.

use std::sync::Arc;

use journal::{Error, RemovedArtifacts, Store};
use protocol::{ArtifactId, OwnerId, SessionId};

use super::{StoreFixture, with_session};
use crate::sample::{artifact, artifact_id, at, owner, session, started, summary};

async fn begin(store: &dyn Store, n: u64, who: &OwnerId) -> SessionId {
    store.create(vec![started(session(n), who, None)], summary(session(n), who, None, 0)).await.unwrap();
    session(n)
}

pub(crate) async fn an_artifact_comes_back_whole_after_reopening(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    for (n, bytes) in [(1, 0), (2, 300), (3, 3 * 1024 * 1024)] {
        store.put(artifact(n, id, &ada, n, bytes)).await.unwrap();
    }
    drop(store);
    let store = place.open();
    for (n, bytes) in [(1, 0), (2, 300), (3, 3 * 1024 * 1024)] {
        let kept = artifact(n, id, &ada, n, bytes);
        assert_eq!(store.artifact(&ada, artifact_id(n)).await.unwrap(), Some((kept.view, kept.bytes)));
    }
    assert_eq!(store.artifact(&ada, artifact_id(4)).await, Ok(None));
}

pub(crate) async fn the_same_id_again_changes_nothing(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    let first = artifact(1, id, &ada, 1, 10);
    store.put(first.clone()).await.unwrap();
    store.put(artifact(1, id, &ada, 9, 99)).await.unwrap();
    assert_eq!(store.artifact(&ada, artifact_id(1)).await.unwrap(), Some((first.view, first.bytes)));
    assert_eq!(store.artifact_bytes(id).await, Ok(10));
}

pub(crate) async fn another_owners_artifact_is_not_found(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let bobs = begin(&*store, 2, &bob).await;
    store.put(artifact(1, id, &ada, 1, 10)).await.unwrap();
    store.put(artifact(2, bobs, &bob, 2, 20)).await.unwrap();
    assert_eq!(store.artifact(&bob, artifact_id(1)).await, Ok(None));
    assert_eq!(store.artifact(&ada, artifact_id(2)).await, Ok(None));
    assert_eq!(ids(&store, &bob, None, 10).await, [artifact_id(2)]);
    assert_eq!(ids(&store, &bob, Some(id), 10).await, [], "naming a foreign session shows nothing of it");
}

pub(crate) async fn an_artifact_needs_a_session_of_its_owner(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    assert_eq!(store.put(artifact(1, session(7), &owner("ada"), 1, 1)).await, Err(Error::NotFound));
    assert_eq!(store.put(artifact(1, id, &owner("bob"), 1, 1)).await, Err(Error::NotFound));
    assert_eq!(store.artifact(&owner("bob"), artifact_id(1)).await, Ok(None));
}

pub(crate) async fn lists_of_artifacts_lose_no_ties(place: &dyn StoreFixture) {
    let (store, first) = with_session(place).await;
    let ada = owner("ada");
    let second = begin(&*store, 2, &ada).await;
    for n in 0..23 {
        let id = if n % 3 == 0 { second } else { first };
        // Many have the same time, so that a cursor with the time alone would skip some.
        store.put(artifact(n, id, &ada, n / 8, 1)).await.unwrap();
    }
    let newest_first = |wanted: &dyn Fn(u64) -> bool| (0..23).rev().filter(|n| wanted(*n)).map(artifact_id).collect();
    let all: Vec<ArtifactId> = newest_first(&|_| true);
    let of_second: Vec<ArtifactId> = newest_first(&|n| n % 3 == 0);
    for limit in [1, 4, 8, 23, 100] {
        assert_eq!(ids(&store, &ada, None, limit).await, all, "{limit} at a time");
        assert_eq!(ids(&store, &ada, Some(second), limit).await, of_second, "{limit} at a time");
    }
    assert_eq!(ids(&store, &ada, Some(session(9)), 5).await, []);
}

pub(crate) async fn bytes_are_counted_per_session(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let ada = owner("ada");
    let other = begin(&*store, 2, &ada).await;
    assert_eq!(store.artifact_bytes(id).await, Ok(0));
    for (n, session_id, bytes) in [(1, id, 100), (2, id, 23), (3, other, 7)] {
        store.put(artifact(n, session_id, &ada, n, bytes)).await.unwrap();
    }
    assert_eq!(store.artifact_bytes(id).await, Ok(123));
    assert_eq!(store.artifact_bytes(other).await, Ok(7));
    assert_eq!(store.artifact_bytes(session(9)).await, Ok(0));
}

pub(crate) async fn bytes_are_counted_per_owner(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let other = begin(&*store, 2, &ada).await;
    let bobs = begin(&*store, 3, &bob).await;
    for (n, session_id, who, bytes) in [(1, id, &ada, 100), (2, other, &ada, 23), (3, bobs, &bob, 7)] {
        store.put(artifact(n, session_id, who, n, bytes)).await.unwrap();
    }
    assert_eq!(store.owner_artifact_bytes(&ada).await, Ok(123));
    assert_eq!(store.owner_artifact_bytes(&bob).await, Ok(7));
    assert_eq!(store.owner_artifact_bytes(&owner("eve")).await, Ok(0));
    let lease = store.acquire(id).await.unwrap();
    store.remove(lease).await.unwrap();
    assert_eq!(store.owner_artifact_bytes(&ada).await, Ok(23), "what goes with its session no longer counts");
}

pub(crate) async fn an_artifact_is_removed_by_its_owner_alone(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    for n in 1..3 {
        store.put(artifact(n, id, &ada, n, 10)).await.unwrap();
    }
    assert_eq!(store.remove_artifact(&bob, artifact_id(1)).await, Ok(false));
    assert_eq!(store.remove_artifact(&ada, artifact_id(1)).await, Ok(true));
    assert_eq!(store.remove_artifact(&ada, artifact_id(1)).await, Ok(false), "it is gone already");
    drop(store);
    let store = place.open();
    assert_eq!(ids(&store, &ada, None, 10).await, [artifact_id(2)]);
    assert_eq!(store.owner_artifact_bytes(&ada).await, Ok(10));
}

pub(crate) async fn the_oldest_are_swept_first_and_the_young_stay(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let bobs = begin(&*store, 2, &bob).await;
    for (n, session_id, who) in [(5, id, &ada), (3, bobs, &bob), (4, id, &ada), (1, id, &ada), (2, bobs, &bob)] {
        store.put(artifact(n, session_id, who, n, 10)).await.unwrap();
    }
    assert_eq!(
        store.sweep_artifacts(at(1), 10).await,
        Ok(RemovedArtifacts::default()),
        "the moment itself is not before it"
    );
    assert_eq!(store.sweep_artifacts(at(5), 3).await, Ok(RemovedArtifacts { artifacts: 3, bytes: 30 }));
    assert_eq!(ids(&store, &ada, None, 10).await, [artifact_id(5), artifact_id(4)]);
    assert_eq!(ids(&store, &bob, None, 10).await, []);
    assert_eq!(store.sweep_artifacts(at(5), 3).await, Ok(RemovedArtifacts { artifacts: 1, bytes: 10 }));
    assert_eq!(store.sweep_artifacts(at(5), 3).await, Ok(RemovedArtifacts::default()));
    drop(store);
    let store = place.open();
    assert_eq!(ids(&store, &ada, None, 10).await, [artifact_id(5)]);
}

/// All pages together.
async fn ids(store: &Arc<dyn Store>, who: &OwnerId, of: Option<SessionId>, limit: usize) -> Vec<ArtifactId> {
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.artifacts(who, of, cursor, limit).await.unwrap();
        assert!(page.artifacts.len() <= limit);
        seen.extend(page.artifacts.iter().map(|view| view.artifact_id));
        cursor = page.next;
        if cursor.is_none() {
            return seen;
        }
    }
}
