//! What nobody could act on is asked back, and the next message is the answer.

use protocol::{Body, Clarification, MessageAccepted, SessionId, Stage, TurnStatus};

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
async fn an_empty_message_is_asked_back_and_the_next_one_answers() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "hmm").await;
    let asked = house.ended(turn).await;
    assert_eq!((asked.status, asked.reason.as_deref()), (TurnStatus::Completed, Some("clarification_needed")));
    assert_eq!(asked.response.unwrap().model, "rules");
    let clarification = clarifications(&house, session).await.remove(0);
    assert_eq!((clarification.question.as_str(), clarification.intent.as_str()), (asked.text.as_str(), "unclear"));

    let answer = house.say(session, "it").await;
    let call = house.model.call().await;
    assert_eq!(call.lines(), ["> hmm".to_owned(), format!("< {}", asked.text), "> it".to_owned()]);
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
    let turn = house.say(session, "...").await;
    house.ended(turn).await;
    let house = house.restart().await;
    house.exchange(session, "Open the window in the kitchen.", "It is open.").await;
    assert_eq!(accepted(&house, session).await[1].answers, Some(turn));
}

/// With a model that understands, the rules only guess; and a helper call that judges the words costs as much as the answer.
#[tokio::test]
async fn what_the_rules_find_unclear_is_left_to_the_model() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.exchange(session, "do it", "Do what?").await;
    assert_eq!((turn.text.as_str(), turn.reason), ("Do what?", None));
    assert_eq!((clarifications(&house, session).await, house.model.calls()), (Vec::new(), 1));
    let journal = house.journal(session).await;
    let detail = journal.iter().find_map(|event| match &event.body {
        Body::TurnStage(entered) if entered.stage == Stage::Understand => entered.detail.clone(),
        _ => None,
    });
    assert_eq!(detail.unwrap()["intent"], "chat");
}
