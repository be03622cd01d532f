//! Speech in and out: satellites and other peers send audio, and get the spoken answer.

mod alerts;
mod failures;
mod peers;

use serde_json::{Value, json};
use testkit::{Program, RunningServer, ScriptedSatellite, SpeechReply, SpeechService, WyomingClient};

use crate::program_with_home;

/// A server with services for speech and a satellite in the kitchen.
struct VoiceHarness {
    to_text: SpeechService,
    to_speech: SpeechService,
    satellite: ScriptedSatellite,
    server: RunningServer,
    _program: Program,
}

impl VoiceHarness {
    async fn start(set: impl FnOnce(Program) -> Program) -> Self {
        let (to_text, to_speech) = (SpeechService::start().await, SpeechService::start().await);
        let satellite = ScriptedSatellite::start().await;
        let satellites = json!({ "kitchen": { "uri": satellite.uri(), "area": "Kitchen" } }).to_string();
        let program = program_with_home()
            .with("DWELL_VOICE_SPEECH_TO_TEXT", to_text.uri())
            .with("DWELL_VOICE_TEXT_TO_SPEECH", to_speech.uri())
            .with("DWELL_VOICE_LANGUAGE", "en")
            .with("DWELL_VOICE_SATELLITES", &satellites);
        let program = set(program);
        let server = program.start().await;
        Self { to_text, to_speech, satellite, server, _program: program }
    }

    async fn sessions(&self) -> Vec<Value> {
        self.server.rest().get("/api/v1/sessions").await.ok()["data"].as_array().unwrap().clone()
    }

    async fn state(&self, entity_id: &str) -> Value {
        let home = self.server.rest().get("/api/v1/home").await.ok();
        let entities = home["entities"].as_array().unwrap();
        entities.iter().find(|entity| entity["entity_id"] == entity_id).unwrap()["state"].clone()
    }
}

fn kinds(events: &[(String, Value)]) -> Vec<&str> {
    events.iter().map(|(kind, _)| kind.as_str()).collect()
}

fn text_of<'a>(events: &'a [(String, Value)], kind: &str) -> &'a str {
    let found = events.iter().find(|(found, _)| found == kind);
    found.and_then(|(_, data)| data["text"].as_str()).unwrap_or_else(|| panic!("no {kind} in {events:?}"))
}

/// A spoken sentence that is recognized as this text; returns what the satellite hears.
async fn spoken(harness: &VoiceHarness, satellite: &mut WyomingClient, text: &str) -> (Vec<(String, Value)>, usize) {
    harness.to_text.push(text);
    satellite.run_pipeline("tts", 22_050).await;
    satellite.say_aloud().await;
    satellite.heard_until("audio-stop").await
}

#[tokio::test]
async fn a_satellite_talks_to_dwell_alone() {
    let harness = VoiceHarness::start(|program| program.with("DWELL_WYOMING_APPROVE", "true")).await;
    assert!(!harness.server.greeting().iter().any(|line| line.contains("wyoming on")), "no port is open for it");
    let mut satellite = harness.satellite.connected().await;
    let (events, audio_bytes) = spoken(&harness, &mut satellite, "Turn on the ceiling light.").await;
    let expected = [
        "transcribe",
        "voice-started",
        "voice-stopped",
        "transcript",
        "handled",
        "synthesize",
        "audio-start",
        "audio-stop",
    ];
    assert_eq!(kinds(&events), expected);
    assert_eq!(text_of(&events, "transcript"), "Turn on the ceiling light.");
    let answer = text_of(&events, "handled");
    assert_eq!(text_of(&events, "synthesize"), answer, "what is spoken is what is answered");
    assert_eq!(harness.state("light.kitchen_ceiling").await, "on", "the light of the satellite's own area: {answer}");
    assert_eq!(events[6].1, json!({ "rate": 22_050, "width": 2, "channels": 1 }));
    let words = answer.split_whitespace().count();
    assert!(audio_bytes.abs_diff(words * 2 * 2_205) < 200, "{audio_bytes} for {words} words");
    assert_eq!(harness.to_text.requests(), [json!({ "language": "en" })]);
    assert_eq!(harness.to_speech.requests()[0]["voice"], json!({ "language": "en" }));
    let (bytes, format) = harness.to_text.take_audio();
    assert_eq!(format, json!({ "rate": 16_000, "width": 2, "channels": 1 }));
    // The sentence ends with the silence after it, not with the audio.
    assert!((1_800 * 32..2_400 * 32).contains(&bytes), "{bytes}");

    let preferences = harness.sessions().await[0]["settings"]["preferences"].clone();
    let known = json!({ "door": "wyoming", "satellite": "kitchen", "area": "Kitchen", "language": "en" });
    assert_eq!(preferences, known);

    let (events, _) = spoken(&harness, &mut satellite, "Unlock the front door.").await;
    assert_eq!(text_of(&events, "handled"), "Shall I unlock the front door?");
    assert_eq!(harness.state("lock.front_door").await, "locked");
    let (events, _) = spoken(&harness, &mut satellite, "Yes.").await;
    assert!(text_of(&events, "handled").contains("Front door"), "{events:?}");
    // It may still be on its way.
    assert_ne!(harness.state("lock.front_door").await, "locked");
    assert_eq!(harness.sessions().await.len(), 1, "a satellite's sentences are one conversation");
    drop(satellite);

    // A satellite that was switched off is connected to again; it may have another loudspeaker.
    let mut satellite = harness.satellite.connected().await;
    harness.to_text.push(SpeechReply::In("Wie spät ist es?".to_owned(), "de".to_owned()));
    satellite.run_pipeline("tts", 16_000).await;
    satellite.say_aloud().await;
    let (events, _) = satellite.heard_until("audio-stop").await;
    assert_eq!(events.iter().find(|(kind, _)| kind == "audio-start").unwrap().1["rate"], 16_000);
    assert_eq!(harness.to_speech.requests().last().unwrap()["voice"], json!({ "language": "de" }));
    harness.server.stop().await;
    assert_eq!(satellite.heard().await.0, "pause-satellite", "it is told that the server leaves");
}
