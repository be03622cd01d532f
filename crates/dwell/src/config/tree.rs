//! The typed tree.

use std::{
    collections::BTreeMap,
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
    path::{Path, PathBuf},
    time::Duration,
};

use protocol::SettingView;
use secrecy::SecretString;
use serde::Deserialize;

/// All settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) server: Server,
    pub(crate) client: Client,
    pub(crate) data: Data,
    pub(crate) model: Model,
    pub(super) openai: Keyed,
    pub(super) anthropic: Keyed,
    pub(super) gemini: Keyed,
    pub(super) azure: Azure,
    pub(super) openrouter: Keyed,
    pub(super) ollama: Ollama,
    pub(crate) tools: Tools,
    pub(crate) mcp: Mcp,
    pub(crate) home: Home,
    pub(crate) memory: Memory,
    pub(crate) research: Research,
    pub(crate) artifacts: Artifacts,
    library: Library,
    pub(crate) session: Session,
    agents: Agents,
    pub(crate) wyoming: Wyoming,
    pub(crate) limits: Limits,
    pub(crate) log: Log,
    /// All of it as it is shown, with the source of each value.
    #[serde(skip)]
    pub(crate) shown: Vec<SettingView>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    pub(crate) listen: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) token: SecretString,
    pub(crate) open: Open,
}

/// Whether the page is opened in a browser when the server starts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Open {
    /// Where somebody seems to sit in front of it.
    Auto,
    Always,
    Never,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    pub(crate) url: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) fallbacks: Vec<String>,
}

/// A provider with a key and an address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keyed {
    pub(super) api_key: SecretString,
    pub(super) base_url: String,
    pub(super) model: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Azure {
    pub(super) api_key: SecretString,
    pub(super) endpoint: String,
    pub(super) api_version: String,
    pub(super) deployment: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ollama {
    pub(super) host: String,
    pub(super) model: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tools {
    pub(crate) actuation: bool,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) confirm: Vec<String>,
    pub(crate) file: String,
    approval_ms: u64,
    client_ms: u64,
    pub(crate) time_zone: String,
    pub(crate) fetch_allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mcp {
    pub(crate) servers: BTreeMap<String, external::Declared>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Home {
    pub(crate) enabled: bool,
    pub(crate) url: String,
    pub(crate) token: SecretString,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) reflexes: bool,
    pub(crate) languages: Vec<String>,
    sentences_dir: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Memory {
    follow_sessions: bool,
    model: String,
    embedding_dir: String,
    entry_days: u32,
    half_life_days: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Research {
    pub(crate) searxng_url: String,
    pub(crate) brave_api_key: SecretString,
    pub(crate) brave_url: String,
    pub(crate) sources_max: NonZeroUsize,
    pub(crate) time_ms: u64,
    pub(crate) page_ms: u64,
    pub(crate) page_bytes_max: usize,
    pub(crate) robots: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Artifacts {
    days: u32,
    pub(crate) owner_bytes_max: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    poll_ms: NonZeroU64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    idle_unload_ms: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Agents {
    max: NonZeroUsize,
    background_max: NonZeroUsize,
    background_actions_per_minute: NonZeroU32,
    background_bytes_per_minute: NonZeroU32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wyoming {
    pub(crate) listen: String,
    pub(crate) announce: bool,
    pub(crate) peers: Vec<String>,
    pub(crate) areas: Vec<String>,
    pub(crate) approve: bool,
    pub(crate) patience_ms: u64,
    pub(crate) pause_ms: u64,
    pub(crate) connections_max: NonZeroUsize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    frame_bytes_max: usize,
    json_depth_max: usize,
    connections_max: usize,
    streams_max: usize,
    follows_max: usize,
    requests_per_second_max: NonZeroU32,
    requests_burst_max: NonZeroU32,
    slow_reader_ms: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Log {
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl Config {
    pub(crate) fn data_dir(&self) -> &Path {
        &self.data.dir
    }

    /// Where the model of meaning is, or is to be.
    pub(crate) fn embedding_dir(&self) -> PathBuf {
        match self.memory.embedding_dir.as_str() {
            "" => self.data.dir.join("models").join(memory::embedding::folder::NAME),
            dir => PathBuf::from(dir),
        }
    }

    /// Where Home Assistant's sentences are, or are to be.
    pub(crate) fn sentences_dir(&self) -> PathBuf {
        match self.home.sentences_dir.as_str() {
            "" => self.data.dir.join("sentences"),
            dir => PathBuf::from(dir),
        }
    }

    /// The model that sums conversations up, by name or as `default`.
    pub(crate) fn memory_model(&self) -> Option<&str> {
        Some(self.memory.model.as_str()).filter(|name| !name.is_empty())
    }

    /// How long to wait between two looks at a folder of the library.
    pub(crate) fn library_poll(&self) -> Duration {
        Duration::from_millis(self.library.poll_ms.get())
    }

    pub(crate) fn memory_options(&self) -> memory::room::Options {
        memory::room::Options {
            entry_days: Some(self.memory.entry_days).filter(|days| *days > 0),
            half_life_days: self.memory.half_life_days,
            follows_sessions: self.memory.follow_sessions,
        }
    }

    pub(crate) fn engine_options(&self) -> engine::Options {
        engine::Options {
            agents_max: self.agents.max.get(),
            background_max: self.agents.background_max.get(),
            background_actions_per_minute: self.agents.background_actions_per_minute.get().into(),
            background_bytes_per_minute: self.agents.background_bytes_per_minute.get().into(),
            idle_unload: Duration::from_millis(self.session.idle_unload_ms),
            approval_wait: Duration::from_millis(self.tools.approval_ms),
            client_wait: Duration::from_millis(self.tools.client_ms),
            artifact_days: Some(self.artifacts.days).filter(|days| *days > 0),
            owner_artifact_bytes_max: self.artifacts.owner_bytes_max,
            ..engine::Options::default()
        }
    }

    pub(crate) fn server_limits(&self) -> server::Limits {
        let limits = &self.limits;
        server::Limits {
            frame_bytes_max: limits.frame_bytes_max,
            json_depth_max: limits.json_depth_max,
            connections_max: limits.connections_max,
            streams_max: limits.streams_max,
            follows_max: limits.follows_max,
            requests_per_second_max: limits.requests_per_second_max,
            requests_burst_max: limits.requests_burst_max,
            slow_reader: Duration::from_millis(limits.slow_reader_ms),
        }
    }
}
