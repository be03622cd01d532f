//! Following is watching: going away cancels nothing.

use std::time::Duration;

use protocol::TurnStatus;

use crate::house::House;

#[tokio::test]
async fn one_of_two_followers_leaves() {
    let house = House::new();
    let session = house.start().await;
    let (mut stays, mut leaves) = (house.follow(session).await, house.follow(session).await);
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon ");
    leaves.until_text(turn, "Once upon ").await;

    drop(leaves);

    call.answer("a time.");
    stays.until_ended(turn).await;
    assert_eq!(stays.text(turn), "Once upon a time.");
}

#[tokio::test]
async fn all_followers_leave_and_one_comes_back() {
    let house = House::new();
    let session = house.start().await;
    let (first, mut second) = (house.follow(session).await, house.follow(session).await);
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon ");
    second.until_text(turn, "Once upon ").await;

    drop((first, second));
    call.say("a time ");
    house.store.looked(3).await;
    assert!(call.is_open(), "nobody listens, and yet the turn goes on");

    let mut back = house.follow(session).await;
    call.answer("there was.");
    back.until_ended(turn).await;
    assert_eq!(back.text(turn), "Once upon a time there was.");
    let turn = house.turn(turn).await;
    assert_eq!((turn.status, turn.attempts), (TurnStatus::Completed, 1));
}

#[tokio::test]
async fn everybody_leaves_before_the_first_word() {
    let house = House::new();
    let session = house.start().await;
    let follower = house.follow(session).await;
    let turn = house.say(session, "Think.").await;
    drop(follower);
    house.model.call().await.answer("Thought.");
    assert_eq!(house.ended(turn).await.text, "Thought.");
}

#[tokio::test]
async fn whoever_gives_up_waiting_gives_up_nothing_else() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Think.").await;
    let call = house.model.call().await;

    let seen = house.hub.wait(&house.ada, turn, Duration::from_millis(5)).await.unwrap();
    assert_eq!(seen.status, TurnStatus::Running);
    let waiting = house.hub.wait(&house.ada, turn, Duration::from_secs(60));
    assert!(tokio::time::timeout(Duration::from_millis(5), waiting).await.is_err());

    assert!(call.is_open());
    call.answer("Thought.");
    assert_eq!(house.ended(turn).await.text, "Thought.");
}

#[tokio::test]
async fn a_sender_that_leaves_at_once_has_sent_all_the_same() {
    let house = House::new();
    let session = house.start().await;
    house.view(session).await;
    let (hub, ada) = (house.hub.clone(), house.ada.clone());
    let sender = tokio::spawn(async move { hub.send(&ada, &session.into(), protocol::ChatSend::text("Hello")).await });
    let call = house.model.call().await;
    sender.abort();
    call.answer("Hi");
    let turns = house.hub.turns(&house.ada, &session.into(), protocol::Order::Oldest, None, None).await.unwrap().data;
    assert_eq!(house.ended(turns[0].turn_id).await.text, "Hi");
}
