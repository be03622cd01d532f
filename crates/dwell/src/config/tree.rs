//! The typed tree of settings. The type of a field says whether it is secret: a key or token is a
//! [`ConfigSecret`], an address that may contain one is a [`ServiceUrl`]. Serialising the tree
//! hides both, and settings are only shown in that form. A plain `SecretString` cannot be
//! serialised, so no secret is shown by mistake.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
    path::{Path, PathBuf},
    time::Duration,
};

use protocol::{ModelSettings, SettingView};
use secrecy::SecretString;
use secret::{ConfigSecret, ServiceUrl};
use serde::{Deserialize, Serialize};

use super::{
    cluster::ClusterConfig,
    store::StoreConfig,
    tls::TlsConfig,
    voice::VoiceConfig,
    watching::{MetricsConfig, TelemetryConfig},
};
use crate::{backup::BackupSchedule, output::OutputOptions};

/// All settings.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) server: ServerConfig,
    pub(crate) tls: TlsConfig,
    pub(crate) client: ClientConfig,
    pub(crate) data: DataConfig,
    pub(crate) store: StoreConfig,
    pub(crate) cluster: ClusterConfig,
    pub(crate) model: ModelConfig,
    pub(super) openai: KeyedProviderConfig,
    pub(super) anthropic: KeyedProviderConfig,
    pub(super) gemini: KeyedProviderConfig,
    pub(super) azure: AzureConfig,
    pub(super) openrouter: KeyedProviderConfig,
    pub(super) ollama: OllamaConfig,
    pub(crate) tools: ToolsConfig,
    pub(crate) mcp: McpConfig,
    pub(crate) home: HomeConfig,
    pub(crate) alerts: AlertsConfig,
    pub(crate) memory: MemoryConfig,
    pub(crate) research: ResearchConfig,
    pub(crate) artifacts: ArtifactsConfig,
    journal: JournalConfig,
    backup: BackupConfig,
    clock: ClockConfig,
    library: LibraryConfig,
    pub(crate) session: SessionConfig,
    retention: RetentionConfig,
    agents: AgentsConfig,
    background: BackgroundConfig,
    quota: QuotaConfig,
    pub(crate) wyoming: WyomingConfig,
    pub(crate) voice: VoiceConfig,
    pub(crate) limits: LimitsConfig,
    pub(crate) metrics: MetricsConfig,
    pub(crate) telemetry: TelemetryConfig,
    pub(crate) log: LogConfig,
    /// All settings as they are shown, with the source of each value.
    #[serde(skip)]
    pub(crate) shown: Vec<SettingView>,
    /// The keys that the file, the environment or the command line set.
    #[serde(skip)]
    pub(crate) given: BTreeSet<String>,
    /// The values of all fields of type [`ConfigSecret`].
    #[serde(skip)]
    pub(crate) secrets: Vec<SecretString>,
    /// How commands print.
    #[serde(skip)]
    pub(crate) output: OutputOptions,
    /// The configuration file, which may not exist.
    #[serde(skip)]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerConfig {
    pub(crate) listen: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) proxies: Vec<String>,
    pub(crate) trusted_proxies: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) allowed_origins_cookies: bool,
    pub(crate) ingress: Vec<String>,
    pub(crate) token: ConfigSecret,
    pub(crate) open: OpenBrowser,
}

/// Whether the page is opened in a browser when the server starts.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OpenBrowser {
    /// If the server seems to run on the user's desktop.
    Auto,
    Always,
    Never,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientConfig {
    pub(crate) url: ServiceUrl,
    pub(crate) ca: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataConfig {
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelConfig {
    pub(crate) name: String,
    pub(crate) fallbacks: Vec<String>,
    pub(crate) settings: ModelSettings,
    pub(crate) overrides: model::Overrides,
}

/// A provider with a key and an address.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyedProviderConfig {
    pub(super) api_key: ConfigSecret,
    pub(super) base_url: ServiceUrl,
    pub(super) model: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AzureConfig {
    pub(super) api_key: ConfigSecret,
    pub(super) endpoint: ServiceUrl,
    pub(super) api_version: String,
    pub(super) deployment: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OllamaConfig {
    pub(super) host: ServiceUrl,
    pub(super) model: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolsConfig {
    pub(crate) actuation: bool,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) confirm: Vec<String>,
    pub(crate) file: String,
    approval_ms: u64,
    approval_connected_ms: u64,
    client_taint_minutes: u32,
    client_ms: u64,
    pub(crate) time_zone: String,
    pub(crate) fetch_allow: Vec<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpConfig {
    authorization_servers: Vec<String>,
    pub(crate) servers: BTreeMap<String, external::ServerDeclaration>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HomeConfig {
    pub(crate) enabled: bool,
    pub(crate) url: ServiceUrl,
    pub(crate) token: ConfigSecret,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) confirm_locking: bool,
    pub(crate) sensitive: Vec<String>,
    pub(crate) not_sensitive: Vec<String>,
    pub(crate) reflexes: bool,
    pub(crate) languages: Vec<String>,
    sentences_dir: String,
    custom_sentences_dir: String,
}

/// The value of `tools.time_zone` for the zone of the machine.
const LOCAL_ZONE: &str = "local";

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlertsConfig {
    pub(crate) channels: Vec<alert::ChannelDeclaration>,
}

/// The value of `memory.model` without any model.
const MEMORY_MODEL_OFF: &str = "off";

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryConfig {
    follow_sessions: bool,
    model: String,
    instructions: String,
    model_tokens_per_hour: u64,
    model_delay_ms: u64,
    pub(super) embedding: String,
    pub(super) embedding_dir: String,
    entry_days: u32,
    half_life_days: u32,
    recency: f64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResearchConfig {
    pub(crate) searxng_url: ServiceUrl,
    pub(crate) brave_api_key: ConfigSecret,
    pub(crate) brave_url: ServiceUrl,
    pub(crate) sources_max: NonZeroUsize,
    pub(crate) time_ms: u64,
    pub(crate) page_ms: u64,
    pub(crate) page_bytes_max: usize,
    pub(crate) robots: bool,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArtifactsConfig {
    days: u32,
    pub(crate) owner_bytes_max: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct JournalConfig {
    verify_per_minute: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BackupConfig {
    dir: String,
    every_hours: NonZeroU32,
    keep: NonZeroUsize,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ClockConfig {
    jump_max_hours: NonZeroU32,
    settle_hours: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct LibraryConfig {
    poll_ms: NonZeroU64,
    documents_max: u64,
    bytes_max: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionConfig {
    idle_unload_ms: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RetentionConfig {
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
struct BackgroundConfig {
    max: NonZeroUsize,
    owner_max: NonZeroUsize,
    max_steps: NonZeroU32,
    max_tool_calls: u32,
    max_duration_ms: NonZeroU64,
    max_tokens: u64,
    approval_ms: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct AgentsConfig {
    session_max: NonZeroUsize,
    owner_max: NonZeroUsize,
    max: NonZeroUsize,
    background_max: NonZeroUsize,
    background_actions_per_minute: NonZeroU32,
    background_bytes_per_minute: NonZeroU32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct QuotaConfig {
    sessions_max: u64,
    journal_bytes_max: u64,
    turns_max: u64,
    memory_records_max: u64,
    memory_bytes_max: u64,
    value_bytes_max: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WyomingConfig {
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
pub(crate) struct LimitsConfig {
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
pub(crate) struct LogConfig {
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

    /// The folder of Home Assistant's sentences, which may not exist yet.
    pub(crate) fn sentences_dir(&self) -> PathBuf {
        match self.home.sentences_dir.as_str() {
            "" => self.data.dir.join("sentences"),
            dir => PathBuf::from(dir),
        }
    }

    /// The folder of the user's own sentences, which may not exist.
    pub(crate) fn custom_sentences_dir(&self) -> PathBuf {
        match self.home.custom_sentences_dir.as_str() {
            "" => self.data.dir.join("custom_sentences"),
            dir => PathBuf::from(dir),
        }
    }

    /// The model of memory, by name or as `default`, if one is named.
    pub(crate) fn memory_model(&self) -> Option<&str> {
        Some(self.memory.model.as_str()).filter(|name| !name.is_empty() && *name != MEMORY_MODEL_OFF)
    }

    /// How a model extracts facts; `named` is the model of memory, if one is named.
    pub(crate) fn extraction_options(&self, named: Option<&str>) -> engine::ExtractionOptions {
        let model = match named {
            Some(name) => engine::ExtractionModel::Named(name.to_owned()),
            None if self.memory.model == MEMORY_MODEL_OFF => engine::ExtractionModel::Off,
            None => engine::ExtractionModel::OfSession,
        };
        engine::ExtractionOptions {
            model,
            instructions: self.memory.instructions.clone(),
            tokens_per_hour: limit(self.memory.model_tokens_per_hour),
            delay: Duration::from_millis(self.memory.model_delay_ms),
        }
    }

    /// How long to wait between two scans of a folder of the library.
    pub(crate) fn library_poll(&self) -> Duration {
        Duration::from_millis(self.library.poll_ms.get())
    }

    /// How much all folders of the library may hold together.
    pub(crate) fn library_limits(&self) -> research::library::LibraryLimits {
        let LibraryConfig { documents_max, bytes_max, .. } = self.library;
        research::library::LibraryLimits { documents_max: limit(documents_max), bytes_max: limit(bytes_max) }
    }

    /// The schedule of automatic backups, if there is one.
    pub(crate) fn backup_schedule(&self) -> Option<BackupSchedule> {
        let BackupConfig { dir, every_hours, keep } = &self.backup;
        (!dir.is_empty()).then(|| BackupSchedule {
            into: PathBuf::from(dir),
            every: hours(every_hours.get()),
            keep: keep.get(),
            data: self.data.dir.clone(),
        })
    }

    pub(crate) fn memory_options(&self) -> memory::long_term::MemoryOptions {
        memory::long_term::MemoryOptions {
            entry_days: Some(self.memory.entry_days).filter(|days| *days > 0),
            half_life_days: self.memory.half_life_days,
            recency: self.memory.recency.clamp(0.0, 1.0) as f32,
            follows_sessions: self.memory.follow_sessions,
            records_max: limit(self.quota.memory_records_max),
            bytes_max: limit(self.quota.memory_bytes_max),
        }
    }

    /// The name of the time zone. A machine whose zone has no name counts as UTC.
    pub(crate) fn time_zone(&self) -> String {
        if self.tools.time_zone != LOCAL_ZONE {
            return self.tools.time_zone.clone();
        }
        jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned()
    }

    pub(crate) fn engine_options(&self) -> engine::Options {
        engine::Options {
            time_zone: self.time_zone(),
            agents_max: self.agents.max.get(),
            agents_owner_max: self.agents.owner_max.get(),
            agents_session_max: self.agents.session_max.get(),
            quota: engine::Quota {
                sessions_max: limit(self.quota.sessions_max),
                journal_bytes_max: limit(self.quota.journal_bytes_max),
                turns_max: limit(self.quota.turns_max),
                value_bytes_max: limit(self.quota.value_bytes_max),
            },
            background_max: self.agents.background_max.get(),
            background_actions_per_minute: self.agents.background_actions_per_minute.get().into(),
            background_bytes_per_minute: self.agents.background_bytes_per_minute.get().into(),
            background: engine::BackgroundOptions {
                max: self.background.max.get(),
                owner_max: self.background.owner_max.get(),
                budgets: protocol::BackgroundBudgets {
                    max_steps: Some(self.background.max_steps.get()),
                    max_tool_calls: Some(self.background.max_tool_calls),
                    max_duration_ms: Some(self.background.max_duration_ms.get()),
                    max_tokens: Some(self.background.max_tokens),
                    max_cost: None,
                },
                approval_wait: Duration::from_millis(self.background.approval_ms),
            },
            idle_unload: Duration::from_millis(self.session.idle_unload_ms),
            approval_wait: Duration::from_millis(self.tools.approval_ms),
            connected_approval_wait: Duration::from_millis(self.tools.approval_connected_ms),
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

    /// The authorization servers that MCP clients are referred to. It fails if one is no address.
    pub(crate) fn authorization_servers(&self) -> anyhow::Result<Vec<String>> {
        let servers = &self.mcp.authorization_servers;
        let is_address = |url: &str| {
            ["https://", "http://"].iter().any(|scheme| url.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
        };
        match servers.iter().find(|url| !is_address(url)) {
            Some(url) => anyhow::bail!(
                "`mcp.authorization_servers` is wrong: `{url}` is no URL; write it with `https://`, as the server's issuer"
            ),
            None => Ok(servers.clone()),
        }
    }

    /// The limits of the server. It fails if `server.proxies` contains an invalid address or
    /// network.
    pub(crate) fn server_limits(&self) -> Result<server::Limits, server::BadPeer> {
        let (limits, time) = (&self.limits, |ms: NonZeroU64| Duration::from_millis(ms.get()));
        Ok(server::Limits {
            frame_bytes_max: limits.frame_bytes_max,
            json_depth_max: limits.json_depth_max,
            connections_max: limits.connections_max,
            anonymous_connections_max: limits.anonymous_connections_max,
            peer_connections_max: limits.peer_connections_max,
            owner_connections_max: limits.owner_connections_max,
            proxies: server::AllowedPeers::new(self.server.proxies.iter().chain(&self.server.trusted_proxies))?,
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

/// A limit; 0 means no limit.
fn limit(max: u64) -> Option<u64> {
    (max > 0).then_some(max)
}

fn hours(count: u32) -> Duration {
    Duration::from_secs(u64::from(count) * 60 * 60)
}
