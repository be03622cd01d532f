//! The home as its users see it: the simulated home, which is the default, and a real Home
//! Assistant where it is installed.

mod automations;
mod custom_sentences;
mod feed;
mod guarded;
mod killed;
mod prompt;
mod real;
mod reflex_turns;
mod settings;
mod simulated;
mod unreachable;
mod why;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Program, RestClient, RunningServer};

use crate::{
    harness::{steps, told},
    program_with_home,
};

/// The program with the simulated home and no language model.
async fn at_home() -> (Program, RunningServer) {
    let program = program_with_home();
    let server = program.start().await;
    (program, server)
}

/// Sends a message and waits for the end of its turn.
async fn say(rest: &RestClient, session: &str, message: &str) -> Value {
    told(rest, session, json!({ "message": message })).await
}

/// The answer of a turn that a reflex has handled.
#[track_caller]
fn reflex(turn: &Value) -> &str {
    assert_eq!((&turn["status"], &turn["response"]["model"]), (&json!("completed"), &json!("reflex")), "{turn}");
    turn["text"].as_str().unwrap()
}

/// A message with which the offline model calls a service.
fn service(name: &str, target: &Value) -> String {
    let (domain, service) = name.split_once('.').unwrap();
    format!("call_service {}", json!({ "domain": domain, "service": service, "target": target }))
}

/// The status and the content of the only tool result of a turn.
#[track_caller]
fn outcome(turn: &Value) -> (&str, &str) {
    let results = steps(turn, "tool_result");
    assert_eq!(results.len(), 1, "{turn}");
    (results[0]["status"].as_str().unwrap(), results[0]["content"].as_str().unwrap())
}

/// The state of an entity, read by a tool in a new session; none if the home does not report it.
async fn state(rest: &RestClient, id: &str) -> Option<String> {
    let asked = format!("get_state {}", json!({ "entity_ids": [id] }));
    let turn = say(rest, &rest.session().await, &asked).await;
    let read: Value = serde_json::from_str(outcome(&turn).1).unwrap();
    let is_fresh = read.get("note").is_none_or(Value::is_null);
    read["states"][0]["state"].as_str().filter(|_| is_fresh).map(str::to_owned)
}

/// Waits until an entity has this state.
async fn until(rest: &RestClient, id: &str, wanted: &str) {
    let waiting = async {
        while state(rest, id).await.as_deref() != Some(wanted) {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    assert!(waited.is_ok(), "{id} does not become {wanted}");
}

/// The approval that a turn waits for.
async fn asked(rest: &RestClient, turn: &Value) -> Value {
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
    let open = rest.get("/api/v1/approvals").await.ok();
    let own = open["data"].as_array().unwrap().iter().find(|asked| asked["turn_id"] == turn["turn_id"]);
    own.unwrap_or_else(|| panic!("no approval is open: {open}")).clone()
}

/// Answers the approval of a turn; returns the turn after its end.
async fn decide(rest: &RestClient, turn: &Value, decision: &str) -> Value {
    let asked = asked(rest, turn).await;
    let path = format!("/api/v1/approvals/{}", asked["approval_id"].as_str().unwrap());
    rest.post(&path, json!({ "decision": decision, "digest": asked["digest"] })).await.ok();
    rest.ended(turn["turn_id"].as_str().unwrap()).await
}

/// The stored state of the simulated home.
fn kept(program: &Program) -> Value {
    let text = std::fs::read_to_string(program.folder().join("simulated-home.json")).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut kept = lines.next().unwrap();
    // Each call since then.
    for line in lines {
        for change in line["actions"].as_array().unwrap() {
            let actions = &mut kept["by_entity"][change[0].as_str().unwrap()];
            if actions.is_null() {
                *actions = json!([]);
            }
            actions.as_array_mut().unwrap().push(change[1].clone());
        }
        for change in line["lists"].as_array().unwrap() {
            kept["lists"][change[0].as_str().unwrap()] = change[1].clone();
        }
    }
    kept
}

/// How often an entity of the simulated home was changed.
fn deeds(program: &Program, id: &str) -> usize {
    kept(program)["by_entity"][id].as_array().map_or(0, Vec::len)
}

/// The summaries of the items on the shopping list.
fn shopping(program: &Program) -> Vec<String> {
    let kept = kept(program);
    let items = kept["lists"]["todo.shopping_list"].as_array().unwrap().iter();
    items.map(|item| item["summary"].as_str().unwrap().to_owned()).collect()
}
