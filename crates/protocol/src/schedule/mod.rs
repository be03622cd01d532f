//! Schedules: work that begins by itself. When it begins, what is done, and what is recorded.

mod command;
mod view;

use std::{fmt, str::FromStr};

pub use command::{
    HookAnswer, HookView, ScheduleChange, ScheduleCreate, ScheduleDo, ScheduleList, SchedulePreview, ScheduleRef,
    ScheduleStep, ScheduleTimes, ScheduleUpdate,
};
pub use view::{RunView, SchedulePage, ScheduleStatus, ScheduleView};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Origin, ScheduleId, SessionId, Timestamp, TurnId};

/// A date and time on the clock of a place, without a time zone: `2026-11-18T07:00:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct LocalTime(#[schemars(with = "String")] jiff::civil::DateTime);

impl LocalTime {
    /// The time as jiff calculates with it.
    pub const fn civil(self) -> jiff::civil::DateTime {
        self.0
    }
}

impl From<jiff::civil::DateTime> for LocalTime {
    fn from(civil: jiff::civil::DateTime) -> Self {
        Self(civil)
    }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for LocalTime {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        text.parse().map(Self)
    }
}

impl TryFrom<String> for LocalTime {
    type Error = jiff::Error;

    fn try_from(text: String) -> Result<Self, jiff::Error> {
        text.parse()
    }
}

impl From<LocalTime> for String {
    fn from(time: LocalTime) -> String {
        time.to_string()
    }
}

/// When a schedule runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum When {
    /// Once, at this moment.
    At {
        /// The moment.
        at: Timestamp,
    },
    /// Once, this long after the schedule is made, changed or resumed.
    After {
        /// Milliseconds.
        after_ms: u64,
    },
    /// Once, when the clock in the schedule's time zone shows this.
    Local {
        /// The date and time there.
        at: LocalTime,
    },
    /// Again and again, by a cron expression of five fields: minute, hour, day of month, month,
    /// day of week.
    Cron {
        /// As `0 7 * * 1-5`.
        expression: String,
    },
    /// Again and again, by a recurrence rule of iCalendar (RFC 5545).
    Rrule {
        /// As `FREQ=MONTHLY;BYMONTHDAY=-1`.
        rule: String,
        /// From when on; also the time of day, unless the rule names one.
        start: LocalTime,
    },
    /// Each time something happens.
    Event {
        /// What.
        trigger: Trigger,
    },
}

/// What a schedule waits for that runs each time something happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum Trigger {
    /// A state of the home changes.
    Home {
        /// The entity, as `binary_sensor.washing_machine`.
        entity_id: String,
        /// Only if this is the new state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        /// Only if this was the state before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// A webhook arrives at `/hooks/{schedule_id}`, signed with the schedule's secret.
    Hook,
    /// The home reports an event that is no state, as `zha_event` or `tag_scanned`.
    HomeEvent {
        /// The type of the event.
        event_type: String,
        /// Only if its data has these fields with these values.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        data: Map<String, Value>,
    },
    /// A turn ends that no schedule has begun: one of the schedule's own session, unless another
    /// is named.
    TurnEnded {
        /// Turns of this session of the same owner.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        /// Turns of any session of the same owner.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        any_session: bool,
    },
}

impl Trigger {
    /// The end of a turn of the schedule's own session.
    pub const OWN_TURN: Self = Self::TurnEnded { session_id: None, any_session: false };

    /// Whether it waits for turns of this session, if its schedule is one of `own`.
    pub fn waits_for_turns_of(&self, session: SessionId, own: SessionId) -> bool {
        match self {
            Self::TurnEnded { any_session: true, .. } => true,
            Self::TurnEnded { session_id, .. } => session_id.unwrap_or(own) == session,
            _ => false,
        }
    }
}

/// How often a schedule runs that waits for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunLimits {
    /// At least this many milliseconds lie between two runs; what happens in between starts none.
    /// Default: 1000.
    #[serde(default = "gap_ms")]
    pub gap_ms: u64,
    /// At most this many runs within an hour. Default: 60.
    #[serde(default = "hourly_max")]
    pub hourly_max: u32,
}

const fn gap_ms() -> u64 {
    1_000
}

const fn hourly_max() -> u32 {
    60
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { gap_ms: gap_ms(), hourly_max: hourly_max() }
    }
}

impl When {
    /// Whether it may run more than once.
    pub const fn recurs(&self) -> bool {
        matches!(self, Self::Cron { .. } | Self::Rrule { .. } | Self::Event { .. })
    }

    /// What it waits for, if it has no times.
    pub const fn trigger(&self) -> Option<&Trigger> {
        match self {
            Self::Event { trigger } => Some(trigger),
            _ => None,
        }
    }
}

/// What happens to runs that could not start at their time, because the server was down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "policy", rename_all = "snake_case")]
pub enum CatchUp {
    /// Each run that is at most this late still runs; older ones are missed.
    RunLate {
        /// Milliseconds.
        window_ms: u64,
    },
    /// A run that is late is missed.
    Skip,
    /// All late runs together are one run, however late.
    Once,
}

/// What a schedule does when it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ScheduledAction {
    /// The owner is reminded.
    Remind {
        /// Of what; empty for a timer without a name.
        text: String,
        /// Whether it counts down as a timer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        timer: bool,
    },
    /// A turn begins with this message.
    Turn {
        /// The message.
        message: String,
    },
    /// A tool is called.
    Call {
        /// The tool.
        tool: String,
        /// Exactly these arguments.
        arguments: Value,
        /// The digest of tool and arguments, which an approval is bound to. Dwell calculates it.
        #[serde(default)]
        digest: String,
    },
}

/// What a schedule is, as its owner or an agent defines it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleSpec {
    /// What it is called. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it runs.
    pub when: When,
    /// Its time zone, as `Europe/Berlin`. Default: the owner's, also after the owner has changed
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// What it does.
    pub action: ScheduledAction,
    /// What happens to late runs.
    pub catch_up: CatchUp,
    /// It ends after this many runs. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_max: Option<u32>,
    /// How often it runs at most, if it waits for something. Default: once a second and 60 times
    /// an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
    /// The voice satellite that it was ordered from, where its alerts ring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satellite: Option<String>,
    /// Whether its text is trusted. It is not if a turn made it that had read untrusted text.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
}

/// Names one run of one schedule. A run with a key that is known never starts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct RunKey {
    /// The schedule.
    pub schedule_id: ScheduleId,
    /// The moment that the run was planned for.
    pub planned_at: Timestamp,
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.schedule_id, self.planned_at.as_millis())
    }
}

/// What started a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCause {
    /// Names what happened. The same name never starts a second run.
    pub id: String,
    /// What is to be known about it; it becomes part of the message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether that text is trusted.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
}

/// Why runs were missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissReason {
    /// They were too late by the schedule's policy.
    Late,
    /// The schedule was not approved.
    NotApproved,
}

/// Why a schedule has ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// It has no further run.
    Done,
    /// It has run as often as it may.
    RunsMax,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum RunOutcome {
    /// Its turn is accepted.
    Started {
        /// The turn.
        turn_id: TurnId,
    },
    /// The reminder is handed to the owner's notifications, or the call has ended.
    Done,
    /// It could not be done.
    Failed {
        /// Why.
        message: String,
    },
}

/// What happened to a schedule. `next_at` is always the run that is planned afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ScheduleEvent {
    /// It is made.
    Created {
        /// The schedule.
        schedule_id: ScheduleId,
        /// What it is.
        spec: ScheduleSpec,
        /// The owner's time zone, in which it is planned unless it has its own.
        owner_zone: String,
        /// How many schedules lie between it and the owner's own word: 0 unless a run made it.
        #[serde(default)]
        generation: u8,
        /// Whether it waits for the owner's approval.
        #[serde(default)]
        needs_approval: bool,
        /// Its first run; none if it waits for something.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_at: Option<Timestamp>,
    },
    /// The owner has approved it, for exactly this call.
    Approved {
        /// The schedule.
        schedule_id: ScheduleId,
        /// The digest of the call; empty if it makes none.
        digest: String,
    },
    /// It is something else from now on.
    Changed {
        /// The schedule.
        schedule_id: ScheduleId,
        /// What it is now.
        spec: ScheduleSpec,
        /// Whether it waits for the owner's approval again.
        #[serde(default)]
        needs_approval: bool,
        /// Its next run.
        next_at: Option<Timestamp>,
    },
    /// The owner's time zone has changed.
    Rezoned {
        /// The schedule.
        schedule_id: ScheduleId,
        /// The new zone of the owner.
        owner_zone: String,
        /// Its next run.
        next_at: Option<Timestamp>,
    },
    /// It does not run until it is resumed.
    Paused {
        /// The schedule.
        schedule_id: ScheduleId,
        /// For one that runs once after a while: how much of it is left, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left_ms: Option<u64>,
    },
    /// It runs again.
    Resumed {
        /// The schedule.
        schedule_id: ScheduleId,
        /// Its next run.
        next_at: Option<Timestamp>,
    },
    /// A run begins. It is open until it is settled.
    Fired {
        /// Which one.
        key: RunKey,
        /// How many milliseconds after its time.
        late_ms: u64,
        /// How many other late runs it stands for.
        #[serde(default)]
        stands_for: u32,
        /// The next run.
        next_at: Option<Timestamp>,
        /// What started it, if it waited for something.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<RunCause>,
    },
    /// Runs did not take place.
    Missed {
        /// The schedule.
        schedule_id: ScheduleId,
        /// The first of them.
        first_at: Timestamp,
        /// How many, counted up to a limit.
        count: u32,
        /// Why.
        reason: MissReason,
        /// The next run.
        next_at: Option<Timestamp>,
    },
    /// It is known how a run went.
    Settled {
        /// Which one.
        key: RunKey,
        /// How it went.
        outcome: RunOutcome,
    },
    /// It is taken back.
    Cancelled {
        /// The schedule.
        schedule_id: ScheduleId,
    },
    /// It has no further run.
    Ended {
        /// The schedule.
        schedule_id: ScheduleId,
        /// Why.
        reason: EndReason,
    },
}

impl ScheduleEvent {
    /// The schedule that it happened to.
    pub const fn schedule_id(&self) -> ScheduleId {
        match self {
            Self::Fired { key, .. } | Self::Settled { key, .. } => key.schedule_id,
            Self::Created { schedule_id, .. }
            | Self::Approved { schedule_id, .. }
            | Self::Changed { schedule_id, .. }
            | Self::Rezoned { schedule_id, .. }
            | Self::Paused { schedule_id, .. }
            | Self::Resumed { schedule_id, .. }
            | Self::Missed { schedule_id, .. }
            | Self::Cancelled { schedule_id }
            | Self::Ended { schedule_id, .. } => *schedule_id,
        }
    }
}
