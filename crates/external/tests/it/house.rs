//! A registry with external servers, and what a call is given.

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use external::External;
use protocol::{Origin, SessionId, Timestamp, ToolServerView, TurnId};
use secrecy::SecretString;
use serde_json::Value;
use tempfile::TempDir;
use testkit::stranger_program;
use tokio::sync::mpsc;
use tools::{Context, Entry, Failure, Keeper, Keeping, NoDesktop, Output, Registry, redaction::Redactor, run};

/// How long something that must happen is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A registry with external servers, and a folder for what they do.
pub(crate) struct House {
    pub(crate) registry: Registry,
    pub(crate) external: External,
    pub(crate) folder: TempDir,
}

impl House {
    /// Takes up the servers of a configuration, in which `STRANGER` is the program and `FOLDER` the folder.
    pub(crate) fn open(configuration: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let text = configuration
            .replace("STRANGER", &stranger_program("stranger"))
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

    /// A house with one server, `shop`, that is a program with these switches and lets everything in.
    pub(crate) async fn with_shop(switches: &str, more: &str) -> Self {
        let house = Self::open(&shop(switches, more));
        house.until("it is there", |house| house.server("shop").away_because.is_none()).await;
        house
    }

    pub(crate) fn server(&self, name: &str) -> ToolServerView {
        self.registry.servers().into_iter().find(|view| view.name == name).unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<Entry> {
        self.registry.get(name).unwrap_or_else(|| panic!("there is no {name}: {:?}", self.registry.servers()))
    }

    /// What the server has written down.
    pub(crate) fn ledger(&self) -> Vec<String> {
        ledger(&self.folder.path().join("ledger"))
    }

    /// Calls a tool as a turn does: checked first.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Output, Failure> {
        self.call_with(tool, arguments, context("key-1")).await
    }

    pub(crate) async fn call_with(&self, tool: &str, arguments: Value, context: Context) -> Result<Output, Failure> {
        let checked = self.registry.check(tool, &arguments).map_err(Failure::Invalid)?;
        run(&checked.entry, arguments, context).await
    }

    /// Waits for something that must happen.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while !is_so(self) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        assert!(waited.await.is_ok(), "{what}: {:?} {:?}", self.registry.servers(), self.ledger());
    }
}

/// The configuration of a server `shop` that is a program with these switches.
pub(crate) fn shop(switches: &str, more: &str) -> String {
    let switches: Vec<String> = switches.split_whitespace().map(|switch| format!(", \"{switch}\"")).collect();
    let switches = switches.concat();
    format!(
        "[shop]\ncommand = \"STRANGER\"\nargs = [\"--ledger\", \"FOLDER/ledger\"{switches}]\nallow = [\"*\"]\n{more}\n"
    )
}

pub(crate) fn ledger(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
}

/// What a call under this key is given.
pub(crate) fn context(key: &str) -> Context {
    Context {
        owner: "ada".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: key.to_owned(),
        place: 0,
        key: key.to_owned(),
        now: Timestamp::from_millis(1_750_000_000_000),
        origin: Origin::Trusted,
        keeper: Arc::new(Nothing),
        desktop: Arc::new(NoDesktop::default()),
        study: Arc::new(tools::NoStudy),
        progress: mpsc::unbounded_channel().0,
    }
}

/// Keeps nothing.
struct Nothing;

#[async_trait]
impl Keeper for Nothing {
    async fn pins(&self) -> Result<Vec<(String, String)>, Failure> {
        Ok(Vec::new())
    }

    async fn keep(&self, _: Keeping) -> Result<(), Failure> {
        Err(Failure::Failed("nothing is kept here".to_owned()))
    }
}
