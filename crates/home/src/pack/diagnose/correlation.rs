//! Correlation of moments in time. Pure computation.

use std::time::Duration;

use protocol::Timestamp;

use crate::{
    Entity, StateSample,
    pack::series::{self, Anomaly, AnomalyKind},
};

/// The correlation of two lists of moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Correlation {
    /// The number of moments with a matching event.
    pub(super) matched: usize,
    /// The number of moments.
    pub(super) of: usize,
    /// The part of the events that match a moment.
    pub(super) precision: f64,
    /// The median lead of the events, in milliseconds.
    pub(super) lead_millis: i64,
}

impl Correlation {
    /// From 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "a handful of moments")]
    pub(super) fn score(&self) -> f64 {
        let coverage = self.matched as f64 / self.of.max(1) as f64;
        // A single match may be a coincidence.
        let often = if self.matched == 1 { 0.75 } else { 1.0 };
        coverage * (0.4 + 0.6 * self.precision) * often
    }
}

/// Compares moments with the events of another entity.
pub(super) fn compare(
    moments: &[Timestamp],
    others: &[Timestamp],
    before: Duration,
    after: Duration,
) -> Option<Correlation> {
    let (before, after) = (millis(before), millis(after));
    let lead = |moment: &Timestamp, other: &Timestamp| moment.as_millis() - other.as_millis();
    let is_beside = |lead: i64| -after <= lead && lead <= before;
    let mut leads: Vec<i64> = Vec::new();
    for moment in moments {
        let nearest = others.iter().map(|other| lead(moment, other)).filter(|lead| is_beside(*lead));
        leads.extend(nearest.min_by_key(|lead| lead.abs()));
    }
    let beside = others.iter().filter(|other| moments.iter().any(|moment| is_beside(lead(moment, other)))).count();
    leads.sort_unstable();
    let lead_millis = *leads.get(leads.len() / 2)?;
    #[allow(clippy::cast_precision_loss, reason = "a handful of moments")]
    let precision = beside as f64 / others.len().max(1) as f64;
    Some(Correlation { matched: leads.len(), of: moments.len(), precision, lead_millis })
}

fn millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// The events of an entity that may be related to others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EventTimes {
    pub(super) moments: Vec<Timestamp>,
    /// The kind of the events.
    pub(super) what: EventPattern,
    /// For numbers: the least, the greatest and the usual value.
    pub(super) values: Option<(f64, f64, f64)>,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventPattern {
    Dips,
    Spikes,
    Blinks,
    Dims,
    Losses,
    Silences,
    Changes,
}

/// All events of an entity that may be related to others.
pub(super) fn events(entity: &Entity, samples: &[StateSample]) -> Vec<EventTimes> {
    let mut all = Vec::new();
    let mut add = |what: EventPattern, moments: Vec<Timestamp>, values: &[f64]| {
        let bounds = values.iter().copied().fold(None, |bounds: Option<(f64, f64)>, value| {
            Some(bounds.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
        });
        let usual = series::usual(samples);
        let values = bounds.and_then(|(least, most)| Some((least, most, usual?)));
        if !moments.is_empty() {
            all.push(EventTimes { moments, what, values });
        }
    };
    let pick = |odd: &[Anomaly], wanted: fn(&AnomalyKind) -> Option<Option<f64>>| -> (Vec<Timestamp>, Vec<f64>) {
        let picked: Vec<(Timestamp, Option<f64>)> =
            odd.iter().filter_map(|odd| Some((odd.at, wanted(&odd.kind)?))).collect();
        (picked.iter().map(|(at, _)| *at).collect(), picked.iter().filter_map(|(_, value)| *value).collect())
    };
    let odd = series::anomalies(samples);
    let (moments, values) =
        pick(&odd, |kind| if let AnomalyKind::Dip(value) = kind { Some(Some(*value)) } else { None });
    add(EventPattern::Dips, moments, &values);
    let (moments, values) =
        pick(&odd, |kind| if let AnomalyKind::Spike(value) = kind { Some(Some(*value)) } else { None });
    add(EventPattern::Spikes, moments, &values);
    add(EventPattern::Dims, pick(&odd, |kind| matches!(kind, AnomalyKind::Dimmed).then_some(None)).0, &[]);
    let silences: Vec<Timestamp> = series::dropouts(samples).iter().map(|silence| silence.from).collect();
    add(
        EventPattern::Silences,
        silences.into_iter().filter(|from| samples.first().is_some_and(|first| first.at < *from)).collect(),
        &[],
    );
    let turned = |word: &str| -> Vec<Timestamp> {
        series::changes(samples).filter(|(_, after)| after.state == word).map(|(_, after)| after.at).collect()
    };
    match (entity.id.domain(), entity.class.as_deref()) {
        ("binary_sensor", Some("connectivity" | "power" | "plug")) => add(EventPattern::Losses, turned("off"), &[]),
        ("binary_sensor", Some("problem" | "smoke" | "gas" | "moisture" | "tamper")) => {
            add(EventPattern::Losses, turned("on"), &[])
        }
        ("switch" | "input_boolean", _) => {
            add(EventPattern::Changes, series::changes(samples).map(|(_, after)| after.at).collect(), &[]);
        }
        // Motion sensors change within seconds by nature.
        ("binary_sensor" | "event" | "button", _) => {}
        _ => add(EventPattern::Blinks, pick(&odd, |kind| matches!(kind, AnomalyKind::Blink).then_some(None)).0, &[]),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: &[i64]) -> Vec<Timestamp> {
        millis.iter().map(|millis| Timestamp::from_millis(*millis)).collect()
    }

    #[test]
    fn what_always_comes_just_before_scores_high_and_what_always_happens_does_not() {
        let (before, after) = (Duration::from_secs(10), Duration::from_secs(1));
        let moments = at(&[100_000, 200_000, 300_000]);
        let just_before = compare(&moments, &at(&[99_500, 199_400, 299_600]), before, after).unwrap();
        assert_eq!((just_before.matched, just_before.lead_millis), (3, 500));
        assert!(just_before.score() > 0.95);
        let always: Vec<Timestamp> = (0..100).map(|number| Timestamp::from_millis(number * 5_000)).collect();
        assert!(compare(&moments, &always, before, after).unwrap().score() < 0.5);
        assert_eq!(compare(&moments, &at(&[50_000, 150_000]), before, after), None);
        let afterwards = compare(&moments, &at(&[100_400]), before, after).unwrap();
        assert!(afterwards.lead_millis < 0 && afterwards.score() < 0.3);
    }
}
