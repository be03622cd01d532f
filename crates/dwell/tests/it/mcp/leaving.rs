//! Going away ends the waiting, not the turn; taking a request back ends the turn that it began.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Mcp, McpWire, Running};

use super::{held, open_turns, plain, text};
use crate::scene::scene;

/// Long enough for the server to notice that nobody is there.
const NOTICED: Duration = Duration::from_millis(300);

/// The one turn that is open anywhere.
async fn the_turn(server: &Running) -> String {
    let sessions = server.rest().get("/api/v1/sessions").await.ok();
    let open = sessions["data"].as_array().unwrap().iter().flat_map(|view| view["open_turns"].as_array().unwrap());
    let open: Vec<&Value> = open.collect();
    assert_eq!(open.len(), 1, "{open:?}");
    text(open[0])
}

/// A question with a key: its session stays, so that there is something to be seen once it is answered.
fn question(key: &str) -> Value {
    json!({ "message": "Is it clear tonight?", "idempotency_key": key })
}

#[tokio::test]
async fn a_connection_that_is_dropped_ends_only_the_waiting() {
    let scene = scene().await;
    for wire in McpWire::BOTH {
        let mcp = scene.server.mcp(wire, plain()).await;
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        for (tool, arguments) in [
            ("ask", question(&format!("{wire:?}"))),
            ("send_message", json!({ "session_id": session, "message": "Is it clear tonight?", "timeout_ms": 60000 })),
        ] {
            let pending = held(&scene, &mcp, tool, arguments).await;
            let turn = the_turn(&scene.server).await;
            let awaiting = mcp.begin_call("await_continuation", json!({ "continuation_id": turn }));
            tokio::time::sleep(NOTICED).await;
            drop((pending, awaiting));
            tokio::time::sleep(NOTICED).await;
            goes_on(&scene.server, &turn, || scene.world.release("look_at_sky")).await;
        }
    }
}

/// It is open, and completes when it is let go on.
async fn goes_on(server: &Running, turn: &str, release: impl FnOnce()) {
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
    let scene = scene().await;
    for wire in McpWire::BOTH {
        let mcp = scene.program.mcp(wire, plain()).await;
        let pending = held(&scene, &mcp, "ask", question(&format!("{wire:?}"))).await;
        let turn = the_turn(&scene.server).await;
        mcp.kill().await;
        pending.end().await.unwrap_err();
        tokio::time::sleep(NOTICED).await;
        goes_on(&scene.server, &turn, || scene.world.release("look_at_sky")).await;
    }
}

#[tokio::test]
async fn a_request_that_is_taken_back_takes_its_turn_with_it() {
    let scene = scene().await;
    let ways: [Mcp; 2] =
        [scene.server.mcp(McpWire::Session, plain()).await, scene.program.mcp(McpWire::Session, plain()).await];
    for mcp in ways {
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        let message = json!({ "session_id": session, "message": "Is it clear tonight?", "timeout_ms": 60000 });
        let pending = held(&scene, &mcp, "send_message", message).await;
        let turn = open_turns(&scene.server, &session).await.remove(0);

        // To take back a request that only waits ends the waiting.
        let awaiting = mcp.begin_call("await_continuation", json!({ "continuation_id": turn }));
        tokio::time::sleep(NOTICED).await;
        mcp.notify("notifications/cancelled", json!({ "requestId": awaiting.id() })).await;
        tokio::time::sleep(NOTICED).await;
        assert_eq!(open_turns(&scene.server, &session).await, [turn.as_str()]);

        let taken_back = json!({ "requestId": pending.id(), "reason": "never mind" });
        mcp.notify("notifications/cancelled", taken_back).await;
        let ended = scene.server.rest().ended(&turn).await;
        assert_eq!((&ended["status"], &ended["reason"]), (&json!("cancelled"), &json!("never mind")), "{ended}");
        scene.world.release("look_at_sky");
        // The client goes on as before.
        let said = json!({ "session_id": session, "message": "Tell me about the moon.", "timeout_ms": 30000 });
        assert_eq!(
            mcp.data("send_message", said).await["response"]["final_message"],
            "You said: Tell me about the moon."
        );
    }
}

#[tokio::test]
async fn somebody_elses_request_of_the_same_number_is_not_taken_back() {
    let scene = scene().await;
    let (mcp, other) =
        (scene.server.mcp(McpWire::Session, plain()).await, scene.server.mcp(McpWire::Session, plain()).await);
    let pending = held(&scene, &mcp, "ask", question("one")).await;
    let turn = the_turn(&scene.server).await;
    other.notify("notifications/cancelled", json!({ "requestId": pending.id() })).await;
    tokio::time::sleep(NOTICED).await;
    goes_on(&scene.server, &turn, || scene.world.release("look_at_sky")).await;
    assert_eq!(pending.end().await.unwrap().unwrap()["structuredContent"]["status"], "completed");
}
