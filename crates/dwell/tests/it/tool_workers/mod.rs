//! Tool workers: clients that serve tools to every session of their owner, over the WebSocket.

mod delivery;
mod ending;
mod limits;
mod other_clients;

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient, RunningServer, Socket, ToolCall};

/// A tool that a worker serves.
fn tool(name: &str, effect: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    json!({ "name": name, "description": "Of a worker.", "input_schema": schema, "effect": effect })
}

/// A connection that serves a tool as a named worker.
async fn worker(server: &RunningServer, name: &str, tools: &[Value]) -> Socket {
    let mut socket = server.socket().await;
    let serving = socket.ask("tool.serve", json!({ "tools": tools, "worker": name })).await.unwrap();
    assert_eq!(serving["worker"], name);
    socket
}

/// The next message of a type; others are dropped.
async fn next(socket: &mut Socket, kind: &str) -> Value {
    socket.until(|message| message["type"] == kind).await.pop().unwrap()["data"].clone()
}

/// Whether a connection has received a message of a type, as of now: the answer to a ping comes
/// after all of them.
async fn has_received(socket: &mut Socket, kind: &str) -> bool {
    socket.send_text(r#"{"type": "ping"}"#).await;
    socket.until(|message| message["type"] == "pong").await.iter().any(|message| message["type"] == kind)
}

/// Sends the result of a call.
async fn answer(socket: &mut Socket, call: &Value, content: &str) -> Value {
    let result = json!({ "call_id": call["call_id"], "content": content });
    socket.ask("tool.answer", json!({ "turn_id": call["turn_id"], "results": [result] })).await.unwrap()
}

/// The model calls a tool, and afterwards says something.
fn script(model: &ModelServer, call_id: &str, tool: &str, words: &str) {
    model.push(Reply::tool_calls([ToolCall::new(call_id, tool, json!({ "city": "Oslo" }))]));
    model.push(Reply::text(words));
}

/// Waits until a turn has a waiting call.
async fn waiting(rest: &RestClient, turn_id: &str) -> Value {
    for _ in 0..600 {
        let turn = rest.get(&format!("/api/v1/turns/{turn_id}")).await.ok();
        if turn["calls_waiting"].is_array() {
            return turn;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("turn {turn_id} never waits for a call")
}

/// Waits until the server has noticed that the connection of a worker has ended.
async fn until_away(rest: &RestClient) {
    loop {
        let listed = rest.get("/api/v1/tools").await.ok();
        if listed["data"].as_array().unwrap().iter().any(|tool| tool["away_because"].is_string()) {
            return;
        }
        tokio::task::yield_now().await;
    }
}
