//! Questions about why something happened in the home, answered without a language model. The first
//! example is the one that Dwell began with.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{at_home, say};
use crate::harness::steps;

const FLICKER: &str = "Why did the bedroom lights flicker last night?";

/// The tools that a turn called, in order, each once.
fn tools(steps: &[&Value]) -> Vec<String> {
    let mut names: Vec<String> = steps.iter().map(|call| call["tool"].as_str().unwrap().to_owned()).collect();
    names.dedup();
    names
}

/// The sources in square brackets.
fn cited(text: &str) -> BTreeSet<String> {
    let parts = text.split('[').skip(1).filter_map(|part| part.split_once(']'));
    parts.map(|(source, _)| source.to_owned()).collect()
}

/// Checks that the sources in the answer and its citations are the same, each with a title.
#[track_caller]
fn assert_resolved(response: &Value) {
    let text = response["message"].as_str().unwrap();
    let citations = response["citations"].as_array().unwrap_or_else(|| panic!("nothing is cited: {response}"));
    let known: BTreeSet<String> = citations.iter().map(|it| it["source"].as_str().unwrap().to_owned()).collect();
    assert_eq!(known.len(), citations.len(), "each once: {response}");
    assert_eq!(cited(text), known, "{text}");
    assert!(!known.is_empty() && citations.iter().all(|it| !it["title"].as_str().unwrap().is_empty()), "{response}");
}

#[track_caller]
fn assert_explained(response: &Value) {
    let text = response["message"].as_str().unwrap();
    assert!(text.contains("Mains voltage") && text.contains("flickered 4 times"), "{text}");
    for source in ["history:sensor.mains_voltage", "history:light.bedroom_ceiling"] {
        assert!(cited(text).contains(source), "{text}");
    }
    assert!(text.contains("simulated home"), "{text}");
    assert_resolved(response);
}

#[tokio::test]
async fn the_lights_that_flickered_are_explained_over_the_event_stream() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut frames = server.frames_at(&format!("/events/{session}?view=coarse")).await;
    rest.send(&session, FLICKER).await;
    let frames = frames.until(|frame| frame.event == "final").await;
    let kinds: BTreeSet<&str> = frames.iter().map(|frame| frame.event.as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["final", "partial", "progress", "step"]));
    let of = |kind: &str| -> Vec<&Value> {
        frames.iter().filter(|frame| frame.event == kind).map(|frame| &frame.data["payload"]).collect()
    };
    let said: Vec<&str> = of("progress").iter().filter_map(|payload| payload["message"].as_str()).collect();
    assert!(said.iter().any(|words| words.starts_with("Reading the relations of Bedroom ceiling")), "{said:?}");
    let called: Vec<&Value> = of("step").iter().map(|payload| &payload["step"]).collect();
    let called: Vec<&Value> =
        called.iter().filter(|step| step["type"] == "tool_call").map(|step| &step["detail"]).collect();
    assert_eq!(tools(&called), ["search_entities", "diagnose_entity"]);
    let partial: String = of("partial").iter().filter_map(|payload| payload["partial_response"].as_str()).collect();
    let response = &of("final")[0]["final_response"];
    assert_eq!(partial, response["message"].as_str().unwrap());
    assert_explained(response);
}

#[tokio::test]
async fn and_over_the_web_socket() {
    let (_program, server) = at_home().await;
    let mut socket = server.socket().await;
    let session = socket.ask("session.start", json!({})).await.unwrap()["session_id"].clone();
    let sent = socket.ask("chat.send", json!({ "session_id": session, "message": FLICKER })).await.unwrap();
    let messages = socket.until_end_of(&sent["turn_id"]).await;
    let of = |kind: &str| -> Vec<&Value> {
        messages.iter().filter(|message| message["type"] == kind).map(|message| &message["data"]).collect()
    };
    let progress = of("tool.progress");
    assert!(progress.iter().any(|it| it["tool"] == "search_entities"), "{progress:?}");
    let reading = |it: &&&Value| it["message"].as_str().unwrap().starts_with("Reading");
    assert!(progress.iter().filter(reading).count() >= 1, "{progress:?}");
    let called: Vec<&Value> = of("step").into_iter().filter(|step| step["type"] == "tool_call").collect();
    let called: Vec<&Value> = called.iter().map(|step| &step["detail"]).collect();
    assert_eq!(tools(&called), ["search_entities", "diagnose_entity"]);
    assert_eq!(crate::apis::put_together(&messages), of("chat.final")[0]["message"].as_str().unwrap());
    assert_explained(of("chat.final")[0]);
}

#[tokio::test]
async fn a_dead_battery_is_found_behind_what_hangs_on_it() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    for message in ["What is wrong with the soil moisture sensor?", "Why does the garden need water?"] {
        let turn = say(&rest, &rest.session().await, message).await;
        let text = turn["text"].as_str().unwrap();
        assert!(text.contains("The battery of Soil sensor ran out"), "{message}: {text}");
        assert!(text.contains("Replace the battery") && text.contains("Water the garden"), "{message}: {text}");
        assert!(cited(text).contains("history:sensor.soil_sensor_battery"), "{message}: {text}");
        assert_eq!(text.matches("most likely: The battery of Soil sensor").count(), 1, "it is told once: {text}");
        assert_resolved(&turn["response"]);
    }
}

#[tokio::test]
async fn what_is_wrong_at_home_is_told_incident_by_incident() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let turn = say(&rest, &rest.session().await, "Is there anything wrong in the house?").await;
    assert_eq!(tools(&steps(&turn, "tool_call")), ["analyze_errors"]);
    let text = turn["text"].as_str().unwrap();
    for part in ["incidents", "Soil moisture became unavailable", "Internet was lost"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_resolved(&turn["response"]);
}

#[tokio::test]
async fn what_went_on_is_read_from_the_logbook() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let turn = say(&rest, &rest.session().await, "What happened at home yesterday evening?").await;
    assert_eq!(tools(&steps(&turn, "tool_call")), ["get_logbook"]);
    assert_resolved(&turn["response"]);
}

#[tokio::test]
async fn a_command_is_found_in_the_history_afterwards() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn off the ceiling fan").await;
    say(&rest, &session, "turn on the ceiling fan").await;
    let asked = format!("get_history {}", json!({ "entity_ids": ["fan.living_room"], "period": "today" }));
    let turn = say(&rest, &session, &asked).await;
    let told = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(told.contains("fan.living_room") && told.contains("on"), "{told}");
}
