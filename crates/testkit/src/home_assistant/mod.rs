//! A real Home Assistant with its demo home, started by the tool `run-ha.sh`, which is kept beside
//! the project.
//!
//! `DWELL_HA_TOOL` names the tool; the default is `../shared/tools/run-ha.sh` from the project's
//! folder. Installations are kept in `DWELL_HA_DIR` (by default `home-assistant/` in the target
//! folder) as `venv-VERSION` and used again. Installing takes minutes and a network, so it is done
//! only with `DWELL_REAL_HOME=1`. Otherwise the tests run where Home Assistant is installed already
//! and print why they are skipped elsewhere.

mod link;
mod reader;
mod release;

use std::{
    net::TcpListener,
    path::PathBuf,
    process::{Output, Stdio},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

pub use link::HomeLink;
pub use release::Release;

use crate::RestClient;

/// How long an installation may take, and a start or stop.
const INSTALL_MAX: Duration = Duration::from_secs(15 * 60);
const START_MAX: Duration = Duration::from_secs(240);

/// A running Home Assistant. Dropping it stops it.
pub struct HomeAssistant {
    release: Release,
    tool: PathBuf,
    venv: PathBuf,
    folder: TempDir,
    port: u16,
    token: String,
}

impl HomeAssistant {
    /// Starts one on a new folder. If that is not possible, it prints why and the test is skipped.
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub async fn start_or_skip(release: Release) -> Option<Self> {
        Self::start(release).await.inspect_err(|why| eprintln!("skipped: {why}")).ok()
    }

    /// Starts one on a new folder, or returns why that is not possible.
    pub async fn start(release: Release) -> Result<Self, String> {
        Self::start_with(release, "").await
    }

    /// The same, with more lines in its `configuration.yaml`.
    pub async fn start_with(release: Release, yaml: &str) -> Result<Self, String> {
        let tool = release::tool()?;
        let venv = release.venv();
        release.check(&venv)?;
        let folder = TempDir::new().expect("a folder for Home Assistant");
        std::fs::write(folder.path().join("extra.yaml"), yaml).expect("its folder can be written");
        let mut home = Self { release, tool, venv, folder, port: free_port(), token: String::new() };
        home.go_on().await?;
        Ok(home)
    }

    /// Starts it again on the same folder and port, after [`Self::stop`].
    pub async fn go_on(&mut self) -> Result<(), String> {
        let patience = if self.release.is_installed(&self.venv) { START_MAX } else { INSTALL_MAX };
        let output = self.run("start", patience).await?;
        self.token = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok(())
    }

    /// Stops it and waits until it is gone.
    pub async fn stop(&self) -> Result<(), String> {
        self.run("stop", START_MAX).await.map(drop)
    }

    /// Stops it and starts it again.
    pub async fn restart(&mut self) -> Result<(), String> {
        self.stop().await?;
        self.go_on().await
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The token of its administrator.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A client of its REST API.
    pub fn rest(&self) -> RestClient {
        RestClient::new(&self.url(), Some(&self.token))
    }

    /// A connection to its WebSocket.
    pub async fn link(&self) -> HomeLink {
        HomeLink::connect(&self.url(), &self.token).await
    }

    /// Adds an integration as its page does: through the steps of its flow, each answered in order.
    /// Returns the result of the last step.
    pub async fn add_integration(&self, domain: &str, answers: &[Value]) -> Value {
        const FLOWS: &str = "/api/config/config_entries/flow";
        let rest = self.rest();
        let asked = serde_json::json!({ "handler": domain, "show_advanced_options": false });
        let mut step = rest.post(FLOWS, asked).await.ok();
        for answer in answers {
            let flow = step["flow_id"].as_str().expect("a step belongs to a flow").to_owned();
            step = rest.post(&format!("{FLOWS}/{flow}"), answer.clone()).await.ok();
        }
        step
    }

    async fn run(&self, command: &str, patience: Duration) -> Result<Output, String> {
        let mut tool = self.command(command);
        let running =
            tool.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).output();
        let output = tokio::time::timeout(patience, running).await;
        let output = output.map_err(|_| format!("`run-ha.sh {command}` took longer than {} s", patience.as_secs()))?;
        let output = output.map_err(|error| format!("`run-ha.sh {command}` could not be run: {error}"))?;
        if output.status.success() {
            return Ok(output);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("`run-ha.sh {command}` failed: {}", said.lines().last().unwrap_or_default()))
    }

    fn command(&self, command: &str) -> Command {
        let mut tool = Command::new(&self.tool);
        tool.arg(command).arg(self.folder.path()).arg(self.port.to_string());
        tool.env("HA_VENV", &self.venv).envs(self.release.environment());
        tool
    }
}

impl Drop for HomeAssistant {
    #[allow(clippy::print_stderr, reason = "the user may have to stop it by hand")]
    fn drop(&mut self) {
        // The tool stops it by the process id that it wrote down at the start.
        let stopped = self.command("stop").into_std().stdin(Stdio::null()).stderr(Stdio::null()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            eprintln!("Home Assistant in {} may still run", self.folder.path().display());
        }
    }
}

/// A port that is free.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("a port").port()
}
