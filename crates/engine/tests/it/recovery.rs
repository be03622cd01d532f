//! Recovery is continuous: after a temporary failure of the store all turns continue.

use engine::Error;
use protocol::{ChatSend, SessionId, Transition, TurnId, TurnStatus, Update};

use crate::{
    driven_model::ModelCall,
    failing_store::AppendMode,
    harness::{Harness, resume},
};

/// A session with a turn in the middle of its text.
async fn streaming(harness: &Harness) -> (SessionId, TurnId, ModelCall) {
    let session = harness.start().await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon");
    (session, turn, call)
}

/// Makes the store fail until the session has noticed.
async fn break_off(harness: &Harness, session: SessionId, call: &ModelCall, how: AppendMode) {
    harness.store.turn_to(how);
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    let failed = harness.hub.update(&harness.ada, &session.into(), change).await;
    assert!(failed.is_err(), "{failed:?}");
    call.dropped().await;
}

#[tokio::test]
async fn a_turn_goes_on_once_the_store_is_well_again() {
    let harness = Harness::new();
    let (session, turn, call) = streaming(&harness).await;
    break_off(&harness, session, &call, AppendMode::Refusing).await;
    harness.store.looked(3).await;

    harness.store.turn_to(AppendMode::Well);

    // No client asks for the session, and yet the model is called again.
    let again = harness.model.call().await;
    assert_eq!(again.lines(), call.lines());
    again.answer("Once there was.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.attempts, turn.text.as_str()), (TurnStatus::Completed, 2, "Once there was."));
}

#[tokio::test]
async fn a_follower_sees_the_interruption_and_no_number_twice() {
    for how in [AppendMode::Refusing, AppendMode::MisreportingOnce] {
        let harness = Harness::new();
        let (session, turn, call) = streaming(&harness).await;
        let mut follower = harness.follow(session).await;
        follower.until_text(turn, "Once upon").await;
        let listening = tokio::spawn(async move {
            follower.until_ended(turn).await;
            follower
        });
        break_off(&harness, session, &call, how).await;

        harness.store.turn_to(AppendMode::Well);
        harness.model.call().await.answer("Once there was.");

        let follower = listening.await.unwrap();
        assert_eq!(follower.events(), harness.journal(session).await);
        assert_eq!(follower.text(turn), "Once there was.");
        let changes: Vec<Transition> = follower.changes(turn).iter().map(|change| change.status).collect();
        assert_eq!(changes, [Transition::Interrupted, Transition::Resumed, Transition::Completed]);
    }
}

/// Constant write attempts do not help a full disk.
#[tokio::test]
async fn a_failing_store_is_tried_no_more_often_than_recovery_looks() {
    let harness = Harness::new();
    let (session, _, call) = streaming(&harness).await;
    break_off(&harness, session, &call, AppendMode::Refusing).await;
    let (failures, looks) = (harness.store.failures(), harness.store.looks());

    harness.store.looked(5).await;

    let (failures, looks) = (harness.store.failures() - failures, harness.store.looks() - looks);
    assert!(failures <= 2 * looks, "{failures} writes were tried while recovery looked {looks} times");
}

#[tokio::test]
async fn a_turn_that_waits_in_line_is_not_forgotten_either() {
    let harness = Harness::new();
    let (session, first, call) = streaming(&harness).await;
    let second = harness.say(session, "And then?").await;
    break_off(&harness, session, &call, AppendMode::Refusing).await;

    harness.store.turn_to(AppendMode::Well);

    harness.model.call().await.answer("Once there was.");
    harness.model.call().await.answer("The end.");
    assert_eq!(harness.ended(first).await.status, TurnStatus::Completed);
    let second = harness.ended(second).await;
    assert_eq!((second.status, second.attempts), (TurnStatus::Completed, 1));
}

/// If the task that owns the session panics, the next one replaces it.
#[tokio::test]
async fn a_session_that_fell_over_is_taken_up_again() {
    let harness = Harness::new();
    let (session, turn, call) = streaming(&harness).await;
    break_off(&harness, session, &call, AppendMode::Panicking).await;

    harness.store.turn_to(AppendMode::Well);

    harness.model.call().await.answer("Once there was.");
    assert_eq!(harness.ended(turn).await.attempts, 2);
}

#[tokio::test]
async fn a_turn_is_begun_at_most_three_times() {
    let harness = Harness::new();
    let (session, turn, mut call) = streaming(&harness).await;
    for _ in 1..session::ATTEMPTS_MAX {
        break_off(&harness, session, &call, AppendMode::Refusing).await;
        harness.store.turn_to(AppendMode::Well);
        call = harness.model.call().await;
    }
    break_off(&harness, session, &call, AppendMode::Refusing).await;
    harness.store.turn_to(AppendMode::Well);

    let left = harness.settled(turn).await;
    assert_eq!((left.status, left.attempts), (TurnStatus::Interrupted, session::ATTEMPTS_MAX));
    harness.store.looked(3).await;
    assert_eq!(harness.turn(turn).await, left, "it is left alone from now on");
    // A waiting turn does not block the session, and continues when it is resumed.
    harness.exchange(session, "Something else", "Sure.").await;
    harness.hub.resume_turn(&harness.ada, resume(turn)).await.unwrap();
    harness.model.call().await.answer("Once there was.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_refused_command_interrupts_nothing() {
    let harness = Harness::new();
    let (session, turn, call) = streaming(&harness).await;
    let refused = harness.send(session, ChatSend::text(" ")).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused:?}");
    call.answer(" a time.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.attempts, turn.text.as_str()), (1, "Once upon a time."));
}
