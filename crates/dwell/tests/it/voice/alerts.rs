//! What Dwell says at a satellite by itself: timers and reminders that were ordered there.

use serde_json::{Value, json};
use testkit::{RestClient, SpeechReply, WebhookReceiver, WyomingClient};

use super::{VoiceHarness, kinds, spoken, text_of};

/// A configuration file whose only channel is this receiver, for the time when none is there.
fn away(url: &str) -> String {
    let secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    format!("[[alerts.channels]]\nkind = \"webhook\"\nurl = \"{url}\"\nsecret = \"{secret}\"\n")
}

/// The alert of this title, once a channel has come so far with it.
async fn alert(rest: &RestClient, title: &str, channel: &str, states: &[&str]) -> Value {
    for _ in 0..3_000 {
        let page = rest.get("/api/v1/alerts").await.ok();
        let is_it = |alert: &&Value| {
            let state = alert["deliveries"][channel]["state"].as_str();
            alert["title"] == title && state.is_some_and(|state| states.contains(&state))
        };
        if let Some(found) = page["data"].as_array().unwrap().iter().find(is_it) {
            return found.clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("`{title}` by {channel} is not {states:?}");
}

/// A sentence; returns what the satellite hears up to the end of the answer, and of timers.
async fn order(harness: &VoiceHarness, satellite: &mut WyomingClient, text: &str) -> Vec<(String, Value)> {
    spoken(harness, satellite, text).await.0
}

#[tokio::test]
async fn timers_and_reminders_ring_at_the_satellite_that_asked() {
    let receiver = WebhookReceiver::start().await;
    let url = receiver.url().to_owned();
    let harness = VoiceHarness::start(|program| {
        let file = program.folder().join("dwell.toml");
        std::fs::write(&file, away(&url)).unwrap();
        program.with("DWELL_CONFIG", file.to_str().unwrap())
    })
    .await;
    let (rest, mut satellite) = (harness.server.rest(), harness.satellite.connected().await);

    // A timer: the satellite is told of it, of its changes and of its end, and speaks.
    order(&harness, &mut satellite, "Start a 10 minute timer called tea.").await;
    let (kind, started) = satellite.heard().await;
    assert_eq!((kind.as_str(), &started["total_seconds"]), ("timer-started", &json!(600)), "{started}");
    assert_eq!(started["name"], "tea");
    order(&harness, &mut satellite, "Pause the timer.").await;
    let (kind, paused) = satellite.heard().await;
    assert_eq!((kind.as_str(), &paused["is_active"]), ("timer-updated", &json!(false)));
    assert_eq!(paused["id"], started["id"]);
    order(&harness, &mut satellite, "Cancel the timer.").await;
    assert_eq!(satellite.heard().await, ("timer-cancelled".to_owned(), json!({ "id": started["id"] })));

    order(&harness, &mut satellite, "Set a timer for 1 second.").await;
    let (events, audio_bytes) = satellite.heard_until("audio-stop").await;
    assert_eq!(kinds(&events), ["timer-started", "timer-finished", "audio-start", "audio-stop"]);
    assert_eq!(events[0].1["id"], events[1].1["id"]);
    assert_eq!(events[2].1["rate"], 22_050, "as its loudspeaker plays");
    assert!(audio_bytes > 0);
    assert_eq!(harness.to_speech.requests().last().unwrap()["text"], "Your timer has ended.");
    alert(&rest, "Timer", "satellite", &["delivered"]).await;

    // What is due in the middle of a sentence waits for its end.
    order(&harness, &mut satellite, "Remind me in 3 seconds to look after the bread.").await;
    satellite.run_pipeline("tts", 16_000).await;
    satellite.send_audio(&testkit::speech(500)).await;
    alert(&rest, "look after the bread", "satellite", &["sending"]).await;
    harness.to_text.push("Is the floor lamp on?");
    satellite.send_audio(&testkit::silence(1_500)).await;
    let (events, _) = satellite.heard_until("audio-stop").await;
    assert!(text_of(&events, "handled").contains("lamp"), "the sentence is answered first: {events:?}");
    let (events, _) = satellite.heard_until("audio-stop").await;
    assert_eq!(kinds(&events), ["audio-start", "audio-stop"], "a reminder is no timer");
    assert_eq!(events[0].1["rate"], 16_000);
    let said = harness.to_speech.requests().last().unwrap().clone();
    assert_eq!(said, json!({ "text": "Reminder: look after the bread.", "voice": { "language": "en" } }));
    let heard = alert(&rest, "look after the bread", "satellite", &["delivered"]).await;
    assert_eq!(heard["deliveries"]["webhook"], Value::Null, "the person was there");
    assert!(receiver.received().is_empty());

    // What cannot be spoken, and what is due while the satellite is away, takes the next channel.
    harness.to_speech.push("the answer");
    harness.to_speech.push(SpeechReply::Error("no voice".to_owned()));
    order(&harness, &mut satellite, "Remind me in 1 second to water the plants.").await;
    let unspoken = alert(&rest, "water the plants", "webhook", &["delivered"]).await;
    let failed = &unspoken["deliveries"]["satellite"];
    assert!(failed["state"] == "failed" && failed["message"].as_str().unwrap().contains("no voice"), "{unspoken}");
    order(&harness, &mut satellite, "Remind me in 3 seconds to close the window.").await;
    let VoiceHarness { satellite: listens, server, _program: program, .. } = harness;
    drop((satellite, listens));
    let unheard = alert(&rest, "close the window", "webhook", &["delivered"]).await;
    let why = unheard["deliveries"]["satellite"]["message"].as_str().unwrap();
    assert!(why.contains("kitchen"), "{why}");
    receiver.until(2).await;
    drop((server, program));
}
