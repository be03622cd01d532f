//! Incidents: what went wrong within minutes of each other belongs together, and what went wrong first likely lies behind it.

use std::collections::BTreeSet;

use protocol::Timestamp;

use crate::{EntityId, LogEntry, LogLevel, Standing};

/// What begins within this of what began before it belongs to the same incident.
const TOGETHER_MILLIS: i64 = 120_000;
/// What is reported within this is reported in no particular order; what others hang on comes first then.
const AT_ONCE_MILLIS: i64 = 3_000;

/// What went wrong.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A connection was lost.
    Lost(Box<Standing>),
    /// The electricity was not as it should be; the worst value.
    Strayed(Box<Standing>, f64),
    /// Nothing was heard of an entity; whether it is made of others that fell silent, too.
    Silent(Box<Standing>, bool),
    /// The system log said so.
    Logged(LogEntry),
}

/// Something that went wrong.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) at: Timestamp,
    /// None if it lasts.
    pub(super) until: Option<Timestamp>,
    pub(super) repeats: u32,
    pub(super) kind: Kind,
}

impl Event {
    /// What others hang on comes first among what happened at once.
    fn rank(&self) -> u8 {
        match &self.kind {
            Kind::Lost(_) | Kind::Strayed(..) => 0,
            Kind::Logged(entry) if entry.level >= LogLevel::Error => 1,
            Kind::Silent(_, false) => 2,
            Kind::Logged(_) => 3,
            Kind::Silent(_, true) => 4,
        }
    }

    fn severity(&self) -> f64 {
        let often = f64::from(self.repeats).ln_1p();
        match &self.kind {
            Kind::Lost(_) => 4.0,
            Kind::Strayed(..) => 2.0 + often,
            Kind::Silent(..) if self.until.is_none() => 4.0,
            Kind::Silent(..) => 1.5,
            Kind::Logged(entry) => match entry.level {
                LogLevel::Warning => 1.0 + 0.5 * often,
                LogLevel::Error => 2.0 + often,
                LogLevel::Critical => 6.0 + often,
            },
        }
    }
}

/// An incident.
#[derive(Debug, Clone)]
pub(super) struct Incident {
    /// What failed first.
    pub(super) first: Event,
    /// What followed, in order.
    pub(super) followed: Vec<Event>,
    /// When it was over; none while it goes on.
    pub(super) until: Option<Timestamp>,
    /// How many errors and warnings.
    pub(super) errors: u64,
    /// What fell silent and still is, or was.
    pub(super) silent: Vec<EntityId>,
    severity: f64,
}

/// Groups what went wrong; the worst incident first.
pub(super) fn group(mut events: Vec<Event>) -> Vec<Incident> {
    events.sort_by_key(|event| event.at);
    let mut groups: Vec<Vec<Event>> = Vec::new();
    for event in events {
        let is_near = |group: &Vec<Event>| {
            group.last().is_some_and(|last| event.at.as_millis() - last.at.as_millis() <= TOGETHER_MILLIS)
        };
        match groups.last_mut().filter(|group| is_near(group)) {
            Some(group) => group.push(event),
            None => groups.push(vec![event]),
        }
    }
    let mut incidents: Vec<Incident> = groups.into_iter().filter_map(incident).collect();
    incidents.sort_by(|one, two| two.severity.total_cmp(&one.severity).then_with(|| two.first.at.cmp(&one.first.at)));
    incidents
}

fn incident(mut events: Vec<Event>) -> Option<Incident> {
    let began = events.first()?.at;
    let is_at_once = |event: &Event| event.at.as_millis() - began.as_millis() <= AT_ONCE_MILLIS;
    let first =
        events.iter().enumerate().filter(|(_, event)| is_at_once(event)).min_by_key(|(_, event)| event.rank())?.0;
    let severity = events.iter().map(Event::severity).sum();
    let errors = events.iter().map(|event| match &event.kind {
        Kind::Logged(entry) => u64::from(entry.count),
        _ => 0,
    });
    let errors = errors.sum();
    let silent: BTreeSet<EntityId> = events
        .iter()
        .filter_map(|event| match &event.kind {
            Kind::Silent(standing, _) => Some(standing.entity.id.clone()),
            _ => None,
        })
        .collect();
    let until =
        events.iter().map(|event| event.until).collect::<Option<Vec<_>>>().and_then(|ends| ends.into_iter().max());
    let first = events.remove(first);
    Some(Incident { first, followed: events, until, errors, silent: silent.into_iter().collect(), severity })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(seconds: i64, logger: &str, level: LogLevel, count: u32) -> Event {
        let at = Timestamp::from_millis(seconds * 1_000);
        let entry = LogEntry {
            level,
            logger: logger.to_owned(),
            messages: vec!["no".to_owned()],
            exception: String::new(),
            first_at: at,
            last_at: at,
            count,
        };
        Event { at, until: Some(at), repeats: count, kind: Kind::Logged(entry) }
    }

    #[test]
    fn what_fails_within_minutes_is_one_incident_that_begins_with_the_first() {
        let events = vec![
            logged(5_000, "elsewhere", LogLevel::Warning, 1),
            logged(131, "third", LogLevel::Error, 9),
            logged(100, "first", LogLevel::Error, 2),
            logged(101, "second", LogLevel::Warning, 1),
        ];
        let incidents = group(events);
        assert_eq!(incidents.len(), 2);
        let worst = &incidents[0];
        assert!(matches!(&worst.first.kind, Kind::Logged(entry) if entry.logger == "first"));
        assert_eq!((worst.followed.len(), worst.errors), (2, 12));
        assert_eq!(worst.until, Some(Timestamp::from_millis(131_000)));
    }

    #[test]
    fn among_what_is_reported_at_once_the_graver_came_first() {
        let incidents =
            group(vec![logged(100, "warns", LogLevel::Warning, 1), logged(102, "fails", LogLevel::Error, 1)]);
        assert!(matches!(&incidents[0].first.kind, Kind::Logged(entry) if entry.logger == "fails"));
    }
}
