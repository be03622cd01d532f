//! Structured logs on standard error. The last lines are also kept in memory, where `dwell logs`
//! reads them over the API.

mod ring;

use std::sync::OnceLock;

pub(crate) use ring::LogRing;
use ring::RingLayer;
use tracing_subscriber::{EnvFilter, Layer, layer::SubscriberExt, util::SubscriberInitExt};

use crate::{
    config::{LogConfig, LogFormat},
    output::is_coloured,
};

/// The kept lines. A process has one log.
static KEPT: OnceLock<LogRing> = OnceLock::new();

/// Starts logging. Two libraries are silenced: one warns about harmless frames of providers, the
/// other logs whole MCP messages, including secrets.
pub(crate) fn start(log: &LogConfig) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(format!("genai=off,rmcp=off,{}", log.filter))?;
    let colour = is_coloured(&std::io::stderr());
    let printed = tracing_subscriber::fmt::layer().with_ansi(colour).with_writer(std::io::stderr);
    let printed = match log.format {
        LogFormat::Text => printed.boxed(),
        LogFormat::Json => printed.json().boxed(),
    };
    let ring = KEPT.get_or_init(LogRing::default).clone();
    let started = tracing_subscriber::registry().with(filter).with(printed).with(RingLayer(ring)).try_init();
    started.map_err(|error| anyhow::anyhow!("failed to start logging: {error}"))
}

/// The kept lines, if this process logs.
pub(crate) fn kept() -> Option<LogRing> {
    KEPT.get().cloned()
}
