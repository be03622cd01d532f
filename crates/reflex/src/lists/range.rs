//! Number ranges.

use serde_json::{Number, Value};

use crate::error::GrammarProblem;
use crate::source::{self, Fractions};

/// Larger ranges have no number words.
const MOST_WORDS: usize = 20_000;

/// A range of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberRange {
    from: i64,
    to: i64,
    step: i64,
    fractions: Option<Fractions>,
    multiplier: Option<f64>,
    pub digits: bool,
    pub words: bool,
    pub words_language: Option<String>,
}

/// A number in tenths: that is exact enough for a home, and tenths compare exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tenths(pub i64);

impl NumberRange {
    pub(crate) fn new(range: &source::RangeSource) -> Result<Self, GrammarProblem> {
        let step = range.step.unwrap_or(1.0);
        let whole = |number: f64| (number.abs() < 1e12).then_some(number.trunc() as i64);
        let found = (whole(range.from), whole(range.to), whole(step));
        match found {
            (Some(from), Some(to), Some(step)) if from <= to && step > 0 => Ok(Self {
                from,
                to,
                step,
                fractions: range.fractions,
                multiplier: range.multiplier,
                digits: range.digits,
                words: range.words,
                words_language: range.words_language.clone(),
            }),
            _ => Err(GrammarProblem::EmptyRange(range.from.to_string(), range.to.to_string(), step.to_string())),
        }
    }

    /// `{0..100}`, `{0..100,5}`: an inline range.
    pub(crate) fn inline(name: &str) -> Option<Self> {
        let (from, rest) = name.split_once("..")?;
        let (to, step) = rest.split_once(',').unwrap_or((rest, "1"));
        let range = source::RangeSource {
            from: from.parse().ok()?,
            to: to.parse().ok()?,
            step: Some(step.parse().ok()?),
            fractions: None,
            multiplier: None,
            digits: true,
            words: true,
            words_language: None,
        };
        Self::new(&range).ok()
    }

    /// Whether its numbers may have a fraction.
    pub(crate) const fn has_fractions(&self) -> bool {
        self.fractions.is_some()
    }

    pub(crate) const fn holds(&self, number: Tenths) -> bool {
        let (whole, fraction) = (number.0.div_euclid(10), number.0.rem_euclid(10));
        let is_fraction_allowed = match self.fractions {
            None => fraction == 0,
            Some(Fractions::Halves) => fraction == 0 || fraction == 5,
            Some(Fractions::Tenths) => true,
        };
        is_fraction_allowed && self.from <= whole && whole <= self.to && (whole - self.from) % self.step == 0
    }

    /// Its numbers, if there are not too many.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Tenths> + '_ {
        let fractions: &[i64] = match self.fractions {
            None => &[0],
            Some(Fractions::Halves) => &[0, 5],
            Some(Fractions::Tenths) => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        };
        let step = usize::try_from(self.step).unwrap_or(usize::MAX);
        let wholes = (self.from..=self.to).step_by(step);
        wholes.flat_map(move |whole| fractions.iter().map(move |part| Tenths(whole * 10 + part))).take(MOST_WORDS)
    }

    /// The value of the slot.
    pub(crate) fn value(&self, number: Tenths) -> Value {
        let value = number.0 as f64 / 10.0 * self.multiplier.unwrap_or(1.0);
        if value.fract() == 0.0 && value.abs() < 1e15 {
            return Value::from(value as i64);
        }
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn range(json: Value) -> NumberRange {
        NumberRange::new(&serde_json::from_value(json).unwrap()).unwrap()
    }

    #[test]
    fn ranges_hold_their_steps_and_fractions() {
        let halves = range(json!({"from": 0, "to": 100, "fractions": "halves"}));
        assert!(halves.holds(Tenths(205)) && halves.holds(Tenths(200)) && !halves.holds(Tenths(203)));
        let steps = range(json!({"from": 1000, "to": 10000, "step": 100}));
        assert!(steps.holds(Tenths(27_000)) && !steps.holds(Tenths(27_010)) && !steps.holds(Tenths(100_100)));
        assert_eq!(steps.numbers().count(), 91);
        assert!(NumberRange::inline("0..20,5").unwrap().holds(Tenths(150)));
        assert!(NumberRange::inline("name").is_none());
    }

    #[test]
    fn values_are_whole_where_they_can_be() {
        let minutes = range(json!({"from": 0, "to": 100, "fractions": "halves", "multiplier": 60}));
        assert_eq!(minutes.value(Tenths(55)), json!(330));
        let degrees = range(json!({"from": 0, "to": 100, "fractions": "halves"}));
        assert_eq!(degrees.value(Tenths(205)), json!(20.5));
    }
}
