//! Shared helpers for tests of turns that run tools: a tool server, a program that may use its
//! tools, and short helper functions.

use serde_json::{Value, json};
use testkit::{
    ModelServer, Program, Reply, Request, RestClient, RestResponse, RunningServer, ToolCall, ToolServer, ToolServerTool,
};

use crate::program;

/// A scripted model, a tool server, and the program that connects them.
pub(crate) struct ToolHarness {
    pub(crate) model: ModelServer,
    pub(crate) tool_server: ToolServer,
    pub(crate) program: Program,
    pub(crate) server: RunningServer,
}

/// A harness with the tool server's default tools and with actuation enabled.
pub(crate) async fn harness() -> ToolHarness {
    harness_with(|_| {}, |program| program).await
}

/// The same with changes to the tools and to the program's settings.
pub(crate) async fn harness_with(
    change: impl Fn(&mut ToolServerTool),
    set: impl FnOnce(Program) -> Program,
) -> ToolHarness {
    let (model, tool_server) = (ModelServer::start().await, ToolServer::start().await);
    let program = program().with_model(&model);
    let file = program.folder().join("tools.toml");
    std::fs::write(&file, tool_server.tools_toml_with(change)).unwrap();
    let program = program.with("DWELL_TOOLS_FILE", file.to_str().unwrap()).with("DWELL_TOOLS_ACTUATION", "true");
    let program = set(program);
    let server = program.start().await;
    ToolHarness { model, tool_server, program, server }
}

/// A call of one of the tool server's tools.
pub(crate) fn call(id: &str, tool: &str, note: &str) -> ToolCall {
    ToolCall::new(id, tool, json!({ "note": note }))
}

/// A model reply with one such call.
pub(crate) fn calls(id: &str, tool: &str, note: &str) -> Reply {
    Reply::tool_calls([call(id, tool, note)])
}

/// A session with these settings.
pub(crate) async fn session_with(rest: &RestClient, settings: Value) -> String {
    let view = rest.post("/api/v1/sessions", settings).await.ok();
    view["session_id"].as_str().unwrap().to_owned()
}

/// Sends a message with these fields.
pub(crate) async fn say(rest: &RestClient, session: &str, body: Value) -> RestResponse {
    rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await
}

/// Sends a message with these fields and waits for the end of the turn.
pub(crate) async fn told(rest: &RestClient, session: &str, body: Value) -> Value {
    let accepted = say(rest, session, body).await.ok();
    rest.ended(accepted["turn_id"].as_str().unwrap()).await
}

/// The details of all steps of one type in a turn, in order.
pub(crate) fn steps<'a>(turn: &'a Value, kind: &str) -> Vec<&'a Value> {
    let steps = turn["steps"].as_array().unwrap().iter();
    steps.filter(|step| step["type"] == kind).map(|step| &step["detail"]).collect()
}

/// The tool results that a request contains: call ids and contents.
pub(crate) fn results(request: &Request) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let results = request.messages().iter().filter(|message| message["role"] == "tool");
    results.map(|message| (text(&message["tool_call_id"]), text(&message["content"]))).collect()
}

/// The names of the tools that a request offers.
pub(crate) fn shown(request: &Request) -> Vec<String> {
    let names = request.tools().iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    names.collect()
}

/// The newest request.
pub(crate) fn last(model: &ModelServer) -> Request {
    model.requests().pop().unwrap()
}

/// The instructions of a request.
pub(crate) fn system(request: &Request) -> String {
    request.messages()[0]["content"].as_str().unwrap().to_owned()
}
