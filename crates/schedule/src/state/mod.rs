//! The schedules of a session, as a state machine.
//!
//! [`decide`] returns events; [`Schedules::apply`] applies them. A run starts by the event `fired`
//! alone, which names the run by schedule and planned moment and at once plans the next one: a run
//! that was fired can therefore not be fired again, also when the server dies right after. It is
//! open until it is settled, and [`Schedules::open_runs`] are started again after a restart, under
//! the same key.

mod command;
mod decide;
mod due;
mod fold;
mod trigger;

use std::collections::{BTreeMap, VecDeque};

use protocol::{RunCause, RunKey, RunOutcome, ScheduleId, ScheduleSpec, Timestamp};
use serde::{Deserialize, Serialize};

pub use command::{ScheduleCommand, ScheduleDecision, ScheduleEffect, ScheduleRefusal};
pub use decide::decide;

/// How many schedules of a session may be open at once.
pub const SCHEDULES_MAX: usize = 1_000;
/// How many schedules that have ended are remembered.
pub const RECENT_MAX: usize = 50;
/// How many characters a name may have.
pub const NAME_CHARS_MAX: usize = 100;
/// How large an action may be: a text, a message or the arguments of a call.
pub const ACTION_BYTES_MAX: usize = 16 * 1024;
/// A schedule that a run has made may make schedules, too, and so on, this often.
pub const GENERATION_MAX: u8 = 2;
/// A run that starts within this time is not late: clocks and wake-ups are never exact.
pub const ON_TIME_MS: u64 = 60_000;
/// How many late runs of one schedule start at once. The others follow.
pub const RUNS_PER_WAKE_MAX: usize = 10;
/// How many causes of runs are remembered, so that each starts one run.
pub const CAUSES_MAX: usize = 1_024;
/// How many runs an hour a schedule may allow that waits for something.
pub const HOURLY_MAX: u32 = 3_600;
/// Up to where missed runs are counted.
pub const COUNTED_MISSES_MAX: usize = 200;

/// Whether a schedule runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScheduleStatus {
    /// It runs when it is due.
    Active,
    /// It waits for the owner's approval.
    Waiting,
    /// It waits until it is resumed.
    Paused {
        /// What is left of a waiting time, in milliseconds.
        left_ms: Option<u64>,
    },
    /// It was taken back.
    Cancelled,
    /// It has no further run.
    Ended,
}

/// One schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Its id.
    pub id: ScheduleId,
    /// What it is.
    pub spec: ScheduleSpec,
    /// The owner's time zone.
    pub owner_zone: String,
    /// How many schedules lie between it and the owner's own word.
    pub generation: u8,
    /// Whether it runs.
    pub status: ScheduleStatus,
    /// Its next run.
    pub next_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// How often it has run.
    pub runs: u32,
    /// How many of its runs were missed.
    pub missed: u32,
    /// Its last run, with its outcome once that is known.
    pub last_run: Option<(RunKey, Option<RunOutcome>)>,
    /// What has started its latest runs, oldest first.
    pub causes: VecDeque<(Timestamp, String)>,
}

impl Schedule {
    /// The zone in which it is planned.
    pub fn zone(&self) -> &str {
        self.spec.zone.as_deref().unwrap_or(&self.owner_zone)
    }

    /// Whether it may still run.
    pub const fn is_open(&self) -> bool {
        !matches!(self.status, ScheduleStatus::Cancelled | ScheduleStatus::Ended)
    }
}

/// The schedules of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Schedules {
    by_id: BTreeMap<ScheduleId, Schedule>,
    /// Those that are cancelled or have ended, oldest first.
    recent: VecDeque<ScheduleId>,
    open_runs: BTreeMap<RunKey, Option<RunCause>>,
}

impl Schedules {
    /// A schedule by its id.
    pub fn get(&self, id: ScheduleId) -> Option<&Schedule> {
        self.by_id.get(&id)
    }

    /// All schedules, also those that have ended recently, in the order in which they were made.
    pub fn all(&self) -> impl Iterator<Item = &Schedule> {
        self.by_id.values()
    }

    /// The schedules that may still run.
    pub fn open(&self) -> impl Iterator<Item = &Schedule> {
        self.all().filter(|schedule| schedule.is_open())
    }

    /// When a schedule has to be looked at next; what a [`DueQueue`](crate::DueQueue) is given.
    pub fn due_at(&self, id: ScheduleId) -> Option<Timestamp> {
        let schedule = self.get(id)?;
        let is_planned = matches!(schedule.status, ScheduleStatus::Active | ScheduleStatus::Waiting);
        schedule.next_at.filter(|_| is_planned)
    }

    /// When the first of them has to be looked at.
    pub fn first_due_at(&self) -> Option<Timestamp> {
        self.by_id.keys().filter_map(|id| self.due_at(*id)).min()
    }

    /// The schedules that are due, the earliest first.
    pub fn due(&self, now: Timestamp) -> Vec<ScheduleId> {
        let mut due: Vec<_> = self.by_id.keys().filter_map(|id| Some((self.due_at(*id)?, *id))).collect();
        due.retain(|(at, _)| *at <= now);
        due.sort_unstable();
        due.into_iter().map(|(_, id)| id).collect()
    }

    /// Runs that have begun and are not settled.
    pub fn open_runs(&self) -> impl Iterator<Item = (RunKey, Option<&RunCause>)> {
        self.open_runs.iter().map(|(key, cause)| (*key, cause.as_ref()))
    }
}
