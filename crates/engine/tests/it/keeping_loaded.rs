//! A session stays loaded as long as it has a subscriber or a running turn.

use protocol::{TurnStatus, Update};

use crate::{
    failing_store::LoadCounts,
    harness::{Harness, unloading_at_once},
};

const LOADED_ONCE: LoadCounts = LoadCounts { loaded: 1, unloaded: 0 };

/// Lets enough time pass for another session to be loaded and unloaded several times.
async fn let_others_come_and_go(harness: &Harness) {
    let other = harness.start().await;
    for _ in 0..5 {
        harness.view(other).await;
        harness.store.unloaded(other).await;
    }
}

#[tokio::test]
async fn a_session_with_a_subscriber() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;

    let_others_come_and_go(&harness).await;

    assert_eq!(harness.store.holds(session), LOADED_ONCE);
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    harness.hub.update(&harness.ada, &session.into(), change).await.unwrap();
    follower.until(|it| it.events().len() == 2).await;
    assert_eq!(harness.store.holds(session), LOADED_ONCE);
}

#[tokio::test]
async fn a_session_that_one_of_two_still_follows() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let (stays, leaves) = (harness.follow(session).await, harness.follow(session).await);
    drop(leaves);

    let_others_come_and_go(&harness).await;

    assert_eq!(harness.store.holds(session), LOADED_ONCE);
    drop(stays);
}

#[tokio::test]
async fn a_session_whose_turn_waits_for_its_model() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let turn = harness.say(session, "Think.").await;
    let call = harness.model.call().await;

    let_others_come_and_go(&harness).await;

    assert_eq!(harness.store.holds(session), LOADED_ONCE);
    call.answer("Thought.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.attempts, turn.text.as_str()), (TurnStatus::Completed, 1, "Thought."));
}

#[tokio::test]
async fn a_session_whose_turn_is_in_the_middle_of_its_text() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon a time");

    let_others_come_and_go(&harness).await;
    call.say(" there was a house.");
    let_others_come_and_go(&harness).await;

    assert_eq!(harness.store.holds(session), LOADED_ONCE);
    call.end();
    assert_eq!(harness.ended(turn).await.text, "Once upon a time there was a house.");
}

#[tokio::test]
async fn a_session_whose_turn_waits_for_another_session() {
    let harness = Harness::with(engine::Options { agents_max: 1, ..unloading_at_once() });
    let (first, second) = (harness.start().await, harness.start().await);
    let first_turn = harness.say(first, "Me first.").await;
    let call = harness.model.call().await;
    let second_turn = harness.say(second, "Then me.").await;

    let_others_come_and_go(&harness).await;

    assert_eq!(harness.store.holds(second), LOADED_ONCE);
    call.answer("First.");
    harness.model.call().await.answer("Second.");
    assert_eq!(harness.ended(first_turn).await.attempts, 1);
    assert_eq!(harness.ended(second_turn).await.attempts, 1);
}
