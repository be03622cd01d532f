//! The Model Context Protocol through the running program: both wires, over HTTP and over `dwell mcp`.
//!
//! The official suite (see `conformance`) looks at the protocol; this looks at what it leaves out, which is what the
//! protocol is for here: conversations that outlive their clients and the server.

mod again;
mod approvals;
mod changing;
mod conversation;
mod direct;
mod doors;
mod leaving;
pub(crate) mod sdk;
mod stdio;
mod strangers;
mod tasks;
mod telling;

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};
use testkit::{Mcp, McpWire, Pending, Program, Running};

use crate::scene::{Scene, calls};

/// A client that can do nothing special.
fn plain() -> Value {
    json!({})
}

/// A client that knows tasks.
fn with_tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

/// A client that can ask its user.
fn asking() -> Value {
    json!({ "elicitation": { "form": {} } })
}

/// A client for every way there is: both wires, over HTTP and over `dwell mcp`.
async fn every_way(program: &Program, server: &Running, capabilities: &Value) -> Vec<(String, Mcp)> {
    let mut ways = Vec::new();
    for wire in McpWire::BOTH {
        ways.push((format!("http-{}", wire.version()), server.mcp(wire, capabilities.clone()).await));
        ways.push((format!("stdio-{}", wire.version()), program.mcp(wire, capabilities.clone()).await));
    }
    ways
}

/// A client that holds every answer against what the tool has declared.
struct Checked {
    mcp: Mcp,
    schemas: BTreeMap<String, Validator>,
}

impl Checked {
    async fn new(mcp: Mcp) -> Self {
        let mut schemas = BTreeMap::new();
        for tool in tools(&mcp).await {
            if let Some(schema) = tool.get("outputSchema") {
                let name = tool["name"].as_str().unwrap().to_owned();
                schemas.insert(name, jsonschema::validator_for(schema).unwrap());
            }
        }
        Self { mcp, schemas }
    }

    /// What a tool answers with, which fits what it has declared.
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

/// The tools a client is told of.
async fn tools(mcp: &Mcp) -> Vec<Value> {
    let listed = mcp.ask("tools/list", json!({})).await.unwrap();
    assert!(listed["nextCursor"].is_null(), "{listed}");
    listed["tools"].as_array().unwrap().clone()
}

/// A text field of an answer.
#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A session with a turn that waits for its model: session and turn.
async fn hanging(mcp: &Mcp, model: &testkit::ModelServer) -> (String, String) {
    let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
    let before = model.requests().len();
    model.push(testkit::Reply::hang());
    let sent = mcp.data("send_message", json!({ "session_id": session, "message": "Think it over." })).await;
    model.until(|model| model.requests().len() > before).await;
    (session, text(&sent["continuation_id"]))
}

/// A turn that waits for the world, which has to let it go on: `world.release("look_at_sky")`.
async fn held(scene: &Scene, mcp: &Mcp, tool: &str, arguments: Value) -> Pending {
    let before = scene.world.waiting("look_at_sky");
    scene.world.hold("look_at_sky");
    scene.model.push(calls("c1", "look_at_sky", "tonight"));
    let pending = mcp.begin_call(tool, arguments);
    scene.world.until(|world| world.waiting("look_at_sky") > before).await;
    pending
}

/// The turns that a session has open, as REST sees it.
async fn open_turns(server: &Running, session: &str) -> Vec<String> {
    let view = server.rest().get(&format!("/api/v1/sessions/{session}")).await.ok();
    view["open_turns"].as_array().unwrap().iter().map(text).collect()
}
