//! Forgotten text is gone: from search, lists, exports, sessions and the bytes of every file.

use std::{fs, path::Path, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RestClient, RunningServer, ToolCall};

use super::{entry, events, exchange, line, memory, memory_of, search, settled, texts};
use crate::{
    harness::{calls, harness},
    started,
};

/// The places where a text can still be read: over the APIs and in the files.
pub(super) async fn traces(rest: &RestClient, program: &Program, words: &str) -> Vec<String> {
    let mut seen = Vec::new();
    let sessions = rest.get("/api/v1/sessions?limit=100").await.ok();
    let mut paths = vec![
        "/api/v1/memories?history=true&limit=100".to_owned(),
        "/api/v1/memories/export".to_owned(),
        "/api/v1/profile".to_owned(),
        "/api/v1/sessions?limit=100".to_owned(),
        "/api/v1/approvals".to_owned(),
    ];
    for session in sessions["data"].as_array().unwrap() {
        let own = format!("/api/v1/sessions/{}", session["session_id"].as_str().unwrap());
        let parts = ["", "/turns?limit=100", "/events?limit=1000", "/export", "/artifacts"];
        paths.extend(parts.map(|part| format!("{own}{part}")));
        let artifacts = rest.get(&format!("{own}/artifacts")).await.ok();
        let ids = artifacts["data"].as_array().unwrap().iter().map(|it| it["artifact_id"].as_str().unwrap().to_owned());
        paths.extend(ids.map(|id| format!("/api/v1/artifacts/{id}")));
    }
    for path in paths {
        let text = rest.text(&path).await;
        seen.extend(text.contains(words).then_some(path));
    }
    let found = search(rest, json!({ "query": words, "limit": 100 })).await;
    seen.extend(texts(&found).iter().filter(|text| text.contains(words)).map(|text| format!("search: {text}")));
    in_files(program.folder(), words, &mut seen);
    seen
}

/// The files below a folder that contain a text.
fn in_files(folder: &Path, words: &str, seen: &mut Vec<String>) {
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            in_files(&path, words, seen);
            continue;
        }
        // The write-ahead log may disappear at any moment.
        let bytes = fs::read(&path).unwrap_or_default();
        if bytes.windows(words.len()).any(|window| window == words.as_bytes()) {
            seen.push(path.display().to_string());
        }
    }
}

/// Checks that nothing is left of a text, now and after a kill.
async fn assert_gone(server: RunningServer, program: &Program, words: &str) {
    assert_eq!(traces(&server.rest(), program, words).await, [""; 0], "{words}");
    server.kill().await;
    let server = program.start().await;
    settled(&server.rest()).await;
    assert_eq!(traces(&server.rest(), program, words).await, [""; 0], "{words}, after a restart");
}

async fn forget(rest: &RestClient, body: Value) -> Value {
    rest.post("/api/v1/memories/forget", body).await.ok()
}

/// The oldest entry with this text.
pub(super) async fn entry_of(rest: &RestClient, words: &str) -> Value {
    settled(rest).await;
    let listed = rest.get("/api/v1/memories?level=entry&limit=100").await.ok();
    let mut items = listed["items"].as_array().unwrap().iter();
    items.rfind(|item| item["text"].as_str().unwrap().contains(words)).unwrap()["id"].clone()
}

/// Answers word by word, slowly enough that the text is journaled in several records.
fn slow_echo(model: &ModelServer) {
    model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(60)));
}

#[tokio::test]
async fn a_message_is_gone_from_everywhere_it_was_told() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    slow_echo(&model);
    let session = rest.session().await;
    exchange(&rest, &session, "The spare key lies under the azurepot.").await;
    exchange(&rest, &session, "Do you know where the spare key is?").await;
    let other = rest.session().await;
    exchange(&rest, &other, "Where does the spare key lie?").await;
    let id = entry_of(&rest, "azurepot").await;
    let tokens = events(&rest.log(&session).await, "chat.token").len();
    assert!(tokens > 2, "the text went out in {tokens} pieces");
    assert!(traces(&rest, &program, "azurepot").await.len() >= 8, "until then it is in many places");

    let path = format!("/api/v1/memories/{}", id.as_str().unwrap());
    let gone = rest.call(Method::DELETE, &path, None, &[]).await.ok();
    assert!(gone["items"].as_array().unwrap().contains(&id), "{gone}");
    assert!(gone["sessions"].as_array().unwrap().contains(&json!(session)) && gone["records"].as_u64().unwrap() > 0);
    assert_eq!(rest.call(Method::DELETE, &path, None, &[]).await.code(404), "not_found", "a second time");
    let said = rest.log(&session).await;
    assert_eq!(events(&said, "message.accepted").len(), 2, "the record is there, its words are not");
    assert_gone(server, &program, "azurepot").await;
}

#[tokio::test]
async fn all_under_a_key_is_gone_with_its_history_and_the_words_it_was_read_off() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "My locker number is 118quux.").await;
    exchange(&rest, &session, "My locker number is 204quux now.").await;
    settled(&rest).await;
    let known = rest.get("/api/v1/memories?level=profile,fact&history=true").await.ok();
    let key = known["items"][0]["key"].as_str().unwrap().to_owned();
    assert_eq!(known["items"].as_array().unwrap().len(), 2, "{known}");
    forget(&rest, json!({ "key": key })).await;
    assert_eq!(traces(&rest, &program, "118quux").await, [""; 0]);

    line(&rest, "safe", "leftquux").await;
    line(&rest, "safe", "rightquux").await;
    let fresh = rest.session().await;
    exchange(&rest, &fresh, "What do you know of me?").await;
    rest.call(Method::DELETE, "/api/v1/profile/safe", None, &[]).await.ok();
    assert_gone(server, &program, "quux").await;
}

#[tokio::test]
async fn words_are_gone_and_what_stood_around_them_stays() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    slow_echo(&model);
    let session = rest.session().await;
    exchange(&rest, &session, "The gate squeaks. It opens with the number 4471quux after dark. The lamp is new.").await;
    let vault = memory(&rest).await;
    entry(&rest, &vault, 3, "Wrote down: it opens with the number 4471quux. Bought milk.").await;
    forget(&rest, json!({ "text": "it opens with the number 4471quux" })).await;
    let left = rest.get("/api/v1/memories?level=entry&limit=100").await.ok();
    let text = rest.text(&format!("/api/v1/sessions/{session}/export")).await;
    assert!(text.contains("The gate squeaks.") && text.contains("after dark. The lamp is new."), "{text}");
    assert!(left.to_string().contains("Bought milk."), "{left}");
    assert!(!left.to_string().contains("opens with"), "{left}");
    assert_gone(server, &program, "4471quux").await;
}

#[tokio::test]
async fn a_whole_conversation_is_gone_from_memory_and_from_its_session() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for place in ["attic", "cellar", "garden"] {
        exchange(&rest, &session, &format!("The {place} is painted by Okonkquux.")).await;
    }
    let path = memory_of(&rest, &session).await;
    assert!(rest.text(&format!("{path}/contexts/latest")).await.contains("Okonkquux"));
    let own = rest.get(&path).await.ok();
    let gone = forget(&rest, json!({ "memory_id": own["memory_id"] })).await;
    assert!(gone["items"].as_array().unwrap().len() >= 7, "six messages and their summary: {gone}");
    assert_eq!(rest.get(&path).await.code(404), "not_found");
    assert_gone(server, &program, "Okonkquux").await;
}

#[tokio::test]
async fn a_summary_forgets_with_what_it_sums_up() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for message in ["The painter is called Okonkquux.", "The roses opened early.", "The gate needs oil."] {
        exchange(&rest, &session, message).await;
    }
    let path = memory_of(&rest, &session).await;
    exchange(&rest, &session, "Shall we go on?").await;
    let log = rest.log(&session).await;
    assert!(events(&log, "memory.summary_created")[0].to_string().contains("Okonkquux"));
    let id = entry_of(&rest, "The painter is").await;
    forget(&rest, json!({ "ids": [id] })).await;
    let left = rest.get(&format!("{path}/contexts/latest")).await;
    assert!(left.status == 404 || !left.body.to_string().contains("Okonkquux"), "{}", left.body);
    assert!(rest.text(&format!("{path}/entries")).await.contains("The gate needs oil."), "the rest stays");
    assert_gone(server, &program, "Okonkquux").await;
}

#[tokio::test]
async fn an_artifact_with_the_words_is_gone() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let content = format!("A long list.\n{}\nThe painter is called Okonkquux.\n", "nothing here\n".repeat(2_000));
    let save = ToolCall::new("c1", "artifact_save", json!({ "name": "list.txt", "content": content }));
    harness.model.push(Reply::tool_calls([save]));
    harness.model.push(Reply::text("Saved."));
    let turn = exchange(&rest, &session, "Save the list for me.").await;
    let id = turn["response"]["artifacts"][0].as_str().unwrap().to_owned();
    harness.model.push(calls("c2", "look_at_sky", "where the painter is called Okonkquux"));
    harness.model.push(Reply::text("Grey."));
    exchange(&rest, &session, "Look at the sky.").await;
    let gone = forget(&rest, json!({ "text": "The painter is called Okonkquux." })).await;
    assert_eq!(gone["artifacts"], 1, "{gone}");
    assert_eq!(rest.get(&format!("/api/v1/artifacts/{id}")).await.code(404), "not_found");
    forget(&rest, json!({ "text": "Okonkquux" })).await;
    assert_gone(harness.server, &harness.program, "Okonkquux").await;
}

#[tokio::test]
async fn a_message_too_large_for_its_record_is_gone_too() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    model.respond_with(|_| Reply::text("A long letter."));
    let letter = |name: &str| {
        let lines: Vec<String> = (0..900).map(|line| format!("Line {line} of the letter.")).collect();
        format!("{}\nYours, {name}\n{}", lines[..450].join("\n"), lines[450..].join("\n"))
    };
    let session = rest.session().await;
    assert!(letter("Okonkquux").len() > 16 * 1024);
    exchange(&rest, &session, &letter("Okonkquux")).await;
    exchange(&rest, &session, &letter("Abernaquux")).await;
    let id = entry_of(&rest, "Okonkquux").await;
    forget(&rest, json!({ "ids": [id] })).await;
    forget(&rest, json!({ "text": "Yours, Abernaquux" })).await;
    assert!(rest.text(&format!("/api/v1/sessions/{session}/export")).await.contains("Line 449 of the letter."));
    assert_eq!(traces(&rest, &program, "Okonkquux").await, [""; 0]);
    assert_gone(server, &program, "Abernaquux").await;
}
