//! A turn that exceeds its time limit is ended, and its text so far is kept.

use std::time::Duration;

use engine::Options;
use protocol::{Budgets, ChatSend, SessionId, SessionStart, TurnId, TurnStatus};

use crate::harness::{Harness, options};

fn overloaded() -> model::Error {
    model::Error::Failed {
        provider: "driven".to_owned(),
        status: 503,
        retry_after: None,
        message: "overloaded".to_owned(),
    }
}

async fn ask_within(harness: &Harness, session: SessionId, time_budget_ms: u64) -> TurnId {
    let send = ChatSend { time_budget_ms: Some(time_budget_ms), ..ChatSend::text("Tell me a story.") };
    harness.send(session, send).await.unwrap()
}

#[tokio::test]
async fn the_turn_expires_and_keeps_its_text() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = ask_within(&harness, session, 1_000).await;
    let call = harness.model.call().await;
    call.say("Once upon");

    call.dropped().await;

    follower.until_ended(turn).await;
    let ended = harness.turn(turn).await;
    assert_eq!((ended.status, ended.reason.as_deref()), (TurnStatus::Expired, Some("time_budget")));
    assert!(ended.text.starts_with("Once upon"), "{}", ended.text);
    assert_eq!(follower.text(turn), ended.text);
    assert_eq!(ended.response.unwrap().message, ended.text);
    let view = harness.view(session).await;
    assert_eq!((view.stats.failed, view.open_turns), (1, Vec::new()));
}

#[tokio::test]
async fn the_next_turn_has_its_own_time() {
    let harness = Harness::new();
    let session = harness.start().await;
    let slow = ask_within(&harness, session, 1_000).await;
    let queued = harness.say(session, "Hello").await;
    let call = harness.model.call().await;
    call.dropped().await;
    harness.model.call().await.answer("Hi");
    assert_eq!(harness.ended(slow).await.status, TurnStatus::Expired);
    assert_eq!(harness.ended(queued).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_turn_cannot_take_more_than_its_session_allows() {
    let harness = Harness::new();
    let budgets = Budgets { max_duration_ms: 1_000, ..Budgets::default() };
    let session = harness.start_with(SessionStart { budgets: Some(budgets), ..SessionStart::default() }).await;
    let turn = ask_within(&harness, session, 60_000).await;
    let call = harness.model.call().await;
    call.dropped().await;
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Expired);
}

#[tokio::test]
async fn tries_after_a_failure_share_the_time() {
    let harness = Harness::with(Options { model_backoff: vec![Duration::from_millis(1); 1_000], ..options() });
    let session = harness.start().await;
    let turn = ask_within(&harness, session, 40).await;
    let model = harness.model.clone();
    let failing = tokio::spawn(async move {
        loop {
            model.call().await.refuse(overloaded());
        }
    });
    let ended = harness.ended(turn).await;
    failing.abort();
    assert!(harness.model.calls() < 1_000, "it was not tried to the end");
    // It ends by its time limit, or by a wait that would have exceeded it.
    assert!(matches!(ended.status, TurnStatus::Expired | TurnStatus::Failed), "{ended:?}");
}

/// Waiting for other sessions does not count.
#[tokio::test]
async fn the_time_begins_when_the_turn_does() {
    let harness = Harness::with(Options { agents_max: 1, ..options() });
    let (first, second) = (harness.start().await, harness.start().await);
    let long = harness.say(first, "Tell me a long story.").await;
    let call = harness.model.call().await;
    let short = ask_within(&harness, second, 1_000).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    call.answer("The end.");
    harness.model.call().await.answer("The end.");
    assert_eq!(harness.ended(long).await.status, TurnStatus::Completed);
    assert_eq!(harness.ended(short).await.status, TurnStatus::Completed);
}
