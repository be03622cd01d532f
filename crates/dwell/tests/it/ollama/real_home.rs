//! Ollama's API with a real Home Assistant as the client.

use serde_json::{Value, json};
use testkit::{HomeAssistant, Release};

use super::{address, sessions};
use crate::started_with_home;

#[tokio::test]
async fn real_home_assistant_talks_to_dwell_through_its_ollama_integration() {
    let Some(home) = HomeAssistant::start_or_skip(Release::April2025).await else { return };
    let (_model, program, server) = started_with_home().await;
    let url = json!({ "url": address(&program).await });
    let added = home.add_integration("ollama", &[url, json!({ "model": "dwell:latest" })]).await;
    assert_eq!((&added["type"], &added["title"]), (&json!("create_entry"), &json!("dwell")), "{added}");

    let mut link = home.link().await;
    let agent = link.agent("ollama").await;
    let (speech, conversation) = link.ask(&agent, "Good morning, house.", &Value::Null).await;
    assert_eq!(speech, "You said: Good morning, house.");
    let (speech, _) = link.ask(&agent, "And once more.", &conversation).await;
    assert_eq!(speech, "You said: And once more.");
    assert_eq!(sessions(&server).await, 1, "both are one conversation");
}
