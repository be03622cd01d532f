//! Unanswered questions: the prompt marks them as such and never joins them with the next question.
//! They can be deleted.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::Reply;

use crate::{
    harness::{last, say, told},
    started,
};

#[tokio::test]
async fn the_next_turn_is_told_what_became_of_the_question() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::status(401));
    told(&rest, &session, json!({ "message": "Who wrote Emma?" })).await;
    model.push(Reply::text("Jane Aus ten").cut_after(2));
    told(&rest, &session, json!({ "message": "Who wrote it again?" })).await;
    model.push(Reply::text("It was her").stall_after(1));
    let accepted = say(&rest, &session, json!({ "message": "And Persuasion?" })).await.ok();
    let turn_id = accepted["turn_id"].as_str().unwrap();
    model.until(|model| model.requests().len() == 3).await;
    rest.post(&format!("/api/v1/turns/{turn_id}/cancel"), json!({})).await.ok();

    told(&rest, &session, json!({ "message": "Are you there?" })).await;
    let said = last(&model).said();
    assert_eq!(said.len(), 7, "each question has its own answer: {said:?}");
    assert_eq!((said[0].as_str(), said[1].as_str()), ("Who wrote Emma?", "[No answer: the turn failed.]"));
    assert_eq!(
        (said[2].as_str(), said[3].as_str()),
        ("Who wrote it again?", "Jane Aus [Cut off here: the turn failed.]")
    );
    assert_eq!(said[4], "And Persuasion?");
    assert!(said[5].ends_with("the turn was cancelled.]"), "{said:?}");
    assert_eq!(said[6], "Are you there?");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn what_was_declined_is_left_out() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for reply in [
        Reply::text("I will not say.").finishing("refusal"),
        Reply::text("").finishing("content_filter"),
        Reply::status(400).error_message("Rejected by our safety system."),
        Reply::status(413).error_message("prompt is too long"),
    ] {
        model.push(reply);
        told(&rest, &session, json!({ "message": "Tell me something dreadful." })).await;
    }
    told(&rest, &session, json!({ "message": "Then tell me about cats." })).await;
    assert_eq!(last(&model).said(), ["Then tell me about cats."]);
}

#[tokio::test]
async fn a_turn_can_be_deleted_and_is_gone_from_the_journal_the_memory_and_the_next_prompt() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let path = |turn: &Value| format!("/api/v1/sessions/{session}/turns/{}", turn["turn_id"].as_str().unwrap());
    model.push(Reply::text("Noted: a hedgehog."));
    let first = told(&rest, &session, json!({ "message": "My favourite animal is the hedgehog." })).await;
    model.push(Reply::status(403));
    let second = told(&rest, &session, json!({ "message": "Draw a hedgehog." })).await;
    told(&rest, &session, json!({ "message": "How are you?" })).await;

    let missing = rest.call(Method::DELETE, &path(&json!({ "turn_id": session })), None, &[]).await;
    assert_eq!(missing.code(404), "not_found");
    for turn in [&first, &second] {
        let deleted = rest.call(Method::DELETE, &path(turn), None, &[]).await.ok();
        assert!(deleted["records"].as_u64().unwrap() > 0, "{deleted}");
    }
    let log = json!(rest.log(&session).await).to_string();
    assert!(!log.to_lowercase().contains("hedgehog"), "{log}");
    let view = rest.get(&format!("/api/v1/turns/{}", first["turn_id"].as_str().unwrap())).await.ok();
    assert_eq!((&view["status"], &view["text"]), (&json!("completed"), &json!("[forgotten]")));
    told(&rest, &session, json!({ "message": "What did we talk about?" })).await;
    assert_eq!(last(&model).said(), ["How are you?", "You said: How are you?", "What did we talk about?"]);
    let whole = last(&model).raw().to_string().to_lowercase();
    assert!(!whole.contains("hedgehog"), "nor beside the conversation");
}
