//! The APIs without tokens belong to the first owner, whatever other owners there are.

use serde_json::json;
use testkit::{ModelServer, WyomingClient};

use super::add;
use crate::program;

#[tokio::test]
async fn wyoming_and_ollamas_key_stay_the_first_owners() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model).with("DWELL_WYOMING_LISTEN", "127.0.0.1:0");
    let server = program.start().await;
    let ada = add(&program, "ada").await;
    let mut peer = WyomingClient::connect(server.wyoming(), "1.7.1").await;
    peer.send("transcript", json!({ "text": "good morning" })).await;
    peer.next().await;
    let doors = program.run(&["doors"]).await.stdout;
    let address = doors.lines().find_map(|line| line.strip_prefix("Ollama")).unwrap().trim();
    let chat = json!({ "model": "dwell:latest", "messages": [{ "role": "user", "content": "hello" }] });
    let answer = reqwest::Client::new().post(format!("{address}/api/chat")).json(&chat).send().await.unwrap();
    assert_eq!(answer.status(), 200);

    let sessions = server.rest().get("/api/v1/sessions").await.ok();
    let sessions = sessions["data"].as_array().unwrap();
    assert!(sessions.len() == 2 && sessions.iter().all(|session| session["owner"] == "owner"), "{sessions:?}");
    assert_eq!(server.rest_as(Some(&ada)).get("/api/v1/sessions").await.ok()["data"], json!([]));
    // A token does not work where a key is needed, and the key does not work as a token.
    let key = address.rsplit('/').next().unwrap();
    let with_token = format!("{}/ollama/{ada}/api/tags", server.url());
    assert_eq!(reqwest::get(with_token).await.unwrap().status(), 401);
    assert_eq!(server.rest_as(Some(key)).get("/api/v1/sessions").await.code(401), "unauthorized");
}
