//! What tests of acting turns share: a world with tools, the program that may use them, and a few short words.

use serde_json::{Value, json};
use testkit::{Answer, ModelServer, Program, Reply, Request, Rest, Running, ToolCall, World, WorldTool};

use crate::program;

/// A model that follows a script, a world, and the program between them.
pub(crate) struct Scene {
    pub(crate) model: ModelServer,
    pub(crate) world: World,
    pub(crate) program: Program,
    pub(crate) server: Running,
}

/// The world's tools as they are, and actuation on.
pub(crate) async fn scene() -> Scene {
    scene_with(|_| {}, |program| program).await
}

/// The same with something changed about the tools, and about how the program is set.
pub(crate) async fn scene_with(change: impl Fn(&mut WorldTool), set: impl FnOnce(Program) -> Program) -> Scene {
    let (model, world) = (ModelServer::start().await, World::start().await);
    let program = program().with_model(&model);
    let file = program.folder().join("tools.toml");
    std::fs::write(&file, world.tools_toml_with(change)).unwrap();
    let program = program.with("DWELL_TOOLS_FILE", file.to_str().unwrap()).with("DWELL_TOOLS_ACTUATION", "true");
    let program = set(program);
    let server = program.start().await;
    Scene { model, world, program, server }
}

/// A call of one of the world's tools.
pub(crate) fn call(id: &str, tool: &str, note: &str) -> ToolCall {
    ToolCall::new(id, tool, json!({ "note": note }))
}

/// A round of the model in which it makes one such call.
pub(crate) fn calls(id: &str, tool: &str, note: &str) -> Reply {
    Reply::tool_calls([call(id, tool, note)])
}

/// A session that is set in some way.
pub(crate) async fn session_with(rest: &Rest, settings: Value) -> String {
    let view = rest.post("/api/v1/sessions", settings).await.ok();
    view["session_id"].as_str().unwrap().to_owned()
}

/// Says something in some way.
pub(crate) async fn say(rest: &Rest, session: &str, body: Value) -> Answer {
    rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await
}

/// Says something in some way and waits for what comes of it.
pub(crate) async fn told(rest: &Rest, session: &str, body: Value) -> Value {
    let accepted = say(rest, session, body).await.ok();
    rest.ended(accepted["turn_id"].as_str().unwrap()).await
}

/// The details of a turn's steps of one type, in order.
pub(crate) fn steps<'a>(turn: &'a Value, kind: &str) -> Vec<&'a Value> {
    let steps = turn["steps"].as_array().unwrap().iter();
    steps.filter(|step| step["type"] == kind).map(|step| &step["detail"]).collect()
}

/// What a request tells the model of its calls: ids and results.
pub(crate) fn results(request: &Request) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let results = request.messages().iter().filter(|message| message["role"] == "tool");
    results.map(|message| (text(&message["tool_call_id"]), text(&message["content"]))).collect()
}

/// The names of the tools that a request shows the model.
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
