//! When the store cannot write, whoever asked is told so, and what was not written never happened.

use engine::Error;
use protocol::{Cancel, ChatSend, Code, End, OnBusy, Problem, TurnStatus, Update};

use crate::{failing_store::Health, house::House};

fn larger_model() -> Update {
    Update { model: Some("large".to_owned()), ..Update::default() }
}

#[tokio::test]
async fn a_command_that_was_not_written_is_answered_with_an_error_and_never_happened() {
    let house = House::new();
    let session = house.start().await;
    house.exchange(session, "Hello", "Hi").await;
    let (view, journal) = (house.view(session).await, house.journal(session).await);

    house.store.turn_to(Health::Refusing);
    let asked = End { session: session.into(), ..End::default() };
    let refused = [
        house.send(session, ChatSend::text("Are you there?")).await.unwrap_err(),
        house.hub.update(&house.ada, &session.into(), larger_model()).await.unwrap_err(),
        house.hub.reset(&house.ada, asked.clone()).await.unwrap_err(),
        house.hub.end(&house.ada, asked).await.unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, Error::Journal(_)), "{error:?}");
        assert_eq!(Problem::from(error).code, Code::Unavailable);
    }
    assert_eq!(house.view(session).await, view);

    house.store.turn_to(Health::Well);
    assert_eq!(house.view(session).await, view);
    assert_eq!(house.journal(session).await, journal);
    assert_eq!(house.model.calls(), 1, "no turn began that was not written");
    house.exchange(session, "Are you there?", "I am.").await;
}

#[tokio::test]
async fn a_follower_hears_nothing_of_what_was_not_written() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;

    house.store.turn_to(Health::Refusing);
    house.send(session, ChatSend::text("Lost")).await.unwrap_err();
    house.store.turn_to(Health::Well);
    let turn = house.say(session, "Kept").await;
    house.model.call().await.answer("Good.");

    follower.until_ended(turn).await;
    assert_eq!(follower.events(), house.journal(session).await);
    let told = serde_json::to_string(follower.events()).unwrap();
    assert!(told.contains("Kept") && !told.contains("Lost"), "{told}");
}

#[tokio::test]
async fn a_message_with_a_key_can_be_sent_again_after_a_failure() {
    let house = House::new();
    let session = house.start().await;
    let send = ChatSend { idempotency_key: Some("once".to_owned()), ..ChatSend::text("Hello") };
    for health in [Health::Refusing, Health::MisreportingOnce] {
        house.store.turn_to(health);
        house.send(session, send.clone()).await.unwrap_err();
    }
    house.store.turn_to(Health::Well);

    let turn = house.send(session, send).await.unwrap();
    house.model.call().await.answer("Hi");

    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.view(session).await.stats.turns, 1);
}

/// Whoever looks at the same moment learns how things stand, or that it should ask again; not that the server stops.
#[tokio::test]
async fn whoever_looks_while_a_write_fails_is_not_sent_away() {
    let house = House::new();
    let session = house.start().await;
    let before = house.view(session).await;
    house.store.turn_to(Health::Refusing);
    let reference = session.into();

    let (update, view, follow) = tokio::join!(
        house.hub.update(&house.ada, &reference, larger_model()),
        house.hub.session(&house.ada, &reference),
        house.hub.subscribe(&house.ada, session, 0),
    );

    assert!(matches!(update, Err(Error::Journal(_))), "{update:?}");
    match view {
        Ok(view) => assert_eq!(view, before),
        Err(error) => assert!(matches!(error, Error::Journal(_) | Error::Unanswered), "{error:?}"),
    }
    if let Err(error) = follow {
        assert!(matches!(error, Error::Journal(_) | Error::Unanswered), "{error:?}");
    }
    assert_eq!(house.view(session).await, before);
}

/// A refusal because of a message that was not written after all would be a lie.
#[tokio::test]
async fn nobody_is_turned_away_for_the_sake_of_what_was_not_written() {
    let house = House::new();
    let session = house.start().await;
    house.view(session).await;
    house.store.turn_to(Health::Refusing);
    let impatient = ChatSend { on_busy: OnBusy::Reject, ..ChatSend::text("And me?") };

    let (first, second) =
        tokio::join!(house.send(session, ChatSend::text("Me first.")), house.send(session, impatient));

    assert!(matches!(first, Err(Error::Journal(_))), "{first:?}");
    assert!(matches!(second, Err(Error::Journal(_))), "{second:?}");
}

/// Also in a session whose turn has to be taken up again first, which needs the store too.
#[tokio::test]
async fn a_command_to_a_session_with_an_open_turn_is_answered_while_the_store_fails() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Think.").await;
    let _call = house.model.call().await;
    house.store.turn_to(Health::Refusing);

    for _ in 0..3 {
        let refused = house.send(session, ChatSend::text("Are you there?")).await.unwrap_err();
        assert!(matches!(refused, Error::Journal(_)), "{refused:?}");
    }

    let cancel = Cancel { session: session.into(), turn_id: Some(turn), reason: None };
    let refused = house.hub.cancel(&house.ada, cancel).await.unwrap_err();
    assert!(matches!(refused, Error::Journal(_)), "{refused:?}");
}
