//! What the model is told: the instructions, the last messages in order, and what is asked now, once and last.

use protocol::{ChatSend, End, OnBusy, SessionId};

use crate::house::House;

/// Says something and gives what the model is told; answers it.
async fn told(house: &House, session: SessionId, message: &str) -> Vec<String> {
    let turn = house.say(session, message).await;
    let call = house.model.call().await;
    call.answer(&format!("re {message}"));
    house.ended(turn).await;
    call.lines()
}

#[tokio::test]
async fn the_last_messages_in_order_then_the_current_one() {
    let house = House::new();
    let session = house.start().await;
    assert_eq!(told(&house, session, "one").await, ["> one"]);
    assert_eq!(told(&house, session, "two").await, ["> one", "< re one", "> two"]);
    told(&house, session, "three").await;
    told(&house, session, "four").await;
    assert_eq!(
        told(&house, session, "five").await,
        ["> one", "< re one", "> two", "< re two", "> three", "< re three", "> four", "< re four", "> five"]
    );
}

#[tokio::test]
async fn the_instructions_come_apart_from_the_conversation() {
    let house = House::new();
    let session = house.start().await;
    house.say(session, "Hello").await;
    let prompt = house.model.call().await.prompt;
    assert!(prompt.system.contains("Dwell") && !prompt.system.ends_with('\n'), "{:?}", prompt.system);
    assert!(!prompt.system.contains("Hello"));
}

#[tokio::test]
async fn messages_that_wait_in_line_are_not_told_before_their_turn() {
    let house = House::new();
    let session = house.start().await;
    let mut last = house.say(session, "one").await;
    for message in ["two", "three"] {
        last = house.say(session, message).await;
    }
    let mut prompts = Vec::new();
    for answer in ["A", "B", "C"] {
        let call = house.model.call().await;
        call.answer(answer);
        prompts.push(call.lines().join(" "));
    }
    house.ended(last).await;
    assert_eq!(prompts, ["> one", "> one < A > two", "> one < A > two < B > three"]);
}

#[tokio::test]
async fn a_turn_that_is_tried_again_is_told_once() {
    let house = House::new();
    let session = house.start().await;
    told(&house, session, "one").await;
    let failed = house.say(session, "two").await;
    let call = house.model.call().await;
    call.say("half of an ans");
    call.fail(model::Error::Cut { provider: "driven".to_owned() });
    house.ended(failed).await;

    let again = house.hub.retry_turn(&house.ada, failed, None, protocol::WayIn::default()).await.unwrap().turn_id;
    let call = house.model.call().await;
    assert_eq!(call.lines(), ["> one", "< re one", "> two"]);
    call.answer("B");
    assert_eq!(house.ended(again).await.retry_of, Some(failed));

    assert_eq!(told(&house, session, "three").await, ["> one", "< re one", "> two", "< B", "> three"]);
}

#[tokio::test]
async fn what_an_interrupted_answer_said_is_remembered() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon");
    follower.until_text(turn, "Once upon").await;
    let send = ChatSend { on_busy: OnBusy::Interrupt, ..ChatSend::text("A shorter one.") };
    house.send(session, send).await.unwrap();
    call.dropped().await;
    let told = house.model.call().await.lines();
    let cut = "< Once upon [Cut off here: the turn was cancelled.]";
    assert_eq!(told, ["> Tell me a story.", cut, "> A shorter one."]);
}

#[tokio::test]
async fn a_turn_without_an_answer_leaves_its_question_and_says_so() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "one").await;
    house.model.call().await.refuse(model::Error::Refused {
        provider: "driven".to_owned(),
        status: 400,
        message: "no".to_owned(),
    });
    house.ended(turn).await;
    assert_eq!(told(&house, session, "two").await, ["> one", "< [No answer: the turn failed.]", "> two"]);
}

#[tokio::test]
async fn a_reset_clears_it_with_the_turn_that_runs() {
    let house = House::new();
    let session = house.start().await;
    told(&house, session, "one").await;
    house.say(session, "two").await;
    house.say(session, "three").await;
    let call = house.model.call().await;
    call.say("half");

    house.hub.reset(&house.ada, End { session: session.into(), ..End::default() }).await.unwrap();

    call.dropped().await;
    assert_eq!(told(&house, session, "four").await, ["> four"]);
    assert_eq!(told(&house, session, "five").await, ["> four", "< re four", "> five"]);
}
