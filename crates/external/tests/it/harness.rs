//! A test harness: a registry with external servers, and contexts for calls.

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use external::ExternalServers;
use ports::{NoDesktop, PinChange, PinStore, ToolFailure};
use protocol::{Origin, SessionId, Timestamp, ToolServerView, TurnId};
use secrecy::SecretString;
use serde_json::Value;
use tempfile::TempDir;
use testkit::test_mcp_program;
use tokio::sync::mpsc;
use tools::{CallContext, Output, RegisteredTool, Registry, redaction::Redactor, run};

/// The timeout for events that must happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// A registry with external servers, and a folder for their output.
pub(crate) struct Harness {
    pub(crate) registry: Registry,
    pub(crate) external: ExternalServers,
    pub(crate) folder: TempDir,
}

impl Harness {
    /// Starts the servers of a configuration, in which `TEST_SERVER` stands for the program and
    /// `FOLDER` for the folder.
    pub(crate) fn open(configuration: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let text = configuration
            .replace("TEST_SERVER", &test_mcp_program("test_mcp_server"))
            .replace("FOLDER", folder.path().to_str().unwrap());
        let variable = |name: &str| match name {
            "PATH" => Some(SecretString::from("/usr/local/bin:/usr/bin:/bin")),
            "OWN_KEY" => Some(SecretString::from("own-key-0123456789")),
            _ => None,
        };
        let loaded = external::load(toml::from_str(&text).unwrap(), &variable).unwrap();
        let registry = Registry::default();
        let external = external::open(loaded.servers, &registry, &Redactor::new(loaded.secrets));
        Self { registry, external, folder }
    }

    /// A harness with one server, `shop`: a process with these switches, all of whose tools are
    /// accepted.
    pub(crate) async fn with_shop(switches: &str, more: &str) -> Self {
        let harness = Self::open(&shop(switches, more));
        harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
        harness
    }

    pub(crate) fn server(&self, name: &str) -> ToolServerView {
        self.registry.servers().into_iter().find(|view| view.name == name).unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<RegisteredTool> {
        self.registry.get(name).unwrap_or_else(|| panic!("there is no {name}: {:?}", self.registry.servers()))
    }

    /// The lines that the server has written to its ledger.
    pub(crate) fn ledger(&self) -> Vec<String> {
        ledger(&self.folder.path().join("ledger"))
    }

    /// Calls a tool as a turn does: checks the call first.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Output, ToolFailure> {
        self.call_with(tool, arguments, context("key-1")).await
    }

    pub(crate) async fn call_with(
        &self,
        tool: &str,
        arguments: Value,
        context: CallContext,
    ) -> Result<Output, ToolFailure> {
        let checked = self.registry.check(tool, &arguments).map_err(ToolFailure::Invalid)?;
        run(&checked.entry, arguments, context).await
    }

    /// Waits for a condition that must become true.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while !is_so(self) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        assert!(waited.await.is_ok(), "{what}: {:?} {:?}", self.registry.servers(), self.ledger());
    }
}

/// The configuration of a server `shop` that is a process with these switches.
pub(crate) fn shop(switches: &str, more: &str) -> String {
    let switches: Vec<String> = switches.split_whitespace().map(|switch| format!(", \"{switch}\"")).collect();
    let switches = switches.concat();
    format!(
        "[shop]\ncommand = \"TEST_SERVER\"\nargs = [\"--ledger\", \"FOLDER/ledger\"{switches}]\nallow = [\"*\"]\n{more}\n"
    )
}

pub(crate) fn ledger(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
}

/// The context of a call with this key.
pub(crate) fn context(key: &str) -> CallContext {
    CallContext {
        owner: "ada".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: key.to_owned(),
        place: 0,
        key: key.to_owned(),
        now: Timestamp::from_millis(1_750_000_000_000),
        origin: Origin::Trusted,
        schedule_id: None,
        satellite: None,
        pin_store: Arc::new(NoPins),
        desktop: Arc::new(NoDesktop::default()),
        research: Arc::new(ports::NoResearch),
        hold: Default::default(),
        progress: mpsc::channel(1).0,
    }
}

/// A pin store that stores nothing.
struct NoPins;

#[async_trait]
impl PinStore for NoPins {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(Vec::new())
    }

    async fn change(&self, _: PinChange) -> Result<(), ToolFailure> {
        Err(ToolFailure::Failed("nothing is kept here".to_owned()))
    }
}
