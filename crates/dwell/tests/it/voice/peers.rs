//! Peers that connect to Dwell themselves, and send audio instead of text.

use serde_json::json;
use testkit::WyomingClient;

use super::{VoiceHarness, kinds, text_of};
use crate::program_with_home;

const VERSION: &str = "1.7.1";

#[tokio::test]
async fn a_peer_may_send_audio_and_ask_for_any_part_of_the_way() {
    let harness = VoiceHarness::start(|program| program.with("DWELL_WYOMING_LISTEN", "127.0.0.1:0")).await;
    let mut peer = WyomingClient::connect(harness.server.wyoming(), VERSION).await;

    harness.to_text.push("Turn on the floor lamp.");
    let context = json!({ "conversation_id": "c1", "area": "Living room" });
    peer.send("run-pipeline", json!({ "start_stage": "asr", "end_stage": "tts", "context": context })).await;
    peer.send_audio(&testkit::speech(800)).await;
    peer.send("audio-stop", json!({})).await;
    let (events, audio_bytes) = peer.heard_until("audio-stop").await;
    assert!(text_of(&events, "handled").contains("Floor lamp") && audio_bytes > 0, "{events:?}");
    assert_eq!(harness.sessions().await[0]["key"], "wyoming:c1");
    assert_eq!(harness.state("light.floor_lamp").await, "on");

    harness.to_text.push("Only written down.");
    peer.send("transcribe", json!({ "language": "de" })).await;
    peer.send_audio(&testkit::silence(300)).await;
    peer.send("audio-stop", json!({})).await;
    let (events, _) = peer.heard_until("transcript").await;
    assert_eq!((kinds(&events), text_of(&events, "transcript")), (vec!["transcript"], "Only written down."));
    assert_eq!(harness.to_text.requests().last().unwrap(), &json!({ "language": "de" }));

    peer.send("synthesize", json!({ "text": "only spoken", "voice": { "name": "amy" } })).await;
    // Audio that nothing listens to is no hindrance.
    peer.send_audio(&testkit::silence(2_000)).await;
    let (events, audio_bytes) = peer.heard_until("audio-stop").await;
    assert_eq!(kinds(&events), ["audio-start", "audio-stop"]);
    assert!(audio_bytes > 0);
    let spoken = json!({ "text": "only spoken", "voice": { "name": "amy" } });
    assert_eq!(harness.to_speech.requests().last().unwrap(), &spoken);
    assert_eq!(harness.sessions().await[0]["stats"]["turns"], 1, "neither was a turn");

    // Text still works on the same connection.
    assert_eq!(peer.say("Is the floor lamp on?", context).await.0, "handled");
}

#[tokio::test]
async fn without_services_audio_is_refused_with_the_setting_that_is_missing() {
    let program = program_with_home().with("DWELL_WYOMING_LISTEN", "127.0.0.1:0");
    let server = program.start().await;
    let mut peer = WyomingClient::connect(server.wyoming(), VERSION).await;
    for (kind, data, setting) in [
        ("run-pipeline", json!({ "start_stage": "asr", "end_stage": "tts" }), "voice.speech_to_text"),
        ("transcribe", json!({}), "voice.speech_to_text"),
        ("synthesize", json!({ "text": "hello" }), "voice.text_to_speech"),
    ] {
        peer.send(kind, data).await;
        let (events, _) = peer.heard_until("error").await;
        assert!(text_of(&events, "error").contains(setting), "{kind}: {events:?}");
    }
}
