//! The built-in tools, called by a model.

use protocol::{SessionId, TurnView};
use serde_json::{Value, json};

use crate::{harness::Harness, steps::results};

/// Makes the model make one call in a turn of its own. Returns its result and the ended turn.
async fn call(harness: &Harness, session: SessionId, tool: &str, arguments: Value) -> (Value, TurnView) {
    let turn = harness.say(session, "Please do what we spoke of.").await;
    harness.model.call().await.use_tools(&[("c1", tool, arguments)]);
    harness.model.call().await.answer("Done.");
    let turn = harness.ended(turn).await;
    let answer = serde_json::from_str(&results(&turn)[0].content).unwrap();
    (answer, turn)
}

/// The instructions in the next turn's prompt.
async fn next_system(harness: &Harness, session: SessionId) -> String {
    let turn = harness.say(session, "What do you keep in mind?").await;
    let call = harness.model.call().await;
    call.answer("This and that.");
    harness.ended(turn).await;
    call.prompt.system
}

#[tokio::test]
async fn the_calculator_calculates() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (answer, _) = call(&harness, session, "calculator", json!({ "expression": "17 * 23" })).await;
    assert_eq!(answer["value"], "391");
}

#[tokio::test]
async fn the_clock_tells_the_time() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (answer, turn) = call(&harness, session, "current_time", json!({ "time_zone": "UTC" })).await;
    let day = turn.created_at.to_string();
    assert!(answer["iso"].as_str().unwrap().starts_with(&day[..8]), "{answer}");
}

#[tokio::test]
async fn a_pin_is_told_to_every_later_turn_until_it_is_taken_away() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (pinned, turn) = call(&harness, session, "pin", json!({ "text": "The budget is 900." })).await;
    assert!(next_system(&harness, session).await.contains("The budget is 900."));
    let suggestions = turn.response.unwrap().suggestions;
    assert_eq!(suggestions, ["What did I ask you to remember?"]);

    let harness = harness.restart().await;
    assert!(next_system(&harness, session).await.contains("The budget is 900."), "also after a restart");

    call(&harness, session, "unpin", json!({ "key": pinned["key"] })).await;
    assert!(!next_system(&harness, session).await.contains("The budget is 900."));
}

#[tokio::test]
async fn an_artifact_is_saved_listed_and_read() {
    let harness = Harness::new();
    let session = harness.start().await;
    let poem = json!({ "name": "poem.txt", "content": "Roses are red." });
    let (saved, turn) = call(&harness, session, "artifact_save", poem).await;
    let (listed, _) = call(&harness, session, "artifact_list", json!({})).await;
    let (read, _) = call(&harness, session, "artifact_read", json!({ "name": "poem.txt" })).await;

    assert_eq!(listed["artifacts"][0]["name"], "poem.txt");
    assert_eq!(read["text"], "Roses are red.");
    let id = saved["artifact_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(harness.hub.artifact(&harness.ada, id).await.unwrap().1, b"Roses are red.");
    let response = turn.response.unwrap();
    assert_eq!((response.artifacts, response.suggestions), (vec![id], vec![format!("Show me artifact {id}.")]));
}
