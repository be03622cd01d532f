//! Work that begins by itself, as pure logic: no async, no clock, no randomness and no I/O.
//!
//! `times` calculates when a schedule runs. `state` is the state machine: [`decide`] takes the
//! [`Schedules`] of a session and a [`ScheduleCommand`] and returns the events to write and the
//! effects to run once they are written; [`Schedules::apply`] applies an event. [`DueQueue`] says
//! which schedule is due next. `words` reads sentences that order, list or cancel schedules.

mod queue;
mod state;
mod times;
mod words;

pub use queue::DueQueue;
pub use state::{
    ACTION_BYTES_MAX, CAUSES_MAX, COUNTED_MISSES_MAX, GENERATION_MAX, HOURLY_MAX, NAME_CHARS_MAX, ON_TIME_MS,
    RECENT_MAX, RUNS_PER_WAKE_MAX, SCHEDULES_MAX, Schedule, ScheduleCommand, ScheduleDecision, ScheduleEffect,
    ScheduleRefusal, ScheduleStatus, Schedules, decide,
};
pub use times::{COUNT_MAX, RULE_CHARS_MAX, TimeError, Timetable, time_zone};
pub use words::{
    ConditionalOrder, ScheduleKind, ScheduleOrder, ScheduleTarget, SentenceContext, asks, languages, read_conditional,
    read_sentence,
};
