//! The MCP servers that are configured: as the running server sees them, or started for a moment.

use std::time::Duration;

use protocol::{ToolPage, ToolServerView};
use secrecy::SecretString;
use tools::{Registry, redaction::Redactor};

use super::{Diagnosis, ServerState};
use crate::config::{Config, variable};

const AREA: &str = "MCP servers";
/// How long they may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn check(config: &Config, server: &ServerState) -> Vec<Diagnosis> {
    if config.mcp.servers.is_empty() {
        return vec![Diagnosis::ok(AREA, "none are configured")];
    }
    let asked = match server.client() {
        Some(client) => client.get::<ToolPage>("/tools").await.ok().map(|page| page.servers),
        None => None,
    };
    let views = match asked {
        Some(views) => Ok(views),
        None => start(config).await,
    };
    match views {
        Ok(views) => views.iter().map(line).collect(),
        Err(error) => vec![Diagnosis::problem(AREA, format!("{error:#}"), "correct `mcp.servers`")],
    }
}

/// Starts the servers, and stops them when they have listed their tools.
async fn start(config: &Config) -> anyhow::Result<Vec<ToolServerView>> {
    let secret = |name: &str| variable(name).ok().flatten().map(SecretString::from);
    let loaded = external::load(config.mcp.servers.clone(), &secret)?;
    let registry = Registry::default();
    let running = external::open(loaded.servers, &registry, &Redactor::new(loaded.secrets));
    running.tried(PATIENCE).await;
    let views = registry.servers();
    running.stop().await;
    Ok(views)
}

fn line(view: &ToolServerView) -> Diagnosis {
    let ToolServerView { name, away_because, tools, left_out, .. } = view;
    if let Some(why) = away_because {
        let advice = format!("check the command or address in `mcp.servers.{name}`");
        return Diagnosis::problem(AREA, format!("{name}: {why}"), advice);
    }
    let found = format!("{name}: {} tools", tools.len());
    match left_out.first() {
        Some(first) => Diagnosis::warning(
            AREA,
            format!("{found}, {} left out: {} ({})", left_out.len(), first.tool, first.because),
            "`dwell tools` shows them all",
        ),
        None => Diagnosis::ok(AREA, found),
    }
}
