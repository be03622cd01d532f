//! How the engine is set.

use std::time::Duration;

use protocol::AgentLimits;
use session::{ATTEMPTS_MAX, EPHEMERAL_MAX, MONITORS_MAX, PARALLEL_MAX, QUEUE_MAX, STEERS_MAX, WINDOWS_MAX};
use tools::OWNER_ARTIFACT_BYTES_MAX;

/// How the engine is set. Every queue has its limit here or beside its code.
#[derive(Debug, Clone)]
pub struct Options {
    /// Agents at work at once, over all sessions; the others wait their turn.
    pub agents_max: usize,
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
    /// How long a question whether a call may run stays open; then it is a no.
    pub approval_wait: Duration,
    /// How long a client is waited for that is to run a tool of its own; then the turn ends.
    pub client_wait: Duration,
    /// Days after which artifacts are collected; none keeps them as long as their session.
    pub artifact_days: Option<u32>,
    /// What all artifacts of an owner may have together, in bytes.
    pub owner_artifact_bytes_max: u64,
}

impl Options {
    /// What bounds agents, with what is the same in every house.
    pub(crate) fn limits(&self) -> AgentLimits {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        AgentLimits {
            running_turns: self.agents_max as u64,
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
            agents_max: 10,
            background_max: 2,
            background_actions_per_minute: 30,
            background_bytes_per_minute: 50 * 1024,
            idle_unload: Duration::from_secs(60),
            recovery_interval: Duration::from_secs(5),
            model_backoff: vec![Duration::from_millis(500), Duration::from_secs(2)],
            approval_wait: Duration::from_secs(60),
            client_wait: Duration::from_secs(600),
            artifact_days: Some(90),
            owner_artifact_bytes_max: OWNER_ARTIFACT_BYTES_MAX,
        }
    }
}
