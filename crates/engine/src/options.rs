//! How the engine is set.

use std::{path::PathBuf, time::Duration};

use protocol::{AgentLimits, ModelSettings};
use session::{ATTEMPTS_MAX, EPHEMERAL_MAX, MONITORS_MAX, PARALLEL_MAX, QUEUE_MAX, STEERS_MAX, WINDOWS_MAX};
use tools::OWNER_ARTIFACT_BYTES_MAX;

use crate::{hub::ExportKey, quota::Quota};

/// What becomes of sessions that nobody uses. Unless told, nothing does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Retention {
    /// Days without activity after which a session expires; none means never, unless the session says so itself.
    pub session_idle_days: Option<u32>,
    /// What becomes of sessions that have expired.
    pub after_expiry: AfterExpiry,
    /// Days after their expiry until that is done.
    pub expired_days: u32,
}

/// What becomes of a session that has expired.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AfterExpiry {
    /// It stays readable.
    #[default]
    Keep,
    /// It is written to a file in this folder and removed.
    Archive(PathBuf),
    /// It is deleted for good.
    Delete,
}

/// How the engine is set. Every queue has its limit here or beside its code.
#[derive(Debug, Clone)]
pub struct Options {
    /// Agents at work at once, over all sessions; the others wait their turn.
    pub agents_max: usize,
    /// Agents of one owner at work at once.
    pub agents_owner_max: usize,
    /// Agents of one session at work at once.
    pub agents_session_max: usize,
    /// What an owner may have.
    pub quota: Quota,
    /// Turns at work at once on monitors that nobody looks at, per session.
    pub background_max: usize,
    /// What agents may do a minute on a monitor that nobody looks at.
    pub background_actions_per_minute: u64,
    /// Bytes of text that agents may say a minute on a monitor that nobody looks at.
    pub background_bytes_per_minute: u64,
    /// A session that nobody follows and in which nothing happens is unloaded after this.
    pub idle_unload: Duration,
    /// How often sessions with open turns that are not loaded are looked for.
    pub recovery_interval: Duration,
    /// How long to wait before asking a failing model again; as many tries as there are waits, plus one.
    pub model_backoff: Vec<Duration>,
    /// How models are asked where nobody says anything else; what a model cannot do of it is left out.
    pub model_settings: ModelSettings,
    /// How long a question whether a call may run stays open; then it is a no.
    pub approval_wait: Duration,
    /// How long a client is waited for that is to run a tool of its own; then the turn ends.
    pub client_wait: Duration,
    /// Days after which artifacts are collected; none keeps them as long as their session.
    pub artifact_days: Option<u32>,
    /// How long to wait between two sessions that are checked for damage in the background; none checks none.
    pub verify_interval: Option<Duration>,
    /// What all artifacts of an owner may have together, in bytes.
    pub owner_artifact_bytes_max: u64,
    /// How far the clock may be from where it should be; further off, nothing is deleted by age.
    pub clock_jump_max: Duration,
    /// How long a clock that is further off has to run steadily until it is believed.
    pub clock_settle: Duration,
    /// What becomes of sessions that nobody uses.
    pub retention: Retention,
    /// How long a client that has read untrusted text is asked about what it does; none: until that is reset.
    pub client_taint: Option<Duration>,
    /// What exports are signed with, so that they keep the trust of their words when they come back; none signs nothing.
    pub export_key: Option<ExportKey>,
}

impl Options {
    /// What bounds agents, with what is the same in every house.
    pub(crate) fn limits(&self) -> AgentLimits {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        AgentLimits {
            running_turns: self.agents_max as u64,
            running_turns_of_owner: self.agents_owner_max as u64,
            running_turns_of_session: self.agents_session_max as u64,
            background_turns: self.background_max as u64,
            background_actions_per_minute: self.background_actions_per_minute,
            background_bytes_per_minute: self.background_bytes_per_minute,
            queued_turns: QUEUE_MAX as u64,
            ephemeral_agents: EPHEMERAL_MAX as u64,
            parallel_actions: PARALLEL_MAX as u64,
            monitors: MONITORS_MAX as u64,
            windows: WINDOWS_MAX as u64,
            steers: STEERS_MAX as u64,
            attempts: ATTEMPTS_MAX.into(),
            approval_wait_ms: millis(self.approval_wait),
            client_wait_ms: millis(self.client_wait),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            agents_max: 500,
            agents_owner_max: 100,
            agents_session_max: 10,
            quota: Quota::default(),
            background_max: 2,
            background_actions_per_minute: 30,
            background_bytes_per_minute: 50 * 1024,
            idle_unload: Duration::from_secs(60),
            recovery_interval: Duration::from_secs(5),
            model_backoff: vec![Duration::from_millis(500), Duration::from_secs(2)],
            model_settings: ModelSettings::default(),
            approval_wait: Duration::from_secs(60),
            client_wait: Duration::from_secs(600),
            artifact_days: Some(90),
            verify_interval: Some(Duration::from_secs(10)),
            owner_artifact_bytes_max: OWNER_ARTIFACT_BYTES_MAX,
            clock_jump_max: Duration::from_secs(72 * 60 * 60),
            clock_settle: Duration::from_secs(24 * 60 * 60),
            retention: Retention::default(),
            client_taint: Some(Duration::from_secs(24 * 60 * 60)),
            export_key: None,
        }
    }
}
