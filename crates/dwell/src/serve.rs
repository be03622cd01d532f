//! `dwell serve`: the house is opened, and closed again in good order.

mod address;
mod home;
mod parts;
mod token;
mod wyoming;

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use engine::Hub;
use journal::sqlite::Sqlite;
use secrecy::ExposeSecret;
use server::{Apps, Credential, Settings};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    address::Address,
    token::{Token, find_ollama_key},
};
use crate::{config::Config, failure::Failure, logging};

/// How long connections and turns get to end in good order.
const STOP_MAX: Duration = Duration::from_secs(10);

pub(crate) async fn run(config: Config) -> Result<(), Failure> {
    logging::start(&config.log)?;
    let store = Sqlite::open(config.data_dir()).context("failed to open the journal")?;
    if store.was_cut_off() {
        tracing::warn!("the last run was cut off; the journal goes on from its last commit");
    }
    let token = Token::load_or_create(&config)?;
    let ollama_key = token::ollama_key(&config)?;
    let parts = parts::gather(&config, Arc::new(store), [&token.secret, &ollama_key])?;
    let listener = TcpListener::bind(&config.server.listen)
        .await
        .with_context(|| format!("failed to listen on {}", config.server.listen))?;
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
    let wyoming = wyoming::open(&config, token.owner()?, &stopping).await?;
    let hub = Hub::open(parts);
    let address = Address::announce(config.data_dir(), &url)?;
    greet(&config, &hub, &token, wyoming.as_ref().map(|open| open.at));
    println!("listening on {url}");

    let settings = Settings {
        apps: Apps { file: desktop::file, policy: desktop::CONTENT_SECURITY_POLICY },
        credentials: vec![Credential { owner: token.owner()?, token: token.secret.clone() }],
        keys: vec![Credential { owner: token.owner()?, token: ollama_key }],
        hosts,
        limits: config.server_limits(),
        stopping: stopping.clone(),
    };
    let serving = tokio::spawn(server::serve(listener, hub.clone(), settings));
    let wyoming = wyoming.map(|open| tokio::spawn(open.serve(hub.clone())));
    wait_for_signal().await?;
    tracing::info!("stopping");
    stopping.cancel();
    let heard = async {
        match wyoming {
            Some(open) => open.await.context("the door of wyoming panicked")?.context("the door of wyoming failed"),
            None => Ok(()),
        }
    };
    let stopped = tokio::time::timeout(STOP_MAX, async { tokio::join!(hub.stop(), serving, heard) }).await;
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

fn greet(config: &Config, hub: &Hub, token: &Token, wyoming: Option<SocketAddr>) {
    println!("Dwell {}", env!("CARGO_PKG_VERSION"));
    println!("data in {}", config.data_dir().display());
    if token.is_new {
        println!("token {} (shown this once; it is in the file `token` there)", token.secret.expose_secret());
    }
    let model = hub.model_name(None);
    match config.providers().iter().find(|provider| model.starts_with(&format!("{}/", provider.name))) {
        Some(provider) => println!("model {model} at {}", provider.base_url),
        None => println!(
            "model {model}: it recalls, reckons and calls tools; for more set OPENAI_API_KEY, ANTHROPIC_API_KEY, \
             GEMINI_API_KEY, OLLAMA_HOST, or OPENAI_BASE_URL for a server of your own"
        ),
    }
    if let Some(at) = wyoming {
        println!("wyoming on tcp://{at}");
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
