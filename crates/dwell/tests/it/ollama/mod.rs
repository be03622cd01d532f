//! Ollama's API: its clients work unchanged, including those that cannot send a token.

mod models;
mod real_home;
mod tools;

use std::fs;

use serde_json::{Value, json};
use testkit::{Program, Reply, RunningServer};

use crate::{
    harness::{last, system},
    started,
};

/// The address for such clients, which `dwell doors` prints.
pub(crate) async fn address(program: &Program) -> String {
    let doors = program.run(&["doors"]).await.stdout;
    let line = doors.lines().find_map(|line| line.strip_prefix("Ollama"));
    line.unwrap().trim().to_owned()
}

/// Posts without a token, as Ollama's clients do; returns the status and the lines.
async fn post(url: &str, body: Value) -> (u16, Vec<Value>) {
    let response = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn chat(messages: Value) -> Value {
    json!({ "model": "dwell:latest", "messages": messages, "options": { "num_ctx": 8192 }, "keep_alive": "-1s" })
}

async fn sessions(server: &RunningServer) -> usize {
    server.rest().get("/api/v1/sessions").await.ok()["data"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_conversation_is_answered_line_by_line() {
    let (model, program, server) = started().await;
    let url = format!("{}/api/chat", address(&program).await);
    model.push(Reply::text("Good morning.").usage(11, 6));
    let messages = json!([{ "role": "system", "content": "Be kind." }, { "role": "user", "content": "hello" }]);
    let (status, lines) = post(&url, chat(messages)).await;
    assert_eq!(status, 200);
    let words: String = lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect();
    assert_eq!(words, "Good morning.");
    assert!(lines.iter().all(|line| line["message"]["role"] == "assistant" && line["model"] == "dwell:latest"));
    let (last_line, before) = lines.split_last().unwrap();
    assert!(before.iter().all(|line| line["done"] == false));
    assert_eq!((&last_line["done"], &last_line["done_reason"]), (&json!(true), &json!("stop")));
    assert_eq!((&last_line["prompt_eval_count"], &last_line["eval_count"]), (&json!(11), &json!(6)));
    assert!(system(&last(&model)).contains("Be kind."));

    let more = json!([
        { "role": "system", "content": "Be kind." }, { "role": "user", "content": "hello" },
        { "role": "assistant", "content": words }, { "role": "user", "content": "again" },
    ]);
    post(&url, chat(more)).await;
    assert_eq!(sessions(&server).await, 1, "it is one session");
}

#[tokio::test]
async fn or_whole() {
    let (_model, program, _server) = started().await;
    let url = format!("{}/api/chat", address(&program).await);
    let mut body = chat(json!([{ "role": "user", "content": "hello" }]));
    body["stream"] = json!(false);
    let (_, lines) = post(&url, body).await;
    assert_eq!((lines.len(), &lines[0]["message"]["content"]), (1, &json!("You said: hello")));
    assert_eq!(lines[0]["done"], true);

    let (_, lines) = post(&url, chat(json!([]))).await;
    assert_eq!(lines[0]["done_reason"], "load", "nothing to say asks whether the model is there");
}

#[tokio::test]
async fn a_question_about_a_lock_is_in_plain_words_and_blocks_no_other_sentence() {
    let program = crate::program_with_home();
    let _server = program.start().await;
    let url = format!("{}/api/chat", address(&program).await);
    let say = async |messages: Value| -> String {
        let (_, lines) = post(&url, chat(messages)).await;
        lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect()
    };
    let unlock = json!({ "role": "user", "content": "unlock the front door" });
    let asked = say(json!([unlock])).await;
    assert!(asked.starts_with("Shall I unlock the front door?"), "{asked}");
    assert!(asked.contains("`dwell approvals answer ") && !asked.contains('{'), "{asked}");
    let lamp = json!({ "role": "user", "content": "turn on the floor lamp" });
    let done = say(json!([unlock, { "role": "assistant", "content": asked }, lamp])).await;
    assert!(done.contains("Floor lamp"), "the same conversation goes on: {done}");
    assert!(say(json!([lamp])).await.contains("Floor lamp"), "and so does another");
}

#[tokio::test]
async fn models_are_listed_and_shown() {
    let (_model, program, server) = started().await;
    let tags = server.rest().get("/api/tags").await.ok();
    let names: Vec<&str> =
        tags["models"].as_array().unwrap().iter().map(|tag| tag["model"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[1].starts_with("openai/")), ("dwell:latest", true));
    assert!(server.rest().get("/api/version").await.ok()["version"].is_string());

    let url = format!("{}/api/show", address(&program).await);
    for known in ["dwell", "dwell:latest", names[1]] {
        let (status, lines) = post(&url, json!({ "model": known })).await;
        assert_eq!((status, &lines[0]["capabilities"]), (200, &json!(["completion", "tools", "vision"])), "{known}");
        assert_eq!(lines[0]["model_info"]["dwell.context_length"], 1_047_576);
    }
    let (status, lines) = post(&url, json!({ "name": "llama3" })).await;
    assert!(status == 404 && lines[0]["error"].as_str().unwrap().contains("llama3"));
}

#[tokio::test]
async fn the_key_opens_this_door_and_no_other() {
    let (_model, program, server) = started().await;
    let key = fs::read_to_string(program.folder().join("ollama-key")).unwrap().trim().to_owned();
    assert!(key.len() == 64 && address(&program).await.ends_with(&key));
    let (status, lines) = post(&format!("{}/ollama/wrong/api/chat", server.url()), chat(json!([]))).await;
    assert!(status == 401 && lines[0]["error"].is_string(), "{lines:?}");
    let (status, _) = post(&format!("{}/api/chat", server.url()), chat(json!([]))).await;
    assert_eq!(status, 401, "without the key there is the token");
    assert_eq!(server.rest_as(Some(&key)).get("/api/v1/sessions").await.status, 401, "the key is no token");

    let session = server.rest().session().await;
    let request = reqwest::Client::new().post(format!("{}/api/chat", address(&program).await));
    let said = chat(json!([{ "role": "user", "content": "hello" }]));
    request.header("x-dwell-session", &session).json(&said).send().await.unwrap().text().await.unwrap();
    let view = server.rest().get(&format!("/api/v1/sessions/{session}")).await.ok();
    assert_eq!(view["stats"]["turns"], 0, "sessions are not reached by it");

    server.stop().await;
    let again = program.start().await;
    assert!(again.rest().get("/api/tags").await.status == 200 && address(&program).await.ends_with(&key));
}

#[tokio::test]
async fn mistakes_have_the_form_that_clients_read() {
    let (model, program, _server) = started().await;
    let url = format!("{}/api/chat", address(&program).await);
    let (status, lines) = post(&url, json!({ "messages": [] })).await;
    assert!(status == 400 && lines[0]["error"].as_str().unwrap().contains("model"), "{lines:?}");
    model.push(Reply::status(401));
    let (_, lines) = post(&url, chat(json!([{ "role": "user", "content": "hello" }]))).await;
    assert!(lines.last().unwrap()["error"].is_string(), "{lines:?}");
}
