//! One question, one answer, in a session that is removed afterwards.

use std::time::Duration;

use engine::Error;
use journal::Journal;
use protocol::{ChatSend, SessionId, SessionList, TurnStatus, TurnView};

use crate::harness::{Harness, unloading_at_once, within_patience};

const LONG: Duration = Duration::from_secs(20);

async fn ask(harness: &Harness, patience: Duration) -> TurnView {
    harness.hub.ask_once(&harness.ada, ChatSend::text("Why is the sky blue?"), patience).await.unwrap()
}

/// Waits until the session is gone, and checks that it is gone for good.
async fn check_gone(harness: &Harness, session: SessionId) {
    let going = async {
        while harness.hub.session(&harness.ada, &session.into()).await != Err(Error::NoSession) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within_patience("the session is gone", going).await;
    assert_eq!(harness.hub.sessions(&harness.ada, &SessionList::default()).await.unwrap().data, []);
    let left = harness.store.read(session, 0, 1).await;
    assert!(matches!(left, Err(journal::Error::NotFound)), "nothing of it is left: {left:?}");
}

#[tokio::test]
async fn the_answer_is_given_and_the_session_is_gone() {
    let harness = Harness::new();
    let (turn, ()) =
        tokio::join!(ask(&harness, LONG), async { harness.model.call().await.answer("Because of the air.") });
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Completed, "Because of the air."));
    check_gone(&harness, turn.session_id).await;
    assert_eq!(harness.hub.turn(&harness.ada, turn.turn_id).await, Err(Error::NoTurn));
}

#[tokio::test]
async fn a_question_that_fails_leaves_nothing_either() {
    let harness = Harness::new();
    let refusal = model::Error::Refused { provider: "driven".to_owned(), status: 401, message: "no".to_owned() };
    let (turn, ()) = tokio::join!(ask(&harness, LONG), async { harness.model.call().await.refuse(refusal) });
    assert_eq!(turn.status, TurnStatus::Failed);
    check_gone(&harness, turn.session_id).await;
}

#[tokio::test]
async fn a_question_that_is_refused_leaves_nothing_either() {
    let harness = Harness::new();
    let refused = harness.hub.ask_once(&harness.ada, ChatSend::text(" "), LONG).await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    let going = async {
        while !harness.hub.sessions(&harness.ada, &SessionList::default()).await.unwrap().data.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within_patience("the session is gone", going).await;
}

#[tokio::test]
async fn a_client_that_stops_waiting_gets_the_turn_as_it_is_and_it_goes_on() {
    let harness = Harness::with(unloading_at_once());
    let turn = ask(&harness, Duration::from_millis(20)).await;
    assert_eq!(turn.status, TurnStatus::Running);
    let mut follower = harness.follow(turn.session_id).await;
    harness.model.call().await.answer("Because of the air.");
    follower.until_ended(turn.turn_id).await;
    assert_eq!(harness.turn(turn.turn_id).await.text, "Because of the air.");
    drop(follower);
    check_gone(&harness, turn.session_id).await;
}

#[tokio::test]
async fn a_restart_in_between_leaves_nothing_behind() {
    let harness = Harness::with(unloading_at_once());
    let turn = ask(&harness, Duration::from_millis(20)).await;
    let harness = harness.restart().await;
    harness.model.call().await.answer("Because of the air.");
    check_gone(&harness, turn.session_id).await;
}
