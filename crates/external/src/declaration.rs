//! The declaration of external servers in the configuration file.

use std::{collections::BTreeMap, path::PathBuf};

use protocol::{Effect, Safety};
use secret::{ConfigSecret, ServiceUrl};
use serde::{Deserialize, Serialize};

/// An external server: one `[mcp.servers.NAME]` of the configuration.
///
/// ```toml
/// [mcp.servers.files]
/// command = "mcp-files"
/// args = ["--root", "/srv/files"]
/// env = { FILES_TOKEN = "env:FILES_TOKEN" }
/// allow = ["read_*", "search"]
///
/// [mcp.servers.files.tools.search]
/// effect = "pure"
/// safety = "observes"
/// ```
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerDeclaration {
    /// The program to start. It speaks MCP over its standard input and output.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment, besides `PATH`, `HOME` and `LANG`. A value `env:NAME` stands for a variable
    /// of Dwell's environment.
    pub env: BTreeMap<String, ConfigSecret>,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
    /// The URL of the server, if it is not a program to start.
    pub url: Option<ServiceUrl>,
    /// Headers of every request. A value `env:NAME` stands for a variable of Dwell's environment.
    pub headers: BTreeMap<String, ConfigSecret>,
    /// Whether its address may be private or local.
    pub allow_private: bool,
    /// The tools to accept, by their names on the server, with `*` for any run of characters. None
    /// by default.
    pub allow: Vec<String>,
    /// Whether the server's annotations of its tools are trusted: that they are read-only or
    /// idempotent.
    pub trust_annotations: bool,
    /// The timeout of a call; 30 seconds by default, at most 10 minutes.
    pub timeout_ms: Option<u64>,
    /// The timeout of the start; 30 seconds by default, at most 10 minutes.
    pub start_timeout_ms: Option<u64>,
    /// The number of calls per minute that an owner is allowed, for each tool; unlimited by
    /// default.
    pub calls_per_minute_max: Option<u32>,
    /// Overrides for its tools, by their names on the server.
    pub tools: BTreeMap<String, ToolOverride>,
}

/// Overrides for a tool: one `[mcp.servers.NAME.tools.TOOL]`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolOverride {
    /// Whether a call can be run again: `pure`, `idempotent` or `at_most_once` (the default).
    pub effect: Option<Effect>,
    /// What it affects: `observes`, `keeps`, `acts` (the default) or `sends`.
    pub safety: Option<Safety>,
    /// What it does and when to use it, instead of the server's description.
    pub description: Option<String>,
    /// Whether several calls may run at the same time; `false` by default.
    pub parallel: bool,
    /// The timeout of a call.
    pub timeout_ms: Option<u64>,
    /// The number of calls per minute that an owner is allowed.
    pub calls_per_minute_max: Option<u32>,
}
