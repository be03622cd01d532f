//! The prompt: the instructions, the last messages in order, and the current message, once and
//! last.

use protocol::{ChatSend, OnBusy, SessionEnd, SessionId};

use crate::harness::Harness;

/// Sends a message, answers it, and returns the prompt.
async fn told(harness: &Harness, session: SessionId, message: &str) -> Vec<String> {
    let turn = harness.say(session, message).await;
    let call = harness.model.call().await;
    call.answer(&format!("re {message}"));
    harness.ended(turn).await;
    call.lines()
}

#[tokio::test]
async fn the_last_messages_in_order_then_the_current_one() {
    let harness = Harness::new();
    let session = harness.start().await;
    assert_eq!(told(&harness, session, "one").await, ["> one"]);
    assert_eq!(told(&harness, session, "two").await, ["> one", "< re one", "> two"]);
    told(&harness, session, "three").await;
    told(&harness, session, "four").await;
    assert_eq!(
        told(&harness, session, "five").await,
        ["> one", "< re one", "> two", "< re two", "> three", "< re three", "> four", "< re four", "> five"]
    );
}

#[tokio::test]
async fn the_instructions_come_apart_from_the_conversation() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.say(session, "Hello").await;
    let prompt = harness.model.call().await.prompt;
    assert!(prompt.system.contains("Dwell") && !prompt.system.ends_with('\n'), "{:?}", prompt.system);
    assert!(!prompt.system.contains("Hello"));
}

#[tokio::test]
async fn messages_that_wait_in_line_are_not_told_before_their_turn() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut last = harness.say(session, "one").await;
    for message in ["two", "three"] {
        last = harness.say(session, message).await;
    }
    let mut prompts = Vec::new();
    for answer in ["A", "B", "C"] {
        let call = harness.model.call().await;
        call.answer(answer);
        prompts.push(call.lines().join(" "));
    }
    harness.ended(last).await;
    assert_eq!(prompts, ["> one", "> one < A > two", "> one < A > two < B > three"]);
}

#[tokio::test]
async fn a_turn_that_is_tried_again_is_told_once() {
    let harness = Harness::new();
    let session = harness.start().await;
    told(&harness, session, "one").await;
    let failed = harness.say(session, "two").await;
    let call = harness.model.call().await;
    call.say("half of an ans");
    call.fail(model::Error::Cut { provider: "driven".to_owned() });
    harness.ended(failed).await;

    let again =
        harness.hub.retry_turn(&harness.ada, failed, None, protocol::MessageTrust::default()).await.unwrap().turn_id;
    let call = harness.model.call().await;
    assert_eq!(call.lines(), ["> one", "< re one", "> two"]);
    call.answer("B");
    assert_eq!(harness.ended(again).await.retry_of, Some(failed));

    assert_eq!(told(&harness, session, "three").await, ["> one", "< re one", "> two", "< B", "> three"]);
}

#[tokio::test]
async fn what_an_interrupted_answer_said_is_remembered() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon");
    follower.until_text(turn, "Once upon").await;
    let send = ChatSend { on_busy: OnBusy::Interrupt, ..ChatSend::text("A shorter one.") };
    harness.send(session, send).await.unwrap();
    call.dropped().await;
    let told = harness.model.call().await.lines();
    let cut = "< Once upon [Cut off here: the turn was cancelled.]";
    assert_eq!(told, ["> Tell me a story.", cut, "> A shorter one."]);
}

#[tokio::test]
async fn a_turn_without_an_answer_leaves_its_question_and_says_so() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "one").await;
    harness.model.call().await.refuse(model::Error::Refused {
        provider: "driven".to_owned(),
        status: 400,
        message: "no".to_owned(),
    });
    harness.ended(turn).await;
    assert_eq!(told(&harness, session, "two").await, ["> one", "< [No answer: the turn failed.]", "> two"]);
}

#[tokio::test]
async fn a_reset_clears_it_with_the_turn_that_runs() {
    let harness = Harness::new();
    let session = harness.start().await;
    told(&harness, session, "one").await;
    harness.say(session, "two").await;
    harness.say(session, "three").await;
    let call = harness.model.call().await;
    call.say("half");

    harness.hub.reset(&harness.ada, SessionEnd { session: session.into(), ..SessionEnd::default() }).await.unwrap();

    call.dropped().await;
    assert_eq!(told(&harness, session, "four").await, ["> four"]);
    assert_eq!(told(&harness, session, "five").await, ["> four", "< re four", "> five"]);
}
