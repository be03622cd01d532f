//! Models over Ollama's API, reasoning in answers, and what its own client asks.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, Request};

use super::{address, chat, post};
use crate::{sdk::ClientScript, started};

/// A model that reasons; others refuse `think`.
const REASONS: &str = "openai/o3";

#[tokio::test]
async fn models_are_ready_and_not_changed_here() {
    let (_model, program, server) = started().await;
    let (rest, keyed) = (server.rest(), address(&program).await);
    let ready = rest.get("/api/ps").await.ok();
    let first = &ready["models"][0];
    assert_eq!((&first["name"], &first["context_length"]), (&json!("dwell:latest"), &json!(1_047_576)));
    let client = reqwest::Client::new();
    for (method, path) in
        [(Method::HEAD, "/"), (Method::GET, "/"), (Method::GET, "/api/version"), (Method::GET, "/api/ps")]
    {
        let answer = client.request(method.clone(), format!("{keyed}{path}")).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{method} {path}");
    }
    let root = client.get(format!("{keyed}/")).send().await.unwrap().text().await.unwrap();
    assert_eq!(root, "Ollama is running");

    let (status, lines) = post(&format!("{keyed}/api/pull"), json!({ "model": "dwell" })).await;
    assert_eq!((status, &lines[0]["status"]), (200, &json!("success")), "it is there");
    let (status, lines) = post(&format!("{keyed}/api/pull"), json!({ "model": "llama3" })).await;
    assert!(status == 400 && lines[0]["error"].as_str().unwrap().contains("llama3"), "{lines:?}");
    for path in ["push", "create", "copy"] {
        let (status, lines) = post(&format!("{keyed}/api/{path}"), json!({ "model": "x" })).await;
        let error = lines[0]["error"].as_str().unwrap();
        assert!(status == 400 && error.contains(&format!("/api/{path}")) && error.contains("dwell models"), "{error}");
    }
    let deleted = rest.call(Method::DELETE, "/api/delete", Some(json!({ "model": "dwell" })), &[]).await;
    assert!(deleted.status == 400 && deleted.body["error"].as_str().unwrap().contains("/api/delete"));
}

#[tokio::test]
async fn reasoning_is_part_of_an_answer_for_those_who_ask() {
    let (model, program, server) = started().await;
    model.respond_with(|_| Reply::reasoning("Six sevens.").then_text("It is 42."));
    let keyed = address(&program).await;
    let joined = |lines: &[Value], path: &str| -> String {
        lines.iter().filter_map(|line| line.pointer(path)?.as_str()).collect()
    };
    let asked = |think: Value, stream: bool| {
        let mut body = chat(json!([{ "role": "user", "content": "What is 6 times 7?" }]));
        (body["model"], body["think"], body["stream"]) = (json!(REASONS), think, json!(stream));
        body
    };
    for stream in [false, true] {
        let url = format!("{keyed}/api/chat");
        let (_, lines) = post(&url, asked(json!(true), stream)).await;
        assert_eq!(joined(&lines, "/message/thinking"), "Six sevens.", "{lines:?}");
        assert_eq!(joined(&lines, "/message/content"), "It is 42.");
        for silent in [json!(false), Value::Null] {
            let (_, lines) = post(&url, asked(silent, stream)).await;
            assert_eq!(
                (joined(&lines, "/message/thinking").as_str(), joined(&lines, "/message/content").as_str()),
                ("", "It is 42.")
            );
        }
        let body = json!({
            "model": REASONS, "prompt": "What is 6 times 7?", "think": "low", "stream": stream, "context": [1, 2, 3],
        });
        let (status, lines) = post(&format!("{keyed}/api/generate"), body).await;
        assert_eq!((status, joined(&lines, "/thinking").as_str()), (200, "Six sevens."), "{lines:?}");
        assert_eq!(joined(&lines, "/response"), "It is 42.");
    }

    // OpenAI's API has no field for it, but many servers have this one.
    let body = json!({ "model": "dwell", "messages": [{ "role": "user", "content": "What is 6 times 7?" }] });
    let answer = server.rest().post("/v1/chat/completions", body.clone()).await.ok();
    assert_eq!(answer["choices"][0]["message"]["reasoning_content"], "Six sevens.");
    let mut body = body;
    body["stream"] = json!(true);
    let pieces = crate::openai::pieces(&server, body).await;
    let pieces: Vec<Value> = pieces.iter().filter_map(|piece| serde_json::from_str(piece).ok()).collect();
    assert_eq!(joined(&pieces, "/choices/0/delta/reasoning_content"), "Six sevens.");
}

/// A model that answers in JSON where a form is asked for.
fn answer(request: &Request) -> Reply {
    if request.last_user().contains("city") {
        return Reply::text("{\"city\":\"Oslo\"}");
    }
    Reply::reasoning("Six sevens.").then_text("It is 42.")
}

#[tokio::test]
async fn sdk_of_ollama_chats_generates_and_lists() {
    let (model, program, _server) = started().await;
    model.respond_with(answer);
    ClientScript::Python("ollama_client.py").run(&[&address(&program).await]).await;
}
