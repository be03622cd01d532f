//! Wyoming: Home Assistant talks to Dwell without any custom integration.

mod approvals;
mod areas;
mod real_home;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RunningServer, WyomingClient};

use crate::program_with_home;

/// The library version of Home Assistant 2025.4, which has no streamed answers, and a newer one,
/// which has them.
const OLD: &str = "1.5.4";
const NEW: &str = "1.7.1";

fn open(program: Program) -> Program {
    program.with("DWELL_WYOMING_LISTEN", "127.0.0.1:0")
}

/// The program with Wyoming enabled, and a model that echoes.
async fn started() -> (ModelServer, Program, RunningServer) {
    let model = ModelServer::start().await;
    let program = open(program_with_home().with_model(&model));
    let server = program.start().await;
    (model, program, server)
}

async fn sessions(server: &RunningServer) -> Vec<Value> {
    server.rest().get("/api/v1/sessions").await.ok()["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn it_is_closed_unless_it_is_opened() {
    let program = program_with_home();
    let server = program.start().await;
    assert!(!server.greeting().iter().any(|line| line.contains("wyoming")));
}

#[tokio::test]
async fn it_describes_itself_and_answers_pings() {
    let program = open(program_with_home());
    let server = program.start().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    peer.send("describe", json!({})).await;
    let (kind, info) = peer.next().await;
    assert_eq!((kind.as_str(), &info["handle"][0]["name"]), ("info", &json!("Dwell")));
    let model = &info["handle"][0]["models"][0];
    assert_eq!(model["installed"], true);
    for language in ["en", "de", "zh-CN"] {
        assert!(model["languages"].as_array().unwrap().contains(&json!(language)), "{language}");
    }
    for required in ["attribution", "description", "version"] {
        assert!(info["handle"][0].get(required).is_some() && model.get(required).is_some(), "{required}");
    }
    peer.send("ping", json!({ "text": "there?" })).await;
    assert_eq!(peer.next().await, ("pong".to_owned(), json!({ "text": "there?" })));
}

#[tokio::test]
async fn a_sentence_is_a_turn_and_its_answer_is_handled() {
    let (_model, _program, server) = started().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    let context = json!({ "conversation_id": "c1", "device_id": "d1" });
    peer.send("transcript", json!({ "text": "Good morning.", "language": "en", "context": context })).await;
    let (kind, data) = peer.next().await;
    assert_eq!((kind.as_str(), &data["text"]), ("handled", &json!("You said: Good morning.")));
    assert_eq!(data["context"], context, "the peer gets back what it said of itself");

    let sessions = sessions(&server).await;
    assert_eq!(
        (sessions.len(), &sessions[0]["key"], &sessions[0]["owner"]),
        (1, &json!("wyoming:c1"), &json!("owner"))
    );
    assert_eq!(sessions[0]["settings"]["preferences"], json!({ "door": "wyoming", "device": "d1", "language": "en" }));
}

#[tokio::test]
async fn a_conversation_outlives_its_connections_and_the_server() {
    let (_model, program, server) = started().await;
    for text in ["one", "two"] {
        let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
        assert_eq!(peer.say(text, json!({ "conversation_id": "c1" })).await.0, "handled");
    }
    server.stop().await;
    let server = program.start().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    peer.say("three", json!({ "conversation_id": "c1" })).await;
    peer.say("elsewhere", json!({ "conversation_id": "c2" })).await;
    let turns: Vec<Value> = sessions(&server).await.iter().map(|session| session["stats"]["turns"].clone()).collect();
    assert_eq!(turns, [json!(1), json!(3)], "one session per conversation");
}

#[tokio::test]
async fn without_a_name_a_conversation_goes_on_until_there_is_a_pause() {
    let (_model, program, server) = started().await;
    for text in ["one", "two"] {
        WyomingClient::connect(server.wyoming(), OLD).await.say(text, Value::Null).await;
    }
    assert_eq!(sessions(&server).await.len(), 1);
    server.stop().await;

    let program = program.with("DWELL_WYOMING_PAUSE_MS", "0");
    let server = program.start().await;
    WyomingClient::connect(server.wyoming(), OLD).await.say("three", Value::Null).await;
    assert_eq!(sessions(&server).await.len(), 2);
}

#[tokio::test]
async fn a_peer_that_knows_pieces_gets_pieces_and_then_the_whole() {
    let (_model, _program, server) = started().await;
    let mut peer = WyomingClient::connect(server.wyoming(), NEW).await;
    peer.send("transcript", json!({ "text": "hello there", "context": { "conversation_id": "c1" } })).await;
    let mut events = Vec::new();
    while events.last().is_none_or(|(kind, _): &(String, Value)| kind != "handled-stop") {
        events.push(peer.next().await);
    }
    let kinds: Vec<&str> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 2]), ("handled-start", "handled"));
    let pieces = events.iter().filter(|(kind, _)| kind == "handled-chunk");
    let pieces: String = pieces.filter_map(|(_, data)| data["text"].as_str()).collect();
    assert_eq!(pieces, "You said: hello there");
    assert_eq!(events[events.len() - 2].1["text"], "You said: hello there");
}

#[tokio::test]
async fn what_fails_is_not_handled_and_says_why() {
    let (model, _program, server) = started().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    let (kind, text) = peer.say("", Value::Null).await;
    assert!(kind == "not-handled" && text.contains("Put some text"), "{text}");

    model.push(Reply::status(401));
    let (kind, text) = peer.say("hello", Value::Null).await;
    assert_eq!(kind, "not-handled", "{text}");
    assert_eq!(peer.say("hello again", Value::Null).await.0, "handled", "the connection and the session go on");
}

#[tokio::test]
async fn a_command_beyond_the_limit_per_minute_is_not_handled() {
    let program = open(program_with_home());
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let toggle = json!({
        "tool": "call_service",
        "arguments": { "domain": "light", "service": "turn_on", "target": { "entity_id": ["light.floor_lamp"] } },
    });
    // 120 calls a minute are allowed.
    for _ in 0..15 {
        let calls = vec![toggle.clone(); 8];
        crate::harness::told(&rest, &session, json!({ "message": "eight times", "calls": calls })).await;
    }
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    let (kind, text) = peer.say("Turn on the floor lamp.", Value::Null).await;
    assert!(kind == "not-handled" && text.contains("minute"), "{kind}: {text}");
    assert_eq!(peer.say("Is the floor lamp on?", Value::Null).await.0, "handled");
}

#[tokio::test]
async fn a_turn_that_takes_long_goes_on_and_can_be_asked_about() {
    let model = ModelServer::start().await;
    let program = open(program_with_home().with_model(&model)).with("DWELL_WYOMING_PATIENCE_MS", "100");
    let server = program.start().await;
    model.push(Reply::text("It was the voltage.").after(Duration::from_secs(2)));
    let (kind, text) =
        WyomingClient::connect(server.wyoming(), OLD).await.say("Why?", json!({ "conversation_id": "c" })).await;
    assert!(kind == "handled" && text.contains("still working"), "{text}");

    let session = sessions(&server).await[0].clone();
    let turn = session["open_turns"][0].as_str().unwrap();
    assert_eq!(server.rest().ended(turn).await["text"], "It was the voltage.");
}

#[tokio::test]
async fn bad_frames_end_their_connection_and_nothing_else() {
    let program = open(program_with_home()).with("DWELL_LIMITS_FRAME_BYTES_MAX", "4096");
    let server = program.start().await;
    let long = format!("{{\"type\":\"{}\"}}\n", "x".repeat(5000));
    for bad in ["nonsense\n", "{\"type\":\"transcript\",\"data_length\":99999999999}\n", long.as_str()] {
        let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
        peer.send_bytes(bad.as_bytes()).await;
        assert_eq!(peer.next().await.0, "error");
        assert_eq!(peer.try_next().await, None, "what follows could be anything");
    }
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    peer.send("audio-start", json!({ "rate": 16000 })).await;
    peer.send("no-such-event", json!({})).await;
    peer.send("recognize", json!({ "text": "turn on the lamp" })).await;
    assert_eq!(peer.next().await.0, "not-recognized", "what is not known is passed over");
}

#[tokio::test]
async fn what_a_sentence_asks_is_said_without_doing_it() {
    let server = open(program_with_home()).start().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    peer.send("describe", json!({})).await;
    let (_, info) = peer.next().await;
    assert_eq!(info["intent"][0]["name"], "Dwell");
    peer.send("recognize", json!({ "text": "turn on the kitchen ceiling light" })).await;
    let (kind, intent) = peer.next().await;
    assert_eq!((kind.as_str(), &intent["name"]), ("intent", &json!("HassTurnOn")), "{intent}");
    assert!(intent["entities"].as_array().unwrap().iter().any(|slot| slot["name"] == "name"), "{intent}");
    peer.send("recognize", json!({ "text": "write a poem about the sea" })).await;
    assert_eq!(peer.next().await.0, "not-recognized");
}

#[tokio::test]
async fn only_some_peers_and_only_so_many_are_let_in() {
    let program = open(program_with_home()).with("DWELL_WYOMING_CONNECTIONS_MAX", "1");
    let server = program.start().await;
    let mut first = WyomingClient::connect(server.wyoming(), OLD).await;
    first.send("ping", json!({})).await;
    first.next().await;
    assert_eq!(WyomingClient::connect(server.wyoming(), OLD).await.try_next().await, None);
    server.stop().await;

    let program = program.with("DWELL_WYOMING_PEERS", "192.0.2.0/24");
    let server = program.start().await;
    assert_eq!(WyomingClient::connect(server.wyoming(), OLD).await.try_next().await, None);
    server.stop().await;

    let wrong = program.with("DWELL_WYOMING_PEERS", "everybody").run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(wrong.stderr.contains("wyoming.peers") && wrong.stderr.contains("`everybody`"), "{}", wrong.stderr);
}
