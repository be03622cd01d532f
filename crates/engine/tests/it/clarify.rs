//! What nobody could act on is asked back, and the next message is the answer.

use protocol::{Body, ChatSend, Clarification, MessageAccepted, OnBusy, SessionId, Stage, TurnStatus};

use crate::house::House;

async fn clarifications(house: &House, session: SessionId) -> Vec<Clarification> {
    let journal = house.journal(session).await;
    let asked = journal.into_iter().filter_map(|event| match event.body {
        Body::Clarification(asked) => Some(asked),
        _ => None,
    });
    asked.collect()
}

async fn accepted(house: &House, session: SessionId) -> Vec<MessageAccepted> {
    let journal = house.journal(session).await;
    let accepted = journal.into_iter().filter_map(|event| match event.body {
        Body::MessageAccepted(accepted) => Some(accepted),
        _ => None,
    });
    accepted.collect()
}

#[tokio::test]
async fn an_unclear_message_is_asked_back_and_the_next_one_answers() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "do it").await;
    let judge = house.model.call().await;
    assert_eq!((judge.lines(), judge.tools().len()), (vec!["> do it".to_owned()], 0));
    judge.answer(r#"Well: {"confidence": 0.2, "question": "Do what?"}"#);

    let asked = house.ended(turn).await;
    assert_eq!((asked.status, asked.reason.as_deref()), (TurnStatus::Completed, Some("clarification_needed")));
    assert_eq!(asked.text, "Do what?");
    let clarification = clarifications(&house, session).await.remove(0);
    assert_eq!((clarification.question.as_str(), clarification.intent.as_str()), ("Do what?", "unclear"));
    assert!((clarification.confidence - 0.2).abs() < 0.01);

    let answer = house.say(session, "it").await;
    let call = house.model.call().await;
    assert_eq!(call.lines(), ["> do it", "< Do what?", "> it"]);
    call.answer("I still do not know.");
    assert_eq!(house.ended(answer).await.text, "I still do not know.", "an answer is not asked back about");
    house.exchange(session, "Never mind that.", "All right.").await;
    let answers: Vec<_> = accepted(&house, session).await.into_iter().map(|accepted| accepted.answers).collect();
    assert_eq!(answers, [None, Some(turn), None], "only the next message is the answer");
}

#[tokio::test]
async fn the_question_is_still_open_after_a_restart() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "do it").await;
    house.model.call().await.answer(r#"{"confidence": 0.2, "question": "Do what?"}"#);
    house.ended(turn).await;
    let house = house.restart().await;
    house.exchange(session, "Open the window in the kitchen.", "It is open.").await;
    assert_eq!(accepted(&house, session).await[1].answers, Some(turn));
}

#[tokio::test]
async fn a_model_that_understands_it_overrules_the_rules() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "do it").await;
    house.model.call().await.answer(r#"{"confidence": 0.9, "question": ""}"#);
    house.model.call().await.answer("Just do it!");
    let turn = house.ended(turn).await;
    assert_eq!((turn.text.as_str(), turn.reason), ("Just do it!", None));
    assert_eq!(clarifications(&house, session).await, []);
    let journal = house.journal(session).await;
    let detail = journal.iter().find_map(|event| match &event.body {
        Body::TurnStage(entered) if entered.stage == Stage::Understand => entered.detail.clone(),
        _ => None,
    });
    assert_eq!(detail.unwrap()["by"], "model");
}

#[tokio::test]
async fn a_judge_that_fails_or_talks_nonsense_leaves_it_to_the_rules() {
    for nonsense in [None, Some("I would say yes."), Some("{}"), Some("} {")] {
        let house = House::new();
        let session = house.start().await;
        let turn = house.say(session, "do it").await;
        let judge = house.model.call().await;
        match nonsense {
            Some(text) => judge.answer(text),
            None => judge.fail(model::Error::Cut { provider: "driven".to_owned() }),
        }
        let asked = house.ended(turn).await;
        assert_eq!(asked.reason.as_deref(), Some("clarification_needed"), "{nonsense:?}");
        assert_eq!(asked.text, "What would you like me to do?");
    }
}

#[tokio::test]
async fn what_is_said_before_the_question_is_out_answers_it() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "do it").await;
    let judge = house.model.call().await;
    let more = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("I mean: open the window.") };
    house.send(session, more).await.unwrap();
    judge.answer(r#"{"confidence":0.2,"question":"Do what?"}"#);
    let call = house.model.call().await;
    assert_eq!(call.asked(), "I mean: open the window.");
    call.answer("It is open.");
    assert!(house.ended(turn).await.text.ends_with("It is open."));
}
