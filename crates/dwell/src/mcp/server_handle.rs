//! The server behind the bridge: the running one, or one in this process.

use std::time::Duration;

use anyhow::Context;
use secrecy::SecretString;
use tokio::{
    sync::{Mutex, OnceCell},
    time::Instant,
};

use crate::{
    command_error::CommandError,
    config::Config,
    serve::{AddressFile, OwnerToken, RunningServer},
};

/// Where a server of this process listens: on a free port.
const LISTEN: &str = "127.0.0.1:0";
/// How long to wait for a server that another process is starting.
const OPEN_MAX: Duration = Duration::from_secs(10);
const OPEN_AGAIN: Duration = Duration::from_millis(100);
/// How long a server that was running may be unreachable before this process starts its own: a
/// restart must find the data folder free.
const BACK_MAX: Duration = Duration::from_secs(5);
/// How long a server may take to answer the health check.
const LOOK_MAX: Duration = Duration::from_secs(2);

/// The server behind the bridge.
pub(super) struct ServerHandle {
    config: Config,
    http: reqwest::Client,
    own: Mutex<ServerState>,
    /// The token of a server whose tokens are in a database.
    token: OnceCell<SecretString>,
}

/// Which process runs the server behind the bridge.
enum ServerState {
    /// Not looked up yet.
    Unknown,
    /// Another process: its last known address, and whether it is still reachable there as far as
    /// known.
    Theirs { url: String, is_there: bool },
    /// This process.
    Own(Box<RunningServer>),
}

impl ServerHandle {
    pub(super) fn new(config: Config) -> Result<Self, CommandError> {
        let http = crate::client::connections(&config)?.redirect(reqwest::redirect::Policy::none());
        let http = http.build().context("failed to prepare the connection")?;
        Ok(Self { config, http, own: Mutex::new(ServerState::Unknown), token: OnceCell::new() })
    }

    pub(super) const fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// The address of a running server; starts one if there is none.
    pub(super) async fn url(&self) -> Result<String, CommandError> {
        if !self.config.client.url.is_empty() {
            return Ok(self.config.client.url.trim_end_matches('/').to_owned());
        }
        // Other tasks wait here until the address is known.
        let mut own = self.own.lock().await;
        let now = Instant::now();
        let open_from = match &*own {
            ServerState::Own(running) => return Ok(running.url.clone()),
            ServerState::Theirs { url, is_there: true } => return Ok(url.clone()),
            ServerState::Theirs { is_there: false, .. } => now + BACK_MAX,
            ServerState::Unknown => now,
        };
        let end = open_from + OPEN_MAX;
        loop {
            if let Some(url) = self.running().await {
                *own = ServerState::Theirs { url: url.clone(), is_there: true };
                return Ok(url);
            }
            if Instant::now() < open_from {
                tokio::time::sleep(OPEN_AGAIN).await;
                continue;
            }
            match RunningServer::open(&self.config, LISTEN).await {
                Ok(running) => {
                    tracing::info!(url = running.url, "no server was running; started one in this process");
                    let url = running.url.clone();
                    *own = ServerState::Own(Box::new(running));
                    return Ok(url);
                }
                Err(failure) if Instant::now() >= end => return Err(failure),
                // Another process may be about to start a server.
                Err(failure) => {
                    tracing::debug!(%failure, "the server could not be started yet");
                    tokio::time::sleep(OPEN_AGAIN).await;
                }
            }
        }
    }

    /// Notes that a message did not reach the server, so that its address is looked up again.
    pub(super) async fn mark_unreachable(&self) {
        if let ServerState::Theirs { is_there, .. } = &mut *self.own.lock().await {
            *is_there = false;
        }
    }

    /// The token for the server.
    pub(super) async fn token(&self) -> Result<SecretString, CommandError> {
        if !matches!(self.config.store.database(), Ok(Some(_))) {
            return OwnerToken::load(&self.config).await?.ok_or_else(|| OwnerToken::missing(&self.config));
        }
        // Every message needs it, and a database is not connected to for each of them.
        let load = async { OwnerToken::load(&self.config).await?.ok_or_else(|| OwnerToken::missing(&self.config)) };
        self.token.get_or_try_init(|| load).await.cloned()
    }

    /// Stops the server that this process has started.
    pub(super) async fn close(&self) -> Result<(), CommandError> {
        match std::mem::replace(&mut *self.own.lock().await, ServerState::Unknown) {
            ServerState::Own(running) => running.close().await,
            ServerState::Unknown | ServerState::Theirs { .. } => Ok(()),
        }
    }

    /// The address of a server that has announced itself and answers. A killed server leaves its
    /// announcement behind.
    async fn running(&self) -> Option<String> {
        let url = AddressFile::find(self.config.data_dir())?;
        let look = self.http.get(format!("{url}/healthz")).timeout(LOOK_MAX).send().await;
        look.is_ok_and(|answer| answer.status().is_success()).then_some(url)
    }
}
