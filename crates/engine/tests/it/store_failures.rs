//! If the store cannot write, the caller gets an error, and what was not written has no effect.

use engine::Error;
use protocol::{Cancel, ChatSend, Code, OnBusy, Problem, SessionEnd, TurnStatus, Update};

use crate::{failing_store::AppendMode, harness::Harness};

fn larger_model() -> Update {
    Update { model: Some("large".to_owned()), ..Update::default() }
}

#[tokio::test]
async fn a_command_that_was_not_written_is_answered_with_an_error_and_never_happened() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.exchange(session, "Hello", "Hi").await;
    let (view, journal) = (harness.view(session).await, harness.journal(session).await);

    harness.store.turn_to(AppendMode::Refusing);
    let asked = SessionEnd { session: session.into(), ..SessionEnd::default() };
    let refused = [
        harness.send(session, ChatSend::text("Are you there?")).await.unwrap_err(),
        harness.hub.update(&harness.ada, &session.into(), larger_model()).await.unwrap_err(),
        harness.hub.reset(&harness.ada, asked.clone()).await.unwrap_err(),
        harness.hub.end(&harness.ada, asked).await.unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, Error::Journal(_)), "{error:?}");
        assert_eq!(Problem::from(error).code, Code::Unavailable);
    }
    assert_eq!(harness.view(session).await, view);

    harness.store.turn_to(AppendMode::Well);
    assert_eq!(harness.view(session).await, view);
    assert_eq!(harness.journal(session).await, journal);
    assert_eq!(harness.model.calls(), 1, "no turn began that was not written");
    harness.exchange(session, "Are you there?", "I am.").await;
}

#[tokio::test]
async fn a_follower_hears_nothing_of_what_was_not_written() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;

    harness.store.turn_to(AppendMode::Refusing);
    harness.send(session, ChatSend::text("Lost")).await.unwrap_err();
    harness.store.turn_to(AppendMode::Well);
    let turn = harness.say(session, "Kept").await;
    harness.model.call().await.answer("Good.");

    follower.until_ended(turn).await;
    assert_eq!(follower.events(), harness.journal(session).await);
    let told = serde_json::to_string(follower.events()).unwrap();
    assert!(told.contains("Kept") && !told.contains("Lost"), "{told}");
}

#[tokio::test]
async fn a_message_with_a_key_can_be_sent_again_after_a_failure() {
    let harness = Harness::new();
    let session = harness.start().await;
    let send = ChatSend { idempotency_key: Some("once".to_owned()), ..ChatSend::text("Hello") };
    for health in [AppendMode::Refusing, AppendMode::MisreportingOnce] {
        harness.store.turn_to(health);
        harness.send(session, send.clone()).await.unwrap_err();
    }
    harness.store.turn_to(AppendMode::Well);

    let turn = harness.send(session, send).await.unwrap();
    harness.model.call().await.answer("Hi");

    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.view(session).await.stats.turns, 1);
}

/// A concurrent reader gets the current state or an error to retry, not that the server stops.
#[tokio::test]
async fn a_reader_is_not_rejected_while_a_write_fails() {
    let harness = Harness::new();
    let session = harness.start().await;
    let before = harness.view(session).await;
    harness.store.turn_to(AppendMode::Refusing);
    let reference = session.into();

    let (update, view, follow) = tokio::join!(
        harness.hub.update(&harness.ada, &reference, larger_model()),
        harness.hub.session(&harness.ada, &reference),
        harness.hub.subscribe(&harness.ada, session, 0),
    );

    assert!(matches!(update, Err(Error::Journal(_))), "{update:?}");
    match view {
        Ok(view) => assert_eq!(view, before),
        Err(error) => assert!(matches!(error, Error::Journal(_) | Error::Unanswered), "{error:?}"),
    }
    if let Err(error) = follow {
        assert!(matches!(error, Error::Journal(_) | Error::Unanswered), "{error:?}");
    }
    assert_eq!(harness.view(session).await, before);
}

/// A refusal must not depend on a message that was not written after all.
#[tokio::test]
async fn an_unwritten_command_does_not_cause_a_refusal() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.view(session).await;
    harness.store.turn_to(AppendMode::Refusing);
    let impatient = ChatSend { on_busy: OnBusy::Reject, ..ChatSend::text("And me?") };

    let (first, second) =
        tokio::join!(harness.send(session, ChatSend::text("Me first.")), harness.send(session, impatient));

    assert!(matches!(first, Err(Error::Journal(_))), "{first:?}");
    assert!(matches!(second, Err(Error::Journal(_))), "{second:?}");
}

/// Also in a session whose turn has to be resumed first, which needs the store too.
#[tokio::test]
async fn a_command_to_a_session_with_an_open_turn_is_answered_while_the_store_fails() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Think.").await;
    let _call = harness.model.call().await;
    harness.store.turn_to(AppendMode::Refusing);

    for _ in 0..3 {
        let refused = harness.send(session, ChatSend::text("Are you there?")).await.unwrap_err();
        assert!(matches!(refused, Error::Journal(_)), "{refused:?}");
    }

    let cancel = Cancel { session: session.into(), turn_id: Some(turn), reason: None };
    let refused = harness.hub.cancel(&harness.ada, cancel).await.unwrap_err();
    assert!(matches!(refused, Error::Journal(_)), "{refused:?}");
}
