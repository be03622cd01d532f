//! The tools of the house, called by a model.

use protocol::{SessionId, TurnView};
use serde_json::{Value, json};

use crate::{house::House, steps::results};

/// Lets the model make one call in a turn of its own; gives what came of it and the ended turn.
async fn call(house: &House, session: SessionId, tool: &str, arguments: Value) -> (Value, TurnView) {
    let turn = house.say(session, "Please do what we spoke of.").await;
    house.model.call().await.use_tools(&[("c1", tool, arguments)]);
    house.model.call().await.answer("Done.");
    let turn = house.ended(turn).await;
    let answer = serde_json::from_str(&results(&turn)[0].content).unwrap();
    (answer, turn)
}

/// What the model is told in the next turn beside the conversation.
async fn next_system(house: &House, session: SessionId) -> String {
    let turn = house.say(session, "What do you keep in mind?").await;
    let call = house.model.call().await;
    call.answer("This and that.");
    house.ended(turn).await;
    call.prompt.system
}

#[tokio::test]
async fn the_calculator_calculates() {
    let house = House::new();
    let session = house.start().await;
    let (answer, _) = call(&house, session, "calculator", json!({ "expression": "17 * 23" })).await;
    assert_eq!(answer["value"], "391");
}

#[tokio::test]
async fn the_clock_tells_the_time() {
    let house = House::new();
    let session = house.start().await;
    let (answer, turn) = call(&house, session, "current_time", json!({ "time_zone": "UTC" })).await;
    let day = turn.created_at.to_string();
    assert!(answer["iso"].as_str().unwrap().starts_with(&day[..8]), "{answer}");
}

#[tokio::test]
async fn a_pin_is_told_to_every_later_turn_until_it_is_taken_away() {
    let house = House::new();
    let session = house.start().await;
    let (pinned, turn) = call(&house, session, "pin", json!({ "text": "The budget is 900." })).await;
    assert!(next_system(&house, session).await.contains("The budget is 900."));
    let suggestions = turn.response.unwrap().suggestions;
    assert_eq!(suggestions, ["What did I ask you to remember?"]);

    let house = house.restart().await;
    assert!(next_system(&house, session).await.contains("The budget is 900."), "also after a restart");

    call(&house, session, "unpin", json!({ "key": pinned["key"] })).await;
    assert!(!next_system(&house, session).await.contains("The budget is 900."));
}

#[tokio::test]
async fn an_artifact_is_saved_listed_and_read() {
    let house = House::new();
    let session = house.start().await;
    let poem = json!({ "name": "poem.txt", "content": "Roses are red." });
    let (saved, turn) = call(&house, session, "artifact_save", poem).await;
    let (listed, _) = call(&house, session, "artifact_list", json!({})).await;
    let (read, _) = call(&house, session, "artifact_read", json!({ "name": "poem.txt" })).await;

    assert_eq!(listed["artifacts"][0]["name"], "poem.txt");
    assert_eq!(read["text"], "Roses are red.");
    let id = saved["artifact_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(house.hub.artifact(&house.ada, id).await.unwrap().1, b"Roses are red.");
    let response = turn.response.unwrap();
    assert_eq!((response.artifacts, response.suggestions), (vec![id], vec![format!("Show me artifact {id}.")]));
}
