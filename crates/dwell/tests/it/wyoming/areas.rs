//! The area and the language of the speaker.

use serde_json::{Value, json};
use testkit::{RunningServer, WyomingClient};

use super::{OLD, open, program_with_home, sessions};

async fn preferences(server: &RunningServer) -> Value {
    sessions(server).await[0]["settings"]["preferences"].clone()
}

/// How often the session's settings were changed.
async fn updates(server: &RunningServer) -> usize {
    let session = sessions(server).await[0]["session_id"].as_str().unwrap().to_owned();
    let events = server.rest().get(&format!("/api/v1/sessions/{session}/events")).await.ok();
    events["data"].as_array().unwrap().iter().filter(|event| event["type"] == "session.updated").count()
}

#[tokio::test]
async fn the_area_is_kept_with_the_session_and_follows_the_speaker() {
    let areas = "127.0.0.1=hall,assist_satellite.kitchen=Kitchen";
    let program = open(program_with_home()).with("DWELL_WYOMING_AREAS", areas);
    let server = program.start().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    let mut at = async |context: Value, language: &str| {
        let mut context = context;
        context["conversation_id"] = json!("c");
        peer.send("transcript", json!({ "text": "hello", "language": language, "context": context })).await;
        peer.next().await;
    };
    at(json!({}), "en").await;
    let first = preferences(&server).await;
    assert_eq!((&first["area"], &first["language"]), (&json!("hall"), &json!("en")));
    at(json!({ "satellite_id": "assist_satellite.kitchen" }), "de").await;
    let second = preferences(&server).await;
    assert_eq!((&second["area"], &second["language"]), (&json!("Kitchen"), &json!("de")));
    at(json!({ "satellite_id": "assist_satellite.kitchen", "area_id": "attic" }), "de").await;
    assert_eq!(preferences(&server).await["area"], "attic", "what the peer says itself comes first");
    assert_eq!(updates(&server).await, 2);
    at(json!({ "satellite_id": "assist_satellite.kitchen", "area_id": "attic" }), "de").await;
    assert_eq!(updates(&server).await, 2, "what has not changed is not written again");
}

#[tokio::test]
async fn what_names_no_area_is_refused() {
    let program = open(program_with_home()).with("DWELL_WYOMING_AREAS", "kitchen");
    let wrong = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(wrong.stderr.contains("wyoming.areas") && wrong.stderr.contains("`kitchen`"), "{}", wrong.stderr);
}
