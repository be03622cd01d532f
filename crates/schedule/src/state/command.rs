//! What can be asked of the schedules of a session, and the answer as data.

use protocol::{RunCause, RunKey, RunOutcome, ScheduleEvent, ScheduleId, ScheduleSpec, ScheduledAction, Timestamp};

use super::{ACTION_BYTES_MAX, GENERATION_MAX, HOURLY_MAX, NAME_CHARS_MAX, SCHEDULES_MAX};
use crate::times::TimeError;

/// A command. Ids and times come in with it.
#[derive(Debug, Clone, PartialEq)]
pub enum ScheduleCommand {
    /// Makes a schedule.
    Create {
        /// Its id.
        id: ScheduleId,
        /// What it is.
        spec: ScheduleSpec,
        /// The owner's time zone.
        owner_zone: String,
        /// The schedule whose run makes it, if one does.
        made_by: Option<ScheduleId>,
        /// Whether policy asks for the owner's approval.
        needs_approval: bool,
    },
    /// The owner approves it.
    Approve {
        /// The schedule.
        id: ScheduleId,
        /// The digest that the owner was shown; empty if it makes no call.
        digest: String,
    },
    /// Makes something else of it.
    Change {
        /// The schedule.
        id: ScheduleId,
        /// What it is from now on.
        spec: ScheduleSpec,
        /// Whether policy asks for the owner's approval.
        needs_approval: bool,
    },
    /// The owner's time zone is another one now.
    Rezone {
        /// The new zone.
        owner_zone: String,
    },
    /// Stops it for a while.
    Pause {
        /// The schedule.
        id: ScheduleId,
    },
    /// Lets it run again.
    Resume {
        /// The schedule.
        id: ScheduleId,
    },
    /// Repeats a reminder that has run, in a while.
    Snooze {
        /// The schedule that has run.
        id: ScheduleId,
        /// The id of the repetition.
        new_id: ScheduleId,
        /// After how many milliseconds.
        after_ms: u64,
    },
    /// Takes it back.
    Cancel {
        /// The schedule.
        id: ScheduleId,
    },
    /// It is due, as the queue says.
    Wake {
        /// The schedule.
        id: ScheduleId,
    },
    /// What it waits for has happened.
    Trigger {
        /// The schedule.
        id: ScheduleId,
        /// What happened.
        cause: RunCause,
    },
    /// Runs it now, besides its plan.
    RunNow {
        /// The schedule.
        id: ScheduleId,
    },
    /// It is known how a run went.
    Settle {
        /// The run.
        key: RunKey,
        /// How it went.
        outcome: RunOutcome,
    },
}

/// A side effect to perform once the events are committed.
#[derive(Debug, Clone, PartialEq)]
pub enum ScheduleEffect {
    /// Start this run; its key is the idempotency key.
    Start {
        /// The run.
        key: RunKey,
        /// What to do.
        action: ScheduledAction,
        /// What started it, if it waited for something.
        cause: Option<RunCause>,
    },
}

/// The result of a command. Without events there was nothing to do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScheduleDecision {
    /// Events to commit, in order.
    pub events: Vec<ScheduleEvent>,
    /// Side effects after the commit.
    pub effects: Vec<ScheduleEffect>,
}

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleRefusal {
    /// There is no such schedule.
    #[error("there is no schedule {0}")]
    NotFound(ScheduleId),
    /// The id is taken.
    #[error("there is a schedule {0} already")]
    Exists(ScheduleId),
    /// It is cancelled or has ended.
    #[error("the schedule has ended: make a new one")]
    Ended,
    /// It cannot be paused, since it is not running.
    #[error("the schedule is not active")]
    NotActive,
    /// It cannot be resumed, since it is not paused.
    #[error("the schedule is not paused")]
    NotPaused,
    /// It does not wait for an approval.
    #[error("the schedule does not wait for an approval")]
    NotWaiting,
    /// The approval is for another call.
    #[error("the digest of the approval does not match the call: look at the schedule again")]
    OtherDigest,
    /// Only reminders can be repeated.
    #[error("only a reminder that has run can be snoozed")]
    NotSnoozable,
    /// It runs at times, or does not run.
    #[error("the schedule does not wait for this")]
    NotWaitingForIt,
    /// It has run too often.
    #[error("the schedule has reached its limits: it runs again later")]
    TooOften,
    /// A trigger that names nothing.
    #[error("a trigger names an entity of the home, as binary_sensor.washing_machine")]
    Trigger,
    /// A trigger that names no event.
    #[error(
        "`event_type` is the type of an event of the home, as zha_event, with at most 20 fields of `data`; for states \
         use `on: home` with an entity"
    )]
    TriggerEvent,
    /// A trigger that names one session and all of them.
    #[error("give `session_id` or `any_session`, not both")]
    TriggerTurns,
    /// Limits that allow nothing or too much.
    #[error("`limits.hourly_max` lies between 1 and {HOURLY_MAX}")]
    Limits,
    /// Too many of them.
    #[error("there are {SCHEDULES_MAX} schedules already: cancel one first")]
    TooMany,
    /// A run that makes schedules that make schedules.
    #[error("a schedule made by schedules may not make further ones after {GENERATION_MAX} generations")]
    TooDeep,
    /// A name that is too long, or empty.
    #[error("a name has 1 to {NAME_CHARS_MAX} characters and no control characters")]
    Name,
    /// An action that is too large, or empty.
    #[error("an action has 1 to {ACTION_BYTES_MAX} bytes")]
    Action,
    /// It would never run.
    #[error("the time is in the past: choose a later one")]
    Past,
    /// No run at all is allowed.
    #[error("`runs_max` is at least 1")]
    NoRuns,
    /// The time cannot be used.
    #[error(transparent)]
    Time(#[from] TimeError),
}

impl ScheduleDecision {
    pub(super) fn event(event: ScheduleEvent) -> Self {
        Self { events: vec![event], effects: Vec::new() }
    }

    /// Adds the start of a run.
    pub(super) fn start(&mut self, key: RunKey, action: &ScheduledAction, late_ms: u64, next_at: Option<Timestamp>) {
        self.events.push(ScheduleEvent::Fired { key, late_ms, stands_for: 0, next_at, cause: None });
        self.effects.push(ScheduleEffect::Start { key, action: action.clone(), cause: None });
    }

    /// Adds the start of a run that waited for something.
    pub(super) fn start_because(&mut self, key: RunKey, action: &ScheduledAction, cause: RunCause) {
        let cause = Some(cause);
        self.events.push(ScheduleEvent::Fired { key, late_ms: 0, stands_for: 0, next_at: None, cause: cause.clone() });
        self.effects.push(ScheduleEffect::Start { key, action: action.clone(), cause });
    }
}
