//! `dwell serve`: starts the server, and shuts it down cleanly.

mod address;
mod alerts;
mod credentials;
mod files;
mod home;
mod home_connection;
mod listening;
mod models;
mod owners;
mod parts;
mod push;
mod research;
mod satellites;
mod store;
mod token;
mod tokens;
mod watching;
mod wyoming;

use std::{net::SocketAddr, time::Duration};

use ::research::library::Library;
use anyhow::Context;
use engine::{ExportKey, Hub};
use external::ExternalServers;
use journal::sqlite::FolderLock;
use protocol::OwnerId;
use secrecy::{ExposeSecret, SecretString};
use secret::Secret;
use server::{
    AllowedPeers, Apps, ClusterSettings, Credential, HomeRelay, LogFeed, ModelSetup, Operator, PushDevices, SealKey,
    ServerSettings, TlsCertificate,
};
use telemetry::OtlpExporter;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    address::AddressFile,
    owners::OwnersFile,
    store::{shared_files, shared_files_for_change},
    token::{OwnerToken, find_ollama_key},
};
use self::{
    credentials::Credentials, home_connection::SharedHome, listening::OpenListener, models::StoredModels,
    parts::ServerParts, store::OpenStore, watching::ServerObservers,
};
use crate::{backup, browser, command_error::CommandError, config::Config, logging};

/// How long to wait for the tools of external servers before turns start without them.
const EXTERNAL_MAX: Duration = Duration::from_secs(3);
/// How long telling other nodes that this one leaves may take.
const ANNOUNCE_MAX: Duration = Duration::from_secs(1);
/// How long to wait for connections and turns to end.
const STOP_MAX: Duration = Duration::from_secs(10);

pub(crate) async fn run(config: Config, accept_loss: bool) -> Result<(), CommandError> {
    logging::start(&config.log)?;
    let store = OpenStore::open(&config, accept_loss).await?;
    let running = RunningServer::open_on(store, &config, &config.server.listen).await?;
    let link = browser::link(&running.url, running.invitation.expose_secret());
    running.greet(&config, &link);
    println!("listening on {}", running.url);
    if browser::is_wanted(&config) {
        tokio::spawn(async {
            if let Err(error) = browser::open(link).await {
                tracing::warn!(error = format!("{error:#}"), "the page could not be opened; its address is above");
            }
        });
    }
    wait_for_signal().await?;
    running.drain(&config).await;
    running.close().await
}

/// A running server.
pub(crate) struct RunningServer {
    pub(crate) url: String,
    hub: Hub,
    token: OwnerToken,
    /// The invitation for the first browser.
    invitation: SecretString,
    external: ExternalServers,
    library: Library,
    wyoming_at: Option<SocketAddr>,
    stopping: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
    wyoming: Option<JoinHandle<std::io::Result<()>>>,
    backups: Option<JoinHandle<()>>,
    exporter: Option<OtlpExporter>,
    address: AddressFile,
    /// Held until everything is stopped.
    folder_lock: Option<FolderLock>,
}

impl RunningServer {
    /// Opens the journal and starts the server.
    pub(crate) async fn open(config: &Config, listen: &str) -> Result<Self, CommandError> {
        let store = OpenStore::open(config, false).await?;
        Self::open_on(store, config, listen).await
    }

    /// Starts the server on an open journal.
    async fn open_on(store: OpenStore, config: &Config, listen: &str) -> Result<Self, CommandError> {
        if store.was_cut_off() {
            tracing::warn!("the last run was interrupted; the journal continues from its last commit");
        }
        let stopping = CancellationToken::new();
        let Credentials { token, ollama_key, seal, roster, tokens, subscriptions } =
            Credentials::open(config, &store, &stopping).await?;
        let ServerObservers { observers, exporter, metrics } = ServerObservers::open(config)?;
        if let Some(meter) = observers.meter.clone() {
            store.measure_with(meter);
        }
        let (store, folder_lock, mut cluster) = store.into_parts();
        let made = [token.secret.clone(), ollama_key.clone(), seal.clone()];
        let (owner, seal) = (token.owner()?, SealKey::new(seal));
        let route = home_connection::watch_route(&store, cluster.as_ref(), &owner, &seal, &stopping);
        let ServerParts { mut parts, external_servers, library, speakers, push, home_assistant } =
            parts::gather(config, store, made, owner, subscriptions, route)?;
        if let Some(cluster) = &mut cluster {
            cluster.home = home_assistant.map(|client| Box::new(SharedHome(client)) as Box<dyn HomeRelay>);
        }
        parts.options.observers = observers;
        parts.options.export_key = Some(ExportKey::new(seal.export_key()));
        let OpenListener { listener, url, hosts, tls, origins, trusted_proxies } =
            OpenListener::open(config, listen).await?;
        let limits = files::fit(config.server_limits().context("`server.proxies` is wrong")?);
        let wyoming = wyoming::open(config, token.owner()?, speakers, limits.clone(), &stopping).await?;
        let wyoming_at = wyoming.as_ref().and_then(|open| open.at);
        let external = external::open(external_servers, &parts.tools, &parts.redactor);
        external.tried(EXTERNAL_MAX).await;
        let world = parts.world.clone();
        let hub = Hub::open(parts);
        // Before any client connects, since expiry depends on the clock.
        look_at_clock(&hub).await;
        let address = AddressFile::announce(config.data_dir(), &url, tls.as_ref().map(TlsCertificate::leaf))?;
        let drawn = Secret::generate().map_err(anyhow::Error::from)?;
        let invitation = drawn.text();
        let settings = ServerSettings {
            page: browser::page(),
            apps: Apps { file: desktop::file, policy: desktop::CONTENT_SECURITY_POLICY },
            credentials: vec![Credential { owner: token.owner()?, token: token.secret.clone() }],
            invitation: Some(drawn),
            roster: Some(roster),
            tokens: Some(tokens),
            keys: vec![Credential { owner: token.owner()?, token: ollama_key }],
            operator: Some(operator(config, token.owner()?, &hub, cluster.as_ref())),
            authorization_servers: config.authorization_servers()?,
            hosts,
            origins,
            trusted_proxies,
            tls,
            ingress: AllowedPeers::new(&config.server.ingress).context("`server.ingress` is wrong")?,
            limits,
            seal,
            push: push.map(|push| Box::new(push) as Box<dyn PushDevices>),
            metrics,
            cluster,
            stopping: stopping.clone(),
        };
        let serving = tokio::spawn(server::serve(listener, hub.clone(), settings));
        let backups = scheduled_backups(config)
            .map(|schedule| tokio::spawn(backup::run_schedule(schedule, hub.clone(), world, stopping.clone())));
        let wyoming = wyoming.map(|open| tokio::spawn(open.serve(hub.clone())));
        Ok(Self {
            url,
            hub,
            token,
            invitation,
            external,
            library,
            wyoming_at,
            stopping,
            serving,
            wyoming,
            backups,
            exporter,
            address,
            folder_lock,
        })
    }

    /// Says that this node leaves, and goes on for as long as load balancers need to notice.
    async fn drain(&self, config: &Config) {
        // Other nodes take over what this one serves; nothing new comes here.
        let _ = tokio::time::timeout(ANNOUNCE_MAX, self.hub.announce_leave()).await;
        tokio::time::sleep(config.cluster.drain()).await;
    }

    /// Shuts down connections and turns cleanly.
    pub(crate) async fn close(self) -> Result<(), CommandError> {
        let Self {
            hub, external, library, stopping, serving, wyoming, backups, exporter, address, folder_lock, ..
        } = self;
        tracing::info!("stopping");
        stopping.cancel();
        let wyoming_served = async {
            match wyoming {
                Some(open) => open.await.context("the Wyoming server panicked")?.context("the Wyoming server failed"),
                None => Ok(()),
            }
        };
        let put_away = async {
            hub.stop().await;
            if let Some(backups) = backups
                && backups.await.is_err()
            {
                tracing::error!("the backup task panicked");
            }
            // All is written, so other nodes may go on with it.
            hub.leave().await;
            // No turn uses them any more.
            external.stop().await;
            library.stop().await;
            if let Some(exporter) = exporter {
                exporter.stop().await;
            }
        };
        let stopped = tokio::time::timeout(STOP_MAX, async { tokio::join!(put_away, serving, wyoming_served) }).await;
        drop(address);
        drop(folder_lock);
        match stopped {
            Ok(((), served, wyoming_served)) => {
                Ok(served.context("the server panicked")?.context("the server failed").and(wyoming_served)?)
            }
            Err(_) => {
                tracing::warn!("not everything stopped in time; interrupted turns resume at the next start");
                Ok(())
            }
        }
    }

    fn greet(&self, config: &Config, link: &str) {
        println!("Dwell {}", env!("CARGO_PKG_VERSION"));
        println!("data in {}", config.data_dir().display());
        if self.token.is_new {
            let token = self.token.secret.expose_secret();
            let place =
                if matches!(config.store.database(), Ok(None)) { "the file `token` there" } else { "the database" };
            println!("token {token} (shown only once; it is stored in {place})");
        }
        let model = self.hub.model_name(None);
        match config.providers().iter().find(|provider| model.starts_with(&format!("{}/", provider.name))) {
            Some(provider) => {
                // The provider is still being asked for its models, so the default may change.
                let is_open = config.model.name.is_empty() && !provider.default_is_set;
                let note = if is_open { " unless it has others; `dwell models` lists them" } else { "" };
                println!("model {model} at {}{note}", provider.base_url);
            }
            None => println!(
                "model {model}: it remembers, calculates and calls tools; for a language model set OPENAI_API_KEY, ANTHROPIC_API_KEY, \
                 GEMINI_API_KEY, OLLAMA_HOST, or OPENAI_BASE_URL for a server of your own"
            ),
        }
        if let Some(at) = self.wyoming_at {
            println!("wyoming on tcp://{at}");
        }
        if browser::has_page() {
            println!("page {link} (works once, within ten minutes; `dwell open` makes another)");
        } else {
            println!("no page: this program was built without it; `./run` builds it, and needs Node");
        }
    }
}

/// The operator, who sees settings and the log, and chooses the models.
fn operator(config: &Config, owner: OwnerId, hub: &Hub, cluster: Option<&ClusterSettings>) -> Operator {
    let logs = logging::kept().map(|lines| Box::new(lines) as Box<dyn LogFeed>);
    // Other nodes would not learn of a choice that is stored here.
    let is_alone = cluster.is_none_or(|cluster| cluster.listener.is_none());
    let models = is_alone.then(|| Box::new(StoredModels::new(hub.clone(), config)) as Box<dyn ModelSetup>);
    Operator { owner, settings: config.shown.clone(), logs, models }
}

/// The schedule of backups, if the journal is one that Dwell backs up itself.
fn scheduled_backups(config: &Config) -> Option<backup::BackupSchedule> {
    let schedule = config.backup_schedule()?;
    if matches!(config.store.database(), Ok(None)) {
        return Some(schedule);
    }
    tracing::warn!("`backup.dir` is not used: the journal is in PostgreSQL, which has backups of its own");
    None
}

/// Compares the clock with the times in the journal, and logs a clock that is in doubt.
async fn look_at_clock(hub: &Hub) {
    if let Err(error) = hub.check_clock().await {
        tracing::warn!(%error, "the clock could not be compared with the journal; nothing is deleted by age until it is");
    }
}

/// Waits for Ctrl-C or SIGTERM.
async fn wait_for_signal() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted?,
            _ = terminate.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    Ok(tokio::signal::ctrl_c().await?)
}
