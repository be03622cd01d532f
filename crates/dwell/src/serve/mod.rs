//! `dwell serve`: starts the server, and shuts it down cleanly.

mod address;
mod alerts;
mod files;
mod home;
mod listening;
mod owners;
mod parts;
mod push;
mod research;
mod satellites;
mod token;
mod tokens;
mod watching;
mod wyoming;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use ::research::library::Library;
use anyhow::Context;
use engine::{ExportKey, Hub};
use external::ExternalServers;
use journal::sqlite::Sqlite;
use secrecy::{ExposeSecret, SecretString};
use secret::Secret;
use server::{AllowedPeers, Apps, Credential, LogFeed, Operator, PushDevices, SealKey, ServerSettings, TlsCertificate};
use telemetry::OtlpExporter;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    address::AddressFile,
    owners::OwnersFile,
    token::{OwnerToken, find_ollama_key, write_private},
};
use self::{listening::OpenListener, parts::ServerParts, tokens::TokensFile, watching::ServerObservers};
use crate::{backup, browser, command_error::CommandError, config::Config, logging};

/// How long to wait for the tools of external servers before turns start without them.
const EXTERNAL_MAX: Duration = Duration::from_secs(3);
/// How long to wait for connections and turns to end.
const STOP_MAX: Duration = Duration::from_secs(10);

pub(crate) async fn run(config: Config, accept_loss: bool) -> Result<(), CommandError> {
    logging::start(&config.log)?;
    let store = open_store(&config, accept_loss)?;
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
}

impl RunningServer {
    /// Opens the journal and starts the server.
    pub(crate) async fn open(config: &Config, listen: &str) -> Result<Self, CommandError> {
        let store = open_store(config, false)?;
        Self::open_on(store, config, listen).await
    }

    /// Starts the server on an open journal.
    async fn open_on(store: Sqlite, config: &Config, listen: &str) -> Result<Self, CommandError> {
        if store.was_cut_off() {
            tracing::warn!("the last run was interrupted; the journal continues from its last commit");
        }
        let token = OwnerToken::load_or_create(config)?;
        let ollama_key = token::ollama_key(config)?;
        let seal = token::seal_key(config)?;
        let ServerObservers { observers, exporter, metrics } = ServerObservers::open(config)?;
        if let Some(meter) = observers.meter.clone() {
            store.measure_with(meter);
        }
        let ServerParts { mut parts, external_servers, library, speakers, push } =
            parts::gather(config, Arc::new(store), [&token.secret, &ollama_key, &seal], token.owner()?)?;
        let seal = SealKey::new(seal);
        parts.options.observers = observers;
        parts.options.export_key = Some(ExportKey::new(seal.export_key()));
        let tokens = TokensFile::open(config.data_dir())?;
        let OpenListener { listener, url, hosts, tls, origins, trusted_proxies } =
            OpenListener::open(config, listen).await?;
        let stopping = CancellationToken::new();
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
            roster: Some(Box::new(owners::OwnersWatcher::new(OwnersFile::of(config)))),
            tokens: Some(Box::new(tokens)),
            keys: vec![Credential { owner: token.owner()?, token: ollama_key }],
            operator: Some(Operator {
                owner: token.owner()?,
                settings: config.shown.clone(),
                logs: logging::kept().map(|lines| Box::new(lines) as Box<dyn LogFeed>),
            }),
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
            stopping: stopping.clone(),
        };
        let serving = tokio::spawn(server::serve(listener, hub.clone(), settings));
        let backups = config
            .backup_schedule()
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
        })
    }

    /// Shuts down connections and turns cleanly.
    pub(crate) async fn close(self) -> Result<(), CommandError> {
        let Self { hub, external, library, stopping, serving, wyoming, backups, exporter, address, .. } = self;
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
            // No turn uses them any more.
            external.stop().await;
            library.stop().await;
            if let Some(exporter) = exporter {
                exporter.stop().await;
            }
        };
        let stopped = tokio::time::timeout(STOP_MAX, async { tokio::join!(put_away, serving, wyoming_served) }).await;
        drop(address);
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
            println!("token {token} (shown only once; it is stored in the file `token` there)");
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

/// Opens the journal, unless a restore into its folder was interrupted.
fn open_store(config: &Config, accept_loss: bool) -> anyhow::Result<Sqlite> {
    let folder = config.data_dir();
    backup::check_finished(folder)?;
    let opened = if accept_loss { Sqlite::open_accepting_loss(folder) } else { Sqlite::open(folder) };
    opened.context("failed to open the journal")
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
