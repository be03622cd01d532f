//! A server in this process, with the offline model and all APIs, and simple functions to send it
//! bytes.

use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use engine::{Hub, HubParts, MemoryParts, Options, SystemWorld};
use journal::sqlite::Sqlite;
use model::Models;
use offline::OfflineModel;
use server::{
    AllowedOrigins, AllowedPeers, Apps, Areas, Credential, Limits, Page, SatelliteSpeakers, SealKey, ServerSettings,
    VoiceSettings, WyomingServer,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};
use tokio_util::sync::CancellationToken;
use tools::{Registry, Rules, net::Fetcher, redaction::Redactor};

/// The owner's token.
pub(crate) const TOKEN: &str = "fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz";
/// The timeout after which an answer counts as missing.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most bytes that are read of an answer.
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The server that all targets of this process share.
pub(crate) static SERVED: LazyLock<FuzzServer> = LazyLock::new(FuzzServer::open);

/// A server in this process.
pub(crate) struct FuzzServer {
    runtime: Runtime,
    /// The address of HTTP.
    pub(crate) http: SocketAddr,
    /// The address of Wyoming.
    pub(crate) wyoming: SocketAddr,
    _folder: TempDir,
}

impl FuzzServer {
    fn open() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let folder = TempDir::new().unwrap();
        let (http, wyoming) = runtime.block_on(serve(&folder));
        Self { runtime, http, wyoming, _folder: folder }
    }

    /// Waits for something that must happen.
    pub(crate) fn wait<T>(&self, what: &str, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(async {
            tokio::time::timeout(PATIENCE, work).await.unwrap_or_else(|_| panic!("{what} never ended"))
        })
    }

    /// Sends bytes, and reads until the server closes the connection. `is_all` closes the sending
    /// side.
    pub(crate) fn exchange(&self, to: SocketAddr, bytes: &[u8], is_all: bool) -> Vec<u8> {
        self.wait("an exchange", async {
            let mut stream = TcpStream::connect(to).await.unwrap();
            // The server may have closed the connection before it has read everything, here and
            // below.
            let _ = stream.write_all(bytes).await;
            if is_all {
                let _ = stream.shutdown().await;
            }
            let mut answer = Vec::new();
            let _ = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).await;
            answer
        })
    }

    /// One request with the owner's token; returns the status.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> u16 {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
            self.http,
            body.len()
        );
        let answer = self.exchange(self.http, &[head.as_bytes(), body].concat(), false);
        let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let status = std::str::from_utf8(line).ok().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        status.unwrap_or_else(|| panic!("{method} {path} was answered with {}", line.escape_ascii()))
    }

    /// Whether it still serves.
    pub(crate) fn assert_alive(&self) {
        assert_eq!(self.request("GET", "/healthz", "", b""), 200, "the server is well");
    }
}

async fn serve(folder: &TempDir) -> (SocketAddr, SocketAddr) {
    let hub = hub(folder);
    let owner: protocol::OwnerId = "ada".parse().unwrap();
    let limits = Limits {
        requests_per_second_max: std::num::NonZeroU32::MAX,
        requests_burst_max: std::num::NonZeroU32::MAX,
        ..Limits::default()
    };
    let settings = ServerSettings {
        page: Page { file: |_, _| None, policy: "" },
        apps: Apps { file: |_, _| None, policy: "" },
        credentials: vec![Credential { owner: owner.clone(), token: TOKEN.into() }],
        invitation: None,
        roster: None,
        tokens: None,
        keys: Vec::new(),
        operator: None,
        authorization_servers: Vec::new(),
        hosts: Vec::new(),
        origins: AllowedOrigins::default(),
        trusted_proxies: AllowedPeers::default(),
        tls: None,
        ingress: AllowedPeers::default(),
        limits: limits.clone(),
        seal: SealKey::new("sealed-sealed-sealed-sealed-sealed".to_owned().into()),
        push: None,
        metrics: None,
        cluster: None,
        stopping: CancellationToken::new(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let http = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, hub.clone(), settings));
    let satellite = WyomingServer {
        owner,
        peers: AllowedPeers::default(),
        areas: Areas::default(),
        voice: VoiceSettings::default(),
        speakers: SatelliteSpeakers::default(),
        announce: false,
        approve: false,
        patience: Duration::from_secs(5),
        pause: Duration::ZERO,
        idle: Duration::from_secs(60),
        connections_max: 64,
        limits,
        stopping: CancellationToken::new(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let wyoming = listener.local_addr().unwrap();
    tokio::spawn(satellite.serve(Some(listener), hub));
    (http, wyoming)
}

fn hub(folder: &TempDir) -> Hub {
    let store = Arc::new(Sqlite::open(folder.path()).unwrap());
    let mut registry = Registry::default();
    tools::add_builtins(&mut registry, store.clone(), "UTC").unwrap();
    desktop::add_desktop(&mut registry).unwrap();
    Hub::open(HubParts {
        store,
        models: Models::new(Vec::new(), Some("offline".to_owned()), Vec::new(), Arc::new(OfflineModel)).unwrap(),
        tools: registry,
        rules: Rules::default(),
        redactor: Redactor::new([]),
        fetcher: Fetcher::new(Vec::new()),
        reflexes: None,
        home_context: None,
        home_feed: None,
        library: None,
        world: Arc::new(SystemWorld::default()),
        memory: MemoryParts::default(),
        alert_channels: Vec::new(),
        options: Options::default(),
    })
}
