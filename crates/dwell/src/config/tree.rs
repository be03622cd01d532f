//! The typed tree. What is secret in it is said by the type of its field: a key or token is [`Confidential`], an address
//! that may hold one is a [`ServiceUrl`]. Writing the tree out leaves them out, and that is how the settings are shown; a
//! plain `SecretString` cannot be written, so that no secret is shown by oversight.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
    path::{Path, PathBuf},
    time::Duration,
};

use protocol::{ModelSettings, SettingView};
use secrecy::SecretString;
use secret::{Confidential, ServiceUrl};
use serde::{Deserialize, Serialize};

use crate::backup::Schedule;

/// All settings.
#[derive(Debug, Deserialize, Serialize)]
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
    journal: Journal,
    backup: Backup,
    clock: Clock,
    library: Library,
    pub(crate) session: Session,
    retention: Retention,
    agents: Agents,
    quota: Quota,
    pub(crate) wyoming: Wyoming,
    pub(crate) limits: Limits,
    pub(crate) log: Log,
    /// All of it as it is shown, with the source of each value.
    #[serde(skip)]
    pub(crate) shown: Vec<SettingView>,
    /// The keys that the file, the environment or the command line set.
    #[serde(skip)]
    pub(crate) given: BTreeSet<String>,
    /// The values of all that is [`Confidential`].
    #[serde(skip)]
    pub(crate) secrets: Vec<SecretString>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    pub(crate) listen: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) proxies: Vec<String>,
    pub(crate) token: Confidential,
    pub(crate) open: Open,
}

/// Whether the page is opened in a browser when the server starts.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Open {
    /// Where somebody seems to sit in front of it.
    Auto,
    Always,
    Never,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    pub(crate) url: ServiceUrl,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) fallbacks: Vec<String>,
    pub(crate) settings: ModelSettings,
    pub(crate) overrides: model::Overrides,
}

/// A provider with a key and an address.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keyed {
    pub(super) api_key: Confidential,
    pub(super) base_url: ServiceUrl,
    pub(super) model: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Azure {
    pub(super) api_key: Confidential,
    pub(super) endpoint: ServiceUrl,
    pub(super) api_version: String,
    pub(super) deployment: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ollama {
    pub(super) host: ServiceUrl,
    pub(super) model: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tools {
    pub(crate) actuation: bool,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) confirm: Vec<String>,
    pub(crate) file: String,
    approval_ms: u64,
    client_taint_minutes: u32,
    client_ms: u64,
    pub(crate) time_zone: String,
    pub(crate) fetch_allow: Vec<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mcp {
    pub(crate) servers: BTreeMap<String, external::Declared>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Home {
    pub(crate) enabled: bool,
    pub(crate) url: ServiceUrl,
    pub(crate) token: Confidential,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) reflexes: bool,
    pub(crate) languages: Vec<String>,
    sentences_dir: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Memory {
    follow_sessions: bool,
    model: String,
    embedding_dir: String,
    entry_days: u32,
    half_life_days: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Research {
    pub(crate) searxng_url: ServiceUrl,
    pub(crate) brave_api_key: Confidential,
    pub(crate) brave_url: ServiceUrl,
    pub(crate) sources_max: NonZeroUsize,
    pub(crate) time_ms: u64,
    pub(crate) page_ms: u64,
    pub(crate) page_bytes_max: usize,
    pub(crate) robots: bool,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Artifacts {
    days: u32,
    pub(crate) owner_bytes_max: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    verify_per_minute: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Backup {
    dir: String,
    every_hours: NonZeroU32,
    keep: NonZeroUsize,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Clock {
    jump_max_hours: NonZeroU32,
    settle_hours: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Library {
    poll_ms: NonZeroU64,
    documents_max: u64,
    bytes_max: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    idle_unload_ms: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Retention {
    session_idle_days: u32,
    after_expiry: AfterExpiry,
    expired_days: u32,
    archive_dir: String,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum AfterExpiry {
    Keep,
    Archive,
    Delete,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Agents {
    session_max: NonZeroUsize,
    owner_max: NonZeroUsize,
    max: NonZeroUsize,
    background_max: NonZeroUsize,
    background_actions_per_minute: NonZeroU32,
    background_bytes_per_minute: NonZeroU32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Quota {
    sessions_max: u64,
    journal_bytes_max: u64,
    turns_max: u64,
    memory_records_max: u64,
    memory_bytes_max: u64,
}

#[derive(Debug, Deserialize, Serialize)]
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
    pub(crate) idle_ms: NonZeroU64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    frame_bytes_max: usize,
    json_depth_max: usize,
    connections_max: usize,
    anonymous_connections_max: usize,
    peer_connections_max: usize,
    owner_connections_max: usize,
    streams_max: usize,
    owner_streams_max: usize,
    mcp_sessions_max: usize,
    owner_mcp_sessions_max: usize,
    mcp_idle_ms: NonZeroU64,
    follows_max: usize,
    requests_per_second_max: NonZeroU32,
    requests_burst_max: NonZeroU32,
    failed_entries_peer_max: NonZeroU32,
    failed_entries_all_max: NonZeroU32,
    header_ms: NonZeroU64,
    body_ms: NonZeroU64,
    body_bytes_per_second_min: NonZeroU32,
    idle_ms: NonZeroU64,
    slow_reader_ms: u64,
    ping_ms: NonZeroU64,
    keep_alive_ms: NonZeroU64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Log {
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
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

    /// How much all folders of the library may hold together.
    pub(crate) fn library_limits(&self) -> research::library::Limits {
        let Library { documents_max, bytes_max, .. } = self.library;
        research::library::Limits { documents_max: limit(documents_max), bytes_max: limit(bytes_max) }
    }

    /// The backups that the server makes by itself, if it does.
    pub(crate) fn backup_schedule(&self) -> Option<Schedule> {
        let Backup { dir, every_hours, keep } = &self.backup;
        (!dir.is_empty()).then(|| Schedule {
            into: PathBuf::from(dir),
            every: hours(every_hours.get()),
            keep: keep.get(),
            data: self.data.dir.clone(),
        })
    }

    pub(crate) fn memory_options(&self) -> memory::room::Options {
        memory::room::Options {
            entry_days: Some(self.memory.entry_days).filter(|days| *days > 0),
            half_life_days: self.memory.half_life_days,
            follows_sessions: self.memory.follow_sessions,
            records_max: limit(self.quota.memory_records_max),
            bytes_max: limit(self.quota.memory_bytes_max),
        }
    }

    pub(crate) fn engine_options(&self) -> engine::Options {
        engine::Options {
            agents_max: self.agents.max.get(),
            agents_owner_max: self.agents.owner_max.get(),
            agents_session_max: self.agents.session_max.get(),
            quota: engine::Quota {
                sessions_max: limit(self.quota.sessions_max),
                journal_bytes_max: limit(self.quota.journal_bytes_max),
                turns_max: limit(self.quota.turns_max),
            },
            background_max: self.agents.background_max.get(),
            background_actions_per_minute: self.agents.background_actions_per_minute.get().into(),
            background_bytes_per_minute: self.agents.background_bytes_per_minute.get().into(),
            idle_unload: Duration::from_millis(self.session.idle_unload_ms),
            approval_wait: Duration::from_millis(self.tools.approval_ms),
            client_wait: Duration::from_millis(self.tools.client_ms),
            client_taint: Some(self.tools.client_taint_minutes)
                .filter(|minutes| *minutes > 0)
                .map(|minutes| Duration::from_secs(60 * u64::from(minutes))),
            artifact_days: Some(self.artifacts.days).filter(|days| *days > 0),
            owner_artifact_bytes_max: self.artifacts.owner_bytes_max,
            verify_interval: NonZeroU32::new(self.journal.verify_per_minute)
                .map(|per_minute| Duration::from_secs(60) / per_minute.get()),
            clock_jump_max: hours(self.clock.jump_max_hours.get()),
            clock_settle: hours(self.clock.settle_hours),
            retention: self.retention(),
            model_settings: self.model.settings.clone(),
            ..engine::Options::default()
        }
    }

    fn retention(&self) -> engine::Retention {
        let retention = &self.retention;
        let folder = match retention.archive_dir.as_str() {
            "" => self.data.dir.join("archive"),
            dir => PathBuf::from(dir),
        };
        engine::Retention {
            session_idle_days: Some(retention.session_idle_days).filter(|days| *days > 0),
            after_expiry: match retention.after_expiry {
                AfterExpiry::Keep => engine::AfterExpiry::Keep,
                AfterExpiry::Archive => engine::AfterExpiry::Archive(folder),
                AfterExpiry::Delete => engine::AfterExpiry::Delete,
            },
            expired_days: retention.expired_days,
        }
    }

    /// The limits of the server. The error is about `server.proxies`, which are not all addresses or networks.
    pub(crate) fn server_limits(&self) -> Result<server::Limits, server::BadPeer> {
        let (limits, time) = (&self.limits, |ms: NonZeroU64| Duration::from_millis(ms.get()));
        Ok(server::Limits {
            frame_bytes_max: limits.frame_bytes_max,
            json_depth_max: limits.json_depth_max,
            connections_max: limits.connections_max,
            anonymous_connections_max: limits.anonymous_connections_max,
            peer_connections_max: limits.peer_connections_max,
            owner_connections_max: limits.owner_connections_max,
            proxies: server::Peers::new(&self.server.proxies)?,
            streams_max: limits.streams_max,
            owner_streams_max: limits.owner_streams_max,
            mcp_sessions_max: limits.mcp_sessions_max,
            owner_mcp_sessions_max: limits.owner_mcp_sessions_max,
            mcp_idle: time(limits.mcp_idle_ms),
            follows_max: limits.follows_max,
            requests_per_second_max: limits.requests_per_second_max,
            requests_burst_max: limits.requests_burst_max,
            failed_entries_peer_max: limits.failed_entries_peer_max,
            failed_entries_all_max: limits.failed_entries_all_max,
            header: time(limits.header_ms),
            body: time(limits.body_ms),
            body_bytes_per_second_min: limits.body_bytes_per_second_min,
            idle: time(limits.idle_ms),
            slow_reader: Duration::from_millis(limits.slow_reader_ms),
            ping: time(limits.ping_ms),
            keep_alive: time(limits.keep_alive_ms),
        })
    }
}

/// A limit of which 0 means that there is none.
fn limit(max: u64) -> Option<u64> {
    (max > 0).then_some(max)
}

fn hours(count: u32) -> Duration {
    Duration::from_secs(u64::from(count) * 60 * 60)
}
