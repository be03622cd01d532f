//! The server behind the bridge: the one that runs, or one in this process.

use std::time::Duration;

use anyhow::Context;
use secrecy::SecretString;
use tokio::{sync::Mutex, time::Instant};

use crate::{
    config::Config,
    failure::Failure,
    serve::{Address, Running, Token},
};

/// Where a server of this process listens: on no port that anybody else could want.
const LISTEN: &str = "127.0.0.1:0";
/// How long another process may take to open the house that this one found closed.
const OPEN_MAX: Duration = Duration::from_secs(10);
const OPEN_AGAIN: Duration = Duration::from_millis(100);
/// How long a server that was there may be away before this process takes its place: whoever restarts it is to find the
/// house closed.
const BACK_MAX: Duration = Duration::from_secs(5);
/// How long a server may take to say that it is there.
const LOOK_MAX: Duration = Duration::from_secs(2);

/// The server behind the bridge.
pub(super) struct House {
    config: Config,
    http: reqwest::Client,
    own: Mutex<Whose>,
}

/// Whose the server behind the bridge is.
enum Whose {
    /// It was not looked for yet.
    Unknown,
    /// Another process's: where it was, and whether it still is, as far as is known.
    Theirs { url: String, is_there: bool },
    /// Ours.
    Own(Running),
}

impl House {
    pub(super) fn new(config: Config) -> Result<Self, Failure> {
        // A proxy would see the token.
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        let http = http.build().context("failed to prepare the connection")?;
        Ok(Self { config, http, own: Mutex::new(Whose::Unknown) })
    }

    pub(super) const fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Where a server is, by now.
    pub(super) async fn url(&self) -> Result<String, Failure> {
        if !self.config.client.url.is_empty() {
            return Ok(self.config.client.url.trim_end_matches('/').to_owned());
        }
        // Whoever else wants to know waits until it is known.
        let mut own = self.own.lock().await;
        let now = Instant::now();
        let open_from = match &*own {
            Whose::Own(running) => return Ok(running.url.clone()),
            Whose::Theirs { url, is_there: true } => return Ok(url.clone()),
            Whose::Theirs { is_there: false, .. } => now + BACK_MAX,
            Whose::Unknown => now,
        };
        let end = open_from + OPEN_MAX;
        loop {
            if let Some(url) = self.running().await {
                *own = Whose::Theirs { url: url.clone(), is_there: true };
                return Ok(url);
            }
            if Instant::now() < open_from {
                tokio::time::sleep(OPEN_AGAIN).await;
                continue;
            }
            match Running::open(&self.config, LISTEN).await {
                Ok(running) => {
                    tracing::info!(url = running.url, "no server was running; this process is one now");
                    let url = running.url.clone();
                    *own = Whose::Own(running);
                    return Ok(url);
                }
                Err(failure) if Instant::now() >= end => return Err(failure),
                // Another process may be about to open it.
                Err(failure) => {
                    tracing::debug!(%failure, "the house could not be opened yet");
                    tokio::time::sleep(OPEN_AGAIN).await;
                }
            }
        }
    }

    /// What was said to it did not come through: whether it is there is to be seen anew.
    pub(super) async fn doubt(&self) {
        if let Whose::Theirs { is_there, .. } = &mut *self.own.lock().await {
            *is_there = false;
        }
    }

    /// The right to talk to it.
    pub(super) fn token(&self) -> Result<SecretString, Failure> {
        Token::load(&self.config)?.ok_or_else(|| {
            let place = self.config.data_dir().join("token");
            Failure::Refused(format!("there is no token in {}; set DWELL_TOKEN", place.display()))
        })
    }

    /// Closes what this process has opened.
    pub(super) async fn close(&self) -> Result<(), Failure> {
        match std::mem::replace(&mut *self.own.lock().await, Whose::Unknown) {
            Whose::Own(running) => running.close().await,
            Whose::Unknown | Whose::Theirs { .. } => Ok(()),
        }
    }

    /// A server that has announced itself and is there: one that was killed has left its announcement behind.
    async fn running(&self) -> Option<String> {
        let url = Address::find(self.config.data_dir())?;
        let look = self.http.get(format!("{url}/healthz")).timeout(LOOK_MAX).send().await;
        look.is_ok_and(|answer| answer.status().is_success()).then_some(url)
    }
}
