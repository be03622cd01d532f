//! A call that must not happen twice, and of which nobody knows whether it happened once: a person is asked.

use engine::Error;
use protocol::{CallOutcome, CallStatus, SessionId, TurnId, TurnResume, TurnStatus};
use session::Refusal;

use crate::{
    house::{House, resume},
    steps::results,
    test_tools::note,
};

/// A turn whose call was cut off by the end of the server.
async fn cut_off(house: House, session: SessionId, tool: &str) -> (House, TurnId) {
    house.workshop.hold();
    let turn = house.say(session, "Please see to it that Bob can read.").await;
    house.model.call().await.use_tools(&[("c1", tool, note("on"))]);
    house.workshop.until_begun(1).await;
    let house = house.restart().await;
    house.workshop.release();
    (house, turn)
}

fn with(turn_id: TurnId, outcome: CallOutcome) -> TurnResume {
    TurnResume { outcome: Some(outcome), ..resume(turn_id) }
}

#[tokio::test]
async fn the_turn_waits_with_the_question() {
    let house = House::new();
    let session = house.start().await;
    let (house, turn) = cut_off(house, session, "lamp").await;
    let waiting = house.settled(turn).await;
    assert_eq!((waiting.status, waiting.reason.as_deref()), (TurnStatus::Waiting, Some("outcome_unknown")));
    let question = waiting.question.unwrap();
    assert!(question.text.contains("`lamp`") && question.text.ends_with("Did it happen?"), "{}", question.text);
    let asked = &question.calls[0];
    assert_eq!((asked.call_id.as_str(), asked.tool.as_str(), &asked.arguments), ("c1", "lamp", &note("on")));
    house.store.looked(3).await;
    assert_eq!((house.model.calls(), house.workshop.begun().len()), (0, 1), "it is left alone");
}

#[tokio::test]
async fn what_happened_is_not_done_again() {
    let house = House::new();
    let session = house.start().await;
    let (house, turn) = cut_off(house, session, "lamp").await;
    house.settled(turn).await;
    house.hub.resume_turn(&house.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    let second = house.model.call().await;
    assert!(second.lines().pop().unwrap().contains("it took effect"), "{:?}", second.lines());
    second.answer("It is on.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, results(&turn)[0].status), (TurnStatus::Completed, CallStatus::Assumed));
    assert_eq!(house.workshop.begun(), ["lamp on"]);
}

#[tokio::test]
async fn what_did_not_happen_is_done_once_more() {
    let house = House::new();
    let session = house.start().await;
    let (house, turn) = cut_off(house, session, "lamp").await;
    house.settled(turn).await;
    house.hub.resume_turn(&house.ada, with(turn, CallOutcome::DidNotHappen)).await.unwrap();
    let second = house.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"switched on"}"#);
    second.answer("It is on.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["lamp on", "lamp on"]);
}

#[tokio::test]
async fn without_an_outcome_it_cannot_go_on() {
    let house = House::new();
    let session = house.start().await;
    let (house, turn) = cut_off(house, session, "lamp").await;
    let before = house.settled(turn).await;
    let refused = house.hub.resume_turn(&house.ada, resume(turn)).await.unwrap_err();
    assert_eq!(refused, Error::Refused(Refusal::OutcomeNeeded { calls: vec!["c1".to_owned()] }));
    assert_eq!(house.turn(turn).await, before);
}

#[tokio::test]
async fn the_queue_goes_on_meanwhile() {
    let house = House::new();
    let session = house.start().await;
    house.workshop.hold();
    let turn = house.say(session, "Please see to the lamp.").await;
    house.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    house.workshop.until_begun(1).await;
    let queued = house.say(session, "Tell me about cats.").await;
    let house = house.restart().await;

    house.model.call().await.answer("They purr.");
    assert_eq!(house.ended(queued).await.text, "They purr.");
    assert_eq!(house.turn(turn).await.status, TurnStatus::Waiting);
    house.exchange(session, "Tell me about dogs.", "They bark.").await;

    house.hub.resume_turn(&house.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    house.model.call().await.answer("It is on.");
    assert_eq!(house.ended(turn).await.text, "It is on.");
}

#[tokio::test]
async fn it_can_be_cancelled_instead() {
    let house = House::new();
    let session = house.start().await;
    let (house, turn) = cut_off(house, session, "lamp").await;
    house.settled(turn).await;
    house.hub.cancel_turn(&house.ada, turn, None).await.unwrap();
    let ended = house.ended(turn).await;
    assert_eq!((ended.status, results(&ended)[0].status), (TurnStatus::Cancelled, CallStatus::Cancelled));
    assert_eq!(house.exchange(session, "What now?", "Nothing.").await.status, TurnStatus::Completed);
}

/// It need not be the end of the server: a tool may not know itself.
#[tokio::test]
async fn a_tool_that_cannot_tell_brings_the_question_up_too() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Please see to the lamp.").await;
    house.model.call().await.use_tools(&[("c1", "lamp", note("lost"))]);
    let waiting = house.settled(turn).await;
    assert_eq!((waiting.status, waiting.reason.as_deref()), (TurnStatus::Waiting, Some("outcome_unknown")));
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    house.hub.resume_turn(&house.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    house.model.call().await.answer("It is on.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["lamp lost"]);
}

#[tokio::test]
async fn what_can_be_looked_up_is_looked_up_and_nobody_is_asked() {
    let house = House::new();
    let session = house.start().await;
    let (house, turn) = cut_off(house, session, "letter").await;
    let second = house.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"posted on"}"#);
    second.answer("It is on its way.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, turn.attempts), (TurnStatus::Completed, 2));
    assert_eq!(house.workshop.begun(), ["letter on", "letter on"], "it had not happened");
}

#[tokio::test]
async fn what_is_found_to_have_happened_is_not_done_again() {
    let house = House::new();
    let session = house.start().await;
    house.workshop.hold();
    let turn = house.say(session, "Please post the letter to Bob.").await;
    house.model.call().await.use_tools(&[("c1", "letter", note("to Bob"))]);
    house.workshop.until_begun(1).await;
    // It happens, and the server ends before it is told.
    house.store.turn_to(crate::failing_store::Health::Refusing);
    house.workshop.release();
    house.workshop.until_done(1).await;
    let house = house.restart().await;

    let second = house.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"posted to Bob before"}"#);
    second.answer("It is on its way.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["letter to Bob"]);
}

#[tokio::test]
async fn the_other_calls_of_the_round_run_once_it_is_settled() {
    let house = House::new();
    let session = house.start().await;
    house.workshop.hold();
    let turn = house.say(session, "Please see to both lamps.").await;
    let first = house.model.call().await;
    first.use_tools(&[("c1", "lamp", note("left")), ("c2", "lamp", note("right"))]);
    house.workshop.until_begun(1).await;
    let house = house.restart().await;
    house.workshop.release();
    assert_eq!(house.settled(turn).await.question.unwrap().calls.len(), 1, "the other was not begun");

    house.hub.resume_turn(&house.ada, with(turn, CallOutcome::Happened)).await.unwrap();
    house.model.call().await.answer("Both are on.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["lamp left", "lamp right"]);
}
