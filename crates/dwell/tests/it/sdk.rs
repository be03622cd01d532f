//! Third-party clients, unchanged: the OpenAI SDK for Python, the AI SDK and LangChain. `./test`
//! installs them and sets `DWELL_SDK` to the folder. Without it these tests print that they were
//! skipped.

use std::path::Path;

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, Request, RunningServer, ToolCall};
use tokio::process::Command;

use crate::{mcp::sdk::installed, started};

const TOKEN: &str = "test-token-0123456789";

/// A client, identified by its script.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClientScript {
    Python(&'static str),
    Node(&'static str),
}

impl ClientScript {
    /// The command that runs the script, if the client is installed.
    fn command(self) -> Option<Command> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
        Some(match self {
            Self::Python(script) => {
                let mut command = Command::new(installed("venv/bin/python")?.join("venv/bin/python"));
                command.arg(scripts.join(script));
                command
            }
            Self::Node(script) => {
                let folder = installed("node_modules/ai")?;
                let mut command = Command::new(folder.join("node_modules/.bin/node"));
                command.arg(scripts.join(script)).current_dir(folder);
                command
            }
        })
    }

    /// Runs the script and checks that it succeeds.
    pub(crate) async fn run(self, arguments: &[&str]) {
        let Some(mut command) = self.command() else { return };
        let ran = command.args(arguments).kill_on_drop(true).output().await.unwrap();
        assert!(ran.status.success(), "{self:?} {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// A model that calls the weather tool, reports its results, and answers a question about an
/// earlier message.
fn answer(request: &Request) -> Reply {
    let contents: Vec<String> = request.messages().iter().map(|message| message["content"].to_string()).collect();
    let results: Vec<&Value> = request.messages().iter().filter(|message| message["role"] == "tool").collect();
    if !request.last_user().contains("weather") {
        let known = contents.iter().any(|content| content.contains("Hartmann"));
        return Reply::text(if known { "Hartmann does." } else { "I do not know." });
    }
    if results.is_empty() {
        let call = |id: &str, city: &str| ToolCall::new(id, "get_weather", json!({ "city": city }));
        return Reply::text("Let me see.").then_tool_calls([call("c1", "Oslo"), call("c2", "Rome")]);
    }
    let told: Vec<&str> = results.iter().filter_map(|result| result["content"].as_str()).collect();
    Reply::text(format!("It is {}.", told.join(" and ")))
}

async fn serving() -> (ModelServer, testkit::Program, RunningServer) {
    let (model, program, server) = started().await;
    model.respond_with(answer);
    (model, program, server)
}

/// Runs all phases: a chat with tools, then a fact that one process states and another knows after
/// a restart.
async fn try_out(client: ClientScript) {
    if client.command().is_none() {
        return;
    }
    let (model, program, server) = serving().await;
    let phase = async |server: &RunningServer, phase: &str| {
        client.run(&[&format!("{}/v1", server.url()), TOKEN, phase]).await;
    };
    phase(&server, "tools").await;
    phase(&server, "tell").await;
    server.rest().post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 20_000 })).await;
    server.stop().await;
    let server = program.start().await;
    phase(&server, "know").await;
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn sdk_of_openai_streams_a_chat_with_tools_and_keeps_its_memory() {
    try_out(ClientScript::Python("openai_tools.py")).await;
}

#[tokio::test]
async fn sdk_called_ai_streams_a_chat_with_tools_and_keeps_its_memory() {
    try_out(ClientScript::Node("ai_tools.mjs")).await;
}

#[tokio::test]
async fn sdk_of_langchain_takes_conversations_and_gives_them_back() {
    let (_model, _program, server) = serving().await;
    ClientScript::Python("langchain_roundtrip.py").run(&[server.url(), TOKEN]).await;
}
