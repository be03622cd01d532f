//! What a series of samples shows: how it went on the whole, and what was odd about it.

use std::{collections::BTreeMap, time::Duration};

use protocol::Timestamp;

use crate::{Period, Sample, State};

/// What is over this soon was no decision of anybody's.
const BLINK_MAX: Duration = Duration::from_secs(15);
/// What strays from the rest for longer is a level of its own.
const STRAY_MAX: Duration = Duration::from_secs(300);
/// Which part of its brightness a light has to lose.
const DIM_PART: f64 = 0.3;
/// Which part of what is usual a number has to be away from it.
const STRAY_PART: f64 = 0.06;

/// Something short that should not have been.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Odd {
    /// When it began.
    pub(super) at: Timestamp,
    /// When it was over.
    pub(super) until: Timestamp,
    /// What it was.
    pub(super) kind: OddKind,
}

/// What was odd.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum OddKind {
    /// It stood otherwise for a moment.
    Blink,
    /// It was darker for a moment.
    Dimmed,
    /// A number fell, to this.
    Dip(f64),
    /// A number rose, to this.
    Spike(f64),
}

/// A time in which nothing was heard of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dropout {
    pub(super) from: Timestamp,
    /// None if it lasts.
    pub(super) until: Option<Timestamp>,
}

/// Numbers on the whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numbers {
    pub(super) min: (f64, Timestamp),
    pub(super) max: (f64, Timestamp),
    /// By how long each value held.
    pub(super) mean: f64,
    pub(super) first: f64,
    pub(super) last: f64,
}

fn is_known(sample: &Sample) -> bool {
    sample.state != State::UNAVAILABLE && sample.state != State::UNKNOWN
}

fn number(sample: &Sample) -> Option<f64> {
    sample.state.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The samples at which the word changes, without the first.
pub(super) fn changes(samples: &[Sample]) -> impl Iterator<Item = (&Sample, &Sample)> {
    samples.windows(2).filter_map(|pair| match pair {
        [before, after] if before.state != after.state => Some((before, after)),
        _ => None,
    })
}

/// Samples of which the word alone matters.
fn words(samples: &[Sample]) -> Vec<&Sample> {
    let mut words: Vec<&Sample> = Vec::new();
    for sample in samples {
        if words.last().is_none_or(|last| last.state != sample.state) {
            words.push(sample);
        }
    }
    words
}

/// Whether its states are numbers.
pub(super) fn is_numeric(samples: &[Sample]) -> bool {
    let known = samples.iter().filter(|sample| is_known(sample)).count();
    known > 0 && samples.iter().filter_map(number).count() * 10 >= known * 9
}

/// Moments in which something stood otherwise and then as before.
pub(super) fn blinks(samples: &[Sample]) -> Vec<Odd> {
    let words = words(samples);
    let blink = |three: &[&Sample]| match three {
        [before, odd, after]
            if before.state == after.state
                && is_known(before)
                && is_known(odd)
                && after.at.since(odd.at) <= BLINK_MAX =>
        {
            Some(Odd { at: odd.at, until: after.at, kind: OddKind::Blink })
        }
        _ => None,
    };
    let mut blinks: Vec<Odd> = Vec::new();
    for odd in words.windows(3).filter_map(blink) {
        // Off, on, off, on: the on between two offs is not another one.
        if blinks.last().is_none_or(|last| last.until != odd.at) {
            blinks.push(odd);
        }
    }
    blinks
}

/// Moments in which a light was darker and then as before.
pub(super) fn dims(samples: &[Sample]) -> Vec<Odd> {
    let bright = |sample: &Sample| sample.attributes.get("brightness").and_then(serde_json::Value::as_f64);
    let dim = |three: &[Sample]| match three {
        [before, odd, after] => {
            let (was, is, then) = (bright(before)?, bright(odd)?, bright(after)?);
            let is_short = after.at.since(odd.at) <= BLINK_MAX;
            let is_dim = is < was * (1.0 - DIM_PART) && is < then * (1.0 - DIM_PART);
            (is_short && is_dim).then_some(Odd { at: odd.at, until: after.at, kind: OddKind::Dimmed })
        }
        _ => None,
    };
    samples.windows(3).filter_map(dim).collect()
}

/// What a number usually is.
pub(super) fn usual(samples: &[Sample]) -> Option<f64> {
    let values: Vec<f64> = samples.iter().filter_map(number).collect();
    (!values.is_empty()).then(|| median(&values))
}

/// Short moments in which a number was far from what it usually is, and then was again what it usually is.
pub(super) fn strays(samples: &[Sample]) -> Vec<Odd> {
    let values: Vec<f64> = samples.iter().filter_map(number).collect();
    if values.len() < 5 || !is_numeric(samples) {
        return Vec::new();
    }
    let usual = median(&values);
    let spread = median(&values.iter().map(|value| (value - usual).abs()).collect::<Vec<_>>());
    let far = (spread * 6.0).max(usual.abs() * STRAY_PART);
    let mut strays: Vec<Odd> = Vec::new();
    let mut began: Option<(Timestamp, f64)> = None;
    for (index, sample) in samples.iter().enumerate() {
        let Some(value) = number(sample) else {
            began = None;
            continue;
        };
        let is_far = (value - usual).abs() > far;
        match began {
            // What strays from the beginning on may always have.
            None if is_far && index > 0 => began = Some((sample.at, value)),
            Some((at, most)) if is_far && (value - usual).abs() > (most - usual).abs() => began = Some((at, value)),
            Some((at, most)) if !is_far => {
                if sample.at.since(at) <= STRAY_MAX {
                    let kind = if most < usual { OddKind::Dip(most) } else { OddKind::Spike(most) };
                    strays.push(Odd { at, until: sample.at, kind });
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

/// All that was odd, oldest first.
pub(super) fn oddities(samples: &[Sample]) -> Vec<Odd> {
    let mut odd = if is_numeric(samples) { strays(samples) } else { blinks(samples) };
    odd.extend(dims(samples));
    odd.sort_by_key(|odd| odd.at);
    odd
}

/// Times in which nothing was heard of it.
pub(super) fn dropouts(samples: &[Sample]) -> Vec<Dropout> {
    let words = words(samples);
    let mut dropouts: Vec<Dropout> = Vec::new();
    for (number, sample) in words.iter().enumerate() {
        if !is_known(sample) {
            let until = words.get(number + 1).map(|next| next.at);
            match dropouts.last_mut() {
                // Unknown and unavailable in turn are one silence.
                Some(last) if last.until == Some(sample.at) => last.until = until,
                _ => dropouts.push(Dropout { from: sample.at, until }),
            }
        }
    }
    dropouts
}

/// Numbers on the whole.
pub(super) fn numbers(samples: &[Sample], period: Period) -> Option<Numbers> {
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
    Some(Numbers { min: min?, max: max?, mean: sum / weight, first: first?, last: last? })
}

/// How long it stood how, longest first.
pub(super) fn shares(samples: &[Sample], period: Period) -> Vec<(String, Duration)> {
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

/// The last number that was heard.
pub(super) fn last_number(samples: &[Sample]) -> Option<f64> {
    samples.iter().rev().find_map(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(of: &[(i64, &str)]) -> Vec<Sample> {
        let sample = |(at, state): &(i64, &str)| Sample {
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
        assert_eq!(found[0].kind, OddKind::Dip(191.0));
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
