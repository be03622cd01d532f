//! Operations on single values and rows between the multiplications. They are plain loops without
//! branches, which the compiler vectorises for the registers that
//! [`Machine`](super::matrix::Machine) has detected.

use super::matrix::Machine;

/// Sums are kept in this many lanes, because a single sum is a chain that cannot be vectorised.
const LANES: usize = 16;
/// The usual one of [`Norm::epsilon`].
pub(super) const EPSILON: f32 = 1e-12;

/// `x·Φ(x)` of every value, where Φ is the normal distribution.
pub(super) fn gelu(machine: Machine, values: &mut [f32]) {
    machine.arch.dispatch(
        #[inline(always)]
        || {
            for value in values {
                *value = 0.5 * *value * (1.0 + erf(*value * std::f32::consts::FRAC_1_SQRT_2));
            }
        },
    );
}

/// Softmax of every row.
pub(super) fn softmax(machine: Machine, values: &mut [f32], columns: usize) {
    machine.arch.dispatch(
        #[inline(always)]
        || {
            for row in values.chunks_exact_mut(columns) {
                let max = fold(row, f32::NEG_INFINITY, |max, value| if value > max { value } else { max });
                for value in row.iter_mut() {
                    *value = exp(*value - max);
                }
                let scale = fold(row, 0.0, |sum, value| sum + value).recip();
                for value in row.iter_mut() {
                    *value *= scale;
                }
            }
        },
    );
}

/// Adds the output of a layer to each row, then applies layer normalization with the learned scale.
pub(super) fn add_and_norm(machine: Machine, rows: &mut [f32], added: &[f32], norm: &Norm) {
    machine.arch.dispatch(
        #[inline(always)]
        || {
            let columns = norm.weight.len();
            for (row, added) in rows.chunks_exact_mut(columns).zip(added.chunks_exact(columns)) {
                for (value, added) in row.iter_mut().zip(added) {
                    *value += added;
                }
                norm_row(row, norm);
            }
        },
    );
}

/// Layer normalization of each row.
pub(super) fn norm(machine: Machine, rows: &mut [f32], norm: &Norm) {
    machine.arch.dispatch(
        #[inline(always)]
        || rows.chunks_exact_mut(norm.weight.len()).for_each(|row| norm_row(row, norm)),
    );
}

/// Negative values become zero.
pub(super) fn relu(machine: Machine, values: &mut [f32]) {
    machine.arch.dispatch(
        #[inline(always)]
        || {
            for value in values {
                *value = if *value > 0.0 { *value } else { 0.0 };
            }
        },
    );
}

/// The learned parameters of a layer normalization.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
    /// Keeps the variance of a constant row away from zero. The model was trained with it.
    pub(super) epsilon: f32,
}

#[inline(always)]
fn norm_row(row: &mut [f32], norm: &Norm) {
    #[allow(clippy::cast_precision_loss, reason = "a row has some hundred values")]
    let share = (row.len() as f32).recip();
    let mean = fold(row, 0.0, |sum, value| sum + value) * share;
    for value in row.iter_mut() {
        *value -= mean;
    }
    let variance = fold_squares(row) * share;
    let scale = (variance + norm.epsilon).sqrt().recip();
    for ((value, weight), bias) in row.iter_mut().zip(&norm.weight).zip(&norm.bias) {
        *value = *value * scale * weight + bias;
    }
}

/// Folds a row in lanes, then the lanes.
#[inline(always)]
fn fold(row: &[f32], start: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [start; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = join(*lane, *value);
        }
    }
    lanes.iter().chain(rest).fold(start, |folded, value| join(folded, *value))
}

#[inline(always)]
fn fold_squares(row: &[f32]) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += *value * *value;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|value| value * value).sum::<f32>()
}

/// The error function to 2e-7, by formula 7.1.26 of Abramowitz and Stegun.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let z = x.abs();
    let t = (1.0 + 0.327_591_1 * z).recip();
    let polynomial = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152_1 + t * 1.061_405_4))));
    (1.0 - polynomial * exp(-z * z)).copysign(x)
}

/// The exponential function to a few units in the last place: a power of two by shifting, the rest
/// by its series.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Added to a small number, this leaves the nearest integer in the lowest bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    /// The natural logarithm of 2 in two parts. The first has few digits, so that its integer
    /// multiples are exact.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    // Beyond these values the power of two is not a normal number.
    let x = if x > 88.0 { 88.0 } else { x };
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + TO_WHOLE;
    let whole = shifted - TO_WHOLE;
    let rest = (x - whole * LN_2.0) - whole * LN_2.1;
    let series = 1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0)));
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * series));
    // The exponent of a float starts at bit 23 and has a bias of 127. Higher bits are shifted out.
    series * f32::from_bits((shifted.to_bits().wrapping_add(127)) << 23)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    #[test]
    fn the_error_function_has_its_known_values() {
        for (x, wanted) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (9.0, 1.0)] {
            assert!((erf(x) - wanted).abs() < 4e-7, "{x}: {}", erf(x));
            assert!((erf(-x) + wanted).abs() < 4e-7, "-{x}: {}", erf(-x));
        }
        let mut values = [-1.0, 0.0, 1.0, -30.0, 30.0];
        gelu(Machine::find(), &mut values);
        for (value, wanted) in values.iter().zip([-0.158_655_26, 0.0, 0.841_344_7, 0.0, 30.0]) {
            assert!((value - wanted).abs() < 1e-6, "{value} {wanted}");
        }
    }

    proptest! {
        #[test]
        fn the_exponential_is_near_the_exact_one(x in -86.0_f32..87.0) {
            let wanted = f64::from(x).exp();
            prop_assert!(((f64::from(exp(x)) - wanted) / wanted).abs() < 1e-6);
        }

        #[test]
        fn a_softmax_is_a_distribution_in_the_same_order(row in vec(-200.0_f32..200.0, 1..60)) {
            let mut shares = row.clone();
            softmax(Machine::find(), &mut shares, row.len());
            prop_assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            for (a, b) in (0..row.len()).zip(1..row.len()) {
                prop_assert!(row[a] < row[b] || shares[a] >= shares[b]);
            }
        }

        #[test]
        fn rows_come_to_mean_and_scale(row in vec(-9.0_f32..9.0, 8..60), lift in -3.0_f32..3.0) {
            let norm = Norm { weight: vec![2.0; row.len()], bias: vec![lift; row.len()], epsilon: EPSILON };
            let mut normed = row.clone();
            normed[0] += 20.0;
            add_and_norm(Machine::find(), &mut normed, &row, &norm);
            let share = 1.0 / normed.len() as f32;
            let mean = normed.iter().sum::<f32>() * share;
            let variance = normed.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() * share;
            prop_assert!((mean - lift).abs() < 1e-4 && (variance - 4.0).abs() < 1e-3, "{mean} {variance}");
        }
    }
}
