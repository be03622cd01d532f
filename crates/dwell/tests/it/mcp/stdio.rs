//! `dwell mcp`: it connects to the running server or starts one itself, and prints only protocol
//! messages.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, ModelServer, Reply};

use super::{hanging, held, open_turns, plain, text};
use crate::{harness::harness, program, started};

/// Sends a message; returns the answer.
async fn say(mcp: &McpClient, session: &str, message: &str) -> Value {
    let said = json!({ "session_id": session, "message": message, "timeout_ms": 30000 });
    mcp.data("send_message", said).await["response"]["final_message"].clone()
}

#[tokio::test]
async fn where_no_server_runs_it_is_one_and_a_second_one_joins_it() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model).with("DWELL_LOG_FILTER", "debug");
    for wire in McpWire::BOTH {
        let key = wire.version();
        let first = program.mcp(wire, plain()).await;
        let session = text(&first.data("start_session", json!({ "key": key })).await["session_id"]);
        assert_eq!(say(&first, &session, "hello").await, "You said: hello");

        let second = program.mcp(wire, plain()).await;
        let looked = second.data("get_session", json!({ "session_id": key })).await;
        assert_eq!(looked["session"]["session_id"], session.as_str(), "they share one server");
        assert_eq!(say(&second, &session, "me too").await, "You said: me too");
        assert_eq!(first.data("get_session", json!({ "session_id": session })).await["session"]["stats"]["turns"], 2);
        // The command line finds the server too.
        let listed = program.run(&["sessions", "list"]).await;
        assert!(listed.code() == 0 && listed.stdout.contains(&session), "{listed:?}");

        // The first process, which runs the server, ends. The second one continues and starts a
        // server once it is sure that no other process does.
        assert!(first.close().await.success());
        if wire == McpWire::Session {
            assert_eq!(say(&second, &session, "still there?").await, "You said: still there?");
        }
        assert!(second.close().await.success());
        assert_eq!((first.garbage(), second.garbage()), (vec![], vec![]), "nothing but messages");
    }
}

#[tokio::test]
async fn two_that_start_at_once_share_one_server() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model);
    let (first, second) = tokio::join!(program.mcp(McpWire::Session, plain()), program.mcp(McpWire::Alone, plain()));
    let session = text(&first.data("start_session", json!({})).await["session_id"]);
    assert_eq!(say(&second, &session, "hello").await, "You said: hello");
}

#[tokio::test]
async fn where_a_server_runs_it_is_a_bridge_to_it() {
    let (_model, program, server) = started().await;
    for wire in McpWire::BOTH {
        let mcp = program.mcp(wire, plain()).await;
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        assert_eq!(say(&mcp, &session, "hello").await, "You said: hello");
        let view = server.rest().get(&format!("/api/v1/sessions/{session}")).await.ok();
        assert_eq!(view["stats"]["turns"], 1);
        assert!(mcp.close().await.success());
        server.rest().get("/api/v1/sessions").await.ok();
        assert_eq!(mcp.garbage(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_restart_between_two_requests_is_not_noticed() {
    let (_model, program, mut server) = started().await;
    for wire in McpWire::BOTH {
        let mcp = program.mcp(wire, plain()).await;
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        say(&mcp, &session, "before").await;
        server.kill().await;
        server = program.start().await;
        assert_eq!(say(&mcp, &session, "after").await, "You said: after");
        // The protocol session continues on the new server.
        let listed = mcp.ask("resources/list", json!({})).await.unwrap();
        assert!(listed.to_string().contains(&session));
        let stopped = server.stop().await;
        assert!(stopped.success());
        server = program.start().await;
        assert_eq!(say(&mcp, &session, "once more").await, "You said: once more");
        assert_eq!(mcp.garbage(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_kill_during_a_blocking_await_is_waited_out() {
    let (model, program, mut server) = started().await;
    for wire in McpWire::BOTH {
        let mcp = program.mcp(wire, plain()).await;
        let (_, turn) = hanging(&mcp, &model).await;
        let waiting = mcp.begin_call("await_continuation", json!({ "continuation_id": turn, "timeout_ms": 60000 }));
        tokio::time::sleep(Duration::from_millis(100)).await;
        model.push(Reply::text("Thought over."));
        server.kill().await;
        // A supervisor takes a while to restart the server. The bridge does not start one
        // meanwhile.
        tokio::time::sleep(Duration::from_millis(700)).await;
        server = program.start().await;
        let answered = waiting.end().await.unwrap().unwrap();
        let data = &answered["structuredContent"];
        assert_eq!(
            (&data["status"], &data["response"]["final_message"]),
            (&json!("completed"), &json!("Thought over."))
        );
        assert_eq!(mcp.garbage(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_message_with_a_key_is_sent_again_after_a_kill() {
    let (model, program, server) = started().await;
    let mcp = program.mcp(McpWire::Alone, plain()).await;
    let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
    model.push(Reply::hang());
    let message = json!({ "session_id": session, "message": "Tell me about the moon.", "timeout_ms": 60000, "idempotency_key": "k1" });
    let waiting = mcp.begin_call("send_message", message);
    model.until(|model| model.requests().len() == 1).await;
    model.push(Reply::text("Hm indeed."));
    server.kill().await;
    let _server = program.start().await;
    let answered = waiting.end().await.unwrap().unwrap()["structuredContent"].clone();
    assert_eq!((&answered["response"]["final_message"], &answered["duplicate"]), (&json!("Hm indeed."), &json!(true)));
}

#[tokio::test]
async fn a_message_without_a_key_is_not_sent_twice() {
    let (model, program, server) = started().await;
    let mcp = program.mcp(McpWire::Session, plain()).await;
    let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
    model.push(Reply::hang());
    let waiting = mcp.begin_call(
        "send_message",
        json!({ "session_id": session, "message": "Tell me about the moon.", "timeout_ms": 60000 }),
    );
    model.until(|model| model.requests().len() == 1).await;
    server.kill().await;
    let _server = program.start().await;
    let error = waiting.end().await.unwrap().unwrap_err();
    assert!(text(&error["message"]).contains("get_session"), "{error}");
    let looked = mcp.data("get_session", json!({ "session_id": session })).await;
    assert_eq!(looked["session"]["stats"]["turns"], 1, "{looked}");
}

#[tokio::test]
async fn nonsense_is_answered_and_does_no_harm() {
    let (_model, program, _server) = started().await;
    let mcp = program.mcp_silent(McpWire::Alone);
    let refused = async |code: i64| {
        let told = mcp.received_that(|told| told.get("error").is_some()).await;
        assert_eq!((&told["id"], &told["error"]["code"]), (&Value::Null, &json!(code)), "{told}");
    };
    for (line, code) in [
        ("{\"jsonrpc\":", -32700),
        ("hello", -32700),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]",
            -32600,
        ),
        ("[]", -32600),
        ("7", -32600),
        ("\"ping\"", -32600),
    ] {
        mcp.write(line).await;
        refused(code).await;
    }
    // Empty lines are ignored.
    mcp.write("").await;
    mcp.write("   \r").await;
    // A line that is longer than the largest message.
    let huge = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{{\"x\":\"{}\"}}}}",
        "x".repeat(17 << 20)
    );
    mcp.write(&huge).await;
    refused(-32700).await;
    let session = mcp.data("start_session", json!({})).await;
    assert!(session["session_id"].is_string(), "it still works after all of that");
    assert_eq!(mcp.inbox(), Vec::<Value>::new(), "and every line was answered once");
    assert!(mcp.close().await.success());
    assert_eq!(mcp.garbage(), Vec::<String>::new());
}

#[tokio::test]
async fn the_end_of_input_ends_it_and_the_turn_goes_on() {
    let harness = harness().await;
    for wire in McpWire::BOTH {
        let mcp = harness.program.mcp(wire, plain()).await;
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        let message = json!({ "session_id": session, "message": "Is it clear tonight?", "timeout_ms": 60000 });
        let waiting = held(&harness, &mcp, "send_message", message).await;
        assert!(mcp.close().await.success());
        waiting.end().await.unwrap_err();
        let turn = open_turns(&harness.server, &session).await.remove(0);
        harness.tool_server.release("look_at_sky");
        let turn = harness.server.rest().ended(&turn).await;
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: Is it clear tonight?")));
    }
}

#[tokio::test]
async fn answers_that_are_on_their_way_come_after_the_end_of_input() {
    let (_model, program, _server) = started().await;
    let mcp = program.mcp(McpWire::Session, plain()).await;
    let asking: Vec<_> = (0..20).map(|_| mcp.begin("tools/list", json!({}))).collect();
    // All requests are written before the input is closed.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(mcp.close().await.success());
    for asked in asking {
        assert!(asked.end().await.unwrap().unwrap()["tools"].is_array());
    }
}
