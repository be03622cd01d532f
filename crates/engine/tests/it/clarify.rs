//! Unclear messages lead to a clarifying question, and the next message is the answer.

use protocol::{Body, Clarification, MessageAccepted, SessionId, Stage, TurnStatus};

use crate::harness::Harness;

async fn clarifications(harness: &Harness, session: SessionId) -> Vec<Clarification> {
    let journal = harness.journal(session).await;
    let asked = journal.into_iter().filter_map(|event| match event.body {
        Body::Clarification(asked) => Some(asked),
        _ => None,
    });
    asked.collect()
}

async fn accepted(harness: &Harness, session: SessionId) -> Vec<MessageAccepted> {
    let journal = harness.journal(session).await;
    let accepted = journal.into_iter().filter_map(|event| match event.body {
        Body::MessageAccepted(accepted) => Some(accepted),
        _ => None,
    });
    accepted.collect()
}

#[tokio::test]
async fn an_empty_message_is_asked_back_and_the_next_one_answers() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "hmm").await;
    let asked = harness.ended(turn).await;
    assert_eq!((asked.status, asked.reason.as_deref()), (TurnStatus::Completed, Some("clarification_needed")));
    assert_eq!(asked.response.unwrap().model, "rules");
    let clarification = clarifications(&harness, session).await.remove(0);
    assert_eq!((clarification.question.as_str(), clarification.intent.as_str()), (asked.text.as_str(), "unclear"));

    let answer = harness.say(session, "it").await;
    let call = harness.model.call().await;
    assert_eq!(call.lines(), ["> hmm".to_owned(), format!("< {}", asked.text), "> it".to_owned()]);
    call.answer("I still do not know.");
    assert_eq!(harness.ended(answer).await.text, "I still do not know.", "an answer is not asked back about");
    harness.exchange(session, "Never mind that.", "All right.").await;
    let answers: Vec<_> = accepted(&harness, session).await.into_iter().map(|accepted| accepted.answers).collect();
    assert_eq!(answers, [None, Some(turn), None], "only the next message is the answer");
}

#[tokio::test]
async fn the_question_is_still_open_after_a_restart() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "...").await;
    harness.ended(turn).await;
    let harness = harness.restart().await;
    harness.exchange(session, "Open the window in the kitchen.", "It is open.").await;
    assert_eq!(accepted(&harness, session).await[1].answers, Some(turn));
}

/// With a model that understands language, the rules only guess; and an extra call to judge the
/// message costs as much as the answer.
#[tokio::test]
async fn what_the_rules_find_unclear_is_left_to_the_model() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.exchange(session, "do it", "Do what?").await;
    assert_eq!((turn.text.as_str(), turn.reason), ("Do what?", None));
    assert_eq!((clarifications(&harness, session).await, harness.model.calls()), (Vec::new(), 1));
    let journal = harness.journal(session).await;
    let detail = journal.iter().find_map(|event| match &event.body {
        Body::TurnStage(entered) if entered.stage == Stage::Understand => entered.detail.clone(),
        _ => None,
    });
    assert_eq!(detail.unwrap()["intent"], "chat");
}
