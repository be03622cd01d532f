//! What the model is told: the instructions, the last messages in order, and what is asked now, once and last.

use model::{Prompt, Role};
use protocol::{ChatSend, End, OnBusy, SessionId, Start, Update};

use crate::house::House;

/// The conversation as lines: `>` is the user, `<` the model.
fn lines(prompt: &Prompt) -> Vec<String> {
    let mark = |role| if role == Role::User { '>' } else { '<' };
    prompt.messages.iter().map(|message| format!("{} {}", mark(message.role), message.text)).collect()
}

/// Says something and gives what the model is told; answers it.
async fn told(house: &House, session: SessionId, message: &str) -> Vec<String> {
    let turn = house.say(session, message).await;
    let call = house.model.call().await;
    call.answer(&format!("re {message}"));
    house.ended(turn).await;
    lines(&call.prompt)
}

#[tokio::test]
async fn the_last_messages_in_order_then_the_current_one() {
    let house = House::new();
    let session = house.start().await;
    assert_eq!(told(&house, session, "a").await, ["> a"]);
    assert_eq!(told(&house, session, "b").await, ["> a", "< re a", "> b"]);
    told(&house, session, "c").await;
    told(&house, session, "d").await;
    assert_eq!(told(&house, session, "e").await, ["> b", "< re b", "> c", "< re c", "> d", "< re d", "> e"]);
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
    let mut last = house.say(session, "a").await;
    for message in ["b", "c"] {
        last = house.say(session, message).await;
    }
    let mut prompts = Vec::new();
    for answer in ["A", "B", "C"] {
        let call = house.model.call().await;
        call.answer(answer);
        prompts.push(lines(&call.prompt).join(" "));
    }
    house.ended(last).await;
    assert_eq!(prompts, ["> a", "> a < A > b", "> a < A > b < B > c"]);
}

#[tokio::test]
async fn a_turn_that_is_tried_again_is_told_once() {
    let house = House::new();
    let session = house.start().await;
    told(&house, session, "a").await;
    let failed = house.say(session, "b").await;
    let call = house.model.call().await;
    call.say("half of an ans");
    call.fail(model::Error::Cut);
    house.ended(failed).await;

    let again = house.hub.retry_turn(&house.ada, failed, None).await.unwrap().turn_id;
    let call = house.model.call().await;
    assert_eq!(lines(&call.prompt), ["> a", "< re a", "> b"]);
    call.answer("B");
    assert_eq!(house.ended(again).await.retry_of, Some(failed));

    assert_eq!(told(&house, session, "c").await, ["> a", "< re a", "> b", "< B", "> c"]);
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
    let prompt = house.model.call().await.prompt;
    assert_eq!(lines(&prompt), ["> Tell me a story.", "< Once upon", "> A shorter one."]);
}

#[tokio::test]
async fn a_turn_without_an_answer_leaves_its_question() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "a").await;
    house.model.call().await.refuse(model::Error::Refused { status: 400, message: "no".to_owned() });
    house.ended(turn).await;
    assert_eq!(told(&house, session, "b").await, ["> a", "> b"]);
}

#[tokio::test]
async fn a_reset_clears_it_with_the_turn_that_runs() {
    let house = House::new();
    let session = house.start().await;
    told(&house, session, "a").await;
    house.say(session, "b").await;
    house.say(session, "c").await;
    let call = house.model.call().await;
    call.say("half");

    house.hub.reset(&house.ada, End { session: session.into(), ..End::default() }).await.unwrap();

    call.dropped().await;
    assert_eq!(told(&house, session, "d").await, ["> d"]);
    assert_eq!(told(&house, session, "e").await, ["> d", "< re d", "> e"]);
}

#[tokio::test]
async fn a_turn_may_name_a_model_of_its_own() {
    let house = House::new();
    let session = house.start().await;
    let named = house.start_with(Start { model: Some("small".to_owned()), ..Start::default() }).await;
    let ask = async |session: SessionId, model: Option<&str>| {
        let send = ChatSend { model: model.map(str::to_owned), ..ChatSend::text("Hello") };
        let turn = house.send(session, send).await.unwrap();
        let call = house.model.call().await;
        call.answer("Hi");
        (call.prompt.model, house.ended(turn).await.response.unwrap().model)
    };
    let asked = |model: &str| (Some(model.to_owned()), model.to_owned());

    assert_eq!(ask(session, None).await, (None, "driven".to_owned()));
    assert_eq!(ask(named, None).await, asked("small"));
    assert_eq!(ask(named, Some("large")).await, asked("large"));
    assert_eq!(ask(named, None).await, asked("small"));
    let change = Update { model: Some("medium".to_owned()), ..Update::default() };
    house.hub.update(&house.ada, &named.into(), change).await.unwrap();
    assert_eq!(ask(named, None).await, asked("medium"));
}
