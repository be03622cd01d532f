//! Wyoming with a real Home Assistant as the client.

use serde_json::{Value, json};
use testkit::{HomeAssistant, Release};

use super::{open, program_with_home, sessions, started};

#[tokio::test]
async fn real_home_assistant_talks_to_dwell_through_its_wyoming_integration() {
    let Some(home) = HomeAssistant::start_or_skip(Release::April2025).await else { return };
    let (model, program, server) = started().await;
    let (host, port) = server.wyoming().rsplit_once(':').unwrap();
    let address = json!({ "host": host, "port": port.parse::<u16>().unwrap() });
    let added = home.add_integration("wyoming", &[address]).await;
    assert_eq!((&added["type"], &added["title"]), (&json!("create_entry"), &json!("Dwell")), "{added}");

    let mut link = home.link().await;
    let agent = link.agent("wyoming").await;
    assert_eq!(agent, "conversation.dwell");
    let (speech, conversation) = link.ask(&agent, "Good morning, house.", &Value::Null).await;
    assert_eq!(speech, "You said: Good morning, house.");
    let (speech, _) = link.ask(&agent, "And once more.", &conversation).await;
    assert_eq!(speech, "You said: And once more.");
    let all = sessions(&server).await;
    assert_eq!((all.len(), &all[0]["stats"]["turns"]), (1, &json!(2)), "both are one conversation");
    let told: Vec<String> =
        model.requests()[1].messages().iter().map(|message| message["content"].to_string()).collect();
    assert!(told.iter().any(|words| words.contains("Good morning")), "which Dwell remembers: {told:?}");
    drop((program, server));
}

#[tokio::test]
async fn real_home_assistant_gets_an_answer_from_the_offline_model_and_an_error_without_a_server() {
    let Some(home) = HomeAssistant::start_or_skip(Release::April2025).await else { return };
    let program = open(program_with_home());
    let server = program.start().await;
    let (host, port) = server.wyoming().rsplit_once(':').unwrap();
    home.add_integration("wyoming", &[json!({ "host": host, "port": port.parse::<u16>().unwrap() })]).await;
    let mut link = home.link().await;
    let agent = link.agent("wyoming").await;
    let (speech, conversation) = link.ask(&agent, "What is 6 times 7?", &Value::Null).await;
    assert!(speech.contains("42"), "{speech}");
    server.stop().await;
    let (speech, _) = link.ask(&agent, "Are you there?", &conversation).await;
    assert!(speech.starts_with("Error communicating"), "{speech}");
}
