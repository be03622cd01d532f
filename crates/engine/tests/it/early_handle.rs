//! A client with a limited wait for the first text gets a handle, and the answer when it is there.

use engine::Error;
use protocol::{ChatSend, SessionId, TurnAccepted, TurnStatus};
use session::Refusal;

use crate::harness::{Harness, within_patience};

async fn ask(harness: &Harness, session: SessionId, early_wait_ms: u64) -> TurnAccepted {
    let send = ChatSend { early_wait_ms: Some(early_wait_ms), ..ChatSend::text("Why is the sky blue?") };
    let session = session.into();
    within_patience("the early wait is over", harness.hub.send(&harness.ada, &session, send)).await.unwrap()
}

#[tokio::test]
async fn words_in_time_come_with_the_acceptance() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (accepted, call) = tokio::join!(ask(&harness, session, 10_000), async {
        let call = harness.model.call().await;
        call.say("Because of ");
        call
    });
    let early = accepted.early.unwrap();
    assert!(!early.late);
    assert!(early.text.starts_with("Because"), "{early:?}");
    call.answer("the air.");
    let turn = harness.ended(accepted.turn_id).await;
    assert_eq!(turn.text, "Because of the air.");
    assert!(!turn.response.unwrap().late);
}

#[tokio::test]
async fn late_words_are_the_answer_all_the_same() {
    let harness = Harness::new();
    let session = harness.start().await;
    let accepted = ask(&harness, session, 30).await;
    let early = accepted.early.unwrap();
    assert!(early.late && early.text.is_empty(), "{early:?}");
    assert_eq!(early.status, TurnStatus::Running);

    harness.model.call().await.answer("Because of the air.");

    let turn = harness.ended(accepted.turn_id).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Completed, "Because of the air."));
    assert!(turn.response.unwrap().late);
}

#[tokio::test]
async fn the_next_message_is_a_question_of_its_own() {
    let harness = Harness::new();
    let session = harness.start().await;
    let first = ask(&harness, session, 30).await.turn_id;
    let second = harness.say(session, "And why is the grass green?").await;
    harness.model.call().await.answer("Because of the air.");
    let call = harness.model.call().await;
    assert_eq!(call.lines(), ["> Why is the sky blue?", "< Because of the air.", "> And why is the grass green?"]);
    call.answer("Because of the leaves.");
    assert_eq!(harness.ended(first).await.text, "Because of the air.");
    let second = harness.ended(second).await;
    assert_eq!(second.text, "Because of the leaves.");
    assert!(!second.response.unwrap().late);
}

#[tokio::test]
async fn a_turn_that_fails_before_its_first_word_is_not_waited_for() {
    let harness = Harness::new();
    let session = harness.start().await;
    let refusal = model::Error::Refused { provider: "driven".to_owned(), status: 401, message: "no".to_owned() };
    let (accepted, ()) =
        tokio::join!(ask(&harness, session, 10_000), async { harness.model.call().await.refuse(refusal) });
    let early = accepted.early.unwrap();
    assert_eq!((early.late, early.status), (false, TurnStatus::Failed));
}

#[tokio::test]
async fn a_wait_of_nothing_is_refused() {
    let harness = Harness::new();
    let session = harness.start().await;
    let send = ChatSend { early_wait_ms: Some(0), ..ChatSend::text("Why is the sky blue?") };
    assert_eq!(harness.send(session, send).await, Err(Error::Refused(Refusal::BadEarlyWait)));
}

/// The journal numbers text in groups; that does not affect whether it is late.
#[tokio::test]
async fn both_answers_agree_on_whether_it_was_late() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (accepted, call) = tokio::join!(ask(&harness, session, 2_000), async {
        let call = harness.model.call().await;
        call.say("Because");
        call
    });
    call.end();
    let turn = harness.ended(accepted.turn_id).await;
    assert_eq!((accepted.early.unwrap().late, turn.response.unwrap().late), (false, false));
    assert!(turn.stats.first_word_ms.unwrap() < 2_000);
}
