//! External MCP servers in the running program: their tools are called like any other and trusted
//! less.

mod acting;
mod settings;

use std::{path::PathBuf, time::Duration};

use serde_json::Value;
use testkit::{ModelServer, Program, RunningServer, test_mcp_program};

use crate::program;

/// How long a test waits for a change.
const PATIENCE: Duration = Duration::from_secs(20);

/// A model, and the program with an external server named `shop`.
struct ExternalHarness {
    model: ModelServer,
    program: Program,
    server: RunningServer,
}

/// The program with this configuration file, in which `TEST_SERVER` stands for the external server
/// and `FOLDER` for the data folder.
fn set(program: Program, configuration: &str) -> Program {
    let text = configuration
        .replace("TEST_SERVER", &test_mcp_program("dwell_test_mcp_server"))
        .replace("FOLDER", program.folder().to_str().unwrap());
    let file = program.folder().join("config.toml");
    std::fs::write(&file, text).unwrap();
    program.with("DWELL_CONFIG", file.to_str().unwrap())
}

/// The configuration of a server `shop` all of whose tools are allowed.
fn shop(more: &str) -> String {
    format!(
        "[tools]\nactuation = true\n[mcp.servers.shop]\ncommand = \"TEST_SERVER\"\n\
         args = [\"--ledger\", \"FOLDER/ledger\"]\nallow = [\"*\"]\n{more}\n"
    )
}

impl ExternalHarness {
    async fn open(configuration: &str) -> Self {
        Self::open_with(configuration, |program| program).await
    }

    async fn open_with(configuration: &str, more: impl FnOnce(Program) -> Program) -> Self {
        let model = ModelServer::start().await;
        let program = program().with_model(&model).with("DWELL_MEMORY_FOLLOW_SESSIONS", "false");
        let program = more(set(program, configuration));
        let server = program.start().await;
        Self { model, program, server }
    }

    fn ledger(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.ledger_path()).unwrap_or_default();
        text.lines().map(|line| line.trim().to_owned()).collect()
    }

    fn ledger_path(&self) -> PathBuf {
        self.program.folder().join("ledger")
    }

    async fn tools(&self) -> Value {
        self.server.rest().get("/api/v1/tools").await.ok()
    }

    /// Waits until the list of tools meets the condition.
    async fn until(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..PATIENCE.as_millis() / 20 {
            let page = self.tools().await;
            if is_so(&page) {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{what}: {}", self.tools().await["servers"])
    }
}

/// A tool of the list.
fn tool<'a>(page: &'a Value, name: &str) -> Option<&'a Value> {
    page["data"].as_array().unwrap().iter().find(|tool| tool["name"] == name)
}
