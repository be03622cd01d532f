//! How clients see a model that stops early, fails or refuses: in the turn, over REST, over the
//! WebSocket, and over OpenAI's and Ollama's APIs. `rows` has one row for each kind of failure.
//! `docs/how-to/model-failures.md` has the same table.

mod cut_answers;
mod rows;
mod unanswered;
mod usage;

use futures::future::join_all;
use rows::{FailureCase, ROWS};
use serde_json::{Value, json};
use testkit::{ModelServer, Program, Request, RunningServer};

use crate::program;

/// A model server that recognises a row by its name in the question and gives its reply.
async fn started() -> (ModelServer, Program, RunningServer) {
    let model = ModelServer::start().await;
    model.respond_with(|request| {
        let named = ROWS.iter().find(|row| request.said().iter().any(|text| text.contains(&mark(row))));
        named.map_or_else(|| testkit::Reply::echo(request), |row| (row.reply)())
    });
    let program = program()
        .with_model(&model)
        .with("DWELL_AGENTS_MAX", "200")
        .with("DWELL_AGENTS_OWNER_MAX", "200")
        .with("DWELL_AGENTS_SESSION_MAX", "4");
    let server = program.start().await;
    (model, program, server)
}

/// The text that identifies a row in a question.
fn mark(row: &FailureCase) -> String {
    format!("({})", row.name)
}

fn question(row: &FailureCase) -> String {
    format!("Tell me about hedgehogs {}.", mark(row))
}

/// The requests that a row caused.
fn asked(model: &ModelServer, row: &FailureCase) -> Vec<Request> {
    let is_meant = |request: &Request| request.said().iter().any(|text| text.contains(&mark(row)));
    model.requests().into_iter().filter(is_meant).collect()
}

#[tokio::test]
async fn the_turn_and_the_socket_say_how_it_ended() {
    let (model, _program, server) = started().await;
    join_all(ROWS.iter().map(|row| turn_and_socket(&server, row))).await;
    for row in ROWS {
        assert_eq!(asked(&model, row).len(), row.asked, "{}: so often the model is asked", row.name);
    }
    assert_eq!(model.violations(), Vec::<String>::new());
}

async fn turn_and_socket(server: &RunningServer, row: &FailureCase) {
    let (rest, name) = (server.rest(), row.name);
    let session = rest.session().await;
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let turn_id = rest.send(&session, &question(row)).await;
    let turn = rest.ended(&turn_id).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!(row.status), &json!(row.text)), "{name}: {turn}");
    let expected = if row.code.is_empty() { Value::Null } else { json!(row.code) };
    assert_eq!(turn["error"]["code"], expected, "{name}: {turn}");
    let stop_reason = if row.stop_reason.is_empty() { Value::Null } else { json!(row.stop_reason) };
    assert_eq!(turn["response"]["stop_reason"], stop_reason, "{name}: {turn}");
    if !row.code.is_empty() {
        assert_eq!(turn["error"]["recoverable"], json!(row.recoverable), "{name}: {turn}");
    }
    let has_notice = turn["response"]["notices"].as_array().is_some_and(|notices| !notices.is_empty());
    assert_eq!(has_notice, !matches!(row.stop_reason, "" | "complete"), "{name}: {turn}");

    let told = socket.until_end_of(&json!(turn_id)).await;
    let end = told.iter().rev().find(|event| event["type"] == "turn.status").unwrap();
    assert_eq!((&end["data"]["status"], &end["data"]["error"]["code"]), (&json!(row.status), &expected), "{name}");
    let answer = told.iter().find(|event| event["type"] == "chat.final");
    assert_eq!(answer.map_or(Value::Null, |event| event["data"]["stop_reason"].clone()), stop_reason, "{name}");
}

#[tokio::test]
async fn openais_api_says_it_in_its_own_words() {
    let (_model, _program, server) = started().await;
    let found = join_all(ROWS.iter().map(|row| openai(&server, row))).await;
    let expected: Vec<_> = ROWS.iter().map(|row| (row.name, row.openai.0, row.openai.1.to_owned())).collect();
    assert_eq!(found, expected);
}

/// The status, and `finish_reason` or the code of the error.
async fn openai(server: &RunningServer, row: &FailureCase) -> (&'static str, u16, String) {
    let messages = json!([{ "role": "user", "content": question(row) }]);
    let answer = server.rest().post("/v1/chat/completions", json!({ "model": "dwell", "messages": messages })).await;
    let word = match answer.status {
        200 => &answer.body["choices"][0]["finish_reason"],
        _ => &answer.body["error"]["code"],
    };
    (row.name, answer.status, word.as_str().unwrap_or("null").to_owned())
}

#[tokio::test]
async fn ollamas_api_says_it_in_its_own_words() {
    let (_model, program, server) = started().await;
    let doors = program.run(&["doors"]).await.stdout;
    let base = doors.lines().find_map(|line| line.strip_prefix("Ollama")).unwrap().trim().to_owned();
    let found = join_all(ROWS.iter().map(|row| ollama(&base, row))).await;
    let expected: Vec<_> = ROWS.iter().map(|row| (row.name, row.ollama.0, row.ollama.1.to_owned())).collect();
    assert_eq!(found, expected);
    drop(server);
}

/// The status, and `done_reason`, or `error` where there is one.
async fn ollama(base: &str, row: &FailureCase) -> (&'static str, u16, String) {
    let messages = json!([{ "role": "user", "content": question(row) }]);
    let body = json!({ "model": "dwell:latest", "messages": messages, "stream": false });
    let answer = reqwest::Client::new().post(format!("{base}/api/chat")).json(&body).send().await.unwrap();
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    let word = if body["error"].is_string() { "error" } else { body["done_reason"].as_str().unwrap_or("null") };
    (row.name, status, word.to_owned())
}
