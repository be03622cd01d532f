//! Export and import of sessions, as messages in other programs' formats and as journals.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, RestClient};

use crate::{
    harness::{ToolHarness, calls, harness, last, told},
    owners::add,
    started,
};

const FORMATS: [&str; 3] = ["openai", "langchain", "langgraph"];

async fn export(rest: &RestClient, session: &str, format: &str) -> Value {
    rest.get(&format!("/api/v1/sessions/{session}/export?format={format}")).await.ok()
}

/// Imports a conversation; returns the new session.
async fn import(rest: &RestClient, query: &str, body: &Value) -> Value {
    rest.post(&format!("/api/v1/sessions/import?{query}"), body.clone()).await.ok()
}

fn id(session: &Value) -> &str {
    session["session_id"].as_str().unwrap()
}

/// The messages of an export without their ids, which differ in a new session.
fn messages(written: &Value) -> Vec<Value> {
    let list = written.as_array().or_else(|| written["messages"].as_array()).unwrap();
    let unnamed = |message: &Value| {
        let mut message = message.clone();
        let fields = if message["data"].is_object() { &mut message["data"] } else { &mut message };
        fields.as_object_mut().unwrap().remove("id");
        if let Some(own) = fields["additional_kwargs"]["dwell"].as_object_mut() {
            own.remove("turn_id");
        }
        message
    };
    list.iter().map(unnamed).collect()
}

/// The messages and calls of a request, without the text that Dwell adds around them.
fn conversation(request: &testkit::Request) -> Vec<String> {
    let messages = request.messages().iter().filter(|message| message["role"] != "system");
    messages
        .map(|message| {
            let calls = message["tool_calls"].as_array().map(|calls| calls[0]["function"].to_string());
            format!("{} {}{}", message["role"].as_str().unwrap(), message["content"], calls.unwrap_or_default())
        })
        .collect()
}

#[tokio::test]
async fn a_session_goes_out_and_comes_in_the_same_in_every_format() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let session = rest.post("/api/v1/sessions", json!({ "preferences": { "instructions": "Be brief." } })).await.ok();
    let session = id(&session);
    harness.model.push(calls("c1", "look_up", "maple"));
    harness.model.push(Reply::text("A tree."));
    told(&rest, session, json!({ "message": "What is a maple?" })).await;
    harness.model.push(Reply::text("Red, in autumn."));
    told(&rest, session, json!({ "message": "What colour is it?" })).await;
    for format in FORMATS {
        let first = export(&rest, session, format).await;
        let copy = import(&rest, &format!("format={format}"), &first).await;
        assert_ne!(id(&copy), session);
        assert_eq!((&copy["owner"], &copy["imported"]["format"]), (&json!("owner"), &json!(format)));
        assert_eq!(copy["settings"]["preferences"]["instructions"], "Be brief.");
        assert_eq!(messages(&export(&rest, id(&copy), format).await), messages(&first), "{format}");
    }
    let openai = export(&rest, session, "openai").await;
    let roles: Vec<_> = openai.as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]);
    let state = export(&rest, session, "langgraph").await;
    assert_eq!(
        (&state["conversation_id"], &state["config"]["configurable"]["thread_id"]),
        (&json!(session), &json!(session))
    );
}

#[tokio::test]
async fn the_next_turn_is_told_what_was_taken_in() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let history = json!([
        { "role": "system", "content": "Answer like a pirate." },
        { "role": "user", "content": "My boat is called Swallow." },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "register", "arguments": "{\"boat\":\"Swallow\"}" } },
            { "id": "c2", "type": "function", "function": { "name": "paint", "arguments": "{}" } },
        ] },
        { "role": "tool", "tool_call_id": "c1", "content": "Registered under 4711." },
        { "role": "assistant", "content": "Aye, the Swallow!" },
    ]);
    let session = import(&rest, "format=openai&conversation_id=boats", &history).await;
    assert_eq!((&session["key"], &session["stats"]["turns"]), (&json!("boats"), &json!(1)));
    assert!(model.requests().is_empty(), "nothing is asked and nothing is run");
    model.push(Reply::text("Swallow, it be."));
    told(&rest, id(&session), json!({ "message": "What is my boat called?" })).await;
    let request = last(&model);
    let system = request.messages()[0]["content"].as_str().unwrap();
    assert!(system.contains("Answer like a pirate."), "{system}");
    let told = conversation(&request).join("\n");
    for words in ["My boat is called Swallow.", "Registered under 4711.", "without the result", "Aye, the Swallow!"] {
        assert!(told.contains(words), "{words} is missing in {told}");
    }
    assert_eq!(model.violations(), Vec::<String>::new(), "and it is a conversation that a provider takes");
}

#[tokio::test]
async fn what_was_taken_in_is_remembered_with_its_own_times() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let said = |kind: &str, content: &str, at: &str| json!({ "type": kind, "data": { "content": content, "additional_kwargs": { "dwell": { "at": at } } } });
    let history = json!([
        said("human", "My sister Ines lives in Lisbon.", "2024-05-01T10:00:00Z"),
        said("ai", "Noted.", "2024-05-01T10:00:05Z"),
    ]);
    import(&rest, "format=langchain", &history).await;
    let settled = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!(settled["consistent"], true, "{settled}");
    let found = rest.post("/api/v1/memories/search", json!({ "query": "Where does Ines live?" })).await.ok();
    let items = found["items"].as_array().unwrap();
    let entry = items.iter().find(|item| item["level"] == "entry").unwrap_or_else(|| panic!("{found}"));
    assert!(entry.to_string().contains("Lisbon") && entry.to_string().contains("2024-05-01T10:00:00"), "{entry}");
}

#[tokio::test]
async fn the_same_is_taken_in_once_under_a_key_or_a_name() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let history = json!([{ "role": "user", "content": "Hello" }, { "role": "assistant", "content": "Hi" }]);
    let other = json!([{ "role": "user", "content": "Goodbye" }]);
    let keyed = async |body: &Value, key: &str| {
        let path = "/api/v1/sessions/import?format=openai";
        rest.call(Method::POST, path, Some(body.clone()), &[("idempotency-key", key)]).await
    };
    let first = keyed(&history, "k1").await.ok();
    assert_eq!(keyed(&history, "k1").await.ok()["session_id"], first["session_id"]);
    assert_ne!(keyed(&history, "k2").await.ok()["session_id"], first["session_id"]);
    assert_eq!(keyed(&other, "k1").await.code(409), "name_conflict");
    let named = import(&rest, "format=openai&conversation_id=hello", &history).await;
    assert_eq!(import(&rest, "format=openai&conversation_id=hello", &history).await["session_id"], named["session_id"]);
    let taken = rest.post("/api/v1/sessions/import?format=openai&conversation_id=hello", other).await;
    assert_eq!(taken.code(409), "name_conflict");
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let fine = json!({ "role": "user", "content": "Hello" });
    for (query, body, words) in [
        ("format=openai", json!([fine, { "role": "robot", "content": "x" }]), "messages[1]: `robot` is not a role"),
        ("format=openai", json!([fine, { "role": "tool", "content": "x", "tool_call_id": "c9" }]), "messages[1]: "),
        (
            "format=openai",
            json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "data:text/html;base64,eA==" } }] }]),
            "messages[0]: `text/html`",
        ),
        ("format=langgraph", json!({ "state": [] }), "`messages`"),
        ("format=ndjson", json!({ "role": "user" }), "line 1: it is not an event"),
        ("format=yaml", json!([]), "format"),
        ("colour=red", json!([]), "colour"),
    ] {
        let answer = rest.post(&format!("/api/v1/sessions/import?{query}"), body).await;
        assert_eq!(answer.code(400), "invalid_request");
        let message = answer.body["message"].as_str().unwrap();
        assert!(message.contains(words), "{message} for {words}");
    }
    assert_eq!(rest.get("/api/v1/sessions").await.ok()["data"], json!([]), "and nothing is made of it");
}

#[tokio::test]
async fn the_websocket_exports_and_imports_too() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("Hi."));
    told(&rest, &session, json!({ "message": "Hello" })).await;
    let mut socket = server.socket().await;
    let whole = socket.ask("session.export", json!({ "session_id": session })).await.unwrap();
    assert_eq!(whole["events"][0]["type"], "session.started");
    let given = socket.ask("session.export", json!({ "session_id": session, "format": "langchain" })).await.unwrap();
    assert_eq!((&given["format"], &given["data"][0]["type"]), (&json!("langchain"), &json!("human")));
    let asked = json!({ "format": "langchain", "text": given["data"].to_string(), "conversation_id": "copy" });
    let copy = socket.ask("session.import", asked).await.unwrap();
    assert_eq!((&copy["key"], &copy["stats"]["turns"]), (&json!("copy"), &json!(1)));
    let wrong = socket.ask("session.import", json!({ "format": "openai", "text": "[7]" })).await.unwrap_err();
    assert!(wrong["message"].as_str().unwrap().contains("messages[0]"), "{wrong}");
}

#[tokio::test]
async fn secrets_stay_outside() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let history = json!([{ "role": "user", "content": format!("My key is {secret}.") }]);
    let session = import(&rest, "format=openai", &history).await;
    let written = export(&rest, id(&session), "openai").await;
    assert!(!written.to_string().contains(secret), "{written}");
    for entry in std::fs::read_dir(program.folder()).unwrap() {
        let path = entry.unwrap().path();
        let holds = path.is_file() && String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(secret);
        assert!(!holds, "{} holds the secret", path.display());
    }
}

/// A session that has saved an artifact, and the turn that did it.
async fn with_a_plan() -> (ToolHarness, String, Value) {
    let harness = harness().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let save =
        testkit::ToolCall::new("c1", "artifact_save", json!({ "name": "plan.md", "content": "Plant the maple." }));
    harness.model.push(Reply::tool_calls([save]));
    harness.model.push(Reply::text("Saved."));
    let turn = told(&rest, &session, json!({ "message": "Keep the plan." })).await;
    (harness, session, turn)
}

#[tokio::test]
async fn a_journal_moves_to_another_server_with_its_ids_and_artifacts() {
    let (harness, session, turn) = with_a_plan().await;
    let folder = harness.program.folder().join("out");
    let to = format!("{}/", folder.display());
    let done = harness.program.run(&["export", &session, "--to", &to]).await;
    assert_eq!(done.code(), 0, "{}", done.stderr);
    let turn_id = turn["turn_id"].as_str().unwrap();
    for file in ["session.json", "journal.ndjson", "messages.jsonl", "artifacts/index.json"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let log = std::fs::read_to_string(folder.join(format!("logs/{turn_id}.log"))).unwrap();
    assert!(log.lines().any(|line| line.contains("\"tool_result\"")), "{log}");
    assert!(folder.join(format!("turns/{turn_id}.json")).is_file());
    let said = std::fs::read_to_string(folder.join("messages.jsonl")).unwrap();
    let said: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&said[0]["type"], &said[0]["source"], &said[1]["content"]),
        (&json!("user"), &json!("main"), &json!("Saved."))
    );

    let (model, elsewhere, server) = started().await;
    let taken = elsewhere.run(&["import", folder.to_str().unwrap(), "--name", "moved", "--json"]).await;
    assert_eq!(taken.code(), 0, "{}", taken.stderr);
    let taken: Value = serde_json::from_str(&taken.stdout).unwrap();
    assert_eq!((id(&taken), &taken["key"]), (session.as_str(), &json!("moved")), "its id is free there");
    let there = server.rest();
    assert_eq!(there.get(&format!("/api/v1/turns/{turn_id}")).await.ok()["text"], "Saved.");
    let kept = there.get(&format!("/api/v1/sessions/{session}/artifacts")).await.ok();
    let artifact = kept["data"][0]["artifact_id"].as_str().unwrap();
    assert_eq!(there.text(&format!("/api/v1/artifacts/{artifact}")).await, "Plant the maple.");
    model.push(Reply::text("Yes."));
    told(&there, &session, json!({ "message": "Do you have it?" })).await;
    assert!(conversation(&last(&model)).join("\n").contains("Keep the plan."));
}

#[tokio::test]
async fn a_journal_that_is_there_comes_in_beside_it_and_is_the_importers() {
    let (harness, session, _) = with_a_plan().await;
    let rest = harness.server.rest();
    let file = harness.program.folder().join("session.ndjson");
    let file = file.to_str().unwrap();
    harness.program.run(&["export", &session, "--to", file]).await;
    let ada = add(&harness.program, "ada").await;
    let taken = harness.program.command(&["import", file, "--json"]).env("DWELL_TOKEN", &ada).output().await.unwrap();
    let taken: Value = serde_json::from_slice(&taken.stdout).unwrap();
    assert_ne!(id(&taken), session);
    assert_eq!((&taken["owner"], &taken["imported"]["session_id"]), (&json!("ada"), &json!(session)));
    let hers = harness.server.rest_as(Some(&ada));
    let kept = hers.get(&format!("/api/v1/sessions/{}/artifacts", id(&taken))).await.ok();
    let artifact = kept["data"][0]["artifact_id"].as_str().unwrap();
    assert_eq!(hers.text(&format!("/api/v1/artifacts/{artifact}")).await, "Plant the maple.");
    assert_eq!(rest.get(&format!("/api/v1/artifacts/{artifact}")).await.status, 404, "each has their own");
    let turns = hers.get(&format!("/api/v1/sessions/{}/turns", id(&taken))).await.ok();
    assert!(turns.to_string().contains(artifact), "what is said of it names the copy");
}

#[tokio::test]
async fn the_command_line_writes_and_finds_out_every_format() {
    let (model, program, _server) = started().await;
    model.push(Reply::text("Hi."));
    program.run(&["ask", "--session", "hello", "Hello"]).await;
    for format in ["ndjson", "openai", "langchain", "langgraph"] {
        let file = program.folder().join(format!("hello.{format}"));
        let file = file.to_str().unwrap();
        let written = program.run(&["export", "hello", "--format", format, "--to", file]).await;
        assert_eq!(written.code(), 0, "{}", written.stderr);
        let taken = program.run(&["import", file]).await;
        assert!(taken.stdout.contains("1 turns") && taken.stdout.contains(format), "{} {}", taken.stdout, taken.stderr);
    }
    let printed = program.run(&["export", "hello", "--format", "openai"]).await.stdout;
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed[1], json!({ "role": "assistant", "content": "Hi." }));
    assert_eq!(program.run(&["export", "hello", "--format", "yaml"]).await.code(), 2);
    assert_eq!(program.run(&["export", "nobody"]).await.code(), 1);
    assert_eq!(program.run(&["import", program.folder().to_str().unwrap()]).await.code(), 1);
}
