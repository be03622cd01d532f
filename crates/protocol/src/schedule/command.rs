//! Commands about schedules, as clients send them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CatchUp, RunLimits, ScheduledAction, When};
use crate::{ScheduleId, SessionRef, Timestamp};

/// `schedule.create`: makes a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleCreate {
    /// The session it belongs to: its turns run there. Default: the session named `schedules`.
    #[serde(flatten)]
    pub session: SessionRef,
    /// What it is called. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it runs.
    pub when: When,
    /// Its time zone, as `Europe/Berlin`. Default: the owner's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// What it does.
    pub action: ScheduledAction,
    /// What happens to late runs. Default: `run_late` within an hour for what runs once, `once` for
    /// reminders and turns that recur, `skip` for calls that recur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<CatchUp>,
    /// It ends after this many runs. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_max: Option<u32>,
    /// How often it runs at most, if it waits for something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
    /// A repetition with the same key makes no second schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// `schedule.update`: changes what is given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleChange {
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    /// Its time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ScheduledAction>,
    /// What happens to late runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<CatchUp>,
    /// It ends after this many runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_max: Option<u32>,
    /// How often it runs at most, if it waits for something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
}

/// `schedule.update` with the schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleUpdate {
    /// The schedule.
    pub schedule_id: ScheduleId,
    /// What changes.
    #[serde(flatten)]
    pub change: ScheduleChange,
}

/// Names a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleRef {
    /// The schedule.
    pub schedule_id: ScheduleId,
}

/// `schedule.list`: the owner's schedules, or those of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleList {
    /// Only those of this session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Also those that were cancelled or have ended. Default: false.
    #[serde(default)]
    pub ended: bool,
}

/// What is done with a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ScheduleStep {
    /// It does not run until it is resumed.
    Pause,
    /// It runs again.
    Resume,
    /// It is taken back.
    Cancel,
    /// It runs now, besides its plan.
    Run,
    /// Its owner approves it, with what it was shown to do.
    Approve {
        /// The digest of the call, as the schedule shows it; empty if it makes none.
        #[serde(default)]
        digest: String,
    },
    /// A reminder that has run is repeated.
    Snooze {
        /// After how many milliseconds.
        after_ms: u64,
    },
}

/// `schedule.do`: one step with one schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleDo {
    /// The schedule.
    pub schedule_id: ScheduleId,
    /// What is done.
    #[serde(flatten)]
    pub step: ScheduleStep,
}

/// `schedule.preview`: when a schedule would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchedulePreview {
    /// When it runs.
    pub when: When,
    /// Its time zone. Default: the owner's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// How many runs, at most 50. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
}

/// Where a schedule that waits for webhooks receives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookView {
    /// The path, below the server's address.
    pub path: String,
    /// The secret that the sender signs with, as Standard Webhooks describes it.
    pub secret: String,
}

/// The answer to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookAnswer {
    /// Whether it has started a run. If not, it was a repetition, or the schedule is paused.
    pub started: bool,
}

/// The next runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleTimes {
    /// The zone in which they were calculated.
    pub zone: String,
    /// When it would run.
    pub runs: Vec<Timestamp>,
}
