//! Groups failures into incidents: failures within minutes of each other belong together, and the
//! first is probably the cause.

use std::collections::BTreeSet;

use protocol::Timestamp;

use crate::{EntityId, EntitySnapshot, LogEntry, LogLevel};

/// Failures that begin within this time of the previous one belong to the same incident.
const TOGETHER_MILLIS: i64 = 120_000;
/// Failures within this time have no reliable order; then those that others depend on come first.
const AT_ONCE_MILLIS: i64 = 3_000;

/// The kind of a failure.
#[derive(Debug, Clone)]
pub(super) enum FailureKind {
    /// A connection was lost.
    Lost(Box<EntitySnapshot>),
    /// The voltage deviated; the worst value.
    Strayed(Box<EntitySnapshot>, f64),
    /// An entity was unavailable; whether it is made of others that were unavailable, too.
    Silent(Box<EntitySnapshot>, bool),
    /// An entry of the system log.
    Logged(LogEntry),
}

/// A failure.
#[derive(Debug, Clone)]
pub(super) struct FailureEvent {
    pub(super) at: Timestamp,
    /// `None` if it is ongoing.
    pub(super) until: Option<Timestamp>,
    pub(super) repeats: u32,
    pub(super) kind: FailureKind,
}

impl FailureEvent {
    /// The order of simultaneous failures: those that others depend on come first.
    fn rank(&self) -> u8 {
        match &self.kind {
            FailureKind::Lost(_) | FailureKind::Strayed(..) => 0,
            FailureKind::Logged(entry) if entry.level >= LogLevel::Error => 1,
            FailureKind::Silent(_, false) => 2,
            FailureKind::Logged(_) => 3,
            FailureKind::Silent(_, true) => 4,
        }
    }

    fn severity(&self) -> f64 {
        let often = f64::from(self.repeats).ln_1p();
        match &self.kind {
            FailureKind::Lost(_) => 4.0,
            FailureKind::Strayed(..) => 2.0 + often,
            FailureKind::Silent(..) if self.until.is_none() => 4.0,
            FailureKind::Silent(..) => 1.5,
            FailureKind::Logged(entry) => match entry.level {
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
    /// The first failure.
    pub(super) first: FailureEvent,
    /// The following failures, in order.
    pub(super) followed: Vec<FailureEvent>,
    /// When it was over; `None` while it is ongoing.
    pub(super) until: Option<Timestamp>,
    /// The number of errors and warnings.
    pub(super) errors: u64,
    /// Entities that became unavailable.
    pub(super) silent: Vec<EntityId>,
    severity: f64,
}

/// Groups failures; the worst incident first.
pub(super) fn group(mut events: Vec<FailureEvent>) -> Vec<Incident> {
    events.sort_by_key(|event| event.at);
    let mut groups: Vec<Vec<FailureEvent>> = Vec::new();
    for event in events {
        let is_near = |group: &Vec<FailureEvent>| {
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

fn incident(mut events: Vec<FailureEvent>) -> Option<Incident> {
    let began = events.first()?.at;
    let is_at_once = |event: &FailureEvent| event.at.as_millis() - began.as_millis() <= AT_ONCE_MILLIS;
    let first =
        events.iter().enumerate().filter(|(_, event)| is_at_once(event)).min_by_key(|(_, event)| event.rank())?.0;
    let severity = events.iter().map(FailureEvent::severity).sum();
    let errors = events.iter().map(|event| match &event.kind {
        FailureKind::Logged(entry) => u64::from(entry.count),
        _ => 0,
    });
    let errors = errors.sum();
    let silent: BTreeSet<EntityId> = events
        .iter()
        .filter_map(|event| match &event.kind {
            FailureKind::Silent(snapshot, _) => Some(snapshot.entity.id.clone()),
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

    fn logged(seconds: i64, logger: &str, level: LogLevel, count: u32) -> FailureEvent {
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
        FailureEvent { at, until: Some(at), repeats: count, kind: FailureKind::Logged(entry) }
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
        assert!(matches!(&worst.first.kind, FailureKind::Logged(entry) if entry.logger == "first"));
        assert_eq!((worst.followed.len(), worst.errors), (2, 12));
        assert_eq!(worst.until, Some(Timestamp::from_millis(131_000)));
    }

    #[test]
    fn among_what_is_reported_at_once_the_graver_came_first() {
        let incidents =
            group(vec![logged(100, "warns", LogLevel::Warning, 1), logged(102, "fails", LogLevel::Error, 1)]);
        assert!(matches!(&incidents[0].first.kind, FailureKind::Logged(entry) if entry.logger == "fails"));
    }
}
