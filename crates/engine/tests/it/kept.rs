//! A session stays loaded for as long as somebody follows it or a turn is at work in it.

use protocol::{TurnStatus, Update};

use crate::{
    failing_store::Holds,
    house::{House, restless},
};

const LOADED_ONCE: Holds = Holds { loaded: 1, unloaded: 0 };

/// Lets so much time pass that another session is loaded and unloaded several times.
async fn let_others_come_and_go(house: &House) {
    let other = house.start().await;
    for _ in 0..5 {
        house.view(other).await;
        house.store.unloaded(other).await;
    }
}

#[tokio::test]
async fn a_session_that_somebody_follows() {
    let house = House::with(restless());
    let session = house.start().await;
    let mut follower = house.follow(session).await;

    let_others_come_and_go(&house).await;

    assert_eq!(house.store.holds(session), LOADED_ONCE);
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    house.hub.update(&house.ada, &session.into(), change).await.unwrap();
    follower.until(|it| it.events().len() == 2).await;
    assert_eq!(house.store.holds(session), LOADED_ONCE);
}

#[tokio::test]
async fn a_session_that_one_of_two_still_follows() {
    let house = House::with(restless());
    let session = house.start().await;
    let (stays, leaves) = (house.follow(session).await, house.follow(session).await);
    drop(leaves);

    let_others_come_and_go(&house).await;

    assert_eq!(house.store.holds(session), LOADED_ONCE);
    drop(stays);
}

#[tokio::test]
async fn a_session_whose_turn_waits_for_its_model() {
    let house = House::with(restless());
    let session = house.start().await;
    let turn = house.say(session, "Think.").await;
    let call = house.model.call().await;

    let_others_come_and_go(&house).await;

    assert_eq!(house.store.holds(session), LOADED_ONCE);
    call.answer("Thought.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, turn.attempts, turn.text.as_str()), (TurnStatus::Completed, 1, "Thought."));
}

#[tokio::test]
async fn a_session_whose_turn_is_in_the_middle_of_its_text() {
    let house = House::with(restless());
    let session = house.start().await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon a time");

    let_others_come_and_go(&house).await;
    call.say(" there was a house.");
    let_others_come_and_go(&house).await;

    assert_eq!(house.store.holds(session), LOADED_ONCE);
    call.end();
    assert_eq!(house.ended(turn).await.text, "Once upon a time there was a house.");
}

#[tokio::test]
async fn a_session_whose_turn_waits_for_another_session() {
    let house = House::with(engine::Options { agents_max: 1, ..restless() });
    let (first, second) = (house.start().await, house.start().await);
    let first_turn = house.say(first, "Me first.").await;
    let call = house.model.call().await;
    let second_turn = house.say(second, "Then me.").await;

    let_others_come_and_go(&house).await;

    assert_eq!(house.store.holds(second), LOADED_ONCE);
    call.answer("First.");
    house.model.call().await.answer("Second.");
    assert_eq!(house.ended(first_turn).await.attempts, 1);
    assert_eq!(house.ended(second_turn).await.attempts, 1);
}
