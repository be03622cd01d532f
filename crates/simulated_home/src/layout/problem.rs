//! Problems of the simulated home, so that there is something to diagnose; `data/problems.toml` has
//! them.

use home::{LogEntry, LogLevel};
use jiff::civil::Date;
use protocol::Timestamp;
use serde::Deserialize;

use super::{SimulatedState, TimeOfDay};
use crate::calendar::Calendar;

/// The number of repetitions of a log entry that are counted.
const REPEATS_MAX: i64 = 5_000;

/// A problem: when there is one, what it does to entities, and what is logged of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Problem {
    times: Vec<ProblemTime>,
    effects: Vec<ProblemEffect>,
    #[serde(default)]
    log: Vec<ProblemLog>,
}

/// One time at which there is the problem, in days after the day of last night.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemTime {
    from: (i32, TimeOfDay),
    until: (i32, TimeOfDay),
    /// The state of entities whose effect has none.
    state: Option<SimulatedState>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemEffect {
    entity: String,
    /// Milliseconds after the begin.
    #[serde(default)]
    after: i64,
    /// Milliseconds after the end.
    #[serde(default)]
    longer: i64,
    state: Option<SimulatedState>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemLog {
    level: LogLevel,
    logger: String,
    message: String,
    /// Milliseconds after the begin.
    after: Vec<i64>,
    /// The interval of its repetitions in milliseconds.
    every: Option<i64>,
}

/// A fault of an entity for some time.
#[derive(Debug, Clone)]
pub(crate) struct InjectedFault {
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
    /// Its state during the fault.
    pub(crate) sim_state: &'static SimulatedState,
}

fn moment(calendar: &Calendar, anchor: Date, (days, time): (i32, TimeOfDay), after: i64) -> Timestamp {
    let date = Calendar::before(anchor, -days);
    Timestamp::from_millis(calendar.at(date, time.seconds(date)).as_millis() + after)
}

impl Problem {
    /// The entities that it affects.
    #[cfg(test)]
    pub(crate) fn entities(&self) -> impl Iterator<Item = &str> {
        self.effects.iter().map(|effect| effect.entity.as_str())
    }

    /// Its faults by entity, for the day whose early hours are "last night".
    pub(crate) fn faults(
        &'static self,
        calendar: &Calendar,
        anchor: Date,
    ) -> impl Iterator<Item = (&'static str, InjectedFault)> {
        let both = self.times.iter().flat_map(|time| self.effects.iter().map(move |effect| (time, effect)));
        both.filter_map(move |(time, effect)| {
            let fault = InjectedFault {
                from: moment(calendar, anchor, time.from, effect.after),
                until: moment(calendar, anchor, time.until, effect.longer),
                sim_state: effect.state.as_ref().or(time.state.as_ref())?,
            };
            Some((effect.entity.as_str(), fault))
        })
    }

    /// Its entries in the system log.
    pub(crate) fn log(&self, calendar: &Calendar, anchor: Date, now: Timestamp) -> impl Iterator<Item = LogEntry> {
        self.log.iter().filter_map(move |log| {
            let begins = |after: i64| self.times.iter().map(move |time| moment(calendar, anchor, time.from, after));
            let mut times: Vec<Timestamp> = log.after.iter().flat_map(|after| begins(*after)).collect();
            if let (Some(every), Some(first)) = (log.every, times.last().copied()) {
                let repeats = (now.as_millis() - first.as_millis()).max(0) / every;
                let again = (1..=repeats.min(REPEATS_MAX - 1)).map(|number| first.as_millis() + number * every);
                times.extend(again.map(Timestamp::from_millis));
            }
            log_entry(log.level, &log.logger, &log.message, &times)
        })
    }
}

/// An entry of the system log; `None` if it was never written.
pub(crate) fn log_entry(level: LogLevel, logger: &str, message: &str, times: &[Timestamp]) -> Option<LogEntry> {
    Some(LogEntry {
        level,
        logger: format!("homeassistant.{logger}"),
        messages: vec![message.to_owned()],
        exception: String::new(),
        first_at: *times.first()?,
        last_at: *times.last()?,
        count: u32::try_from(times.len()).unwrap_or(u32::MAX),
    })
}
