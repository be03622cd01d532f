//! A call that must not happen twice, and whose outcome is unknown: a person is asked.

use engine::Error;
use protocol::{CallOutcome, CallStatus, SessionId, TurnId, TurnResume, TurnStatus};
use session::Refusal;

use crate::{
    harness::{Harness, resume},
    steps::results,
    test_tools::note,
};

/// A turn whose call was interrupted by the end of the server.
async fn cut_off(harness: Harness, session: SessionId, tool: &str) -> (Harness, TurnId) {
    harness.tool_runs.hold();
    let turn = harness.say(session, "Please see to it that Bob can read.").await;
    harness.model.call().await.use_tools(&[("c1", tool, note("on"))]);
    harness.tool_runs.until_begun(1).await;
    let harness = harness.restart().await;
    harness.tool_runs.release();
    (harness, turn)
}

fn with(turn_id: TurnId, outcome: CallOutcome) -> TurnResume {
    TurnResume { outcome: Some(outcome), ..resume(turn_id) }
}

#[tokio::test]
async fn the_turn_waits_with_the_question() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (harness, turn) = cut_off(harness, session, "lamp").await;
    let waiting = harness.settled(turn).await;
    assert_eq!((waiting.status, waiting.reason.as_deref()), (TurnStatus::Waiting, Some("outcome_unknown")));
    let question = waiting.question.unwrap();
    assert!(question.text.contains("`lamp`") && question.text.ends_with("Did it happen?"), "{}", question.text);
    let asked = &question.calls[0];
    assert_eq!((asked.call_id.as_str(), asked.tool.as_str(), &asked.arguments), ("c1", "lamp", &note("on")));
    harness.store.looked(3).await;
    assert_eq!((harness.model.calls(), harness.tool_runs.begun().len()), (0, 1), "it is left alone");
}

#[tokio::test]
async fn what_happened_is_not_done_again() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (harness, turn) = cut_off(harness, session, "lamp").await;
    harness.settled(turn).await;
    harness.hub.resume_turn(&harness.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    let second = harness.model.call().await;
    assert!(second.lines().pop().unwrap().contains("it took effect"), "{:?}", second.lines());
    second.answer("It is on.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, results(&turn)[0].status), (TurnStatus::Completed, CallStatus::Assumed));
    assert_eq!(harness.tool_runs.begun(), ["lamp on"]);
}

#[tokio::test]
async fn what_did_not_happen_is_done_once_more() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (harness, turn) = cut_off(harness, session, "lamp").await;
    harness.settled(turn).await;
    harness.hub.resume_turn(&harness.ada, with(turn, CallOutcome::DidNotHappen)).await.unwrap();
    let second = harness.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"switched on"}"#);
    second.answer("It is on.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["lamp on", "lamp on"]);
}

#[tokio::test]
async fn without_an_outcome_it_cannot_go_on() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (harness, turn) = cut_off(harness, session, "lamp").await;
    let before = harness.settled(turn).await;
    let refused = harness.hub.resume_turn(&harness.ada, resume(turn)).await.unwrap_err();
    assert_eq!(refused, Error::Refused(Refusal::OutcomeNeeded { calls: vec!["c1".to_owned()] }));
    assert_eq!(harness.turn(turn).await, before);
}

#[tokio::test]
async fn the_queue_goes_on_meanwhile() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "Please see to the lamp.").await;
    harness.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    harness.tool_runs.until_begun(1).await;
    let queued = harness.say(session, "Tell me about cats.").await;
    let harness = harness.restart().await;

    harness.model.call().await.answer("They purr.");
    assert_eq!(harness.ended(queued).await.text, "They purr.");
    assert_eq!(harness.turn(turn).await.status, TurnStatus::Waiting);
    harness.exchange(session, "Tell me about dogs.", "They bark.").await;

    harness.hub.resume_turn(&harness.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    harness.model.call().await.answer("It is on.");
    assert_eq!(harness.ended(turn).await.text, "It is on.");
}

#[tokio::test]
async fn it_can_be_cancelled_instead() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (harness, turn) = cut_off(harness, session, "lamp").await;
    harness.settled(turn).await;
    harness.hub.cancel_turn(&harness.ada, turn, None).await.unwrap();
    let ended = harness.ended(turn).await;
    assert_eq!((ended.status, results(&ended)[0].status), (TurnStatus::Cancelled, CallStatus::Cancelled));
    assert_eq!(harness.exchange(session, "What now?", "Nothing.").await.status, TurnStatus::Completed);
}

/// The server need not have stopped: a tool itself may not know.
#[tokio::test]
async fn a_tool_that_cannot_tell_brings_the_question_up_too() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Please see to the lamp.").await;
    harness.model.call().await.use_tools(&[("c1", "lamp", note("lost"))]);
    let waiting = harness.settled(turn).await;
    assert_eq!((waiting.status, waiting.reason.as_deref()), (TurnStatus::Waiting, Some("outcome_unknown")));
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    harness.hub.resume_turn(&harness.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    harness.model.call().await.answer("It is on.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["lamp lost"]);
}

#[tokio::test]
async fn a_verifiable_call_is_looked_up_and_the_user_is_not_asked() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (harness, turn) = cut_off(harness, session, "letter").await;
    let second = harness.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"posted on"}"#);
    second.answer("It is on its way.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.attempts), (TurnStatus::Completed, 2));
    assert_eq!(harness.tool_runs.begun(), ["letter on", "letter on"], "it had not happened");
}

#[tokio::test]
async fn what_is_found_to_have_happened_is_not_done_again() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "Please post the letter to Bob.").await;
    harness.model.call().await.use_tools(&[("c1", "letter", note("to Bob"))]);
    harness.tool_runs.until_begun(1).await;
    // It happens, and the server stops before the result is recorded.
    harness.store.turn_to(crate::failing_store::AppendMode::Refusing);
    harness.tool_runs.release();
    harness.tool_runs.until_done(1).await;
    let harness = harness.restart().await;

    let second = harness.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"posted to Bob before"}"#);
    second.answer("It is on its way.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["letter to Bob"]);
}

#[tokio::test]
async fn the_other_calls_of_the_round_run_once_it_is_settled() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "Please see to both lamps.").await;
    let first = harness.model.call().await;
    first.use_tools(&[("c1", "lamp", note("left")), ("c2", "lamp", note("right"))]);
    harness.tool_runs.until_begun(1).await;
    let harness = harness.restart().await;
    harness.tool_runs.release();
    assert_eq!(harness.settled(turn).await.question.unwrap().calls.len(), 1, "the other was not begun");

    harness.hub.resume_turn(&harness.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    harness.model.call().await.answer("Both are on.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["lamp left", "lamp right"]);
}
