//! What a satellite hears when something is wrong.

use serde_json::{Value, json};
use testkit::{SpeechReply, WyomingClient, silence, speech};

use super::{VoiceHarness, kinds, spoken, text_of};

/// The code and text of the error that follows.
async fn error(satellite: &mut WyomingClient) -> (String, String) {
    let (events, _) = satellite.heard_until("error").await;
    let data = &events.last().unwrap().1;
    (data["code"].as_str().unwrap().to_owned(), data["text"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn every_failure_is_named_and_the_next_sentence_is_heard() {
    let set = |program: testkit::Program| program.with("DWELL_VOICE_SENTENCE_MAX_MS", "4000");
    let harness = VoiceHarness::start(set).await;
    let mut satellite = harness.satellite.connected().await;

    // Nothing is said, or nothing is recognized.
    for recognized in [None, Some("  ")] {
        satellite.run_pipeline("tts", 22_050).await;
        match recognized {
            None => {
                satellite.send_audio(&silence(1_000)).await;
                satellite.send("audio-stop", json!({})).await;
            }
            Some(text) => {
                harness.to_text.push(text);
                satellite.say_aloud().await;
            }
        }
        assert_eq!(error(&mut satellite).await.0, "stt-no-text-recognized", "{recognized:?}");
    }

    // Half of a long sentence is not acted upon.
    satellite.run_pipeline("tts", 22_050).await;
    satellite.send_audio(&speech(6_000)).await;
    let (code, text) = error(&mut satellite).await;
    assert!(code == "stt-stream-failed" && text.contains("`voice.sentence_max_ms`"), "{text}");

    // Audio that cannot be read.
    satellite.run_pipeline("tts", 22_050).await;
    let format = json!({ "rate": 16_000, "width": 4, "channels": 1 });
    satellite.send_payload("audio-chunk", format, &[0; 64]).await;
    let (code, text) = error(&mut satellite).await;
    assert!(code == "stt-provider-unsupported-metadata" && text.contains("width 4"), "{text}");

    // The service for recognition reports an error, or leaves.
    for (reply, says) in
        [(SpeechReply::Error("no model".to_owned()), "reports: no model"), (SpeechReply::Close, "was lost")]
    {
        harness.to_text.push(reply);
        satellite.run_pipeline("tts", 22_050).await;
        satellite.say_aloud().await;
        let (code, text) = error(&mut satellite).await;
        assert!(code == "stt-stream-failed" && text.contains(says), "{text}");
    }
    assert_eq!(harness.sessions().await, Vec::<Value>::new(), "none of this was a sentence");

    // The answer cannot be spoken: its text comes all the same.
    harness.to_speech.push(SpeechReply::Error("no voice".to_owned()));
    harness.to_text.push("Turn on the floor lamp.");
    satellite.run_pipeline("tts", 22_050).await;
    satellite.say_aloud().await;
    let (events, _) = satellite.heard_until("error").await;
    assert!(text_of(&events, "handled").contains("Floor lamp"), "{events:?}");
    assert_eq!(events.last().unwrap().1["code"], "tts-failed");

    // A run that Dwell has no part in.
    for (start, end, code) in [("wake", "tts", "wake-provider-missing"), ("handle", "tts", "unsupported-stages")] {
        satellite.send("run-pipeline", json!({ "start_stage": start, "end_stage": end })).await;
        assert_eq!(error(&mut satellite).await.0, code);
    }

    // A sentence that the user begins anew replaces the one before.
    satellite.run_pipeline("tts", 22_050).await;
    satellite.send_audio(&speech(500)).await;
    let (events, _) = spoken(&harness, &mut satellite, "Is the floor lamp on?").await;
    assert_eq!(kinds(&events).last(), Some(&"audio-stop"));
    assert!(text_of(&events, "handled").contains("on"), "{events:?}");
}

#[tokio::test]
async fn services_that_are_away_are_named() {
    let harness = VoiceHarness::start(|program| program.with_log()).await;
    let VoiceHarness { to_text, satellite: listens, server, _program: program, .. } = harness;
    let mut satellite = listens.connected().await;
    let uri = to_text.uri().to_owned();
    drop(to_text);
    satellite.run_pipeline("handle", 22_050).await;
    satellite.say_aloud().await;
    let (code, text) = error(&mut satellite).await;
    assert!(code == "stt-stream-failed" && text.contains(&uri), "{text}");
    let log = std::fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("a voice run failed") && log.contains("kitchen"), "{log}");
    drop(server);
}

#[tokio::test]
async fn wrong_settings_are_named() {
    for (name, value, says) in [
        ("DWELL_VOICE_SPEECH_TO_TEXT", "127.0.0.1:10300", "`voice.speech_to_text` is wrong"),
        ("DWELL_VOICE_TEXT_TO_SPEECH", "http://piper", "`voice.text_to_speech` is wrong"),
        ("DWELL_VOICE_SATELLITES", "{ attic = { uri = \"nowhere\" } }", "`voice.satellites.attic.uri` is wrong"),
        ("DWELL_VOICE_SATELLITES", "{ attic = { uri = \"tcp://a:1\" } }", "needs `voice.speech_to_text`"),
    ] {
        let wrong = crate::program().with(name, value).run(&["serve", "--listen", "127.0.0.1:0"]).await;
        assert!(wrong.stderr.contains(says), "{}", wrong.stderr);
    }
}
