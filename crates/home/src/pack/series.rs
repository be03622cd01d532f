//! Analyses a series of samples: statistics and anomalies.

use std::{collections::BTreeMap, time::Duration};

use protocol::Timestamp;

use crate::{EntityState, Period, StateSample};

/// A state that lasts no longer was not switched on purpose.
const BLINK_MAX: Duration = Duration::from_secs(15);
/// A deviation that lasts longer is a new level.
const STRAY_MAX: Duration = Duration::from_secs(300);
/// The part of its brightness that a light has to lose.
const DIM_PART: f64 = 0.3;
/// The relative deviation of a number from its usual value.
const STRAY_PART: f64 = 0.06;

/// A short anomaly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Anomaly {
    /// When it began.
    pub(super) at: Timestamp,
    /// When it was over.
    pub(super) until: Timestamp,
    /// The kind of the anomaly.
    pub(super) kind: AnomalyKind,
}

/// The kind of an anomaly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AnomalyKind {
    /// Another state for a moment.
    Blink,
    /// Darker for a moment.
    Dimmed,
    /// A drop of a number, to this value.
    Dip(f64),
    /// A rise of a number, to this value.
    Spike(f64),
}

/// A time without any report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dropout {
    pub(super) from: Timestamp,
    /// `None` if it is ongoing.
    pub(super) until: Option<Timestamp>,
}

/// Statistics of a numeric series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SeriesStats {
    pub(super) min: (f64, Timestamp),
    pub(super) max: (f64, Timestamp),
    /// Weighted by the duration of each value.
    pub(super) mean: f64,
    pub(super) first: f64,
    pub(super) last: f64,
}

fn is_known(sample: &StateSample) -> bool {
    sample.state != EntityState::UNAVAILABLE && sample.state != EntityState::UNKNOWN
}

fn number(sample: &StateSample) -> Option<f64> {
    sample.state.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The samples at which the state changes, without the first.
pub(super) fn changes(samples: &[StateSample]) -> impl Iterator<Item = (&StateSample, &StateSample)> {
    samples.windows(2).filter_map(|pair| match pair {
        [before, after] if before.state != after.state => Some((before, after)),
        _ => None,
    })
}

/// Samples without repeated states.
fn words(samples: &[StateSample]) -> Vec<&StateSample> {
    let mut words: Vec<&StateSample> = Vec::new();
    for sample in samples {
        if words.last().is_none_or(|last| last.state != sample.state) {
            words.push(sample);
        }
    }
    words
}

/// Whether its states are numbers.
pub(super) fn is_numeric(samples: &[StateSample]) -> bool {
    let known = samples.iter().filter(|sample| is_known(sample)).count();
    known > 0 && samples.iter().filter_map(number).count() * 10 >= known * 9
}

/// Moments at which the state was different and then the same as before.
pub(super) fn blinks(samples: &[StateSample]) -> Vec<Anomaly> {
    let words = words(samples);
    let blink = |three: &[&StateSample]| match three {
        [before, odd, after]
            if before.state == after.state
                && is_known(before)
                && is_known(odd)
                && after.at.since(odd.at) <= BLINK_MAX =>
        {
            Some(Anomaly { at: odd.at, until: after.at, kind: AnomalyKind::Blink })
        }
        _ => None,
    };
    let mut blinks: Vec<Anomaly> = Vec::new();
    for odd in words.windows(3).filter_map(blink) {
        // Off, on, off, on: the on between two offs is not a second blink.
        if blinks.last().is_none_or(|last| last.until != odd.at) {
            blinks.push(odd);
        }
    }
    blinks
}

/// Moments at which a light was darker and then as before.
pub(super) fn dims(samples: &[StateSample]) -> Vec<Anomaly> {
    let bright = |sample: &StateSample| sample.attributes.get("brightness").and_then(serde_json::Value::as_f64);
    let dim = |three: &[StateSample]| match three {
        [before, odd, after] => {
            let (was, is, then) = (bright(before)?, bright(odd)?, bright(after)?);
            let is_short = after.at.since(odd.at) <= BLINK_MAX;
            let is_dim = is < was * (1.0 - DIM_PART) && is < then * (1.0 - DIM_PART);
            (is_short && is_dim).then_some(Anomaly { at: odd.at, until: after.at, kind: AnomalyKind::Dimmed })
        }
        _ => None,
    };
    samples.windows(3).filter_map(dim).collect()
}

/// The usual value of a number.
pub(super) fn usual(samples: &[StateSample]) -> Option<f64> {
    let values: Vec<f64> = samples.iter().filter_map(number).collect();
    (!values.is_empty()).then(|| median(&values))
}

/// Short moments at which a number was far from its usual value, and then returned to it.
pub(super) fn strays(samples: &[StateSample]) -> Vec<Anomaly> {
    let values: Vec<f64> = samples.iter().filter_map(number).collect();
    if values.len() < 5 || !is_numeric(samples) {
        return Vec::new();
    }
    let usual = median(&values);
    let spread = median(&values.iter().map(|value| (value - usual).abs()).collect::<Vec<_>>());
    let far = (spread * 6.0).max(usual.abs() * STRAY_PART);
    let mut strays: Vec<Anomaly> = Vec::new();
    let mut began: Option<(Timestamp, f64)> = None;
    for (index, sample) in samples.iter().enumerate() {
        let Some(value) = number(sample) else {
            began = None;
            continue;
        };
        let is_far = (value - usual).abs() > far;
        match began {
            // A deviation from the very beginning may be the usual level.
            None if is_far && index > 0 => began = Some((sample.at, value)),
            Some((at, most)) if is_far && (value - usual).abs() > (most - usual).abs() => began = Some((at, value)),
            Some((at, most)) if !is_far => {
                if sample.at.since(at) <= STRAY_MAX {
                    let kind = if most < usual { AnomalyKind::Dip(most) } else { AnomalyKind::Spike(most) };
                    strays.push(Anomaly { at, until: sample.at, kind });
                }
                began = None;
            }
            _ => {}
        }
    }
    strays
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// All anomalies, oldest first.
pub(super) fn anomalies(samples: &[StateSample]) -> Vec<Anomaly> {
    let mut odd = if is_numeric(samples) { strays(samples) } else { blinks(samples) };
    odd.extend(dims(samples));
    odd.sort_by_key(|odd| odd.at);
    odd
}

/// Times without any report.
pub(super) fn dropouts(samples: &[StateSample]) -> Vec<Dropout> {
    let words = words(samples);
    let mut dropouts: Vec<Dropout> = Vec::new();
    for (number, sample) in words.iter().enumerate() {
        if !is_known(sample) {
            let until = words.get(number + 1).map(|next| next.at);
            match dropouts.last_mut() {
                // Unknown and unavailable in turn are one dropout.
                Some(last) if last.until == Some(sample.at) => last.until = until,
                _ => dropouts.push(Dropout { from: sample.at, until }),
            }
        }
    }
    dropouts
}

/// Statistics of a numeric series.
pub(super) fn numbers(samples: &[StateSample], period: Period) -> Option<SeriesStats> {
    let mut min: Option<(f64, Timestamp)> = None;
    let mut max: Option<(f64, Timestamp)> = None;
    let (mut sum, mut weight, mut first, mut last) = (0.0, 0.0, None, None);
    for (index, sample) in samples.iter().enumerate() {
        let Some(value) = number(sample) else { continue };
        let until = samples.get(index + 1).map_or(period.until, |next| next.at);
        let held = until.since(sample.at).as_secs_f64().max(0.001);
        (sum, weight) = (sum + value * held, weight + held);
        if min.is_none_or(|(least, _)| value < least) {
            min = Some((value, sample.at));
        }
        if max.is_none_or(|(most, _)| value > most) {
            max = Some((value, sample.at));
        }
        first = first.or(Some(value));
        last = Some(value);
    }
    Some(SeriesStats { min: min?, max: max?, mean: sum / weight, first: first?, last: last? })
}

/// The time in each state, longest first.
pub(super) fn shares(samples: &[StateSample], period: Period) -> Vec<(String, Duration)> {
    let mut shares: BTreeMap<&str, Duration> = BTreeMap::new();
    for (index, sample) in samples.iter().enumerate() {
        let until = samples.get(index + 1).map_or(period.until, |next| next.at);
        *shares.entry(&sample.state).or_default() += until.since(sample.at);
    }
    let mut shares: Vec<(String, Duration)> =
        shares.into_iter().map(|(state, time)| (state.to_owned(), time)).collect();
    shares.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    shares
}

/// The last known number.
pub(super) fn last_number(samples: &[StateSample]) -> Option<f64> {
    samples.iter().rev().find_map(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(of: &[(i64, &str)]) -> Vec<StateSample> {
        let sample = |(at, state): &(i64, &str)| StateSample {
            at: Timestamp::from_millis(at * 1_000),
            state: (*state).to_owned(),
            attributes: serde_json::Map::new(),
        };
        of.iter().map(sample).collect()
    }

    #[test]
    fn a_light_that_blinks_is_counted_once_for_each_time() {
        let flicker = samples(&[(0, "on"), (100, "off"), (101, "on"), (103, "off"), (104, "on"), (500, "off")]);
        let found: Vec<i64> = blinks(&flicker).iter().map(|odd| odd.at.as_millis() / 1_000).collect();
        assert_eq!(found, [100, 103]);
        assert!(blinks(&samples(&[(0, "off"), (60, "on"), (3_600, "off")])).is_empty());
        assert!(blinks(&samples(&[(0, "on"), (60, "unavailable"), (61, "on")])).is_empty(), "that is a dropout");
    }

    #[test]
    fn a_short_stray_is_odd_and_a_new_level_is_not() {
        let mut volts: Vec<(i64, &str)> =
            (0..20).map(|minute| (minute * 60, if minute % 2 == 0 { "230.1" } else { "229.6" })).collect();
        volts.extend([(1_200, "191.0"), (1_202, "230.0"), (1_260, "229.8")]);
        let found = strays(&samples(&volts));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].kind, AnomalyKind::Dip(191.0));
        let kettle = samples(&[(0, "0.4"), (60, "0.5"), (120, "0.4"), (180, "860"), (2_000, "0.4"), (2_060, "0.5")]);
        assert!(strays(&kettle).is_empty());
        let boils: Vec<(i64, String)> = (0..40)
            .map(|minute| {
                (minute * 60, if (20..30).contains(&minute) { format!("86{minute}") } else { format!("0.{minute}") })
            })
            .collect();
        let boils: Vec<(i64, &str)> = boils.iter().map(|(at, state)| (*at, state.as_str())).collect();
        assert!(strays(&samples(&boils)).is_empty(), "ten minutes of many values are a level, too");
        assert_eq!(usual(&kettle), Some(0.5));
    }

    #[test]
    fn silences_are_joined_and_may_last() {
        let found =
            dropouts(&samples(&[(0, "4"), (10, "unavailable"), (20, "unknown"), (30, "5"), (40, "unavailable")]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].until, Some(Timestamp::from_millis(30_000)));
        assert_eq!(found[1].until, None);
    }

    #[test]
    fn a_mean_counts_how_long_a_value_held() {
        let period = Period { from: Timestamp::from_millis(0), until: Timestamp::from_millis(100_000) };
        let all = samples(&[(0, "10"), (90, "20")]);
        let numbers = numbers(&all, period).unwrap();
        assert!((numbers.mean - 11.0).abs() < 1e-9);
        assert_eq!((numbers.first, numbers.last, numbers.max.0), (10.0, 20.0, 20.0));
        assert_eq!(shares(&all, period)[0], ("10".to_owned(), Duration::from_secs(90)));
        assert_eq!(last_number(&all), Some(20.0));
    }
}
