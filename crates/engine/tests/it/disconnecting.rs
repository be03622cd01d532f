//! A subscriber that disconnects cancels nothing.

use std::time::Duration;

use protocol::TurnStatus;

use crate::harness::Harness;

#[tokio::test]
async fn one_of_two_followers_leaves() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (mut stays, mut leaves) = (harness.follow(session).await, harness.follow(session).await);
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon ");
    leaves.until_text(turn, "Once upon ").await;

    drop(leaves);

    call.answer("a time.");
    stays.until_ended(turn).await;
    assert_eq!(stays.text(turn), "Once upon a time.");
}

#[tokio::test]
async fn all_followers_leave_and_one_comes_back() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (first, mut second) = (harness.follow(session).await, harness.follow(session).await);
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon ");
    second.until_text(turn, "Once upon ").await;

    drop((first, second));
    call.say("a time ");
    harness.store.looked(3).await;
    assert!(call.is_open(), "there are no subscribers, and yet the turn continues");

    let mut back = harness.follow(session).await;
    call.answer("there was.");
    back.until_ended(turn).await;
    assert_eq!(back.text(turn), "Once upon a time there was.");
    let turn = harness.turn(turn).await;
    assert_eq!((turn.status, turn.attempts), (TurnStatus::Completed, 1));
}

#[tokio::test]
async fn all_clients_leave_before_the_first_word() {
    let harness = Harness::new();
    let session = harness.start().await;
    let follower = harness.follow(session).await;
    let turn = harness.say(session, "Think.").await;
    drop(follower);
    harness.model.call().await.answer("Thought.");
    assert_eq!(harness.ended(turn).await.text, "Thought.");
}

#[tokio::test]
async fn a_client_that_stops_waiting_gives_up_nothing_else() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Think.").await;
    let call = harness.model.call().await;

    let seen = harness.hub.wait(&harness.ada, turn, Duration::from_millis(5)).await.unwrap();
    assert_eq!(seen.status, TurnStatus::Running);
    let waiting = harness.hub.wait(&harness.ada, turn, Duration::from_secs(60));
    assert!(tokio::time::timeout(Duration::from_millis(5), waiting).await.is_err());

    assert!(call.is_open());
    call.answer("Thought.");
    assert_eq!(harness.ended(turn).await.text, "Thought.");
}

#[tokio::test]
async fn a_sender_that_leaves_at_once_has_sent_all_the_same() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.view(session).await;
    let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
    let sender = tokio::spawn(async move { hub.send(&ada, &session.into(), protocol::ChatSend::text("Hello")).await });
    let call = harness.model.call().await;
    sender.abort();
    call.answer("Hi");
    let turns =
        harness.hub.turns(&harness.ada, &session.into(), protocol::Order::Oldest, None, None).await.unwrap().data;
    assert_eq!(harness.ended(turns[0].turn_id).await.text, "Hi");
}
