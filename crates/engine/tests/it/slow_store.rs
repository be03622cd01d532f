//! While the disk takes its time, text goes out all the same, and nothing is told that is not yet written.

use engine::Error;
use protocol::{Cancel, CancelOutcome, ChatSend, TurnStatus, Update};

use crate::{follower::numbered_text, house::House};

fn larger_model() -> Update {
    Update { model: Some("large".to_owned()), ..Update::default() }
}

/// Lets everybody who can go on do so.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn live_text_does_not_wait_for_the_disk() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once ");
    follower.until_numbered(turn, "Once ").await;
    let mut held = house.store.hold_next_append();
    let reference = session.into();

    let (updated, ()) = tokio::join!(house.hub.update(&house.ada, &reference, larger_model()), async {
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
    assert_eq!(follower.events(), house.journal(session).await);
    assert_eq!(numbered_text(follower.events(), turn), "Once upon a time.");
}

#[tokio::test]
async fn nobody_hears_of_what_is_still_being_written() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    follower.until(|it| it.events().len() == 1).await;
    let mut held = house.store.hold_next_append();

    let update = tokio::spawn({
        let (hub, ada) = (house.hub.clone(), house.ada.clone());
        async move { hub.update(&ada, &session.into(), larger_model()).await }
    });
    held.reached().await;
    let view = tokio::spawn({
        let (hub, ada) = (house.hub.clone(), house.ada.clone());
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
    let house = House::new();
    let session = house.start().await;
    house.view(session).await;
    let mut held = house.store.hold_next_append();
    let cancel = Cancel { session: session.into(), ..Cancel::default() };

    let (sent, cancelled) = tokio::join!(house.send(session, ChatSend::text("Hello")), async {
        held.reached().await;
        let (cancelled, ()) = tokio::join!(house.hub.cancel(&house.ada, cancel), async {
            settle().await;
            held.go();
        });
        cancelled.unwrap()
    });

    let turn = sent.unwrap();
    assert_eq!((cancelled.status, cancelled.turn_ids), (CancelOutcome::Cancelled, vec![turn]));
    assert_eq!(house.ended(turn).await.status, TurnStatus::Cancelled);
    assert_eq!(house.exchange(session, "Hello again", "Hi").await.status, TurnStatus::Completed);
    assert_eq!(house.model.calls(), 1, "the first was never asked");
}

#[tokio::test]
async fn whoever_joins_meanwhile_gets_what_is_being_written() {
    let house = House::new();
    let session = house.start().await;
    house.view(session).await;
    let mut held = house.store.hold_next_append();
    let reference = session.into();

    let (_, mut follower) = tokio::join!(house.hub.update(&house.ada, &reference, larger_model()), async {
        held.reached().await;
        let (follower, ()) = tokio::join!(house.follow(session), async {
            settle().await;
            held.go();
        });
        follower
    });

    follower.until(|it| it.events().len() == 2).await;
    let turn = house.say(session, "Hello").await;
    house.model.call().await.answer("Hi");
    follower.until_ended(turn).await;
    assert_eq!(follower.events(), house.journal(session).await);
}

#[tokio::test]
async fn a_stop_waits_for_what_is_being_written() {
    let house = House::new();
    let session = house.start().await;
    house.view(session).await;
    let mut held = house.store.hold_next_append();

    let (sent, ()) = tokio::join!(house.send(session, ChatSend::text("Hello")), async {
        held.reached().await;
        tokio::join!(house.hub.stop(), async {
            settle().await;
            held.go();
        });
    });

    assert_eq!(house.send(session, ChatSend::text("Too late")).await, Err(Error::Stopping));
    let house = house.restart().await;
    house.model.call().await.answer("Hi");
    assert_eq!(house.ended(sent.unwrap()).await.text, "Hi", "what was accepted is there");
}
