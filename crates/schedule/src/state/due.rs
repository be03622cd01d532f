//! A schedule is due: which runs start, and which are missed.

use protocol::{CatchUp, EndReason, MissReason, RunKey, ScheduleEvent, Timestamp};

use super::{
    COUNTED_MISSES_MAX, ON_TIME_MS, RUNS_PER_WAKE_MAX, Schedule, ScheduleDecision, ScheduleRefusal, ScheduleStatus,
    Schedules,
};
use crate::times::Timetable;

/// What is known while the due runs of one schedule are decided.
struct DueRuns<'s> {
    schedule: &'s Schedule,
    timetable: Timetable,
    now: Timestamp,
    decision: ScheduleDecision,
    next_at: Option<Timestamp>,
    runs: u32,
}

pub(super) fn wake(
    state: &Schedules,
    schedule: &Schedule,
    now: Timestamp,
) -> Result<ScheduleDecision, ScheduleRefusal> {
    let Some(planned_at) = state.due_at(schedule.id).filter(|at| *at <= now) else {
        return Ok(ScheduleDecision::default());
    };
    let timetable = Timetable::new(&schedule.spec.when, schedule.zone(), schedule.created_at)?;
    let decision = ScheduleDecision::default();
    let mut due = DueRuns { schedule, timetable, now, decision, next_at: Some(planned_at), runs: schedule.runs };
    if schedule.status == ScheduleStatus::Waiting {
        due.miss(planned_at, now, MissReason::NotApproved);
    } else {
        due.catch_up(planned_at);
    }
    due.end();
    Ok(due.decision)
}

impl DueRuns<'_> {
    /// Starts what is due, by the schedule's policy.
    fn catch_up(&mut self, planned_at: Timestamp) {
        let window_ms = match self.schedule.spec.catch_up {
            CatchUp::RunLate { window_ms } => window_ms.max(ON_TIME_MS),
            CatchUp::Skip => ON_TIME_MS,
            CatchUp::Once => {
                self.fire(planned_at, Some(self.now));
                return;
            }
        };
        if late_ms(planned_at, self.now) > window_ms {
            let oldest = Timestamp::from_millis(self.now.as_millis().saturating_sub_unsigned(window_ms));
            // Up to just before the oldest run that is not too late.
            let last = Timestamp::from_millis(oldest.as_millis().saturating_sub(1));
            self.miss(planned_at, last, MissReason::Late);
        }
        for _ in 0..RUNS_PER_WAKE_MAX {
            match self.next_at.filter(|at| *at <= self.now && !self.has_run_enough()) {
                Some(at) => self.fire(at, None),
                None => break,
            }
        }
    }

    /// Starts one run. With `until` it stands for all later ones up to then.
    fn fire(&mut self, planned_at: Timestamp, until: Option<Timestamp>) {
        let key = RunKey { schedule_id: self.schedule.id, planned_at };
        let next_at = self.next_after(until.unwrap_or(planned_at));
        let late_ms = late_ms(planned_at, self.now);
        self.decision.start(key, &self.schedule.spec.action, late_ms, next_at);
        let others = until.map_or(0, |until| count(self.later_runs(planned_at, until)));
        if let Some(ScheduleEvent::Fired { stands_for, .. }) = self.decision.events.last_mut() {
            *stands_for = others;
        }
        self.next_at = next_at;
        self.runs = self.runs.saturating_add(1);
    }

    /// Records the runs from `first_at` up to `last` as missed.
    fn miss(&mut self, first_at: Timestamp, last: Timestamp, reason: MissReason) {
        let next_at = self.next_after(last);
        let schedule_id = self.schedule.id;
        let count = count(self.later_runs(first_at, last)).saturating_add(1);
        self.decision.events.push(ScheduleEvent::Missed { schedule_id, first_at, count, reason, next_at });
        self.next_at = next_at;
    }

    /// The next run. What runs once has none: its one time was decided when it was planned, and the
    /// timetable may say another if the clock was set back then.
    fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        if self.schedule.spec.when.recurs() { self.timetable.next_after(after) } else { None }
    }

    /// How many runs follow the first one up to a time.
    fn later_runs(&self, first_at: Timestamp, until: Timestamp) -> usize {
        let recurs = self.schedule.spec.when.recurs();
        if recurs { self.timetable.between(first_at, until, COUNTED_MISSES_MAX).len() } else { 0 }
    }

    fn has_run_enough(&self) -> bool {
        self.schedule.spec.runs_max.is_some_and(|runs_max| self.runs >= runs_max)
    }

    fn end(&mut self) {
        let reason = match self.next_at {
            None => EndReason::Done,
            Some(_) if self.has_run_enough() => EndReason::RunsMax,
            Some(_) => return,
        };
        self.decision.events.push(ScheduleEvent::Ended { schedule_id: self.schedule.id, reason });
    }
}

fn late_ms(planned_at: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.since(planned_at).as_millis()).unwrap_or(u64::MAX)
}

fn count(runs: usize) -> u32 {
    u32::try_from(runs).unwrap_or(u32::MAX)
}
