//! A turn that panics ends that turn, not the session and not the server.

use protocol::{ChatSend, OnBusy, TurnStatus};

use crate::harness::Harness;

#[tokio::test]
async fn the_turn_fails_and_keeps_the_text_that_is_out() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Hello").await;
    let call = harness.model.call().await;
    call.say("Hel");
    follower.until_text(turn, "Hel").await;

    call.panic();

    follower.until_ended(turn).await;
    let turn = harness.turn(turn).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Failed, "Hel"));
    let error = turn.error.unwrap();
    assert_eq!((error.code.as_str(), error.recoverable), ("internal", true));
    assert!(!error.message.contains("as the test wants"), "what a panic says is for the log: {}", error.message);
}

#[tokio::test]
async fn the_next_turn_runs() {
    let harness = Harness::new();
    let session = harness.start().await;
    let failing = harness.say(session, "Fall over.").await;
    let queued = harness.say(session, "Go on.").await;
    harness.model.call().await.panic();
    assert_eq!(harness.ended(failing).await.status, TurnStatus::Failed);

    harness.model.call().await.answer("I do.");

    assert_eq!(harness.ended(queued).await.status, TurnStatus::Completed);
    assert_eq!(harness.exchange(session, "And again.", "Gladly.").await.status, TurnStatus::Completed);
    let view = harness.view(session).await;
    assert_eq!((view.stats.failed, view.stats.completed), (1, 2));
    assert_eq!(view.open_turns, []);
}

#[tokio::test]
async fn other_sessions_do_not_notice() {
    let harness = Harness::new();
    let (shaken, calm) = (harness.start().await, harness.start().await);
    let mut follower = harness.follow(calm).await;
    let calm_turn = harness.say(calm, "Tell me a story.").await;
    let calm_call = harness.model.call().await;
    calm_call.say("Once ");
    let shaken_turn = harness.say(shaken, "Fall over.").await;
    harness.model.call().await.panic();
    assert_eq!(harness.ended(shaken_turn).await.status, TurnStatus::Failed);

    calm_call.answer("upon a time.");

    follower.until_ended(calm_turn).await;
    assert_eq!(follower.text(calm_turn), "Once upon a time.");
    assert_eq!(harness.turn(calm_turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn the_place_among_the_turns_at_work_is_given_back() {
    let harness = Harness::with(engine::Options { agents_max: 1, ..crate::harness::options() });
    for _ in 0..3 {
        let session = harness.start().await;
        let turn = harness.say(session, "Fall over.").await;
        harness.model.call().await.panic();
        assert_eq!(harness.ended(turn).await.status, TurnStatus::Failed);
    }
    let session = harness.start().await;
    assert_eq!(harness.exchange(session, "Hello", "Hi").await.status, TurnStatus::Completed);
}

/// The panic of a turn that has just been interrupted comes too late, and does not affect the newer
/// turn.
#[tokio::test]
async fn a_late_panic_does_not_hit_the_next_turn() {
    let harness = Harness::new();
    let session = harness.start().await;
    for _ in 0..20 {
        harness.say(session, "Fall over.").await;
        harness.model.call().await.panic();
        // The panic and this message reach the session at the same time.
        let newer = ChatSend { on_busy: OnBusy::Interrupt, ..ChatSend::text("Never mind.") };
        let newer = harness.send(session, newer).await.unwrap();
        harness.model.call().await.answer("All right.");
        let ended = harness.ended(newer).await;
        assert_eq!((ended.status, ended.error), (TurnStatus::Completed, None));
    }
}

/// The same, when the older turn panics just as the newer message has been written.
#[tokio::test]
async fn a_panic_at_the_last_moment_does_not_hit_the_next_turn() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    for _ in 0..20 {
        let older = harness.say(session, "Fall over.").await;
        let call = harness.model.call().await;
        call.say("I ");
        follower.until_numbered(older, "I ").await;
        let mut held = harness.store.hold_next_append();
        let newer = ChatSend { on_busy: OnBusy::Interrupt, ..ChatSend::text("Never mind.") };
        let (newer, ()) = tokio::join!(harness.send(session, newer), async {
            held.reached().await;
            call.panic();
            held.go();
        });
        harness.model.call().await.answer("All right.");
        let ended = harness.ended(newer.unwrap()).await;
        assert_eq!((ended.status, ended.error), (TurnStatus::Completed, None));
    }
}
