//! The SDKs of others, unchanged: each script of `tests/sdk` runs several checks with one of them
//! against one server, and prints a line for each. A check that fails does not hide the others.
//!
//! `./test` installs the SDKs and sets `DWELL_SDK` to the folder. Without it these tests print that
//! they were skipped.

mod model;

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use testkit::{ModelServer, Program, RunningServer};
use tokio::process::Command;

use crate::{mcp::sdk::installed, program, start};

const TOKEN: &str = "test-token-0123456789";
/// How long all checks of a script may take together.
const PATIENCE: Duration = Duration::from_secs(180);

/// A script and what it is run with.
#[derive(Debug, Clone, Copy)]
enum CheckScript {
    Python(&'static str),
    /// With the packages that need version 2 of OpenAI's, which hide the others of the same name.
    PythonWithOpenAi2(&'static str),
    Node(&'static str),
}

impl CheckScript {
    /// The command that runs it, if what it needs is installed.
    fn command(self) -> Option<Command> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
        let python = |script: &str| {
            let folder = installed("venv/bin/python")?;
            let mut command = Command::new(folder.join("venv/bin/python"));
            // What one script has compiled of a package, the others need not; and nothing is
            // written beside the scripts.
            command.env("PYTHONPYCACHEPREFIX", folder.join("pycache")).arg(scripts.join(script));
            Some(command)
        };
        let mut command = match self {
            Self::Python(script) => python(script)?,
            Self::PythonWithOpenAi2(script) => {
                let packages = installed("openai2/openai")?.join("openai2");
                let mut command = python(script)?;
                command.env("PYTHONPATH", packages);
                command
            }
            Self::Node(script) => {
                let folder = installed("node_modules/@ai-sdk/openai")?;
                let mut command = Command::new(folder.join("node_modules/.bin/node"));
                command.arg(scripts.join(script)).current_dir(folder);
                command
            }
        };
        for proxy in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            command.env_remove(proxy);
        }
        command.kill_on_drop(true);
        Some(command)
    }

    /// Runs it and asserts that it makes these checks, in this order, and that all of them succeed.
    async fn passes(self, arguments: &[&str], expected: &[&str]) {
        let Some(mut command) = self.command() else { return };
        let ran = tokio::time::timeout(PATIENCE, command.args(arguments).output()).await.unwrap().unwrap();
        let (lines, noise) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{self:?}: {lines}\n{noise}");
        let failed: Vec<&str> = lines.lines().filter(|line| line.starts_with("failed ")).collect();
        assert!(failed.is_empty(), "{self:?}:\n{}\n{noise}", failed.join("\n"));
        let passed: Vec<&str> = lines.lines().filter_map(|line| line.strip_prefix("ok ")).collect();
        assert_eq!(passed, expected, "{self:?}");
    }

    fn is_installed(self) -> bool {
        self.command().is_some()
    }
}

/// A server with the model that the scripts expect, and its addresses.
struct Target {
    model: ModelServer,
    _program: Program,
    server: RunningServer,
    openai: String,
    ollama: String,
}

impl Target {
    async fn start() -> Self {
        Self::start_with(&BTreeMap::new()).await
    }

    async fn start_with(settings: &BTreeMap<&str, &str>) -> Self {
        let program = settings.iter().fold(program(), |program, (name, value)| program.with(name, value));
        let (model, program, server) = start(program).await;
        model.respond_with(model::answer);
        let key = fs::read_to_string(program.folder().join("ollama-key")).unwrap();
        let openai = format!("{}/v1", server.url());
        let ollama = format!("{}/ollama/{}", server.url(), key.trim());
        Self { model, _program: program, server, openai, ollama }
    }

    /// What the model was sent was what a strict provider accepts.
    fn is_content(&self) {
        assert_eq!(self.model.violations(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn openai_answers_streams_tools_structure_and_errors() {
    let script = CheckScript::Python("openai_chat.py");
    if !script.is_installed() {
        return;
    }
    let limits = [("DWELL_LIMITS_REQUESTS_PER_SECOND_MAX", "2"), ("DWELL_LIMITS_REQUESTS_BURST_MAX", "100")];
    let target = Target::start_with(&limits.into()).await;
    let checks = [
        "chat",
        "stream",
        "tools",
        "parse",
        "parse_stream",
        "json_object",
        "length",
        "unknown_model",
        "unknown_path",
        "wrong_key",
        "unsupported_field",
        "ignored_field",
        "upstream_rate_limit",
        "request_id",
        "own_rate_limit",
    ];
    script.passes(&[&target.openai, TOKEN], &checks).await;
    target.is_content();
}

#[tokio::test]
async fn langchain_answers_streams_tools_and_structure_by_every_method() {
    let script = CheckScript::Python("langchain_chat.py");
    if !script.is_installed() {
        return;
    }
    let target = Target::start().await;
    let checks = [
        "openai_chat",
        "openai_stream",
        "openai_tools",
        "openai_json_schema",
        "openai_json_schema_strict",
        "openai_function_calling",
        "openai_json_mode",
        "openai_structured_stream",
        "ollama_chat",
        "ollama_stream",
        "ollama_tools",
        "ollama_json_schema",
        "ollama_function_calling",
        "ollama_json_mode",
    ];
    script.passes(&[&target.openai, TOKEN, &target.ollama], &checks).await;
    target.is_content();
}

#[tokio::test]
async fn litellm_answers_streams_tools_and_json_mode() {
    let script = CheckScript::PythonWithOpenAi2("litellm_chat.py");
    if !script.is_installed() {
        return;
    }
    let target = Target::start().await;
    let checks = ["chat", "stream", "tools", "json_mode", "json_schema", "errors", "ollama_chat", "ollama_json_schema"];
    script.passes(&[&target.openai, TOKEN, &target.ollama], &checks).await;
    target.is_content();
}

#[tokio::test]
async fn pydantic_ai_answers_streams_tools_and_output_in_three_ways() {
    let script = CheckScript::Python("pydantic_ai_chat.py");
    if !script.is_installed() {
        return;
    }
    let target = Target::start().await;
    let checks = [
        "chat",
        "stream",
        "tools",
        "tools_and_output",
        "output_by_tool",
        "output_native",
        "output_prompted",
        "output_stream",
        "history",
    ];
    script.passes(&[&target.openai, TOKEN], &checks).await;
    target.is_content();
}

#[tokio::test]
async fn agents_of_openai_answer_call_tools_and_hand_over() {
    let script = CheckScript::Python("agents_chat.py");
    if !script.is_installed() {
        return;
    }
    let target = Target::start().await;
    let checks = ["chat", "stream", "tools", "tools_streamed", "output_type", "tools_and_output_type", "handoff"];
    script.passes(&[&target.openai, TOKEN], &checks).await;
    target.is_content();
}

#[tokio::test]
async fn instructor_extracts_in_every_mode_and_corrects_once() {
    let script = CheckScript::PythonWithOpenAi2("instructor_modes.py");
    if !script.is_installed() {
        return;
    }
    let target = Target::start().await;
    let checks = ["tools", "tools_strict", "json_schema", "json", "markdown_json", "corrected"];
    script.passes(&[&target.openai, TOKEN], &checks).await;
    target.is_content();
}

#[tokio::test]
async fn ollama_answers_streams_tools_and_formats() {
    let script = CheckScript::Python("ollama_chat.py");
    if !script.is_installed() {
        return;
    }
    let target = Target::start().await;
    let checks = [
        "models",
        "chat",
        "stream",
        "tools",
        "chat_format_json",
        "chat_format_schema",
        "chat_format_stream",
        "generate",
        "generate_format_json",
        "generate_format_schema",
        "length",
        "unknown_model",
    ];
    script.passes(&[&target.ollama], &checks).await;
    target.is_content();
}

#[tokio::test]
async fn ai_sdk_answers_streams_tools_and_objects_by_two_providers() {
    let script = CheckScript::Node("ai_objects.mjs");
    if !script.is_installed() {
        return;
    }
    let target = Target::start().await;
    let checks =
        ["chat", "stream", "tools", "generate_object", "stream_object", "no_schema", "tools_and_output", "error"];
    let named: Vec<String> =
        ["openai", "compatible"].iter().flat_map(|way| checks.map(|check| format!("{way}_{check}"))).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    script.passes(&[&target.openai, TOKEN], &named).await;
    target.is_content();
}

#[tokio::test]
async fn fastmcp_and_the_mcp_inspector_converse() {
    let (client, inspector) = (CheckScript::Python("fastmcp_client.py"), CheckScript::Node("mcp_inspector.mjs"));
    if !client.is_installed() || !inspector.is_installed() {
        return;
    }
    let target = Target::start().await;
    let url = target.server.url();
    client.passes(&[url, TOKEN], &["tools", "ask", "conversation", "progress", "prompts", "errors"]).await;
    inspector.passes(&[url, TOKEN], &["tools", "ask", "resources", "prompts"]).await;
    target.is_content();
}
