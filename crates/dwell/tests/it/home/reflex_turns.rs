//! Reflex turns are ordinary turns: they are in the journal, in memory and in the statistics, and
//! the home keeps its state.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{at_home, reflex, say, shopping, state};
use crate::program_with_home;

/// The events of one type, in order.
fn events<'a>(log: &'a [Value], kind: &str) -> Vec<&'a Value> {
    log.iter().filter(|event| event["type"] == kind).collect()
}

#[tokio::test]
async fn the_home_is_after_a_restart_as_it_was_left() {
    let (program, mut server) = at_home().await;
    let session = server.rest().session().await;
    for message in ["turn on guest mode", "set the ceiling fan to 50%", "add cheese to the shopping list"] {
        reflex(&say(&server.rest(), &session, message).await);
    }
    for is_polite in [true, false] {
        if is_polite {
            server.stop().await;
        } else {
            server.kill().await;
        }
        server = program.start().await;
        let rest = server.rest();
        assert_eq!(state(&rest, "input_boolean.guest_mode").await.as_deref(), Some("on"));
        assert_eq!(state(&rest, "fan.living_room").await.as_deref(), Some("on"));
        assert!(shopping(&program).iter().any(|item| item == "cheese"), "{:?}", shopping(&program));
    }
    let rest = server.rest();
    let turn = say(&rest, &session, "is the ceiling fan on?").await;
    assert!(reflex(&turn).starts_with("Yes"), "{turn}");
}

#[tokio::test]
async fn the_next_sentence_leans_on_one_from_before_a_restart() {
    let (program, server) = at_home().await;
    let session = server.rest().session().await;
    say(&server.rest(), &session, "turn on the floor lamp").await;
    server.kill().await;
    let server = program.start().await;
    let turn = say(&server.rest(), &session, "and now off again").await;
    assert!(reflex(&turn).starts_with("Turned off Floor lamp."), "{turn}");
}

#[tokio::test]
async fn statistics_count_reflexes() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    for message in ["turn on the floor lamp", "is the floor lamp on?", "turn off the floor lamp"] {
        reflex(&say(&rest, &session, message).await);
    }
    say(&rest, &session, "Write me a poem about rain.").await;
    let stats = rest.get("/api/v1/stats").await.ok();
    assert_eq!((&stats["ways"]["reflex"], &stats["totals"]["turns"]), (&json!(3), &json!(4)), "{stats}");
    assert_eq!(stats["tools"]["call_service"]["calls"], 2, "{stats}");
    let view = rest.get(&format!("/api/v1/sessions/{session}")).await.ok();
    assert_eq!(view["stats"]["turns"], 4, "{view}");
}

#[tokio::test]
async fn statistics_count_questions_back_too() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let turn = say(&rest, &rest.session().await, "turn on the lights").await;
    assert_eq!(turn["reason"], "clarification_needed", "{turn}");
    assert_eq!(turn["response"]["model"], "reflex", "no model has asked that: {turn}");
    let stats = rest.get("/api/v1/stats").await.ok();
    assert_eq!(stats["models"], json!({}), "{stats}");
}

#[tokio::test]
async fn the_journal_and_the_export_have_all_of_it() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = say(&rest, &session, "turn on the floor lamp").await;
    let log = rest.log(&session).await;
    for (event, seq) in log.iter().zip(1u64..) {
        assert_eq!(event["seq"], seq);
    }
    assert_eq!(events(&log, "message.accepted")[0]["data"]["message"], "turn on the floor lamp");
    let kinds: Vec<&Value> = events(&log, "step").iter().map(|step| &step["data"]["type"]).collect();
    assert_eq!(kinds, ["plan", "tool_call", "tool_result"]);
    assert_eq!(events(&log, "chat.final")[0]["data"]["message"], turn["text"]);
    let understood =
        events(&log, "turn.stage").into_iter().find(|stage| stage["data"]["stage"] == "understand").unwrap();
    assert_eq!(understood["data"]["detail"]["by"], "reflex", "{understood}");
    assert!(events(&log, "entities.base").is_empty(), "no prompt had to describe the home");
    let turns = rest.get(&format!("/api/v1/sessions/{session}/turns")).await.ok();
    assert_eq!(turns["data"][0]["text"], turn["text"]);
}

#[tokio::test]
async fn memory_finds_what_was_done() {
    let models = embedding_model();
    let program = match models.is_dir() {
        true => program_with_home().with("DWELL_MEMORY_EMBEDDING_DIR", models.to_str().unwrap()),
        false => program_with_home(),
    };
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let done = say(&rest, &session, "turn on the floor lamp").await;
    let poem = "Write me a poem about the floor lamp in the rain.";
    say(&rest, &session, poem).await;
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!(state["consistent"], true, "{state}");
    let found = rest.post("/api/v1/memories/search", json!({ "query": "floor lamp" })).await.ok();
    let texts: Vec<&str> = found["items"].as_array().unwrap().iter().filter_map(|item| item["text"].as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("turn on the floor lamp")), "{found}");
    let asked = json!({ "query": "floor lamp", "tags": { "answered_by": "reflex" } });
    let commands = rest.post("/api/v1/memories/search", asked).await.ok();
    let marked = commands["items"].as_array().unwrap();
    // A message that is stored before its turn has ended is not marked.
    assert!(marked.iter().any(|item| item["text"] == done["text"]), "{commands}");
    assert!(marked.iter().all(|item| item["text"] != poem), "{commands}");
    if models.is_dir() {
        let asked = json!({ "query": "turn on the floor lamp", "mode": "semantic" });
        let found = rest.post("/api/v1/memories/search", asked).await.ok();
        let items = found["items"].as_array().unwrap();
        let likeness = |text: &str| {
            let found = items.iter().find(|item| item["text"] == text);
            found.and_then(|item| item["score"]["semantic"].as_f64()).unwrap_or(0.0)
        };
        assert!(likeness(poem) > 0.2, "other messages are embedded: {found}");
        assert_eq!(likeness(reflex(&done)), 0.0, "commands are found by their words: {found}");
    }
}

#[allow(clippy::disallowed_methods, reason = "tests are told where the models are")]
fn embedding_model() -> PathBuf {
    let models = std::env::var_os("DWELL_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models"), PathBuf::from);
    models.join("all-minilm-l6-v2")
}
