//! The conformance suite, and the server it runs against.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::Request,
    http::{HeaderValue, header},
    middleware::{self, Next},
};
use engine::{Hub, HubParts, MemoryParts, Options, SystemWorld};
use journal::sqlite::Sqlite;
use model::{Models, Provider, ProviderKind};
use offline::OfflineModel;
use server::{Apps, Credential, Limits, Page, SealKey, ServerSettings, app_with};
use tempfile::TempDir;
use tokio::{net::TcpListener, process::Command, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tools::{Registry, Rules, net::Fetcher, redaction::Redactor};

use crate::mcp::sdk::installed;

use super::{
    fixture::{Fixture, Shared},
    plain, tasks,
};

pub(crate) const TOKEN: &str = "conformance-conformance-conformance";
/// How long a run of the suite may take.
const PATIENCE: Duration = Duration::from_secs(240);

/// A server with the fixtures.
pub(crate) struct ConformanceServer {
    /// The address of the MCP endpoint.
    pub(crate) url: String,
    /// The tools that are registered.
    pub(crate) registry: Registry,
    serving: JoinHandle<()>,
    _folder: TempDir,
}

impl ConformanceServer {
    pub(crate) async fn open() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(Sqlite::open(folder.path()).unwrap());
        let world = Arc::new(SystemWorld::default());
        let mut registry = Registry::default();
        tasks::add(&mut registry);
        let models = Models::new(broken(), Some("offline".to_owned()), Vec::new(), Arc::new(OfflineModel)).unwrap();
        let hub = Hub::open(HubParts {
            store,
            models,
            tools: registry.clone(),
            rules: Rules::default(),
            redactor: Redactor::new([]),
            fetcher: Fetcher::new(Vec::new()),
            reflexes: None,
            home_context: None,
            home_feed: None,
            library: None,
            world,
            memory: MemoryParts::default(),
            alert_channels: Vec::new(),
            options: Options { model_backoff: Vec::new(), ..Options::default() },
        });
        let settings = ServerSettings {
            page: Page { file: |_, _| None, policy: "" },
            apps: Apps { file: |_, _| None, policy: "" },
            credentials: vec![Credential { owner: "ada".parse().unwrap(), token: TOKEN.into() }],
            invitation: None,
            roster: None,
            tokens: None,
            keys: Vec::new(),
            operator: None,
            authorization_servers: Vec::new(),
            hosts: Vec::new(),
            origins: server::AllowedOrigins::default(),
            trusted_proxies: server::AllowedPeers::default(),
            tls: None,
            ingress: server::AllowedPeers::default(),
            limits: Limits::default(),
            seal: SealKey::new("sealed-sealed-sealed".to_owned().into()),
            push: None,
            metrics: None,
            cluster: None,
            stopping: CancellationToken::new(),
        };
        let shared = Arc::new(Shared::default());
        let wrap = move |mcp| Fixture { mcp, shared: shared.clone() };
        // The suite sends no token, so this adds it. All other access checks apply.
        let app =
            app_with(hub, settings, wrap).unwrap().layer(middleware::from_fn(|mut request: Request, next: Next| {
                let token = HeaderValue::from_str(&format!("Bearer {TOKEN}")).unwrap();
                request.headers_mut().entry(header::AUTHORIZATION).or_insert(token);
                next.run(request)
            }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, registry, serving, _folder: folder }
    }
}

impl Drop for ConformanceServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A provider at an address where no server listens.
fn broken() -> Vec<Provider> {
    let base_url = "http://127.0.0.1:9/v1".to_owned();
    vec![Provider { base_url, ..Provider::new("openai", ProviderKind::OpenAi, "broken") }]
}

/// The suite, where it is installed.
pub(super) struct Suite {
    folder: PathBuf,
}

impl Suite {
    pub(super) fn find() -> Option<Self> {
        let folder = installed("node_modules/@modelcontextprotocol/conformance");
        folder.map(|folder| Self { folder })
    }

    /// Runs all checks that a version of the protocol requires, including those that are not
    /// scored; returns how many passed and failed.
    pub(super) async fn requirements(&self, url: &str, wire: &str) -> (u32, u32) {
        let printed = self.run(&["server", "--url", url, "--requirements", wire]).await;
        total(&printed).unwrap_or_else(|| panic!("{printed}"))
    }

    /// Runs them against a server that asks for the token of the tests; returns every check with
    /// its status.
    pub(super) async fn checks(&self, url: &str, wire: &str) -> Vec<(String, String)> {
        let folder = TempDir::new().unwrap();
        let mut command = self.command(&["server", "--url", url, "--requirements", wire, "-o", "results"], &folder);
        let token = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk/conformance_token.mjs");
        command
            .env("NODE_OPTIONS", format!("--import={}", token.display()))
            .env("DWELL_TOKEN", "test-token-0123456789");
        // It ends with an error where a check fails, which some do.
        let output = tokio::time::timeout(PATIENCE, command.output()).await.unwrap().unwrap();
        let checks = plain::written(&folder.path().join("results"));
        assert!(!checks.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        checks
    }

    async fn run(&self, arguments: &[&str]) -> String {
        // The suite may leave files behind.
        let folder = TempDir::new().unwrap();
        let run = self.command(arguments, &folder).output();
        let output = tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}\n{printed}\n{errors}");
        printed
    }

    fn command(&self, arguments: &[&str], folder: &TempDir) -> Command {
        let modules = self.folder.join("node_modules");
        let mut command = Command::new(modules.join(".bin/node"));
        command
            .arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"))
            .args(arguments)
            .current_dir(folder.path())
            .kill_on_drop(true);
        command
    }
}

/// Parses the line `Total: 3 passed, 0 failed`.
fn total(printed: &str) -> Option<(u32, u32)> {
    let (passed, failed) = printed.lines().find_map(|line| line.strip_prefix("Total: "))?.split_once(", ")?;
    Some((passed.strip_suffix(" passed")?.parse().ok()?, failed.strip_suffix(" failed")?.parse().ok()?))
}
