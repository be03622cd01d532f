//! How clients see the failures of a model.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient};

use crate::{harness::session_with, started};

/// The first turn of a new session, after its end.
async fn ask(rest: &RestClient) -> Value {
    let session = rest.session().await;
    let turn = rest.send(&session, "hello").await;
    rest.ended(&turn).await
}

#[tokio::test]
async fn a_failure_before_the_first_word_is_tried_again_and_written_down() {
    let (model, _program, server) = started().await;
    model.push(Reply::status(500).error_message("hiccup"));
    let turn = ask(&server.rest()).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: hello")));
    assert_eq!(turn["steps"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&turn["steps"][0]["type"], &turn["steps"][0]["detail"]["code"]),
        (&json!("error"), &json!("model_failed"))
    );
}

#[tokio::test]
async fn a_wait_longer_than_the_budget_is_not_waited_for() {
    let (model, _program, server) = started().await;
    model.push(Reply::status(429).retry_after_s(3_600));
    let turn = ask(&server.rest()).await;
    assert_eq!((&turn["status"], &turn["error"]["code"]), (&json!("failed"), &json!("model_rate_limited")));
    assert_eq!(turn["error"]["details"]["retry_after_ms"], 3_600_000);
    assert_eq!(turn["error"]["recoverable"], true);
}

#[tokio::test]
async fn a_stream_cut_in_the_middle_fails_and_keeps_the_words() {
    let (model, _program, server) = started().await;
    for reply in [Reply::text("one two three").cut_after(2), Reply::text("one two three").end_early(2)] {
        model.push(reply);
        let turn = ask(&server.rest()).await;
        assert_eq!((&turn["status"], &turn["error"]["code"]), (&json!("failed"), &json!("model_cut_off")));
        assert_eq!((&turn["text"], &turn["error"]["recoverable"]), (&json!("one two "), &json!(true)));
    }
}

#[tokio::test]
async fn a_refusal_is_final_and_shows_no_key() {
    let (model, _program, server) = started().await;
    model.push(Reply::status(401).error_message("bad key sk-test"));
    let turn = ask(&server.rest()).await;
    assert_eq!((&turn["error"]["code"], &turn["error"]["recoverable"]), (&json!("model_refused"), &json!(false)));
    assert!(turn["error"]["message"].as_str().unwrap().contains("bad key [key]"), "{turn}");
    assert_eq!(model.requests().len(), 1, "trying again would not help");
}

#[tokio::test]
async fn a_turn_over_its_time_ends_with_what_there_is() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::text("so far").stall_after(1));
    let session = rest.session().await;
    let send = json!({ "message": "hello", "time_budget_ms": 2_000 });
    let accepted = rest.post(&format!("/api/v1/sessions/{session}/turns"), send).await.ok();
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!(
        (&turn["status"], &turn["reason"], &turn["text"]),
        (&json!("expired"), &json!("time_budget"), &json!("so \n\nI had to stop here: the time ran out."))
    );
    model.until(|model| model.aborted() == 1).await;
}

/// The messages that the model gets in the fifth turn of a session, without the instructions.
async fn fifth(model: &ModelServer, rest: &RestClient, name: &str) -> Vec<String> {
    let session = session_with(rest, json!({ "model": name })).await;
    for message in ["one", "two", "three", "four", "five"] {
        let turn = rest.send(&session, message).await;
        rest.ended(&turn).await;
    }
    let last = model.requests().pop().unwrap();
    assert_eq!(last.messages()[0]["role"], "system");
    last.said()
}

#[tokio::test]
async fn the_conversation_so_far_goes_along_once() {
    let (model, _program, server) = started().await;
    assert_eq!(
        fifth(&model, &server.rest(), "openai/small-and-unknown").await,
        ["one", "You said: one", "two", "You said: two", "three", "You said: three", "four", "You said: four", "five"],
        "the messages so far, then the question, once"
    );
}

#[tokio::test]
async fn a_failure_says_where_it_belongs() {
    let (model, _program, server) = started().await;
    model.push(Reply::status(400));
    let mut socket = server.socket().await;
    let accepted = socket.ask("chat.send", json!({ "conversation_id": "c", "message": "hello" })).await.unwrap();
    let failed = socket.until_end_of(&accepted["turn_id"]).await.pop().unwrap();
    assert_eq!((&failed["type"], &failed["data"]["error"]["code"]), (&json!("turn.status"), &json!("model_refused")));
    for name in ["session_id", "turn_id", "agent_id"] {
        assert_eq!(failed[name], accepted[name], "{failed}");
    }
    assert_eq!(failed["data"]["error"]["details"]["model"], "openai/gpt-4.1-mini", "it names the model");
}

#[tokio::test]
async fn a_session_and_a_turn_may_choose_their_model() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let view = rest.post("/api/v1/sessions", json!({ "model": "openai/medium" })).await.ok();
    let path = format!("/api/v1/sessions/{}/turns", view["session_id"].as_str().unwrap());
    for body in [json!({ "message": "one" }), json!({ "message": "two", "model": "large" })] {
        let accepted = rest.post(&path, body).await.ok();
        rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    }
    let asked: Vec<String> = model.requests().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(asked, ["medium", "large"]);
}
