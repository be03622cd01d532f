//! A scale with round marks, from values to positions.

use super::number;

/// The desired number of marks, roughly.
const MARKS: f64 = 5.0;
/// The maximum number of marks, whatever the rounding.
const MARKS_MAX: usize = 12;
/// A smaller range counts as a single value.
const TINY: f64 = 1e-300;

/// A range of numbers with round ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    /// A scale that covers all values, and zero if required.
    pub(super) fn over(values: impl Iterator<Item = f64>, with_zero: bool) -> Self {
        let first = with_zero.then_some((0.0, 0.0));
        let ends = values.fold(first, |ends, value| {
            Some(ends.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value))))
        });
        let (low, high) = apart(ends.unwrap_or((0.0, 1.0)));
        // Halved first: the whole range may overflow.
        let step = round_up((high / 2.0 - low / 2.0) / (MARKS / 2.0));
        let low = ((low / step).floor() * step).max(f64::MIN);
        let high = ((high / step).ceil() * step).min(f64::MAX);
        Self { low, high, step }
    }

    /// The position of a value, from 0 at the low end to 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        ((value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)).clamp(0.0, 1.0)
    }

    /// The marks: their positions and their labels.
    pub(super) fn marks(&self) -> Vec<(f64, String)> {
        let count = ((self.high / 2.0 - self.low / 2.0) / (self.step / 2.0)).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of marks")]
        let count = (count as usize).clamp(1, MARKS_MAX);
        let size = self.low.abs().max(self.high.abs());
        let mark = |n: usize| {
            let place = n as f64 / count as f64;
            let value = self.low * (1.0 - place) + self.high * place;
            (place, number::on_scale(value, self.step, size))
        };
        (0..=count).map(mark).collect()
    }
}

/// Widens a range that is too small to draw.
fn apart((low, high): (f64, f64)) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if high / 2.0 - low / 2.0 > (size * 1e-12).max(TINY) {
        return (low, high);
    }
    let space = if size < TINY { 1.0 } else { size / 2.0 };
    ((low - space).max(f64::MIN), (high + space).min(f64::MAX))
}

/// The next number that is 1, 2 or 5 times a power of ten.
fn round_up(number: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "no number has more than some hundreds of digits")]
    let power = 10f64.powi(number.log10().floor() as i32);
    let times = [1.0, 2.0, 5.0].into_iter().find(|times| number <= times * power * (1.0 + 1e-9));
    times.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marks(values: &[f64], with_zero: bool) -> Vec<String> {
        Scale::over(values.iter().copied(), with_zero).marks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn marks_are_round() {
        assert_eq!(marks(&[3.0, 97.0], true), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(marks(&[12.1, 12.9], false), ["12.0", "12.2", "12.4", "12.6", "12.8", "13.0"]);
        assert_eq!(marks(&[-4.0, 4.0], true), ["-4", "-2", "0", "2", "4"]);
        assert_eq!(marks(&[7.0], false), ["2", "4", "6", "8", "10", "12"]);
        assert_eq!(marks(&[0.0, 0.0], false).len(), 5);
    }

    proptest! {
        #[test]
        fn all_numbers_have_a_place(values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, 1..6), with_zero: bool) {
            let scale = Scale::over(values.iter().copied(), with_zero);
            for value in values {
                let place = scale.place(value);
                prop_assert!((0.0..=1.0).contains(&place), "{value} at {place} of {scale:?}");
            }
            let marks = scale.marks();
            prop_assert!(marks.len() <= MARKS_MAX + 1);
            prop_assert!(marks.iter().all(|(place, text)| place.is_finite() && text.len() < 24), "{marks:?}");
        }
    }
}
