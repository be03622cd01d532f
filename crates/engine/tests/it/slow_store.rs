//! While the disk is slow, text is still published, and no event is published before it is written.

use engine::Error;
use protocol::{Cancel, CancelOutcome, ChatSend, TurnStatus, Update};

use crate::{harness::Harness, subscriber::numbered_text};

fn larger_model() -> Update {
    Update { model: Some("large".to_owned()), ..Update::default() }
}

/// Lets all tasks run that can.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn live_text_does_not_wait_for_the_disk() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once ");
    follower.until_numbered(turn, "Once ").await;
    let mut held = harness.store.hold_next_append();
    let reference = session.into();

    let (updated, ()) = tokio::join!(harness.hub.update(&harness.ada, &reference, larger_model()), async {
        held.reached().await;
        for (word, so_far) in [("upon ", "Once upon "), ("a ", "Once upon a "), ("time.", "Once upon a time.")] {
            call.say(word);
            follower.until_text(turn, so_far).await;
        }
        assert_eq!(numbered_text(follower.events(), turn), "Once ");
        held.go();
    });

    assert_eq!(updated.unwrap().settings.model.as_deref(), Some("large"));
    call.end();
    follower.until_ended(turn).await;
    assert_eq!(follower.events(), harness.journal(session).await);
    assert_eq!(numbered_text(follower.events(), turn), "Once upon a time.");
}

#[tokio::test]
async fn events_that_are_still_being_written_reach_no_subscriber() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    follower.until(|it| it.events().len() == 1).await;
    let mut held = harness.store.hold_next_append();

    let update = tokio::spawn({
        let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
        async move { hub.update(&ada, &session.into(), larger_model()).await }
    });
    held.reached().await;
    let view = tokio::spawn({
        let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
        async move { hub.session(&ada, &session.into()).await }
    });
    settle().await;
    assert!(!update.is_finished() && !view.is_finished(), "they wait for the disk");
    assert!(tokio::time::timeout(std::time::Duration::ZERO, follower.try_next()).await.is_err(), "so do followers");
    held.go();

    assert_eq!(view.await.unwrap(), update.await.unwrap());
    follower.until(|it| it.events().len() == 2).await;
}

#[tokio::test]
async fn a_turn_that_is_cancelled_while_it_is_written_never_begins() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.view(session).await;
    let mut held = harness.store.hold_next_append();
    let cancel = Cancel { session: session.into(), ..Cancel::default() };

    let (sent, cancelled) = tokio::join!(harness.send(session, ChatSend::text("Hello")), async {
        held.reached().await;
        let (cancelled, ()) = tokio::join!(harness.hub.cancel(&harness.ada, cancel), async {
            settle().await;
            held.go();
        });
        cancelled.unwrap()
    });

    let turn = sent.unwrap();
    assert_eq!((cancelled.status, cancelled.turn_ids), (CancelOutcome::Cancelled, vec![turn]));
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Cancelled);
    assert_eq!(harness.exchange(session, "Hello again", "Hi").await.status, TurnStatus::Completed);
    assert_eq!(harness.model.calls(), 1, "the first was never asked");
}

#[tokio::test]
async fn a_subscriber_that_joins_meanwhile_gets_what_is_being_written() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.view(session).await;
    let mut held = harness.store.hold_next_append();
    let reference = session.into();

    let (_, mut follower) = tokio::join!(harness.hub.update(&harness.ada, &reference, larger_model()), async {
        held.reached().await;
        let (follower, ()) = tokio::join!(harness.follow(session), async {
            settle().await;
            held.go();
        });
        follower
    });

    follower.until(|it| it.events().len() == 2).await;
    let turn = harness.say(session, "Hello").await;
    harness.model.call().await.answer("Hi");
    follower.until_ended(turn).await;
    assert_eq!(follower.events(), harness.journal(session).await);
}

#[tokio::test]
async fn a_stop_waits_for_what_is_being_written() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.view(session).await;
    let mut held = harness.store.hold_next_append();

    let (sent, ()) = tokio::join!(harness.send(session, ChatSend::text("Hello")), async {
        held.reached().await;
        tokio::join!(harness.hub.stop(), async {
            settle().await;
            held.go();
        });
    });

    assert_eq!(harness.send(session, ChatSend::text("Too late")).await, Err(Error::Stopping));
    let harness = harness.restart().await;
    harness.model.call().await.answer("Hi");
    assert_eq!(harness.ended(sent.unwrap()).await.text, "Hi", "what was accepted is there");
}
