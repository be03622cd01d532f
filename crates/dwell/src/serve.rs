//! `dwell serve`: the house is opened, and closed again in good order.

mod address;
mod files;
mod home;
mod owners;
mod parts;
mod research;
mod token;
mod wyoming;

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use ::research::library::Library;
use anyhow::Context;
use engine::{ExportKey, Hub};
use external::External;
use journal::sqlite::Sqlite;
use secrecy::{ExposeSecret, SecretString};
use secret::Secret;
use server::{Apps, Credential, Operator, SealKey, Settings};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use self::parts::Gathered;
pub(crate) use self::{
    address::Address,
    owners::Owners,
    token::{Token, find_ollama_key},
};
use crate::{backup, browser, config::Config, failure::Failure, logging};

/// How long external servers get to tell their tools before turns go on without them.
const EXTERNAL_MAX: Duration = Duration::from_secs(3);
/// How long connections and turns get to end in good order.
const STOP_MAX: Duration = Duration::from_secs(10);

pub(crate) async fn run(config: Config, accept_loss: bool) -> Result<(), Failure> {
    logging::start(&config.log)?;
    let store = open_store(&config, accept_loss)?;
    let running = Running::open_on(store, &config, &config.server.listen).await?;
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

/// A server that runs.
pub(crate) struct Running {
    pub(crate) url: String,
    hub: Hub,
    token: Token,
    /// By what the first browser comes in.
    invitation: SecretString,
    external: External,
    library: Library,
    wyoming_at: Option<SocketAddr>,
    stopping: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
    wyoming: Option<JoinHandle<std::io::Result<()>>>,
    backups: Option<JoinHandle<()>>,
    address: Address,
}

impl Running {
    /// Opens the house and lets everybody in.
    pub(crate) async fn open(config: &Config, listen: &str) -> Result<Self, Failure> {
        let store = open_store(config, false)?;
        Self::open_on(store, config, listen).await
    }

    /// The same on a journal that is open already.
    async fn open_on(store: Sqlite, config: &Config, listen: &str) -> Result<Self, Failure> {
        if store.was_cut_off() {
            tracing::warn!("the last run was cut off; the journal goes on from its last commit");
        }
        let token = Token::load_or_create(config)?;
        let ollama_key = token::ollama_key(config)?;
        let seal = token::seal_key(config)?;
        let Gathered { mut parts, strangers, library } =
            parts::gather(config, Arc::new(store), [&token.secret, &ollama_key, &seal])?;
        let seal = SealKey::new(seal);
        parts.options.export_key = Some(ExportKey::new(seal.export_key()));
        let listener = TcpListener::bind(listen).await.with_context(|| format!("failed to listen on {listen}"))?;
        let mut at = listener.local_addr().context("failed to listen")?;
        let mut hosts = config.server.hosts.clone();
        if at.ip().is_unspecified() {
            // It listens everywhere, and whoever is on this machine reaches it here.
            at.set_ip(Ipv4Addr::LOCALHOST.into());
        } else if !at.ip().is_loopback() {
            hosts.push(at.to_string());
        }
        let url = format!("http://{at}");
        let stopping = CancellationToken::new();
        let limits = files::fit(config.server_limits().context("`server.proxies` is wrong")?);
        let wyoming = wyoming::open(config, token.owner()?, limits.clone(), &stopping).await?;
        let wyoming_at = wyoming.as_ref().map(|open| open.at);
        let external = external::open(strangers, &parts.tools, &parts.redactor);
        external.tried(EXTERNAL_MAX).await;
        let world = parts.world.clone();
        let hub = Hub::open(parts);
        // Before anybody can come in: what is old is told by it.
        look_at_clock(&hub).await;
        let address = Address::announce(config.data_dir(), &url)?;
        let drawn = Secret::draw().map_err(anyhow::Error::from)?;
        let invitation = drawn.text();
        let settings = Settings {
            page: browser::page(),
            apps: Apps { file: desktop::file, policy: desktop::CONTENT_SECURITY_POLICY },
            credentials: vec![Credential { owner: token.owner()?, token: token.secret.clone() }],
            invitation: Some(drawn),
            roster: Some(Box::new(owners::Watched::new(Owners::of(config)))),
            keys: vec![Credential { owner: token.owner()?, token: ollama_key }],
            operator: Some(Operator { owner: token.owner()?, settings: config.shown.clone() }),
            hosts,
            limits,
            seal,
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
            address,
        })
    }

    /// Ends connections and turns in good order.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        let Self { hub, external, library, stopping, serving, wyoming, backups, address, .. } = self;
        tracing::info!("stopping");
        stopping.cancel();
        let heard = async {
            match wyoming {
                Some(open) => open.await.context("the door of wyoming panicked")?.context("the door of wyoming failed"),
                None => Ok(()),
            }
        };
        let put_away = async {
            hub.stop().await;
            if let Some(backups) = backups
                && backups.await.is_err()
            {
                tracing::error!("making backups had panicked");
            }
            // Turns have let go of them by now.
            external.stop().await;
            library.stop().await;
        };
        let stopped = tokio::time::timeout(STOP_MAX, async { tokio::join!(put_away, serving, heard) }).await;
        drop(address);
        match stopped {
            Ok(((), served, heard)) => {
                Ok(served.context("the server panicked")?.context("the server failed").and(heard)?)
            }
            Err(_) => {
                tracing::warn!("not everything ended in time; what was interrupted goes on at the next start");
                Ok(())
            }
        }
    }

    fn greet(&self, config: &Config, link: &str) {
        println!("Dwell {}", env!("CARGO_PKG_VERSION"));
        println!("data in {}", config.data_dir().display());
        if self.token.is_new {
            let token = self.token.secret.expose_secret();
            println!("token {token} (shown this once; it is in the file `token` there)");
        }
        let model = self.hub.model_name(None);
        match config.providers().iter().find(|provider| model.starts_with(&format!("{}/", provider.name))) {
            Some(provider) => {
                // It is asked while this is printed, and may turn out to have others.
                let is_open = config.model.name.is_empty() && !provider.default_is_set;
                let note = if is_open { " unless it has others; `dwell models` lists them" } else { "" };
                println!("model {model} at {}{note}", provider.base_url);
            }
            None => println!(
                "model {model}: it recalls, reckons and calls tools; for more set OPENAI_API_KEY, ANTHROPIC_API_KEY, \
                 GEMINI_API_KEY, OLLAMA_HOST, or OPENAI_BASE_URL for a server of your own"
            ),
        }
        if let Some(at) = self.wyoming_at {
            println!("wyoming on tcp://{at}");
        }
        if browser::has_page() {
            println!("page {link} (good once, ten minutes; `dwell open` gives another)");
        } else {
            println!("no page: it is not built into this program; `./run` builds it, and needs Node for that");
        }
    }
}

/// Opens the journal, unless restoring a backup was cut off in its folder.
fn open_store(config: &Config, accept_loss: bool) -> anyhow::Result<Sqlite> {
    let folder = config.data_dir();
    backup::check_finished(folder)?;
    let opened = if accept_loss { Sqlite::open_accepting_loss(folder) } else { Sqlite::open(folder) };
    opened.context("failed to open the journal")
}

/// Holds the clock against what the store knows of the time; a clock in doubt is said in the log.
async fn look_at_clock(hub: &Hub) {
    if let Err(error) = hub.check_clock().await {
        tracing::warn!(%error, "the clock could not be held against the journal; nothing is deleted by age until it can");
    }
}

/// Ctrl-C, or a polite kill.
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
