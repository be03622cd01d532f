//! Secrets that enter anywhere leave nowhere: not on a stream, in the journal, in an artifact, in a
//! request to the model, in the log, or in the printed settings.

use std::{os::unix::fs::PermissionsExt, path::Path};

use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RunningServer, ToolCall};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::harness::{last, session_with, steps, told};

/// The provider's key, the server's token, and a key of the user that is not configured anywhere.
const PROVIDER: &str = "prov-K3y-0123456789-abcdef";
const TOKEN: &str = "test-token-0123456789";
const USERS: &str = "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12";
const ALL: [&str; 3] = [PROVIDER, TOKEN, USERS];

/// Checks that the text contains no secret.
#[track_caller]
fn assert_clean(what: &str, text: &str) {
    for secret in ALL {
        assert!(!text.contains(secret), "{secret} is in {what}: {text}");
    }
}

/// An endpoint that answers every call with this text.
async fn tattling(body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    format!("http://{address}/")
}

/// The program with these secrets, a tool at that address, and its log in the data folder.
fn logging(test: &str, model: &ModelServer, tool: &str) -> Program {
    let script = format!("{}/{test}", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&script, format!("#!/bin/sh\nexec {} \"$@\" 2>>\"$HOME/log\"\n", env!("CARGO_BIN_EXE_dwell")))
        .unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700)).unwrap();
    let program =
        Program::new(&script).with_model(model).with("OPENAI_API_KEY", PROVIDER).with("DWELL_LOG_FILTER", "trace");
    let file = program.folder().join("tools.toml");
    let declared = "name = \"tattle\"\ndescription = \"Tells.\"\neffect = \"pure\"\nsafety = \"observes\"";
    std::fs::write(&file, format!("[[tool]]\nurl = \"{tool}\"\n{declared}\n")).unwrap();
    program.with("DWELL_TOOLS_FILE", file.to_str().unwrap())
}

/// Sends a message; returns the turn and everything that both streams sent meanwhile.
async fn overheard(server: &RunningServer, session: &str, message: &str) -> (Value, String) {
    let mut frames = server.frames(session, 0).await;
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let turn = told(&server.rest(), session, json!({ "message": message })).await;
    let heard = socket.until_end_of(&turn["turn_id"]).await;
    let end = turn["last_seq"].as_u64();
    let streamed: Vec<Value> =
        frames.until(|frame| frame.id == end).await.into_iter().map(|frame| frame.data).collect();
    (turn, format!("{}{}", json!(heard), json!(streamed)))
}

/// Everything in the data folder except the token file.
fn left_behind(folder: &Path) -> String {
    let files = ["journal.db", "journal.db-wal", "log"];
    let bytes = files.map(|name| std::fs::read(folder.join(name)).unwrap_or_default());
    assert!(!bytes[0].is_empty() && !bytes[2].is_empty(), "there is a journal and a log");
    String::from_utf8_lossy(&bytes.concat()).into_owned()
}

#[tokio::test]
async fn in_the_users_message() {
    let model = ModelServer::start().await;
    let program = logging("in_the_users_message", &model, "http://127.0.0.1:9/");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let message = format!("Which of these is stale: {PROVIDER}, {TOKEN} or {USERS}?");
    let (turn, heard) = overheard(&server, &session, &message).await;
    assert_eq!(turn["status"], "completed");
    assert_clean("the streams", &heard);
    assert_clean("the turn", &turn.to_string());
    assert_clean("the request", &last(&model).raw().to_string());
    assert!(last(&model).last_user().starts_with("Which of these is stale: ["), "{}", last(&model).last_user());
    assert_clean("the export", &rest.text(&format!("/api/v1/sessions/{session}/export")).await);
    let view = rest.get("/api/v1/sessions").await.ok();
    assert_clean("the session's title", &view.to_string());
    server.stop().await;
    assert_clean("the data folder", &left_behind(program.folder()));
}

#[tokio::test]
async fn in_the_models_words_however_they_are_cut() {
    let model = ModelServer::start().await;
    let program = logging("in_the_models_words", &model, "http://127.0.0.1:9/");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for size in [1, 3, 7] {
        let text = format!("Well: {PROVIDER} and {TOKEN} and {USERS}, that is all.");
        let chunks: Vec<String> =
            text.as_bytes().chunks(size).map(|chunk| String::from_utf8(chunk.to_vec()).unwrap()).collect();
        model.push(Reply::text("").chunks(chunks));
        let (turn, heard) = overheard(&server, &session, &format!("Tell me {size} things.")).await;
        assert_clean("the streams", &heard);
        let said = turn["text"].as_str().unwrap();
        assert!(said.starts_with("Well: [") && said.ends_with(", that is all."), "{said}");
    }
    told(&rest, &session, json!({ "message": "And what did you say before?" })).await;
    assert_clean("the next request", &last(&model).raw().to_string());
    assert_clean("the export", &rest.text(&format!("/api/v1/sessions/{session}/export")).await);
    server.stop().await;
    assert_clean("the data folder", &left_behind(program.folder()));
}

#[tokio::test]
async fn in_the_models_reasoning() {
    let model = ModelServer::start().await;
    let program = logging("in_the_reasoning", &model, "http://127.0.0.1:9/");
    let server = program.start().await;
    let session = server.rest().session().await;
    let thought = format!("They gave me {PROVIDER} and {TOKEN} and {USERS} to think about. ");
    model.push(Reply::reasoning(thought).then_text("I have thought about it."));
    let (turn, heard) = overheard(&server, &session, "Think about it, please.").await;
    assert!(heard.contains("agent.thinking") && turn["response"]["reasoning_summary"].is_string(), "{turn}");
    assert_clean("the streams", &heard);
    assert_clean("the turn", &turn.to_string());
    server.stop().await;
    assert_clean("the data folder", &left_behind(program.folder()));
}

#[tokio::test]
async fn in_what_else_a_client_sends() {
    let model = ModelServer::start().await;
    let program = logging("in_what_else", &model, "http://127.0.0.1:9/");
    let server = program.start().await;
    let rest = server.rest();
    let secrets = ALL.join(" ");
    let session = session_with(&rest, json!({ "preferences": { "note": secrets } })).await;
    let hints = json!({ "focus_areas": [secrets], "prefer_tools": [secrets] });
    let turn = told(&rest, &session, json!({ "message": "Look at the keys.", "planner_hints": hints })).await;
    assert_eq!(turn["status"], "completed");
    assert_clean("the request", &last(&model).raw().to_string());
    let words: String = secrets.replace(' ', "%20");
    model.push(Reply::hang());
    let open = rest.send(&session, "And then wait.").await;
    rest.post(&format!("/api/v1/turns/{open}/cancel?reason={words}"), json!({})).await.ok();
    assert_clean("the export", &rest.text(&format!("/api/v1/sessions/{session}/export")).await);
    server.stop().await;
    assert_clean("the data folder", &left_behind(program.folder()));
}

#[tokio::test]
async fn in_a_tools_result_short_or_long() {
    for (test, more) in [("in_a_short_result", 0), ("in_a_long_result", 2_000)] {
        let body = format!("{PROVIDER} {} {TOKEN} {} {USERS}", "and so on ".repeat(more), "and on ".repeat(more));
        let tool = tattling(body).await;
        let model = ModelServer::start().await;
        let program = logging(test, &model, &tool);
        let server = program.start().await;
        let rest = server.rest();
        let session = rest.session().await;
        model.push(Reply::tool_calls([ToolCall::new("c1", "tattle", "{}")]));
        let (turn, heard) = overheard(&server, &session, "What does the tool know?").await;
        assert_eq!(steps(&turn, "tool_result")[0]["status"], "ok", "{turn}");
        assert_clean("the streams", &heard);
        assert_clean("the model's next request", &last(&model).raw().to_string());
        assert_clean("the export", &rest.text(&format!("/api/v1/sessions/{session}/export")).await);
        let artifact = steps(&turn, "tool_result")[0]["artifact_id"].as_str();
        assert_eq!(artifact.is_some(), more > 0);
        if let Some(id) = artifact {
            let whole = rest.text(&format!("/api/v1/artifacts/{id}")).await;
            assert!(whole.len() > 20_000, "{}", whole.len());
            assert_clean("the artifact", &whole);
        }
        server.stop().await;
        assert_clean("the data folder", &left_behind(program.folder()));
    }
}

#[tokio::test]
async fn in_the_arguments_of_a_call() {
    let model = ModelServer::start().await;
    let program = logging("in_the_arguments", &model, "http://127.0.0.1:9/");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let content = format!("keys: {PROVIDER}, {TOKEN}, {USERS}");
    let save = ToolCall::new("c1", "artifact_save", json!({ "name": "keys.txt", "content": content }));
    let pin = ToolCall::new("c2", "pin", json!({ "key": "keys", "text": content }));
    model.push(Reply::tool_calls([save, pin]));
    let (turn, heard) = overheard(&server, &session, "Save the keys somewhere safe.").await;
    assert_eq!(steps(&turn, "tool_result").len(), 2);
    assert_clean("the streams", &heard);
    assert_clean("the request", &last(&model).raw().to_string());
    let id = turn["response"]["artifacts"][0].as_str().unwrap();
    let saved = rest.text(&format!("/api/v1/artifacts/{id}")).await;
    assert!(saved.starts_with("keys: ["), "{saved}");
    assert_clean("the artifact", &saved);
    server.stop().await;
    assert_clean("the data folder", &left_behind(program.folder()));
}

#[tokio::test]
async fn in_what_a_provider_says_of_its_failure() {
    let model = ModelServer::start().await;
    let program = logging("in_a_failure", &model, "http://127.0.0.1:9/");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let words = format!("the key {PROVIDER} is wrong, and so is {USERS}");
    model.push(Reply::status(500).error_message(words.clone()));
    model.push(Reply::status(401).error_message(words));
    let turn = told(&rest, &session, json!({ "message": "Is anybody there?" })).await;
    assert_eq!(turn["status"], "failed");
    assert_clean("the turn", &turn.to_string());
    assert_clean("the export", &rest.text(&format!("/api/v1/sessions/{session}/export")).await);
    server.stop().await;
    assert_clean("the data folder", &left_behind(program.folder()));
}

#[tokio::test]
async fn in_the_settings_that_are_shown() {
    let model = ModelServer::start().await;
    let program = logging("in_the_settings", &model, "http://127.0.0.1:9/").with("ANTHROPIC_API_KEY", USERS);
    for arguments in [&["config"][..], &["config", "--json"]] {
        let shown = program.run(arguments).await;
        assert!(shown.code() == 0 && shown.stdout.contains("not shown"), "{}", shown.stdout);
        assert_clean("the settings", &shown.stdout);
    }
    let server = program.start().await;
    assert_clean("the greeting", &server.greeting().join("\n"));
    let page = server.rest().get("/api/v1/config").await.ok().to_string();
    assert!(page.contains("not shown"), "{page}");
    assert_clean("the settings over REST", &page);
}
