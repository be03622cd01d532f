//! How an operator declares external servers, in the configuration file.

use std::{collections::BTreeMap, path::PathBuf};

use protocol::{Effect, Safety};
use secret::{Confidential, ServiceUrl};
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
pub struct Declared {
    /// The program to start, which speaks over its standard input and output.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment, beside `PATH`, `HOME` and `LANG`. A value `env:NAME` stands for a variable of Dwell's own.
    pub env: BTreeMap<String, Confidential>,
    /// The folder it starts in.
    pub cwd: Option<PathBuf>,
    /// Where the server is, if it is not a program to start.
    pub url: Option<ServiceUrl>,
    /// Headers that go with every request. A value `env:NAME` stands for a variable of Dwell's own.
    pub headers: BTreeMap<String, Confidential>,
    /// Whether its address may be a private one or this machine.
    pub allow_private: bool,
    /// Which of its tools are let in, by their names there, with `*` for any run of characters. None unless said.
    pub allow: Vec<String>,
    /// Whether what it says of its tools is believed: that they only look, or may be run again.
    pub trust_annotations: bool,
    /// How long a call may take; 30 seconds unless said, at most 10 minutes.
    pub timeout_ms: Option<u64>,
    /// How long it may take to start; 30 seconds unless said, at most 10 minutes.
    pub start_timeout_ms: Option<u64>,
    /// How many calls a minute an owner is allowed, of each of its tools; any number unless said.
    pub calls_per_minute_max: Option<u32>,
    /// What the operator knows of its tools, by their names there.
    pub tools: BTreeMap<String, DeclaredTool>,
}

/// What the operator knows of a tool: one `[mcp.servers.NAME.tools.TOOL]`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct DeclaredTool {
    /// What running a call again would do: `pure`, `idempotent` or `at_most_once` (the default).
    pub effect: Option<Effect>,
    /// What it touches: `observes`, `keeps`, `acts` (the default) or `sends`.
    pub safety: Option<Safety>,
    /// What it does and when to use it, instead of the server's own words.
    pub description: Option<String>,
    /// Whether several calls may run at once; no unless said.
    pub parallel: bool,
    /// How long a call may take.
    pub timeout_ms: Option<u64>,
    /// How many calls a minute an owner is allowed.
    pub calls_per_minute_max: Option<u32>,
}
