//! Replies that are one document, and the list of models.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{CatalogModel, ModelCatalog, ModelServer, Reply, ToolCall};

use crate::client::{post, whole};

async fn document_of(reply: Reply) -> Value {
    let server = ModelServer::start().await;
    server.push(reply);
    let response = post(&server.base_url(), &whole("hi")).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    response.json().await.unwrap()
}

#[tokio::test]
async fn a_text_is_one_message() {
    let tick = Duration::from_millis(1);
    let reply = Reply::text("The sky is blue.").usage(7, 3).every(tick);
    let expected = json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "m",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": "The sky is blue." },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 },
    });
    assert_eq!(document_of(reply).await, expected);
}

#[tokio::test]
async fn reasoning_and_tool_calls_are_fields_of_the_message() {
    let reply = Reply::reasoning("hm").then_tool_calls([ToolCall {
        id: "c1".to_owned(),
        name: "lookup".to_owned(),
        arguments: "{}".to_owned(),
    }]);
    let document = document_of(reply).await;
    let expected = json!({
        "index": 0,
        "message": {
            "role": "assistant",
            "content": null,
            "reasoning_content": "hm",
            "tool_calls": [{
                "id": "c1",
                "type": "function",
                "function": { "name": "lookup", "arguments": "{}" },
            }],
        },
        "finish_reason": "tool_calls",
    });
    assert_eq!(document["choices"], json!([expected]));
    assert_eq!(document["usage"]["total_tokens"], 15);
}

#[tokio::test]
async fn the_models_are_listed_as_the_server_it_stands_for_lists_them() {
    let server = ModelServer::start().await;
    let page = async |path: &str| {
        let root = server.base_url().replace("/v1", "");
        let answer = reqwest::get(format!("{root}{path}")).await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    assert_eq!(page("/v1/models").await, (200, json!({ "object": "list", "data": [] })), "it takes any name");
    server.offers(ModelCatalog::llama_cpp(&CatalogModel::new("tiny.gguf", 4_096)));
    let (status, models) = page("/v1/models").await;
    assert_eq!((status, &models["data"][0]["id"]), (200, &json!("tiny.gguf")));
    assert_eq!(page("/props").await.1["default_generation_settings"]["n_ctx"], 4_096);
    assert_eq!(page("/version").await.0, 404);
    assert_eq!(server.questions().len(), 4);
}
