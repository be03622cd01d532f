//! Log messages: what a turn does, for clients that ask for it, at the level that they ask for.

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, Reply};

use super::{every_way, plain, text};
use crate::{
    harness::{calls, harness},
    started,
};

/// A call of `ask` that wants log messages of this level, in the way of the client's version.
async fn asking_at(mcp: &McpClient, level: &str, message: &str) -> Value {
    let mut call = json!({ "name": "ask", "arguments": { "message": message } });
    if mcp.wire() == McpWire::Session {
        mcp.ask("logging/setLevel", json!({ "level": level })).await.unwrap();
    } else {
        call["_meta"] = json!({ "io.modelcontextprotocol/logLevel": level });
    }
    call
}

/// Takes the log messages up to the one that says this.
async fn log_until(mcp: &McpClient, last: &str) -> Vec<Value> {
    let mut log = Vec::new();
    loop {
        let told = mcp.received("notifications/message").await["params"].clone();
        let is_last = told["data"]["message"] == last;
        log.push(told);
        if is_last {
            return log;
        }
    }
}

#[tokio::test]
async fn a_client_that_asks_for_a_level_gets_log_messages_about_its_turns() {
    let harness = harness().await;
    for (way, mcp) in every_way(&harness.program, &harness.server, &plain()).await {
        let _listening = if mcp.wire() == McpWire::Session { mcp.listen().await } else { None };
        // Nothing is logged to a client that has not asked for it.
        mcp.data("ask", json!({ "message": "hello" })).await;
        assert!(mcp.inbox().is_empty(), "{way}: {:?}", mcp.inbox());

        harness.model.push(calls("c1", "look_at_sky", "tonight-secret"));
        harness.model.push(Reply::text("It is clear."));
        let call = asking_at(&mcp, "info", "Is the sky clear?").await;
        let done = mcp.ask("tools/call", call).await.unwrap();
        assert_eq!(done["structuredContent"]["status"], "completed", "{way}: {done}");
        let log = log_until(&mcp, "turn completed").await;
        let turn = &done["structuredContent"]["continuation_id"];
        assert!(log.iter().all(|told| told["data"]["turn_id"] == *turn), "{way}: {log:?}");
        assert!(log.iter().all(|told| told["level"] == "info"), "{way}: nothing less, and nothing went wrong: {log:?}");
        let told: Vec<(String, String)> =
            log.iter().map(|told| (text(&told["logger"]), text(&told["data"]["message"]))).collect();
        let expected = [
            ("dwell.turn", "turn started"),
            ("dwell.tool", "tool called"),
            ("dwell.tool", "tool answered"),
            ("dwell.turn", "turn completed"),
        ];
        assert_eq!(told, expected.map(|(logger, said)| (logger.to_owned(), said.to_owned())), "{way}");
        assert_eq!(log[1]["data"]["tool"], "look_at_sky");
        assert!(!json!(log).to_string().contains("tonight-secret"), "{way}: arguments stay out of the log");

        // A higher level: only what went wrong.
        harness.model.push(Reply::status(401));
        let call = asking_at(&mcp, "error", "Is it still clear?").await;
        mcp.ask("tools/call", call).await.unwrap();
        let log = log_until(&mcp, "turn failed").await;
        assert_eq!(log.len(), 1, "{way}: {log:?}");
        assert_eq!((&log[0]["level"], &log[0]["data"]["code"]), (&json!("error"), &json!("model_refused")), "{way}");

        let unknown = mcp.ask("logging/setLevel", json!({ "level": "loud" })).await.unwrap_err();
        assert!([-32602, -32601].contains(&unknown["code"].as_i64().unwrap()), "{way}: {unknown}");
        if mcp.wire() == McpWire::Alone {
            let gone = mcp.ask("logging/setLevel", json!({ "level": "info" })).await.unwrap_err();
            assert_eq!(gone["code"], -32601, "{way}: {gone}");
        }
    }
}

#[tokio::test]
async fn a_turn_is_logged_to_its_end_also_after_its_request_and_after_a_restart() {
    let (_model, program, server) = started().await;
    let mcp = program.mcp(McpWire::Session, plain()).await;
    mcp.ask("logging/setLevel", json!({ "level": "info" })).await.unwrap();
    let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
    let sent = mcp.data("send_message", json!({ "session_id": session, "message": "hello" })).await;
    let log = log_until(&mcp, "turn completed").await;
    assert!(log.iter().all(|told| told["data"]["turn_id"] == sent["continuation_id"]), "{log:?}");
    // Two requests that wait for the same turn do not double its messages.
    let waiting = json!({ "continuation_id": sent["continuation_id"] });
    mcp.data("await_continuation", waiting).await;

    server.kill().await;
    let _server = program.start().await;
    // The bridge has set the level again.
    let sent = mcp.data("send_message", json!({ "session_id": session, "message": "hello again" })).await;
    let log = log_until(&mcp, "turn completed").await;
    assert!(log.iter().all(|told| told["data"]["turn_id"] == sent["continuation_id"]), "{log:?}");
    assert!(mcp.garbage().is_empty(), "{:?}", mcp.garbage());
}
