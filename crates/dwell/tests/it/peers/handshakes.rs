//! Handshakes of the 2025-11-25 version of MCP, each of which creates a protocol session.

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use testkit::RunningServer;

use super::{TOKEN, counted};
use crate::{owners::add, program};

fn post(client: &Client, server: &RunningServer, token: &str, message: &Value) -> RequestBuilder {
    let request = client.post(format!("{}/mcp", server.url())).bearer_auth(token).json(message);
    request.header("accept", "application/json, text/event-stream").header("mcp-protocol-version", "2025-11-25")
}

/// Does only the handshake; returns the protocol session.
async fn handshake(client: &Client, server: &RunningServer, token: &str) -> String {
    let about = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let response = post(client, server, token, &message).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    response.bytes().await.unwrap();
    session
}

/// The status of a notification in a protocol session, which shows whether the session exists.
async fn said(client: &Client, server: &RunningServer, token: &str, session: &str) -> StatusCode {
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    post(client, server, token, &message).header("mcp-session-id", session).send().await.unwrap().status()
}

#[tokio::test]
async fn handshakes_leave_only_so_many_sessions() {
    let program = program().with("DWELL_LIMITS_OWNER_MCP_SESSIONS_MAX", "3");
    let (server, client) = (program.start().await, Client::new());
    let ada = add(&program, "ada").await;
    let hers = handshake(&client, &server, &ada).await;
    let mut sessions = Vec::new();
    for _ in 0..8 {
        sessions.push(handshake(&client, &server, TOKEN).await);
    }
    let stats = server.rest().get("/api/v1/stats").await.ok()["connections"].clone();
    let counts =
        [&stats["mcp_sessions"], &stats["owners"]["owner"]["mcp_sessions"], &stats["owners"]["ada"]["mcp_sessions"]];
    assert_eq!(counts.map(|count| count.as_u64().unwrap()), [4, 3, 1], "{stats}");
    assert_eq!(said(&client, &server, &ada, &hers).await, StatusCode::ACCEPTED, "no other owner's session ends for it");
    assert_eq!(said(&client, &server, TOKEN, &sessions[0]).await, StatusCode::NOT_FOUND, "the client begins another");
    assert_eq!(said(&client, &server, TOKEN, &sessions[7]).await, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn all_owners_together_have_only_so_many_sessions() {
    let program = program().with("DWELL_LIMITS_MCP_SESSIONS_MAX", "4");
    let (server, client) = (program.start().await, Client::new());
    let ada = add(&program, "ada").await;
    let hers = handshake(&client, &server, &ada).await;
    for _ in 0..6 {
        handshake(&client, &server, TOKEN).await;
    }
    let stats = server.rest().get("/api/v1/stats").await.ok()["connections"].clone();
    assert_eq!((&stats["mcp_sessions"], &stats["owners"]["owner"]["mcp_sessions"]), (&json!(4), &json!(3)), "{stats}");
    assert_eq!(
        said(&client, &server, &ada, &hers).await,
        StatusCode::ACCEPTED,
        "the owner with the most sessions loses one"
    );
}

#[tokio::test]
async fn a_session_that_is_not_used_ends_and_one_that_listens_does_not() {
    let program = program().with("DWELL_LIMITS_MCP_IDLE_MS", "800");
    let (server, client) = (program.start().await, Client::new());
    let listens = handshake(&client, &server, TOKEN).await;
    assert_eq!(said(&client, &server, TOKEN, &listens).await, StatusCode::ACCEPTED);
    let listening = client.get(format!("{}/mcp", server.url())).bearer_auth(TOKEN);
    let listening = listening.header("accept", "text/event-stream").header("mcp-session-id", &listens);
    let listening = listening.send().await.unwrap();
    assert_eq!(listening.status(), StatusCode::OK);
    let forgotten = handshake(&client, &server, TOKEN).await;
    let stats = counted(&server, |stats| stats["mcp_sessions"] == 1).await;
    assert_eq!(stats["streams"], 1, "listening is a stream: {stats}");
    assert_eq!(said(&client, &server, TOKEN, &forgotten).await, StatusCode::NOT_FOUND);
    assert_eq!(said(&client, &server, TOKEN, &listens).await, StatusCode::ACCEPTED);
    drop(listening);
    counted(&server, |stats| stats["mcp_sessions"] == 0 && stats["streams"] == 0).await;
}
