//! Schedules: scheduled states, short bursts, and the runs of automations.

use std::rc::Rc;

use home::Period;
use jiff::civil::Date;
use protocol::Timestamp;

use super::Simulation;
use crate::{
    calendar::Calendar,
    layout::{ScheduledState, SimulatedEntity, SimulatedState, TimeOfDay},
    weather,
};

/// The period in which a burst happens at most once.
const BURST_MILLIS: i64 = 600_000;

impl Simulation<'_> {
    /// The scheduled states that begin on a day, by their number.
    fn schedule(&self, entity: &'static SimulatedEntity, date: Date) -> Rc<[(usize, Period)]> {
        if let Some(known) = self.schedule.borrow().get(&(entity.id.as_str(), date)) {
            return known.clone();
        }
        let found = entity.schedule.iter().enumerate();
        let found: Rc<[(usize, Period)]> = found
            .filter_map(|(number, scheduled)| Some((number, self.scheduled(entity, number, scheduled, date)?)))
            .collect();
        self.schedule.borrow_mut().insert((entity.id.as_str(), date), found.clone());
        found
    }

    /// The period of a scheduled state that begins on a day, if there is one.
    fn scheduled(
        &self,
        entity: &SimulatedEntity,
        number: usize,
        scheduled: &ScheduledState,
        date: Date,
    ) -> Option<Period> {
        let number = i64::try_from(number).unwrap_or(0);
        let chance = self.random.name(entity.id.as_str()).number(Calendar::number(date)).number(number);
        if !scheduled.days.has(date) || chance.unit() >= scheduled.chance {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, reason = "minutes of a day")]
        let moved = |chance: f64| (chance * scheduled.jitter() * 60.0) as i64;
        let from = scheduled.from.seconds(date) + moved(chance.number(1).around());
        let until = scheduled.until.seconds(date) + moved(chance.number(2).around());
        (from < until).then(|| Period { from: self.calendar.at(date, from), until: self.calendar.at(date, until) })
    }

    pub(super) fn routine(&self, entity: &'static SimulatedEntity, at: Timestamp) -> SimulatedState {
        let SimulatedEntity { idle, active, schedule, .. } = entity;
        if schedule.is_empty() {
            return idle.clone();
        }
        let mut last = None;
        for date in self.calendar.eve_and_day(at) {
            let here = self.schedule(entity, date);
            last = last.max(here.iter().filter(|(_, lasts)| lasts.has(at)).map(|(number, _)| *number).max());
        }
        let scheduled = last.and_then(|number| schedule.get(number));
        scheduled.map_or(idle, |scheduled| scheduled.state.as_ref().unwrap_or(active)).clone()
    }

    /// The cause of a change at a moment, if it was something in the home.
    pub(crate) fn cause(&self, entity: &'static SimulatedEntity, at: Timestamp) -> Option<&'static str> {
        self.calendar.eve_and_day(at).into_iter().find_map(|date| {
            self.schedule(entity, date).iter().find_map(|(number, lasts)| {
                let scheduled = entity.schedule.get(*number)?;
                if lasts.from == at {
                    scheduled.begun_by.as_deref()
                } else if lasts.until == at {
                    scheduled.ended_by.as_deref()
                } else {
                    None
                }
            })
        })
    }

    pub(super) fn routine_edges(&self, entity: &'static SimulatedEntity, period: Period, edges: &mut Vec<Timestamp>) {
        if entity.schedule.is_empty() {
            return;
        }
        for date in self.calendar.days(period.from, period.until) {
            edges.extend(self.schedule(entity, date).iter().flat_map(|(_, lasts)| [lasts.from, lasts.until]));
        }
    }

    /// The burst of a period of ten minutes, if there is one.
    fn burst(&self, entity: &SimulatedEntity, busy: &[(f64, f64, f64)], stretch: i64) -> Option<Period> {
        let chance = self.random.name(entity.id.as_str()).number(stretch);
        let begins = Timestamp::from_millis(stretch * BURST_MILLIS);
        let hour = self.calendar.hour(begins);
        let likely = busy.iter().find(|(from, until, _)| *from <= hour && hour < *until).map_or(0.004, |hours| hours.2);
        if chance.unit() >= likely {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, reason = "minutes")]
        let (after, length) =
            ((chance.number(1).unit() * 400.0) as i64 * 1_000, (30.0 + chance.number(2).unit() * 150.0) as i64 * 1_000);
        let from = Timestamp::from_millis(begins.as_millis() + after);
        Some(Period { from, until: Timestamp::from_millis(from.as_millis() + length) })
    }

    /// Sunrises and sunsets.
    pub(super) fn sun_edges(&self, period: Period, edges: &mut Vec<Timestamp>) {
        for date in self.calendar.days(period.from, period.until) {
            edges.push(self.calendar.at(date, weather::sunrise(date)));
            edges.push(self.calendar.at(date, weather::sunset(date)));
        }
    }

    pub(super) fn motion(&self, entity: &SimulatedEntity, busy: &[(f64, f64, f64)], at: Timestamp) -> SimulatedState {
        let stretch = at.as_millis().div_euclid(BURST_MILLIS);
        let moves = self.burst(entity, busy, stretch).is_some_and(|burst| burst.has(at));
        SimulatedState::word(if moves { "on" } else { "off" })
    }

    pub(super) fn motion_edges(
        &self,
        entity: &SimulatedEntity,
        busy: &[(f64, f64, f64)],
        period: Period,
        edges: &mut Vec<Timestamp>,
    ) {
        let stretch = |moment: Timestamp| moment.as_millis().div_euclid(BURST_MILLIS);
        for stretch in stretch(period.from)..=stretch(period.until) {
            if let Some(burst) = self.burst(entity, busy, stretch) {
                edges.extend([burst.from, burst.until]);
            }
        }
    }

    /// The runs of an automation in a period with their triggers, oldest first.
    pub(crate) fn runs(&self, runs: &'static [(TimeOfDay, String)], period: Period) -> Vec<(Timestamp, &'static str)> {
        let mut all = Vec::new();
        for date in self.calendar.days(period.from, period.until) {
            all.extend(runs.iter().map(|(when, why)| (self.calendar.at(date, when.seconds(date)), why.as_str())));
        }
        all.retain(|(run, _)| period.has(*run));
        all.sort_unstable();
        all
    }

    pub(super) fn last_run(
        &self,
        entity: &SimulatedEntity,
        runs: &'static [(TimeOfDay, String)],
        at: Timestamp,
    ) -> Option<Timestamp> {
        let from = Timestamp::from_millis(at.as_millis() - 2 * 86_400_000);
        let until = Timestamp::from_millis(at.as_millis() + 1);
        let told = self
            .actions
            .of(entity.id.as_str())
            .iter()
            .filter(|action| action.at <= at)
            .filter_map(|action| action.run_at());
        self.runs(runs, Period { from, until }).into_iter().map(|(run, _)| run).chain(told).max()
    }
}
