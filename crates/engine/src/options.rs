//! Options of the engine.

use std::{path::PathBuf, time::Duration};

use observe::Observers;
use protocol::{AgentLimits, BackgroundBudgets};
use session::{ATTEMPTS_MAX, EPHEMERAL_MAX, MONITORS_MAX, PARALLEL_MAX, QUEUE_MAX, STEERS_MAX, WINDOWS_MAX};
use tools::OWNER_ARTIFACT_BYTES_MAX;

use crate::{hub::ExportKey, quota::Quota};

/// Retention of unused sessions. By default they are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Retention {
    /// Days without activity after which a session expires; `None` means never, unless the session
    /// itself sets it.
    pub session_idle_days: Option<u32>,
    /// What happens to expired sessions.
    pub after_expiry: AfterExpiry,
    /// Days between expiry and that action.
    pub expired_days: u32,
}

/// What happens to an expired session.
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

/// Options of turns in the background.
#[derive(Debug, Clone)]
pub struct BackgroundOptions {
    /// Turns that may run at once, over all sessions; the others wait.
    pub max: usize,
    /// Turns of one owner that may run at once.
    pub owner_max: usize,
    /// The limits of one turn where its session sets none.
    pub budgets: BackgroundBudgets,
    /// How long an approval request of such a turn stays open; then it is denied.
    pub approval_wait: Duration,
}

impl Default for BackgroundOptions {
    fn default() -> Self {
        Self {
            max: 16,
            owner_max: 4,
            budgets: BackgroundBudgets {
                max_steps: Some(200),
                max_tool_calls: Some(500),
                max_duration_ms: Some(6 * 60 * 60 * 1000),
                max_tokens: Some(2_000_000),
                max_cost: None,
            },
            approval_wait: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// Options of the engine. Every queue has its limit here or next to its code.
#[derive(Debug, Clone)]
pub struct Options {
    /// Agents that may run at once, over all sessions; the others wait.
    pub agents_max: usize,
    /// Agents of one owner that may run at once.
    pub agents_owner_max: usize,
    /// Agents of one session that may run at once.
    pub agents_session_max: usize,
    /// The quota of an owner.
    pub quota: Quota,
    /// Turns that may run at once on monitors without viewers, per session.
    pub background_max: usize,
    /// Actions per minute that agents may perform on a monitor without viewers.
    pub background_actions_per_minute: u64,
    /// Bytes of text per minute that agents may produce on a monitor without viewers.
    pub background_bytes_per_minute: u64,
    /// Turns in the background.
    pub background: BackgroundOptions,
    /// A session without subscribers and activity is unloaded after this time.
    pub idle_unload: Duration,
    /// How often the hub looks for sessions with open turns that are not loaded.
    pub recovery_interval: Duration,
    /// The waits before a failing model is called again: one more attempt than there are waits.
    pub model_backoff: Vec<Duration>,
    /// How long an approval request stays open; then it is denied.
    pub approval_wait: Duration,
    /// How long it stays open if a connection of the owner that shows alerts is there when it is
    /// made.
    pub connected_approval_wait: Duration,
    /// How long a turn waits for the client's result of a tool call; then the turn ends.
    pub client_wait: Duration,
    /// Days after which artifacts are deleted; `None` keeps them as long as their session.
    pub artifact_days: Option<u32>,
    /// The wait between two background integrity checks of sessions; `None` disables them.
    pub verify_interval: Option<Duration>,
    /// Total size of an owner's artifacts in bytes.
    pub owner_artifact_bytes_max: u64,
    /// How far the clock may be off; beyond it nothing is deleted by age.
    pub clock_jump_max: Duration,
    /// How long a clock that is further off has to run steadily until it is trusted.
    pub clock_settle: Duration,
    /// Retention of unused sessions.
    pub retention: Retention,
    /// How long a client that has read untrusted text needs approvals for its calls; `None`: until
    /// that is reset.
    pub client_taint: Option<Duration>,
    /// The key that signs exports, so that a later import can keep the origins of their text;
    /// `None` signs nothing.
    pub export_key: Option<ExportKey>,
    /// The time zone of schedules whose session names none.
    pub time_zone: String,
    /// Told what happens; by default there are none.
    pub observers: Observers,
}

impl Options {
    /// The limits of agents, with those that cannot be configured.
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
            background: BackgroundOptions::default(),
            idle_unload: Duration::from_secs(60),
            recovery_interval: Duration::from_secs(5),
            model_backoff: vec![Duration::from_millis(500), Duration::from_secs(2)],
            approval_wait: Duration::from_secs(60),
            connected_approval_wait: Duration::from_secs(600),
            client_wait: Duration::from_secs(600),
            artifact_days: Some(90),
            verify_interval: Some(Duration::from_secs(10)),
            owner_artifact_bytes_max: OWNER_ARTIFACT_BYTES_MAX,
            clock_jump_max: Duration::from_secs(72 * 60 * 60),
            clock_settle: Duration::from_secs(24 * 60 * 60),
            retention: Retention::default(),
            client_taint: Some(Duration::from_secs(24 * 60 * 60)),
            export_key: None,
            time_zone: "UTC".to_owned(),
            observers: Observers::default(),
        }
    }
}
