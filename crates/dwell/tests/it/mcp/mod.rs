//! The Model Context Protocol in the running program: both protocol versions, over HTTP and over
//! `dwell mcp`.
//!
//! The official suite (see `conformance`) tests the protocol itself. These tests cover what the
//! suite leaves out: conversations that outlive their clients and restarts of the server.

mod access;
mod approvals;
mod changing;
mod conversation;
mod direct;
mod disconnects;
mod logging;
mod notifications;
mod own_tools;
mod owner_isolation;
mod repeated_requests;
pub(crate) mod sdk;
mod stdio;
mod tasks;

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};
use testkit::{McpClient, McpWire, PendingRequest, Program, RunningServer};

use crate::harness::{ToolHarness, calls};

/// The capabilities of a client without any.
fn plain() -> Value {
    json!({})
}

/// The capabilities of a client that supports tasks.
fn with_tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

/// The capabilities of a client that can ask its user (elicitation).
fn asking() -> Value {
    json!({ "elicitation": { "form": {} } })
}

/// A client for every combination: both protocol versions, over HTTP and over `dwell mcp`.
async fn every_way(program: &Program, server: &RunningServer, capabilities: &Value) -> Vec<(String, McpClient)> {
    let mut ways = Vec::new();
    for wire in McpWire::BOTH {
        ways.push((format!("http-{}", wire.version()), server.mcp(wire, capabilities.clone()).await));
        ways.push((format!("stdio-{}", wire.version()), program.mcp(wire, capabilities.clone()).await));
    }
    ways
}

/// A client that checks every answer against the tool's declared schema.
struct CheckedClient {
    mcp: McpClient,
    schemas: BTreeMap<String, Validator>,
}

impl CheckedClient {
    async fn new(mcp: McpClient) -> Self {
        let mut schemas = BTreeMap::new();
        for tool in tools(&mcp).await {
            if let Some(schema) = tool.get("outputSchema") {
                let name = tool["name"].as_str().unwrap().to_owned();
                schemas.insert(name, jsonschema::validator_for(schema).unwrap());
            }
        }
        Self { mcp, schemas }
    }

    /// The structured answer of a tool, checked against its schema.
    async fn data(&self, tool: &str, arguments: Value) -> Value {
        let result = self.mcp.call(tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
        self.fits(tool, &result);
        let text = result["content"][0]["text"].as_str().unwrap();
        let data = result["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), data, "clients that read only text read the same");
        data
    }

    #[track_caller]
    fn fits(&self, tool: &str, result: &Value) {
        assert_ne!(result["isError"], true, "{tool}: {result}");
        let data = &result["structuredContent"];
        let wrong: Vec<String> = self.schemas[tool].iter_errors(data).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{tool} answered {data}, which does not fit: {wrong:?}");
    }
}

/// The tools that a client is offered.
async fn tools(mcp: &McpClient) -> Vec<Value> {
    let listed = mcp.ask("tools/list", json!({})).await.unwrap();
    assert!(listed["nextCursor"].is_null(), "{listed}");
    listed["tools"].as_array().unwrap().clone()
}

/// A text field of an answer.
#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A session with a turn that waits for its model; returns the session and the turn.
async fn hanging(mcp: &McpClient, model: &testkit::ModelServer) -> (String, String) {
    let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
    let before = model.requests().len();
    model.push(testkit::Reply::hang());
    let sent = mcp.data("send_message", json!({ "session_id": session, "message": "Think it over." })).await;
    model.until(|model| model.requests().len() > before).await;
    (session, text(&sent["continuation_id"]))
}

/// Starts a turn that waits for the tool server until the test calls `release("look_at_sky")`.
async fn held(harness: &ToolHarness, mcp: &McpClient, tool: &str, arguments: Value) -> PendingRequest {
    let before = harness.tool_server.waiting("look_at_sky");
    harness.tool_server.hold("look_at_sky");
    harness.model.push(calls("c1", "look_at_sky", "tonight"));
    let pending = mcp.begin_call(tool, arguments);
    harness.tool_server.until(|tool_server| tool_server.waiting("look_at_sky") > before).await;
    pending
}

/// The open turns of a session, read over REST.
async fn open_turns(server: &RunningServer, session: &str) -> Vec<String> {
    let view = server.rest().get(&format!("/api/v1/sessions/{session}")).await.ok();
    view["open_turns"].as_array().unwrap().iter().map(text).collect()
}
