//! One question, one answer, and no session that stays.

use std::time::Duration;

use engine::Error;
use journal::Journal;
use protocol::{ChatSend, SessionId, SessionList, TurnStatus, TurnView};

use crate::house::{House, restless, within_patience};

const LONG: Duration = Duration::from_secs(20);

async fn ask(house: &House, patience: Duration) -> TurnView {
    house.hub.ask_once(&house.ada, ChatSend::text("Why is the sky blue?"), patience).await.unwrap()
}

/// Waits until the session is gone, and checks that it is gone for good.
async fn check_gone(house: &House, session: SessionId) {
    let going = async {
        while house.hub.session(&house.ada, &session.into()).await != Err(Error::NoSession) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within_patience("the session is gone", going).await;
    assert_eq!(house.hub.sessions(&house.ada, &SessionList::default()).await.unwrap().data, []);
    let left = house.store.read(session, 0, 1).await;
    assert!(matches!(left, Err(journal::Error::NotFound)), "nothing of it is left: {left:?}");
}

#[tokio::test]
async fn the_answer_is_given_and_the_session_is_gone() {
    let house = House::new();
    let (turn, ()) = tokio::join!(ask(&house, LONG), async { house.model.call().await.answer("Because of the air.") });
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Completed, "Because of the air."));
    check_gone(&house, turn.session_id).await;
    assert_eq!(house.hub.turn(&house.ada, turn.turn_id).await, Err(Error::NoTurn));
}

#[tokio::test]
async fn a_question_that_fails_leaves_nothing_either() {
    let house = House::new();
    let refusal = model::Error::Refused { provider: "driven".to_owned(), status: 401, message: "no".to_owned() };
    let (turn, ()) = tokio::join!(ask(&house, LONG), async { house.model.call().await.refuse(refusal) });
    assert_eq!(turn.status, TurnStatus::Failed);
    check_gone(&house, turn.session_id).await;
}

#[tokio::test]
async fn a_question_that_is_refused_leaves_nothing_either() {
    let house = House::new();
    let refused = house.hub.ask_once(&house.ada, ChatSend::text(" "), LONG).await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    let going = async {
        while !house.hub.sessions(&house.ada, &SessionList::default()).await.unwrap().data.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within_patience("the session is gone", going).await;
}

#[tokio::test]
async fn whoever_loses_patience_gets_the_turn_as_it_stands_and_it_goes_on() {
    let house = House::with(restless());
    let turn = ask(&house, Duration::from_millis(20)).await;
    assert_eq!(turn.status, TurnStatus::Running);
    let mut follower = house.follow(turn.session_id).await;
    house.model.call().await.answer("Because of the air.");
    follower.until_ended(turn.turn_id).await;
    assert_eq!(house.turn(turn.turn_id).await.text, "Because of the air.");
    drop(follower);
    check_gone(&house, turn.session_id).await;
}

#[tokio::test]
async fn a_restart_in_between_leaves_nothing_behind() {
    let house = House::with(restless());
    let turn = ask(&house, Duration::from_millis(20)).await;
    let house = house.restart().await;
    house.model.call().await.answer("Because of the air.");
    check_gone(&house, turn.session_id).await;
}
