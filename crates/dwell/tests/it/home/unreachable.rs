//! A home that does not accept the token: what is wrong and what to do, instead of "there is
//! nothing called so". Beside it: what the home says is never quoted as the user's words.

use futures::{SinkExt, StreamExt};
use serde_json::json;
use testkit::WyomingClient;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

use super::{at_home, say};
use crate::{harness::steps, program_with_home};

/// A home that refuses every token.
async fn refusing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { continue };
            let hello = json!({ "type": "auth_required", "ha_version": "2025.4.0" });
            let _ = socket.send(Message::text(hello.to_string())).await;
            let _ = socket.next().await;
            let refusal = json!({ "type": "auth_invalid", "message": "Invalid access token" });
            let _ = socket.send(Message::text(refusal.to_string())).await;
        }
    });
    url
}

#[tokio::test]
async fn a_wrong_token_is_named_with_what_to_do() {
    let program = program_with_home()
        .with("HOME_ASSISTANT_URL", &refusing().await)
        .with("HOME_ASSISTANT_TOKEN", "wrong-token")
        .with("DWELL_WYOMING_LISTEN", "127.0.0.1:0");
    let server = program.start().await;
    let rest = server.rest();
    let refused = async {
        while rest.get("/api/v1/home").await.ok()["connection"] != "refused" {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(60), refused).await;
    assert!(waited.is_ok(), "the token is never refused");
    for message in [
        "turn on the kitchen light",
        "why is the kitchen light off?",
        "what errors are there?",
        "Is the bed light on?",
        "Which lights are on?",
        "Are there any lights on in the kitchen?",
    ] {
        let turn = say(&rest, &rest.session().await, message).await;
        let text = turn["text"].as_str().unwrap();
        assert!(
            text.contains("does not accept the token") && text.contains("long-lived access token"),
            "{message}: {text}"
        );
    }
    let mut peer = WyomingClient::connect(server.wyoming(), "1.5.4").await;
    let (_, text) = peer.say("Turn on the kitchen light.", serde_json::Value::Null).await;
    assert!(text.contains("does not accept the token"), "{text}");
}

#[tokio::test]
async fn what_the_home_says_is_asked_of_the_home_and_never_quoted_as_the_users_words() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let errors = "What errors are there?";
    let first = say(&rest, &session, errors).await;
    let called: Vec<_> = steps(&first, "tool_call").iter().map(|call| call["tool"].clone()).collect();
    assert_eq!(called, ["analyze_errors"], "{first}");
    let second = say(&rest, &session, errors).await;
    assert_eq!(steps(&second, "tool_call").len(), 1, "the home is asked again: {second}");
    // Words of the answer, asked about in this conversation and in a later one.
    let told: Vec<&str> = first["text"].as_str().unwrap().lines().collect();
    for session in [session, rest.session().await] {
        for line in told.iter().take(3) {
            let asked =
                format!("What do you know about {}?", line.chars().filter(|char| *char != '?').collect::<String>());
            let turn = say(&rest, &session, &asked).await;
            let text = turn["text"].as_str().unwrap();
            for quoted in text.split("you said: \"").skip(1) {
                assert!(quoted.starts_with("What"), "only the user's messages are the user's words: {text}");
            }
        }
    }
}
