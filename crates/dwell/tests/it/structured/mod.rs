//! Answers in a JSON Schema: over each API, with each kind of provider, repaired once, and failing
//! by name with the text kept.

mod providers;

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, ToolCall};

use crate::{
    harness::{harness, last, say, session_with, steps, system, told},
    openai::{PATH, user},
    program, started,
};

/// A schema, and a text that matches it.
fn city() -> Value {
    json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "people": { "type": "integer" } },
        "required": ["city", "people"],
        "additionalProperties": false,
    })
}

const GHENT: &str = "{\"city\":\"Ghent\",\"people\":265086}";

/// Requests that ask for an answer, without those about the model itself.
fn asked(model: &ModelServer) -> usize {
    model.requests().len()
}

#[tokio::test]
async fn a_message_with_a_schema_is_answered_in_it() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({})).await;
    // A fence around the JSON is no part of it.
    model.push(Reply::text(format!("```json\n{GHENT}\n```")).usage(20, 9));
    let turn = told(&rest, &session, json!({ "message": "Which city?", "response_schema": city() })).await;
    assert_eq!((&turn["status"], &turn["response"]["message"]), (&json!("completed"), &json!(GHENT)));
    assert_eq!(turn["text"], GHENT);
    let request = last(&model);
    let format = &request.raw()["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
    assert_eq!(format["json_schema"]["schema"], city());
    assert!(system(&request).contains("JSON Schema"), "a model without such a mode reads it in its instructions");

    // The next message is answered in plain text again.
    model.push(Reply::text("In Flanders."));
    let turn = told(&rest, &session, json!({ "message": "And where is that?" })).await;
    assert_eq!(turn["response"]["message"], "In Flanders.");
    assert!(last(&model).raw().get("response_format").is_none());
}

#[tokio::test]
async fn an_answer_that_does_not_match_is_repaired_once() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({})).await;
    model.push(Reply::text("{\"city\":\"Ghent\",\"people\":\"many\"}").usage(20, 9));
    model.push(Reply::text(GHENT).usage(30, 9));
    let turn = told(&rest, &session, json!({ "message": "Which city?", "response_schema": city() })).await;
    assert_eq!((&turn["response"]["message"], &turn["text"]), (&json!(GHENT), &json!(GHENT)));
    assert_eq!(turn["response"]["usage"]["input_tokens"], 50, "both attempts are paid for");
    let errors = steps(&turn, "error");
    assert_eq!(errors[0]["code"], "model_schema_unmet");
    let request = last(&model);
    let [.., said, repair] = request.messages() else { panic!("too few messages") };
    assert_eq!(said["content"], "{\"city\":\"Ghent\",\"people\":\"many\"}");
    assert!(repair["content"].as_str().unwrap().contains("`people`"), "{repair}");
}

#[tokio::test]
async fn a_second_mismatch_fails_by_name_and_keeps_the_text() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({})).await;
    model.push(Reply::text("Ghent, I think."));
    model.push(Reply::text("{\"city\":\"Ghent\"}"));
    let turn = told(&rest, &session, json!({ "message": "Which city?", "response_schema": city() })).await;
    assert_eq!((&turn["status"], &turn["error"]["code"]), (&json!("failed"), &json!("model_schema_unmet")));
    assert_eq!(turn["error"]["details"]["text"], "{\"city\":\"Ghent\"}");
    assert!(turn["error"]["message"].as_str().unwrap().contains("\"people\" is a required property"));
    assert_eq!((asked(&model), &turn["text"]), (2, &json!("")), "what does not match is not published");
}

#[tokio::test]
async fn tools_are_called_before_the_answer() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let session = session_with(&rest, json!({})).await;
    harness.model.push(Reply::text("I will look.").then_tool_calls([ToolCall::new(
        "1",
        "lookup",
        json!({ "note": "ghent" }),
    )]));
    harness.model.push(Reply::text(GHENT));
    let turn = told(&rest, &session, json!({ "message": "Which city is that?", "response_schema": city() })).await;
    assert_eq!(steps(&turn, "tool_result").len(), 1);
    assert_eq!((&turn["response"]["message"], &turn["text"]), (&json!(GHENT), &json!(GHENT)));
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_is_refused_at_once() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({})).await;
    let send = async |schema: Value, model: Option<&str>| {
        say(&rest, &session, json!({ "message": "Which city?", "response_schema": schema, "model": model })).await
    };
    let refused = send(json!({ "type": "objekt" }), None).await;
    assert_eq!((refused.status, refused.body["code"].as_str()), (400, Some("invalid_request")));
    assert!(refused.body["message"].as_str().unwrap().contains("response_schema"), "{:?}", refused.body);
    let offline = send(city(), Some("offline")).await;
    assert!(offline.body["message"].as_str().unwrap().contains("choose a language model"), "{:?}", offline.body);
    assert_eq!(asked(&model), 0);
}

#[tokio::test]
async fn openai_and_ollama_clients_ask_in_their_own_way() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let format = json!({ "type": "json_schema", "json_schema": { "name": "city", "schema": city(), "strict": true } });
    for (format, sent) in [(format, "json_schema"), (json!({ "type": "json_object" }), "json_object")] {
        model.push(Reply::text(GHENT));
        let body = json!({ "model": "dwell", "messages": [user("Which city?")], "response_format": format });
        let answer = rest.post(PATH, body).await.ok();
        assert_eq!(answer["choices"][0]["message"]["content"], GHENT);
        assert_eq!(last(&model).raw()["response_format"]["type"], sent);
    }
    for (path, format, field) in [("/api/chat", city(), "message"), ("/api/generate", json!("json"), "response")] {
        model.push(Reply::text(GHENT));
        let body = json!({
            "model": "dwell", "stream": false, "format": format, "prompt": "Which city?", "messages": [user("Which city?")],
        });
        let answer = rest.post(path, body).await.ok();
        let text = if field == "message" { &answer["message"]["content"] } else { &answer["response"] };
        assert_eq!(text, GHENT, "{answer}");
    }
    model.push(Reply::text("no"));
    model.push(Reply::text("no"));
    let body = json!({
        "model": "dwell", "messages": [user("And now?")], "response_format": { "type": "json_object" },
    });
    let failed = rest.post(PATH, body).await;
    assert_eq!((failed.status, &failed.body["error"]["code"]), (502, &json!("upstream_failed")));
}

#[tokio::test]
async fn results_of_the_clients_calls_may_come_with_another_schema() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let tools =
        json!([{ "type": "function", "function": { "name": "hand_over", "parameters": { "type": "object" } } }]);
    model.push(Reply::tool_calls([ToolCall::new("1", "hand_over", json!({}))]));
    let first = json!({ "model": "dwell", "messages": [user("Which city?")], "tools": tools });
    let answer = rest.post(PATH, first).await.ok();
    let called = answer["choices"][0]["message"].clone();
    let result = json!({ "role": "tool", "tool_call_id": called["tool_calls"][0]["id"], "content": "done" });
    // An agent of the client that hands over to one with a form of its own, as the Agents SDK does.
    model.push(Reply::text("Ghent."));
    model.push(Reply::text(GHENT));
    let format = json!({ "type": "json_schema", "json_schema": { "name": "city", "schema": city() } });
    let next = json!({
        "model": "dwell", "messages": [user("Which city?"), called, result], "tools": tools, "response_format": format,
    });
    let answer = rest.post(PATH, next).await.ok();
    assert_eq!(answer["choices"][0]["message"]["content"], GHENT, "{answer}");
    assert_eq!(last(&model).raw()["response_format"]["type"], "json_schema");
}
