//! Every API can delete a session, and each reports what was wrong.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::McpWire;

use super::{delete, exchange, with_status};
use crate::{harness::session_with, started};

#[tokio::test]
async fn every_way_in_deletes_a_session() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let mut sessions = Vec::new();
    for name in ["by-socket", "by-id", "by-name", "by-mcp", "by-rest"] {
        let session = session_with(&rest, json!({ "key": name })).await;
        exchange(&rest, &session, "Tell me of the gate.").await;
        sessions.push(session);
    }
    let mut socket = server.socket().await;
    let asked = json!({ "conversation_id": "by-socket", "memories": true });
    let gone = socket.ask("session.delete", asked.clone()).await.unwrap();
    assert_eq!(gone["session_id"], sessions[0].as_str());
    assert_eq!(socket.ask("session.delete", asked).await.unwrap_err()["code"], "not_found");

    let printed = program.run(&["sessions", "delete", &sessions[1]]).await;
    assert!(printed.stdout.starts_with(&format!("deleted {}: ", sessions[1])), "{printed:?}");
    let printed = program.run(&["sessions", "delete", "by-name", "--memories", "--yes", "--json"]).await;
    let gone: Value = serde_json::from_str(&printed.stdout).unwrap_or_else(|_| panic!("{printed:?}"));
    assert_eq!(gone["session_id"], sessions[2].as_str());
    let again = program.run(&["sessions", "delete", "by-name", "--yes"]).await;
    assert!(again.code() == 1 && again.stderr.contains("sessions list"), "{again:?}");

    let mcp = server.mcp(McpWire::BOTH[0], json!({})).await;
    let gone = mcp.data("delete_session", json!({ "session_id": "by-mcp", "memories": true })).await;
    assert_eq!(gone["session_id"], sessions[3].as_str());

    assert_eq!(with_status(&rest, "active").await, [sessions[4].as_str()]);
    let path = format!("/api/v1/sessions/{}?memories=true", sessions[4]);
    let refused = rest.call(Method::DELETE, &path, None, &[]).await;
    assert_eq!(refused.code(400), "invalid_request");
    assert!(refused.body["message"].as_str().unwrap().contains("forever=true"), "{}", refused.body);
    delete(&rest, &sessions[4], "").await.ok();
    assert_eq!(with_status(&rest, "active").await, [""; 0]);
    let stats = program.run(&["stats"]).await;
    assert!(stats.stdout.contains("sessions: 0 expired, 0 archived, 5 deleted"), "{}", stats.stdout);
}

#[tokio::test]
async fn a_call_of_a_client_that_names_no_session_has_one_after_its_session_is_over() {
    let harness = crate::harness::harness().await;
    let mcp = harness.server.mcp(McpWire::BOTH[0], json!({})).await;
    let rest = harness.server.rest();
    let notes = json!({ "note": "once" });
    mcp.data("set_label", notes.clone()).await;
    let all = rest.get("/api/v1/sessions").await.ok();
    let own = all["data"].as_array().unwrap().iter().find(|view| view["key"] == "mcp").unwrap();
    let path = format!("/api/v1/sessions/{}", own["session_id"].as_str().unwrap());
    rest.call(Method::DELETE, &path, None, &[]).await.ok();
    mcp.data("set_label", notes).await;
    let all = rest.get("/api/v1/sessions").await.ok();
    assert!(all["data"].as_array().unwrap().iter().any(|view| view["key"] == "mcp-2"), "{all}");
}
