//! The running server, or the address at which one could listen.

use std::{net::ToSocketAddrs, time::Duration};

use serde_json::Value;
use tokio::net::TcpListener;

use super::Diagnosis;
use crate::{client::Client, command_error::CommandError, config::Config};

const AREA: &str = "server";

/// What to do about writes that a database has lost.
pub(super) const LOST_ADVICE: &str =
    "find out what the failover or restore has lost, then `dwell serve --accept-loss` once; docs/how-to/postgresql.md";

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a server runs, and what it says about itself.
pub(super) enum ServerState {
    /// None runs.
    None,
    /// It is ready; `answer` is what it says.
    Ready { client: Client, answer: Value },
    /// It does not answer as it should.
    Troubled { why: String, is_unreachable: bool },
}

impl ServerState {
    pub(super) const fn client(&self) -> Option<&Client> {
        match self {
            Self::Ready { client, .. } => Some(client),
            _ => None,
        }
    }
}

pub(super) async fn look(config: &Config) -> ServerState {
    let client = match crate::client(config).await {
        Ok(client) => client,
        Err(CommandError::Unreachable(_)) => return ServerState::None,
        Err(error) => return ServerState::Troubled { why: error.to_string(), is_unreachable: false },
    };
    match tokio::time::timeout(PATIENCE, client.readiness()).await {
        Ok(Ok(answer)) => ServerState::Ready { client, answer },
        Ok(Err(error)) => ServerState::Troubled {
            is_unreachable: matches!(error, CommandError::Unreachable(_)),
            why: error.to_string(),
        },
        Err(_) => {
            let why = format!("{} does not answer within {} s", client.url(), PATIENCE.as_secs());
            ServerState::Troubled { why, is_unreachable: false }
        }
    }
}

pub(super) async fn check(config: &Config, server: &ServerState) -> Vec<Diagnosis> {
    match server {
        ServerState::Ready { client, answer } => {
            let damaged = answer["damaged_sessions"].as_u64().unwrap_or_default();
            let mut lines = vec![Diagnosis::ok(AREA, format!("ready at {}", client.url()))];
            if damaged > 0 {
                let found = format!("{damaged} sessions are damaged");
                lines.push(Diagnosis::problem(AREA, found, "dwell verify, then restore them from a backup"));
            }
            let lost = answer["lost_writes"].as_u64().unwrap_or_default();
            if lost > 0 {
                let found = format!("the database has lost {lost} writes that were acknowledged");
                lines.push(Diagnosis::problem(AREA, found, LOST_ADVICE));
            }
            lines
        }
        // A killed server leaves its address behind.
        ServerState::Troubled { why, is_unreachable: true } if config.client.url.is_empty() => {
            let advice = "if it was killed, `dwell serve` starts it again; nothing acknowledged is lost";
            let mut lines = vec![Diagnosis::warning(AREA, why.clone(), advice)];
            lines.extend(port(config).await);
            lines
        }
        ServerState::Troubled { why, .. } => {
            let advice = "check the address (--url), the token (DWELL_TOKEN) and `dwell logs`";
            vec![Diagnosis::problem(AREA, why.clone(), advice)]
        }
        ServerState::None => {
            let mut lines = vec![Diagnosis::ok(AREA, "none runs on this data folder; `dwell serve` starts one")];
            lines.extend(port(config).await);
            lines
        }
    }
}

/// Whether a server could listen where it is configured to.
async fn port(config: &Config) -> Vec<Diagnosis> {
    let listens =
        [("server.listen", config.server.listen.as_str()), ("wyoming.listen", config.wyoming.listen.as_str())];
    let mut lines = Vec::new();
    for (key, listen) in listens.into_iter().filter(|(_, listen)| !listen.is_empty()) {
        lines.push(match TcpListener::bind(listen).await {
            Ok(_) => Diagnosis::ok("port", format!("{listen} is free (`{key}`)")),
            Err(error) => Diagnosis::problem(
                "port",
                format!("{listen} cannot be listened on: {error}"),
                format!("stop what listens there, or choose another address with `{key}`"),
            ),
        });
    }
    let is_local = |at: &str| at.to_socket_addrs().is_ok_and(|mut all| all.all(|at| at.ip().is_loopback()));
    if !is_local(&config.server.listen) {
        let found = format!("{} can be reached from other machines", config.server.listen);
        let advice = "tokens need encryption there: put TLS in front, as in docs/how-to/proxy.md";
        lines.push(Diagnosis::warning("port", found, advice));
    }
    lines
}
