//! What happened at the same moments: pure arithmetic over moments.

use std::time::Duration;

use protocol::Timestamp;

use crate::{
    Entity, Sample,
    pack::series::{self, Odd, OddKind},
};

/// How one list of moments goes with another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Together {
    /// How many of the moments have something beside them.
    pub(super) matched: usize,
    /// Of how many.
    pub(super) of: usize,
    /// Which part of what happened beside was beside a moment.
    pub(super) precision: f64,
    /// By how many milliseconds it came before, in the middle of all cases.
    pub(super) lead_millis: i64,
}

impl Together {
    /// From 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "a handful of moments")]
    pub(super) fn score(&self) -> f64 {
        let coverage = self.matched as f64 / self.of.max(1) as f64;
        // Once may be chance.
        let often = if self.matched == 1 { 0.75 } else { 1.0 };
        coverage * (0.4 + 0.6 * self.precision) * often
    }
}

/// Compares moments with what happened elsewhere.
pub(super) fn compare(
    moments: &[Timestamp],
    others: &[Timestamp],
    before: Duration,
    after: Duration,
) -> Option<Together> {
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
    Some(Together { matched: leads.len(), of: moments.len(), precision, lead_millis })
}

fn millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// What an entity's samples show that may have to do with others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Events {
    pub(super) moments: Vec<Timestamp>,
    /// What they were.
    pub(super) what: What,
    /// Least and greatest value, and what is usual, of numbers.
    pub(super) values: Option<(f64, f64, f64)>,
}

/// What they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Dips,
    Spikes,
    Blinks,
    Dims,
    Losses,
    Silences,
    Changes,
}

/// Every kind of event of an entity that may have to do with others.
pub(super) fn events(entity: &Entity, samples: &[Sample]) -> Vec<Events> {
    let mut all = Vec::new();
    let mut add = |what: What, moments: Vec<Timestamp>, values: &[f64]| {
        let bounds = values.iter().copied().fold(None, |bounds: Option<(f64, f64)>, value| {
            Some(bounds.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
        });
        let usual = series::usual(samples);
        let values = bounds.and_then(|(least, most)| Some((least, most, usual?)));
        if !moments.is_empty() {
            all.push(Events { moments, what, values });
        }
    };
    let pick = |odd: &[Odd], wanted: fn(&OddKind) -> Option<Option<f64>>| -> (Vec<Timestamp>, Vec<f64>) {
        let picked: Vec<(Timestamp, Option<f64>)> =
            odd.iter().filter_map(|odd| Some((odd.at, wanted(&odd.kind)?))).collect();
        (picked.iter().map(|(at, _)| *at).collect(), picked.iter().filter_map(|(_, value)| *value).collect())
    };
    let odd = series::oddities(samples);
    let (moments, values) = pick(&odd, |kind| if let OddKind::Dip(value) = kind { Some(Some(*value)) } else { None });
    add(What::Dips, moments, &values);
    let (moments, values) = pick(&odd, |kind| if let OddKind::Spike(value) = kind { Some(Some(*value)) } else { None });
    add(What::Spikes, moments, &values);
    add(What::Dims, pick(&odd, |kind| matches!(kind, OddKind::Dimmed).then_some(None)).0, &[]);
    let silences: Vec<Timestamp> = series::dropouts(samples).iter().map(|silence| silence.from).collect();
    add(
        What::Silences,
        silences.into_iter().filter(|from| samples.first().is_some_and(|first| first.at < *from)).collect(),
        &[],
    );
    let turned = |word: &str| -> Vec<Timestamp> {
        series::changes(samples).filter(|(_, after)| after.state == word).map(|(_, after)| after.at).collect()
    };
    match (entity.id.domain(), entity.class.as_deref()) {
        ("binary_sensor", Some("connectivity" | "power" | "plug")) => add(What::Losses, turned("off"), &[]),
        ("binary_sensor", Some("problem" | "smoke" | "gas" | "moisture" | "tamper")) => {
            add(What::Losses, turned("on"), &[])
        }
        ("switch" | "input_boolean", _) => {
            add(What::Changes, series::changes(samples).map(|(_, after)| after.at).collect(), &[]);
        }
        // Motion comes and goes within seconds by nature.
        ("binary_sensor" | "event" | "button", _) => {}
        _ => add(What::Blinks, pick(&odd, |kind| matches!(kind, OddKind::Blink).then_some(None)).0, &[]),
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
