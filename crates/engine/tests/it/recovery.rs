//! Recovery is continuous: a store that fails for a moment strands nobody.

use engine::Error;
use protocol::{ChatSend, SessionId, Transition, TurnId, TurnStatus, Update};

use crate::{
    driven_model::Call,
    failing_store::Health,
    house::{House, resume},
};

/// A session with a turn in the middle of its text.
async fn streaming(house: &House) -> (SessionId, TurnId, Call) {
    let session = house.start().await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon");
    (session, turn, call)
}

/// Lets the store fail until the session has noticed.
async fn break_off(house: &House, session: SessionId, call: &Call, how: Health) {
    house.store.turn_to(how);
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    let failed = house.hub.update(&house.ada, &session.into(), change).await;
    assert!(failed.is_err(), "{failed:?}");
    call.dropped().await;
}

#[tokio::test]
async fn a_turn_goes_on_once_the_store_is_well_again() {
    let house = House::new();
    let (session, turn, call) = streaming(&house).await;
    break_off(&house, session, &call, Health::Refusing).await;
    house.store.looked(3).await;

    house.store.turn_to(Health::Well);

    // Nobody asks for the session, and yet the model is called again.
    let again = house.model.call().await;
    assert_eq!(again.lines(), call.lines());
    again.answer("Once there was.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, turn.attempts, turn.text.as_str()), (TurnStatus::Completed, 2, "Once there was."));
}

#[tokio::test]
async fn a_follower_sees_the_interruption_and_no_number_twice() {
    for how in [Health::Refusing, Health::MisreportingOnce] {
        let house = House::new();
        let (session, turn, call) = streaming(&house).await;
        let mut follower = house.follow(session).await;
        follower.until_text(turn, "Once upon").await;
        let listening = tokio::spawn(async move {
            follower.until_ended(turn).await;
            follower
        });
        break_off(&house, session, &call, how).await;

        house.store.turn_to(Health::Well);
        house.model.call().await.answer("Once there was.");

        let follower = listening.await.unwrap();
        assert_eq!(follower.events(), house.journal(session).await);
        assert_eq!(follower.text(turn), "Once there was.");
        let changes: Vec<Transition> = follower.changes(turn).iter().map(|change| change.status).collect();
        assert_eq!(changes, [Transition::Interrupted, Transition::Resumed, Transition::Completed]);
    }
}

/// A full disk is not made better by trying to write to it all the time.
#[tokio::test]
async fn a_failing_store_is_tried_no_more_often_than_recovery_looks() {
    let house = House::new();
    let (session, _, call) = streaming(&house).await;
    break_off(&house, session, &call, Health::Refusing).await;
    let (failures, looks) = (house.store.failures(), house.store.looks());

    house.store.looked(5).await;

    let (failures, looks) = (house.store.failures() - failures, house.store.looks() - looks);
    assert!(failures <= 2 * looks, "{failures} writes were tried while recovery looked {looks} times");
}

#[tokio::test]
async fn a_turn_that_waits_in_line_is_not_forgotten_either() {
    let house = House::new();
    let (session, first, call) = streaming(&house).await;
    let second = house.say(session, "And then?").await;
    break_off(&house, session, &call, Health::Refusing).await;

    house.store.turn_to(Health::Well);

    house.model.call().await.answer("Once there was.");
    house.model.call().await.answer("The end.");
    assert_eq!(house.ended(first).await.status, TurnStatus::Completed);
    let second = house.ended(second).await;
    assert_eq!((second.status, second.attempts), (TurnStatus::Completed, 1));
}

/// Should the task that owns the session ever fall over, the next one takes its place.
#[tokio::test]
async fn a_session_that_fell_over_is_taken_up_again() {
    let house = House::new();
    let (session, turn, call) = streaming(&house).await;
    break_off(&house, session, &call, Health::Panicking).await;

    house.store.turn_to(Health::Well);

    house.model.call().await.answer("Once there was.");
    assert_eq!(house.ended(turn).await.attempts, 2);
}

#[tokio::test]
async fn a_turn_is_begun_at_most_three_times() {
    let house = House::new();
    let (session, turn, mut call) = streaming(&house).await;
    for _ in 1..session::ATTEMPTS_MAX {
        break_off(&house, session, &call, Health::Refusing).await;
        house.store.turn_to(Health::Well);
        call = house.model.call().await;
    }
    break_off(&house, session, &call, Health::Refusing).await;
    house.store.turn_to(Health::Well);

    let left = house.settled(turn).await;
    assert_eq!((left.status, left.attempts), (TurnStatus::Interrupted, session::ATTEMPTS_MAX));
    house.store.looked(3).await;
    assert_eq!(house.turn(turn).await, left, "it is left alone from now on");
    // What waits for somebody does not hold the session up, and goes on when told to.
    house.exchange(session, "Something else", "Sure.").await;
    house.hub.resume_turn(&house.ada, resume(turn)).await.unwrap();
    house.model.call().await.answer("Once there was.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_refused_command_interrupts_nothing() {
    let house = House::new();
    let (session, turn, call) = streaming(&house).await;
    let refused = house.send(session, ChatSend::text(" ")).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused:?}");
    call.answer(" a time.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.attempts, turn.text.as_str()), (1, "Once upon a time."));
}
