//! What an event changes.

use std::collections::VecDeque;

use protocol::{RunKey, ScheduleEvent, ScheduleId, Timestamp};

use super::{CAUSES_MAX, RECENT_MAX, Schedule, ScheduleStatus, Schedules};

impl Schedules {
    /// Applies an event. One of an unknown schedule changes nothing, so that old journals load.
    pub fn apply(&mut self, event: &ScheduleEvent, at: Timestamp) {
        if let Some(schedule) = created(event, at) {
            self.by_id.entry(schedule.id).or_insert(schedule);
            return;
        }
        match event {
            ScheduleEvent::Fired { key, cause, .. } => {
                self.open_runs.insert(*key, cause.clone());
            }
            ScheduleEvent::Settled { key, .. } => {
                self.open_runs.remove(key);
            }
            _ => {}
        }
        let id = event.schedule_id();
        let Some(schedule) = self.by_id.get_mut(&id) else { return };
        let was_open = schedule.is_open();
        change(schedule, event);
        if was_open && !schedule.is_open() {
            self.retire(id);
        }
    }

    /// Keeps the latest of those that have ended.
    fn retire(&mut self, id: ScheduleId) {
        self.recent.push_back(id);
        while self.recent.len() > RECENT_MAX {
            if let Some(oldest) = self.recent.pop_front() {
                self.by_id.remove(&oldest);
            }
        }
    }
}

fn created(event: &ScheduleEvent, at: Timestamp) -> Option<Schedule> {
    let ScheduleEvent::Created { schedule_id, spec, owner_zone, generation, needs_approval, next_at } = event else {
        return None;
    };
    Some(Schedule {
        id: *schedule_id,
        spec: spec.clone(),
        owner_zone: owner_zone.clone(),
        generation: *generation,
        status: status(*needs_approval),
        next_at: *next_at,
        created_at: at,
        runs: 0,
        missed: 0,
        last_run: None,
        causes: VecDeque::new(),
    })
}

const fn status(needs_approval: bool) -> ScheduleStatus {
    if needs_approval { ScheduleStatus::Waiting } else { ScheduleStatus::Active }
}

fn change(schedule: &mut Schedule, event: &ScheduleEvent) {
    match event {
        ScheduleEvent::Created { .. } => {}
        ScheduleEvent::Approved { .. } => schedule.status = ScheduleStatus::Active,
        ScheduleEvent::Changed { spec, needs_approval, next_at, .. } => {
            schedule.spec = spec.clone();
            schedule.status = status(*needs_approval);
            schedule.next_at = *next_at;
        }
        ScheduleEvent::Rezoned { owner_zone, next_at, .. } => {
            schedule.owner_zone.clone_from(owner_zone);
            schedule.next_at = *next_at;
        }
        ScheduleEvent::Paused { left_ms, .. } => schedule.status = ScheduleStatus::Paused { left_ms: *left_ms },
        ScheduleEvent::Resumed { next_at, .. } => {
            schedule.status = ScheduleStatus::Active;
            schedule.next_at = *next_at;
        }
        ScheduleEvent::Fired { key, stands_for, next_at, cause, .. } => {
            schedule.runs = schedule.runs.saturating_add(1);
            schedule.missed = schedule.missed.saturating_add(*stands_for);
            schedule.last_run = Some((*key, None));
            schedule.next_at = *next_at;
            if let Some(cause) = cause {
                schedule.causes.push_back((key.planned_at, cause.id.clone()));
                while schedule.causes.len() > CAUSES_MAX {
                    schedule.causes.pop_front();
                }
            }
        }
        ScheduleEvent::Missed { count, next_at, .. } => {
            schedule.missed = schedule.missed.saturating_add(*count);
            schedule.next_at = *next_at;
        }
        ScheduleEvent::Settled { key, outcome } => settle(schedule, *key, outcome),
        ScheduleEvent::Cancelled { .. } => schedule.status = ScheduleStatus::Cancelled,
        ScheduleEvent::Ended { .. } => schedule.status = ScheduleStatus::Ended,
    }
    if !schedule.is_open() {
        schedule.next_at = None;
    }
}

fn settle(schedule: &mut Schedule, key: RunKey, outcome: &protocol::RunOutcome) {
    if let Some((last, known)) = &mut schedule.last_run
        && *last == key
    {
        *known = Some(outcome.clone());
    }
}
