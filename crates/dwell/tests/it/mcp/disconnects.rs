//! A client that disconnects stops waiting but does not end the turn. A client that cancels its
//! request ends the turn that the request began.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, RunningServer};

use super::{held, open_turns, plain, text};
use crate::harness::harness;

/// Long enough for the server to notice that the client is gone.
const NOTICED: Duration = Duration::from_millis(300);

/// The only open turn of the server.
async fn the_turn(server: &RunningServer) -> String {
    let sessions = server.rest().get("/api/v1/sessions").await.ok();
    let open = sessions["data"].as_array().unwrap().iter().flat_map(|view| view["open_turns"].as_array().unwrap());
    let open: Vec<&Value> = open.collect();
    assert_eq!(open.len(), 1, "{open:?}");
    text(open[0])
}

/// A question with a key. Its session stays, so that the turn can be read after its end.
fn question(key: &str) -> Value {
    json!({ "message": "Is it clear tonight?", "idempotency_key": key })
}

#[tokio::test]
async fn a_connection_that_is_dropped_ends_only_the_waiting() {
    let harness = harness().await;
    for wire in McpWire::BOTH {
        let mcp = harness.server.mcp(wire, plain()).await;
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        for (tool, arguments) in [
            ("ask", question(&format!("{wire:?}"))),
            ("send_message", json!({ "session_id": session, "message": "Is it clear tonight?", "timeout_ms": 60000 })),
        ] {
            let pending = held(&harness, &mcp, tool, arguments).await;
            let turn = the_turn(&harness.server).await;
            let awaiting = mcp.begin_call("await_continuation", json!({ "continuation_id": turn }));
            tokio::time::sleep(NOTICED).await;
            drop((pending, awaiting));
            tokio::time::sleep(NOTICED).await;
            goes_on(&harness.server, &turn, || harness.tool_server.release("look_at_sky")).await;
        }
    }
}

/// Checks that the turn is open and that it completes once it is released.
async fn goes_on(server: &RunningServer, turn: &str, release: impl FnOnce()) {
    let open = server.rest().get(&format!("/api/v1/turns/{turn}")).await.ok();
    assert!(["running", "streaming"].contains(&open["status"].as_str().unwrap()), "{open}");
    release();
    let ended = server.rest().ended(turn).await;
    assert_eq!(
        (&ended["status"], &ended["text"]),
        (&json!("completed"), &json!("You said: Is it clear tonight?")),
        "{ended}"
    );
}

#[tokio::test]
async fn a_bridge_that_is_killed_ends_only_the_waiting() {
    let harness = harness().await;
    for wire in McpWire::BOTH {
        let mcp = harness.program.mcp(wire, plain()).await;
        let pending = held(&harness, &mcp, "ask", question(&format!("{wire:?}"))).await;
        let turn = the_turn(&harness.server).await;
        mcp.kill().await;
        pending.end().await.unwrap_err();
        tokio::time::sleep(NOTICED).await;
        goes_on(&harness.server, &turn, || harness.tool_server.release("look_at_sky")).await;
    }
}

#[tokio::test]
async fn a_request_that_is_taken_back_takes_its_turn_with_it() {
    let harness = harness().await;
    let ways: [McpClient; 2] =
        [harness.server.mcp(McpWire::Session, plain()).await, harness.program.mcp(McpWire::Session, plain()).await];
    for mcp in ways {
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        let message = json!({ "session_id": session, "message": "Is it clear tonight?", "timeout_ms": 60000 });
        let pending = held(&harness, &mcp, "send_message", message).await;
        let turn = open_turns(&harness.server, &session).await.remove(0);

        // Cancelling a request that only waits ends the wait, not the turn.
        let awaiting = mcp.begin_call("await_continuation", json!({ "continuation_id": turn }));
        tokio::time::sleep(NOTICED).await;
        mcp.notify("notifications/cancelled", json!({ "requestId": awaiting.id() })).await;
        tokio::time::sleep(NOTICED).await;
        assert_eq!(open_turns(&harness.server, &session).await, [turn.as_str()]);

        let taken_back = json!({ "requestId": pending.id(), "reason": "never mind" });
        mcp.notify("notifications/cancelled", taken_back).await;
        let ended = harness.server.rest().ended(&turn).await;
        assert_eq!((&ended["status"], &ended["reason"]), (&json!("cancelled"), &json!("never mind")), "{ended}");
        harness.tool_server.release("look_at_sky");
        // The client can continue afterwards.
        let said = json!({ "session_id": session, "message": "Tell me about the moon.", "timeout_ms": 30000 });
        assert_eq!(
            mcp.data("send_message", said).await["response"]["final_message"],
            "You said: Tell me about the moon."
        );
    }
}

#[tokio::test]
async fn another_clients_request_of_the_same_number_is_not_taken_back() {
    let harness = harness().await;
    let (mcp, other) =
        (harness.server.mcp(McpWire::Session, plain()).await, harness.server.mcp(McpWire::Session, plain()).await);
    let pending = held(&harness, &mcp, "ask", question("one")).await;
    let turn = the_turn(&harness.server).await;
    other.notify("notifications/cancelled", json!({ "requestId": pending.id() })).await;
    tokio::time::sleep(NOTICED).await;
    goes_on(&harness.server, &turn, || harness.tool_server.release("look_at_sky")).await;
    assert_eq!(pending.end().await.unwrap().unwrap()["structuredContent"]["status"], "completed");
}
