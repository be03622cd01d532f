//! Numbers of the calculator: exact fractions while they fit, so that 0.1 + 0.2 is 0.3, and
//! floating point beyond that.

use std::{cmp::Ordering, fmt};

/// Digits after the decimal point of a fraction with infinitely many digits.
const DIGITS_ROUNDED: u32 = 15;
/// Digits after the decimal point of a fraction with finitely many digits.
const DIGITS_EXACT_MAX: usize = 30;
/// Larger exponents are computed in floating point.
const POWER_MAX: u32 = 1_024;
/// Smaller results of sine and cosine are rounded to zero.
const ALMOST_ZERO: f64 = 1e-15;

/// A number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    /// A fraction in lowest terms with a positive denominator.
    Exact(i128, i128),
    /// A floating-point number; never infinite, never NaN.
    Rough(f64),
}

/// Why an operation has no result.
pub(super) type MathError = &'static str;

pub(super) const BY_ZERO: MathError = "this divides by zero";
const TOO_LARGE: MathError = "the result is too large";
const NOT_REAL: MathError = "this has no real value";

impl Number {
    pub(super) const fn whole(value: i128) -> Self {
        Self::Exact(value, 1)
    }

    /// Parses digits with at most one decimal point and an exponent.
    pub(super) fn read(text: &str) -> Result<Self, MathError> {
        Self::read_exactly(text).map_or_else(|| Self::rough(text.parse().map_err(|_| "this is not a number")?), Ok)
    }

    fn read_exactly(text: &str) -> Option<Self> {
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let value: i128 = format!("{whole}{fraction}").parse().ok()?;
        let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let power = 10i128.checked_pow(shift.unsigned_abs())?;
        if shift >= 0 { value.checked_mul(power).map(Self::whole) } else { Self::fraction(value, power) }
    }

    /// A floating-point result, unless it is infinite or NaN.
    pub(super) fn rough(value: f64) -> Result<Self, MathError> {
        if value.is_nan() {
            return Err(NOT_REAL);
        }
        if value.is_infinite() {
            return Err(TOO_LARGE);
        }
        Ok(Self::Rough(value))
    }

    /// A fraction in lowest terms, if it fits.
    fn fraction(above: i128, below: i128) -> Option<Self> {
        let divisor = i128::try_from(gcd(above.unsigned_abs(), below.unsigned_abs())).ok()?;
        let divisor = if below < 0 { divisor.checked_neg()? } else { divisor };
        if divisor == 0 {
            return None;
        }
        Some(Self::Exact(above.checked_div(divisor)?, below.checked_div(divisor)?))
    }

    #[allow(clippy::cast_precision_loss, reason = "this is where precision is given up")]
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Self::Exact(above, below) => above as f64 / below as f64,
            Self::Rough(value) => value,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.as_f64() == 0.0
    }

    pub(super) fn add(self, other: Self) -> Result<Self, MathError> {
        self.both(other, |a, b, c, d| {
            Self::fraction(a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?, b.checked_mul(d)?)
        })
        .map_or_else(|| Self::rough(self.as_f64() + other.as_f64()), Ok)
    }

    pub(super) fn negate(self) -> Result<Self, MathError> {
        match self {
            Self::Exact(above, below) if above != i128::MIN => Ok(Self::Exact(-above, below)),
            number => Self::rough(-number.as_f64()),
        }
    }

    pub(super) fn subtract(self, other: Self) -> Result<Self, MathError> {
        self.add(other.negate()?)
    }

    pub(super) fn multiply(self, other: Self) -> Result<Self, MathError> {
        self.both(other, |a, b, c, d| Self::fraction(a.checked_mul(c)?, b.checked_mul(d)?))
            .map_or_else(|| Self::rough(self.as_f64() * other.as_f64()), Ok)
    }

    pub(super) fn divide(self, other: Self) -> Result<Self, MathError> {
        if other.is_zero() {
            return Err(BY_ZERO);
        }
        self.both(other, |a, b, c, d| Self::fraction(a.checked_mul(d)?, b.checked_mul(c)?))
            .map_or_else(|| Self::rough(self.as_f64() / other.as_f64()), Ok)
    }

    /// The remainder; it has the sign of the divisor.
    pub(super) fn remainder(self, other: Self) -> Result<Self, MathError> {
        self.subtract(other.multiply(self.divide(other)?.floor()?)?)
    }

    pub(super) fn power(self, exponent: Self) -> Result<Self, MathError> {
        if self.is_zero() && exponent.as_f64() < 0.0 {
            return Err(BY_ZERO);
        }
        let exact = match (self, exponent) {
            (Self::Exact(above, below), Self::Exact(exponent, 1)) => whole_power(above, below, exponent),
            _ => None,
        };
        exact.map_or_else(|| Self::rough(self.as_f64().powf(exponent.as_f64())), Ok)
    }

    pub(super) fn floor(self) -> Result<Self, MathError> {
        match self {
            Self::Exact(above, below) => Ok(Self::whole(above.div_euclid(below))),
            Self::Rough(value) => Self::rough(value.floor()),
        }
    }

    /// Rounds to the nearest whole number; halves are rounded away from zero.
    pub(super) fn round(self) -> Result<Self, MathError> {
        match self {
            Self::Exact(above, below) => {
                let (whole, rest) = (above / below, above % below);
                let is_half_or_more = rest.unsigned_abs() >= below.unsigned_abs().div_ceil(2);
                Ok(Self::whole(if is_half_or_more { whole + rest.signum() } else { whole }))
            }
            Self::Rough(value) => Self::rough(value.round()),
        }
    }

    pub(super) fn sqrt(self) -> Result<Self, MathError> {
        if let Self::Exact(above, below) = self
            && let (Some(root_above), Some(root_below)) = (above.checked_isqrt(), below.checked_isqrt())
            && root_above * root_above == above
            && root_below * root_below == below
        {
            return Ok(Self::Exact(root_above, root_below));
        }
        Self::rough(self.as_f64().sqrt())
    }

    /// Applies a floating-point function; results within the rounding error of zero become zero.
    pub(super) fn through(self, function: impl FnOnce(f64) -> f64) -> Result<Self, MathError> {
        let value = function(self.as_f64());
        Self::rough(if value.abs() < ALMOST_ZERO { 0.0 } else { value })
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        let exactly = match (self, other) {
            (Self::Exact(a, b), Self::Exact(c, d)) => {
                a.checked_mul(d).zip(c.checked_mul(b)).map(|(one, other)| one.cmp(&other))
            }
            _ => None,
        };
        exactly.unwrap_or_else(|| self.as_f64().total_cmp(&other.as_f64()))
    }

    fn both(self, other: Self, combine: impl FnOnce(i128, i128, i128, i128) -> Option<Self>) -> Option<Self> {
        match (self, other) {
            (Self::Exact(a, b), Self::Exact(c, d)) => combine(a, b, c, d),
            _ => None,
        }
    }

    /// Whether the printed digits are the exact value.
    pub(super) fn is_shown_exactly(self) -> bool {
        matches!(self, Self::Exact(above, below) if decimal(above, below).is_some())
    }
}

/// Powers of fractions, as long as they fit.
fn whole_power(above: i128, below: i128, exponent: i128) -> Option<Number> {
    let times = u32::try_from(exponent.unsigned_abs()).ok().filter(|times| *times <= POWER_MAX)?;
    let (above, below) = (above.checked_pow(times)?, below.checked_pow(times)?);
    if exponent < 0 { Number::fraction(below, above) } else { Some(Number::Exact(above, below)) }
}

fn gcd(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// All digits of a fraction, if they end soon enough.
fn decimal(above: i128, below: i128) -> Option<String> {
    let (size, below) = (above.unsigned_abs(), below.unsigned_abs());
    let (whole, mut rest) = (size / below, size % below);
    let mut digits = String::new();
    while rest != 0 {
        if digits.len() == DIGITS_EXACT_MAX {
            return None;
        }
        rest = rest.checked_mul(10)?;
        digits.push(char::from_digit(u32::try_from(rest / below).ok()?, 10)?);
        rest %= below;
    }
    let sign = if above < 0 { "-" } else { "" };
    let point = if digits.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{digits}"))
}

/// The digits that floating point can represent reliably, without trailing zeros.
fn rounded(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e15).contains(&size) {
        // Fifteen significant digits, then the shortest form.
        let shorter = format!("{value:.14e}").parse::<f64>().unwrap_or(value);
        return format!("{shorter:e}");
    }
    let before_point = if size < 1.0 { 0 } else { format!("{size:.0}").len() };
    let after_point = (DIGITS_ROUNDED as usize).saturating_sub(before_point);
    let text = format!("{value:.after_point$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    (if text == "-0" { "0" } else { text }).to_owned()
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = match *self {
            Self::Exact(above, below) => decimal(above, below),
            Self::Rough(_) => None,
        };
        f.write_str(&exact.unwrap_or_else(|| rounded(self.as_f64())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (number, expected) in [
            (Number::Exact(3, 10), "0.3"),
            (Number::Exact(-7, 4), "-1.75"),
            (Number::Exact(1, 3), "0.333333333333333"),
            (Number::Exact(200, 3), "66.6666666666667"),
            (Number::whole(i128::MAX), "170141183460469231731687303715884105727"),
            (Number::whole(i128::MIN), "-170141183460469231731687303715884105728"),
            (Number::Rough(2.0), "2"),
            (Number::Rough(-0.0), "0"),
            (Number::Rough(std::f64::consts::PI), "3.14159265358979"),
            (Number::Rough(1e300), "1e300"),
            (Number::Rough(1.5e-9), "1.5e-9"),
            (Number::Exact(1, i128::MAX), "5.87747175411144e-39"),
        ] {
            assert_eq!(number.to_string(), expected);
        }
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (above, below, expected) in
            [(5, 2, 3), (-5, 2, -3), (7, 3, 2), (8, 3, 3), (-8, 3, -3), (1, 2, 1), (9, 20, 0)]
        {
            assert_eq!(
                Number::Exact(above, below).round().unwrap().to_string(),
                expected.to_string(),
                "{above}/{below}"
            );
        }
    }
}
