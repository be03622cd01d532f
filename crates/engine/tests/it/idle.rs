//! An idle session takes only disk space, and is loaded unchanged on the next request.

use protocol::{ChatSend, Update};

use crate::{
    failing_store::LoadCounts,
    harness::{Harness, unloading_at_once},
};

#[tokio::test]
async fn an_idle_session_is_unloaded_and_comes_back_as_it_was() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    let before = harness.hub.update(&harness.ada, &session.into(), change).await.unwrap();

    harness.store.unloaded(session).await;
    let loaded_before = harness.store.holds(session).loaded;

    assert_eq!(harness.view(session).await, before);
    assert!(harness.store.holds(session).loaded > loaded_before, "it was loaded on demand");
    assert_eq!(harness.journal(session).await.len(), 2, "coming and going leaves no trace");
}

#[tokio::test]
async fn a_session_whose_turn_has_ended_is_unloaded() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    harness.exchange(session, "The cat is called Mia.", "A fine name.").await;
    let before = harness.view(session).await;

    harness.store.unloaded(session).await;

    assert_eq!(harness.view(session).await, before);
    harness.say(session, "What is the cat called?").await;
    let told = harness.model.call().await.lines();
    assert_eq!(told, ["> The cat is called Mia.", "< A fine name.", "> What is the cat called?"]);
}

#[tokio::test]
async fn a_session_whose_turn_was_cancelled_is_unloaded() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let turn = harness.say(session, "Count to a million.").await;
    let call = harness.model.call().await;
    harness.hub.cancel_turn(&harness.ada, turn, None).await.unwrap();
    call.dropped().await;

    harness.store.unloaded(session).await;
}

#[tokio::test]
async fn a_session_without_subscribers_is_unloaded() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let follower = harness.follow(session).await;
    harness.store.looked(3).await;
    assert_eq!(harness.store.holds(session), LoadCounts { loaded: 1, unloaded: 0 });

    drop(follower);

    harness.store.unloaded(session).await;
}

#[tokio::test]
async fn a_session_whose_turn_was_waited_for_is_unloaded() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    harness.exchange(session, "Hello", "Hi").await;
    harness.store.unloaded(session).await;
}

#[tokio::test]
async fn a_key_is_remembered_while_the_session_is_not_loaded() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let send = ChatSend { idempotency_key: Some("once".to_owned()), ..ChatSend::text("Hello") };
    let first = harness.hub.send(&harness.ada, &session.into(), send.clone()).await.unwrap();
    let call = harness.model.call().await;
    harness.hub.cancel_turn(&harness.ada, first.turn_id, None).await.unwrap();
    call.dropped().await;
    harness.store.unloaded(session).await;

    let again = harness.hub.send(&harness.ada, &session.into(), send).await.unwrap();

    assert!(again.duplicate);
    assert_eq!((again.turn_id, again.seq), (first.turn_id, first.seq));
}
