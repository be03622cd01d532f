//! Structured logs on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// Starts logging. Two libraries are silenced: one warns about harmless frames of providers, the
/// other logs whole MCP messages, including secrets.
pub(crate) fn start(log: &LogConfig) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(format!("genai=off,rmcp=off,{}", log.filter))?;
    let colour = std::io::stderr().is_terminal();
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colour).with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Text => logs.try_init(),
        LogFormat::Json => logs.json().try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("failed to start logging: {error}"))
}
