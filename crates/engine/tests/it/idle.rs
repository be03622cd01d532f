//! A session in which nothing happens costs disk only, and comes back as it was when somebody asks for it.

use protocol::{ChatSend, Update};

use crate::{
    failing_store::Holds,
    house::{House, restless},
};

#[tokio::test]
async fn an_idle_session_is_unloaded_and_comes_back_as_it_was() {
    let house = House::with(restless());
    let session = house.start().await;
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    let before = house.hub.update(&house.ada, &session.into(), change).await.unwrap();

    house.store.unloaded(session).await;
    let loaded_before = house.store.holds(session).loaded;

    assert_eq!(house.view(session).await, before);
    assert!(house.store.holds(session).loaded > loaded_before, "it was loaded on demand");
    assert_eq!(house.journal(session).await.len(), 2, "coming and going leaves no trace");
}

#[tokio::test]
async fn a_session_whose_turn_has_ended_is_unloaded() {
    let house = House::with(restless());
    let session = house.start().await;
    house.exchange(session, "The cat is called Mia.", "A fine name.").await;
    let before = house.view(session).await;

    house.store.unloaded(session).await;

    assert_eq!(house.view(session).await, before);
    house.say(session, "What is the cat called?").await;
    let told = house.model.call().await.lines();
    assert_eq!(told, ["> The cat is called Mia.", "< A fine name.", "> What is the cat called?"]);
}

#[tokio::test]
async fn a_session_whose_turn_was_cancelled_is_unloaded() {
    let house = House::with(restless());
    let session = house.start().await;
    let turn = house.say(session, "Count to a million.").await;
    let call = house.model.call().await;
    house.hub.cancel_turn(&house.ada, turn, None).await.unwrap();
    call.dropped().await;

    house.store.unloaded(session).await;
}

#[tokio::test]
async fn a_session_that_nobody_follows_any_more_is_unloaded() {
    let house = House::with(restless());
    let session = house.start().await;
    let follower = house.follow(session).await;
    house.store.looked(3).await;
    assert_eq!(house.store.holds(session), Holds { loaded: 1, unloaded: 0 });

    drop(follower);

    house.store.unloaded(session).await;
}

#[tokio::test]
async fn a_session_whose_turn_was_waited_for_is_unloaded() {
    let house = House::with(restless());
    let session = house.start().await;
    house.exchange(session, "Hello", "Hi").await;
    house.store.unloaded(session).await;
}

#[tokio::test]
async fn a_key_is_remembered_while_the_session_is_not_loaded() {
    let house = House::with(restless());
    let session = house.start().await;
    let send = ChatSend { idempotency_key: Some("once".to_owned()), ..ChatSend::text("Hello") };
    let first = house.hub.send(&house.ada, &session.into(), send.clone()).await.unwrap();
    let call = house.model.call().await;
    house.hub.cancel_turn(&house.ada, first.turn_id, None).await.unwrap();
    call.dropped().await;
    house.store.unloaded(session).await;

    let again = house.hub.send(&house.ada, &session.into(), send).await.unwrap();

    assert!(again.duplicate);
    assert_eq!((again.turn_id, again.seq), (first.turn_id, first.seq));
}
