//! A turn that takes longer than it may is ended, and what it said so far is kept.

use std::time::Duration;

use engine::Options;
use protocol::{Budgets, ChatSend, SessionId, Start, TurnId, TurnStatus};

use crate::house::{House, options};

fn overloaded() -> model::Error {
    model::Error::Failed { provider: "driven".to_owned(), status: 503, message: "overloaded".to_owned() }
}

async fn ask_within(house: &House, session: SessionId, time_budget_ms: u64) -> TurnId {
    let send = ChatSend { time_budget_ms: Some(time_budget_ms), ..ChatSend::text("Tell me a story.") };
    house.send(session, send).await.unwrap()
}

#[tokio::test]
async fn the_turn_expires_and_keeps_its_text() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = ask_within(&house, session, 1_000).await;
    let call = house.model.call().await;
    call.say("Once upon");

    call.dropped().await;

    follower.until_ended(turn).await;
    let ended = house.turn(turn).await;
    assert_eq!((ended.status, ended.reason.as_deref()), (TurnStatus::Expired, Some("time_budget")));
    assert!(ended.text.starts_with("Once upon"), "{}", ended.text);
    assert_eq!(follower.text(turn), ended.text);
    assert_eq!(ended.response.unwrap().message, ended.text);
    let view = house.view(session).await;
    assert_eq!((view.stats.failed, view.open_turns), (1, Vec::new()));
}

#[tokio::test]
async fn the_next_turn_has_its_own_time() {
    let house = House::new();
    let session = house.start().await;
    let slow = ask_within(&house, session, 1_000).await;
    let queued = house.say(session, "Hello").await;
    let call = house.model.call().await;
    call.dropped().await;
    house.model.call().await.answer("Hi");
    assert_eq!(house.ended(slow).await.status, TurnStatus::Expired);
    assert_eq!(house.ended(queued).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_turn_cannot_take_more_than_its_session_allows() {
    let house = House::new();
    let budgets = Budgets { max_duration_ms: 1_000, ..Budgets::default() };
    let session = house.start_with(Start { budgets: Some(budgets), ..Start::default() }).await;
    let turn = ask_within(&house, session, 60_000).await;
    let call = house.model.call().await;
    call.dropped().await;
    assert_eq!(house.ended(turn).await.status, TurnStatus::Expired);
}

#[tokio::test]
async fn tries_after_a_failure_share_the_time() {
    let house = House::with(Options { model_backoff: vec![Duration::from_millis(1); 1_000], ..options() });
    let session = house.start().await;
    let turn = ask_within(&house, session, 40).await;
    let model = house.model.clone();
    let failing = tokio::spawn(async move {
        loop {
            model.call().await.refuse(overloaded());
        }
    });
    let ended = house.ended(turn).await;
    failing.abort();
    assert!(house.model.calls() < 1_000, "it was not tried to the end");
    // It ends by its time, or by a wait that would not have fitted into it.
    assert!(matches!(ended.status, TurnStatus::Expired | TurnStatus::Failed), "{ended:?}");
}

/// Waiting for other sessions is not the turn's fault.
#[tokio::test]
async fn the_time_begins_when_the_turn_does() {
    let house = House::with(Options { agents_max: 1, ..options() });
    let (first, second) = (house.start().await, house.start().await);
    let long = house.say(first, "Tell me a long story.").await;
    let call = house.model.call().await;
    let short = ask_within(&house, second, 1_000).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    call.answer("The end.");
    house.model.call().await.answer("The end.");
    assert_eq!(house.ended(long).await.status, TurnStatus::Completed);
    assert_eq!(house.ended(short).await.status, TurnStatus::Completed);
}
