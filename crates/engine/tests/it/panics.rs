//! A turn that panics ends that turn, not the session and not the server.

use protocol::{ChatSend, OnBusy, TurnStatus};

use crate::house::House;

#[tokio::test]
async fn the_turn_fails_and_keeps_the_text_that_is_out() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "Hello").await;
    let call = house.model.call().await;
    call.say("Hel");
    follower.until_text(turn, "Hel").await;

    call.panic();

    follower.until_ended(turn).await;
    let turn = house.turn(turn).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Failed, "Hel"));
    let error = turn.error.unwrap();
    assert_eq!((error.code.as_str(), error.recoverable), ("internal", true));
    assert!(!error.message.contains("as the test wants"), "what a panic says is for the log: {}", error.message);
}

#[tokio::test]
async fn the_next_turn_runs() {
    let house = House::new();
    let session = house.start().await;
    let failing = house.say(session, "Fall over.").await;
    let queued = house.say(session, "Go on.").await;
    house.model.call().await.panic();
    assert_eq!(house.ended(failing).await.status, TurnStatus::Failed);

    house.model.call().await.answer("I do.");

    assert_eq!(house.ended(queued).await.status, TurnStatus::Completed);
    assert_eq!(house.exchange(session, "And again.", "Gladly.").await.status, TurnStatus::Completed);
    let view = house.view(session).await;
    assert_eq!((view.stats.failed, view.stats.completed), (1, 2));
    assert_eq!(view.open_turns, []);
}

#[tokio::test]
async fn other_sessions_do_not_notice() {
    let house = House::new();
    let (shaken, calm) = (house.start().await, house.start().await);
    let mut follower = house.follow(calm).await;
    let calm_turn = house.say(calm, "Tell me a story.").await;
    let calm_call = house.model.call().await;
    calm_call.say("Once ");
    let shaken_turn = house.say(shaken, "Fall over.").await;
    house.model.call().await.panic();
    assert_eq!(house.ended(shaken_turn).await.status, TurnStatus::Failed);

    calm_call.answer("upon a time.");

    follower.until_ended(calm_turn).await;
    assert_eq!(follower.text(calm_turn), "Once upon a time.");
    assert_eq!(house.turn(calm_turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn the_place_among_the_turns_at_work_is_given_back() {
    let house = House::with(engine::Options { agents_max: 1, ..crate::house::options() });
    for _ in 0..3 {
        let session = house.start().await;
        let turn = house.say(session, "Fall over.").await;
        house.model.call().await.panic();
        assert_eq!(house.ended(turn).await.status, TurnStatus::Failed);
    }
    let session = house.start().await;
    assert_eq!(house.exchange(session, "Hello", "Hi").await.status, TurnStatus::Completed);
}

/// The panic of a turn that has just been interrupted comes too late, and is not the newer turn's.
#[tokio::test]
async fn a_late_panic_does_not_hit_the_next_turn() {
    let house = House::new();
    let session = house.start().await;
    for _ in 0..20 {
        house.say(session, "Fall over.").await;
        house.model.call().await.panic();
        // The panic and this message reach the session at the same time.
        let newer = ChatSend { on_busy: OnBusy::Interrupt, ..ChatSend::text("Never mind.") };
        let newer = house.send(session, newer).await.unwrap();
        house.model.call().await.answer("All right.");
        let ended = house.ended(newer).await;
        assert_eq!((ended.status, ended.error), (TurnStatus::Completed, None));
    }
}

/// The same, when the older turn panics just as the newer message has been written.
#[tokio::test]
async fn a_panic_at_the_last_moment_does_not_hit_the_next_turn() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    for _ in 0..20 {
        let older = house.say(session, "Fall over.").await;
        let call = house.model.call().await;
        call.say("I ");
        follower.until_numbered(older, "I ").await;
        let mut held = house.store.hold_next_append();
        let newer = ChatSend { on_busy: OnBusy::Interrupt, ..ChatSend::text("Never mind.") };
        let (newer, ()) = tokio::join!(house.send(session, newer), async {
            held.reached().await;
            call.panic();
            held.go();
        });
        house.model.call().await.answer("All right.");
        let ended = house.ended(newer.unwrap()).await;
        assert_eq!((ended.status, ended.error), (TurnStatus::Completed, None));
    }
}
