//! A model that fails before its first text is called again; after it, the turn fails and keeps the
//! text so far.

use std::time::Duration;

use engine::Options;
use model::Error;
use protocol::{ChatSend, Step, StepError, TurnStatus, TurnView};

use crate::harness::{Harness, options};

fn provider() -> String {
    "driven".to_owned()
}

/// The errors of a turn.
fn errors(turn: &TurnView) -> Vec<&StepError> {
    let errors = turn.steps.iter().map(|step| match step {
        Step::Error(error) => error,
        other => panic!("no other step is taken: {other:?}"),
    });
    errors.collect()
}

fn cut() -> Error {
    Error::Cut { provider: provider() }
}

fn unreachable() -> Error {
    Error::Unreachable { provider: provider(), message: "connection refused".to_owned() }
}

fn overloaded() -> Error {
    Error::Failed { provider: provider(), status: 503, retry_after: None, message: "overloaded".to_owned() }
}

fn rate_limited(retry_after: Option<Duration>) -> Error {
    Error::RateLimited { provider: provider(), retry_after, message: "slow down".to_owned() }
}

#[tokio::test]
async fn a_failure_before_the_first_word_is_tried_again() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Hello").await;

    let first = harness.model.call().await;
    first.refuse(unreachable());
    let second = harness.model.call().await;
    second.fail(overloaded());
    let third = harness.model.call().await;
    third.answer("Hi");

    follower.until_ended(turn).await;
    assert_eq!(follower.text(turn), "Hi");
    assert_eq!((&second.prompt, &third.prompt), (&first.prompt, &first.prompt));
    let turn = harness.turn(turn).await;
    assert_eq!((turn.status, turn.attempts, &turn.error), (TurnStatus::Completed, 1, &None));
    let tried: Vec<_> = errors(&turn).iter().map(|error| (error.code.as_str(), error.retry_in_ms)).collect();
    assert_eq!(tried, [("model_unreachable", Some(2)), ("model_failed", Some(4))]);
    assert_eq!(harness.view(session).await.stats.steps, 2);
}

#[tokio::test]
async fn it_is_tried_as_often_as_there_are_waits_and_once_more() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Hello").await;
    for _ in 0..3 {
        harness.model.call().await.refuse(overloaded());
    }
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.steps.len(), harness.model.calls()), (TurnStatus::Failed, 2, 3));
    let error = turn.error.unwrap();
    assert_eq!((error.code.as_str(), error.recoverable), ("model_failed", true));
    assert!(error.message.contains("overloaded"), "{}", error.message);
}

#[tokio::test]
async fn an_answer_without_a_word_that_breaks_off_is_tried_again() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Hello").await;
    harness.model.call().await.say("");
    harness.model.call().await.answer("Hi");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Completed, "Hi"));
    assert_eq!(errors(&turn)[0].code, "model_cut_off");
}

#[tokio::test]
async fn a_failure_after_the_first_word_fails_the_turn_and_keeps_the_text() {
    for error in [cut(), overloaded(), unreachable()] {
        let harness = Harness::new();
        let session = harness.start().await;
        let turn = harness.say(session, "Hello").await;
        let call = harness.model.call().await;
        call.say("Hel");
        call.fail(error.clone());
        let turn = harness.ended(turn).await;
        assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Failed, "Hel"));
        assert_eq!((turn.response, turn.steps), (None, Vec::new()));
        let failure = turn.error.unwrap();
        assert_eq!((failure.code.as_str(), failure.recoverable), (error.code(), true));
        assert_eq!(harness.model.calls(), 1);
    }
}

#[tokio::test]
async fn a_stream_that_just_stops_is_cut_off() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Hello").await;
    let call = harness.model.call().await;
    call.say("Hel");
    drop(call);
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Failed, "Hel"));
    assert_eq!(turn.error.unwrap().code, "model_cut_off");
}

#[tokio::test]
async fn a_refusal_is_not_tried_again() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Hello").await;
    harness.model.call().await.refuse(Error::Refused {
        provider: provider(),
        status: 401,
        message: "bad key".to_owned(),
    });
    let turn = harness.ended(turn).await;
    let error = turn.error.unwrap();
    assert_eq!((error.code.as_str(), error.recoverable), ("model_refused", false));
    assert_eq!((turn.status, turn.steps, harness.model.calls()), (TurnStatus::Failed, Vec::new(), 1));
    assert_eq!(harness.exchange(session, "And now?", "Hi").await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn the_provider_says_how_long_to_wait() {
    let harness = Harness::with(Options { model_backoff: vec![Duration::from_secs(3600)], ..options() });
    let session = harness.start().await;
    let turn = harness.say(session, "Hello").await;
    harness.model.call().await.refuse(rate_limited(Some(Duration::from_millis(3))));
    harness.model.call().await.answer("Hi");
    let turn = harness.ended(turn).await;
    assert_eq!(errors(&turn)[0].retry_in_ms, Some(3));
}

/// A wait that exceeds the turn's time limit would only delay the error.
#[tokio::test]
async fn a_wait_beyond_the_time_budget_is_not_begun() {
    for retry_after in [Duration::from_secs(3600), Duration::MAX] {
        let harness = Harness::new();
        let session = harness.start().await;
        let send = ChatSend { time_budget_ms: Some(60_000), ..ChatSend::text("Hello") };
        let turn = harness.send(session, send).await.unwrap();
        harness.model.call().await.refuse(rate_limited(Some(retry_after)));
        let turn = harness.ended(turn).await;
        let error = turn.error.unwrap();
        assert_eq!((error.code.as_str(), error.recoverable), ("model_rate_limited", true), "{retry_after:?}");
        assert_eq!((turn.status, turn.steps), (TurnStatus::Failed, Vec::new()));
    }
}

#[tokio::test]
async fn cancel_ends_the_waiting_between_two_tries() {
    let harness = Harness::with(Options { model_backoff: vec![Duration::from_secs(60)], ..options() });
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Hello").await;
    harness.model.call().await.refuse(unreachable());
    follower.until(|it| it.events().iter().any(|event| matches!(event.body, protocol::Body::Step(_)))).await;
    harness.hub.cancel_turn(&harness.ada, turn, None).await.unwrap();
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Cancelled);
    assert_eq!(harness.exchange(session, "Hello?", "Hi").await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_model_that_takes_no_tools_is_shown_none_from_then_on() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Tell me about cats.").await;
    let message = "this model does not support tools".to_owned();
    let first = harness.model.call().await;
    assert!(!first.prompt.tools.is_empty());
    first.refuse(Error::Refused { provider: "driven".to_owned(), status: 400, message });
    let second = harness.model.call().await;
    assert!(second.prompt.tools.is_empty());
    second.answer("They purr.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.text.as_str(), turn.steps.len()), (TurnStatus::Completed, "They purr.", 1));

    harness.say(session, "And about dogs.").await;
    assert!(harness.model.call().await.prompt.tools.is_empty());
}
