//! Cells of the table in `docs/how-to/features.md` that no other test covers: features by API and
//! by provider.

mod cancelling;

use serde_json::{Value, json};
use testkit::{McpWire, ModelServer, Reply, RestClient, ToolCall};

use crate::{
    harness::last,
    openai::{PATH, user},
    program, started,
};

const IMAGE: &str = "iVBORw0KGgo=";

/// The first turn of a new session, after its end.
async fn ask(rest: &RestClient, body: Value) -> Value {
    let session = rest.session().await;
    let accepted = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await.ok();
    rest.ended(accepted["turn_id"].as_str().unwrap()).await
}

#[tokio::test]
async fn azure_does_what_openai_does() {
    let model = ModelServer::start().await;
    let endpoint = format!("http://{}/", model.address());
    let program = program().with("AZURE_OPENAI_API_KEY", "az-test").with("AZURE_OPENAI_ENDPOINT", &endpoint);
    let server = program.with("AZURE_OPENAI_DEPLOYMENT", "gpt-4o-mini").start().await;
    let rest = server.rest();

    model.push(Reply::tool_calls([ToolCall::new("c1", "calculator", json!({ "expression": "6*7" }))]));
    model.push(Reply::text("It is 42.").usage(20, 7));
    let turn = ask(&rest, json!({ "message": "Help me with the bill for the party, please." })).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("It is 42.")), "{turn}");
    assert_eq!(turn["stats"]["usage"]["output_tokens"], 12, "the usage of both rounds: {turn}");
    assert!(last(&model).stream(), "the answer is streamed");

    let images = json!([{ "media_type": "image/png", "data": IMAGE }]);
    ask(&rest, json!({ "message": "What is in this picture?", "images": images })).await;
    assert!(last(&model).raw().to_string().contains(IMAGE));

    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    model.push(Reply::text("{\"city\":\"Oslo\"}"));
    let turn = ask(&rest, json!({ "message": "Name a city, please.", "response_schema": schema })).await;
    assert_eq!(turn["text"], "{\"city\":\"Oslo\"}", "{turn}");
    assert_eq!(last(&model).raw()["response_format"]["type"], "json_schema");

    model.push(Reply::reasoning("First I think. ").then_text("Then I speak."));
    let turn = ask(&rest, json!({ "message": "Tell me a story about the sea." })).await;
    assert_eq!(turn["response"]["reasoning_summary"], "First I think.", "{turn}");

    model.push(Reply::text("I will").finishing("content_filter"));
    let turn = ask(&rest, json!({ "message": "Tell me another story, please." })).await;
    assert_eq!(turn["response"]["stop_reason"], "content_filter", "{turn}");
}

#[tokio::test]
async fn mcp_takes_images_and_a_schema_and_gives_reasoning() {
    let (model, _program, server) = started().await;
    let mcp = server.mcp(McpWire::BOTH[0], json!({})).await;
    model.push(Reply::reasoning("First I look. ").then_text("A cat."));
    let images = json!([{ "media_type": "image/png", "data": IMAGE }]);
    let message = json!({ "session_id": "kitchen", "message": "What is this?", "images": images, "timeout_ms": 30000 });
    let told = mcp.call("send_message", message).await.unwrap()["structuredContent"].clone();
    assert!(last(&model).raw().to_string().contains(IMAGE));
    assert_eq!(told["response"]["final_message"], "A cat.", "{told}");
    assert_eq!(told["response"]["reasoning_summary"], "First I look.", "{told}");

    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    model.push(Reply::text("{\"city\":\"Oslo\"}"));
    let question = json!({ "message": "Name a city, please.", "response_schema": schema });
    let told = mcp.call("ask", question).await.unwrap()["structuredContent"].clone();
    assert_eq!(told["response"]["final_message"], "{\"city\":\"Oslo\"}", "{told}");
    assert_eq!(last(&model).raw()["response_format"]["type"], "json_schema");
}

#[tokio::test]
async fn socket_takes_images_and_gives_usage() {
    let (model, _program, server) = started().await;
    let mut socket = server.socket().await;
    model.push(Reply::text("A cat.").usage(20, 7));
    let images = json!([{ "media_type": "image/png", "data": IMAGE }]);
    let send = json!({ "conversation_id": "c", "message": "What is this?", "images": images });
    let accepted = socket.ask("chat.send", send).await.unwrap();
    let messages = socket.until_end_of(&accepted["turn_id"]).await;
    assert!(last(&model).raw().to_string().contains(IMAGE));
    let answer = messages.iter().find(|message| message["type"] == "chat.final").unwrap();
    assert_eq!((&answer["data"]["message"], &answer["data"]["usage"]["output_tokens"]), (&json!("A cat."), &json!(7)));
}

#[tokio::test]
async fn turn_of_a_chat_completion_is_cancelled_by_its_id() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::hang());
    let waiting = tokio::spawn({
        let rest = server.rest();
        let body = json!({ "messages": [user("hello")], "user": "ada" });
        async move { rest.post(PATH, body).await }
    });
    model.until(|model| model.requests().len() == 1).await;
    let sessions = rest.get("/api/v1/sessions").await.ok();
    let session = sessions["data"][0]["session_id"].as_str().unwrap();
    rest.post(&format!("/api/v1/sessions/{session}/cancel"), json!({})).await.ok();
    let answer = waiting.await.unwrap();
    assert_eq!((answer.status, &answer.body["error"]["code"]), (409, &json!("cancelled")), "{}", answer.body);
}
