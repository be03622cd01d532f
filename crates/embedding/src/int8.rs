//! Matrix multiplication with 8-bit integers, on CPUs that have an instruction for it (AVX-512
//! VNNI).
//!
//! Weights are quantized to 255 steps per output when they are loaded, inputs to 255 steps per row
//! before each multiplication. One instruction then multiplies and adds 64 pairs, four times as
//! many as with floats, and the sums are exact. The instruction needs one unsigned operand, so 128
//! is added to every weight, and 128 times the sum of a row's inputs is subtracted again.

use pulp::Arch;

use super::matrix::blocks;

/// Columns per register.
const LANES: usize = 16;
/// Registers per panel.
const VECTORS: usize = 2;
/// Columns per panel.
const WIDTH: usize = LANES * VECTORS;
/// Rows that are computed at once: their sums, the weights and an input fit into 32 registers.
const ROWS_MAX: usize = 12;
/// Values per 32-bit word.
const PER_WORD: usize = 4;
/// Quantized values are between the negative of this and this.
const STEPS: f32 = 127.0;
/// Added to a weight to make it unsigned.
const OFFSET: i32 = 128;
/// Added to a small number, this leaves the nearest integer in the lowest bits.
const TO_WHOLE: f32 = 12_582_912.0;

/// Whether this CPU supports it.
pub(super) fn is_available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512vnni")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Whether a layer with this many inputs can be multiplied: they are taken four at a time.
pub(super) const fn fits(depth: usize) -> bool {
    depth > 0 && depth.is_multiple_of(PER_WORD)
}

/// A word of four weights for each column of a register.
type PackedWeights = [i32; LANES];

/// The right operand: panels of [`WIDTH`] columns, each from top to bottom, four rows at a time.
#[derive(Debug)]
pub(super) struct Int8Weights {
    depth: usize,
    columns: usize,
    values: Vec<[PackedWeights; VECTORS]>,
    /// Factor of each sum, and the bias added after it.
    scale: Vec<[f32; WIDTH]>,
    bias: Vec<[f32; WIDTH]>,
}

impl Int8Weights {
    /// Quantizes the weights of a layer, which have one row per output.
    pub(super) fn new(weights: &[f32], bias: &[f32]) -> Self {
        let (columns, depth) = (bias.len(), weights.len() / bias.len().max(1));
        let panels = columns.div_ceil(WIDTH);
        let steps: Vec<f32> = weights.chunks_exact(depth).map(step).collect();
        let word = |column: usize, group: usize| {
            let Some(step) = steps.get(column) else { return 0 };
            let four = &weights[column * depth + group * PER_WORD..][..PER_WORD];
            i32::from_le_bytes(std::array::from_fn(|at| {
                // 1 to 255, since a step is 1/127 of the largest value.
                ((four[at] / step).round() as i32 + OFFSET) as u8
            }))
        };
        let mut values = Vec::with_capacity(panels * depth / PER_WORD);
        for panel in 0..panels {
            for group in 0..depth / PER_WORD {
                values.push(std::array::from_fn(|vector| {
                    std::array::from_fn(|lane| word(panel * WIDTH + vector * LANES + lane, group))
                }));
            }
        }
        let in_panels = |from: &[f32]| {
            let value = |at: usize| from.get(at).copied().unwrap_or_default();
            (0..panels).map(|panel| std::array::from_fn(|at| value(panel * WIDTH + at))).collect()
        };
        Self { depth, columns, values, scale: in_panels(&steps), bias: in_panels(bias) }
    }

    /// Number of columns.
    pub(super) const fn columns(&self) -> usize {
        self.columns
    }
}

/// The size of a quantization step for these values.
fn step(values: &[f32]) -> f32 {
    let peak = values.iter().fold(0.0_f32, |peak, value| peak.max(value.abs()));
    peak.max(f32::MIN_POSITIVE) / STEPS
}

/// The left operand: rows of quantized inputs, in blocks of rows, each from left to right, four
/// values at a time.
#[derive(Debug, Default)]
pub(super) struct Rows {
    depth: usize,
    values: Vec<i32>,
    /// The step of each row.
    steps: Vec<f32>,
    /// The sum of each row in steps.
    sums: Vec<i32>,
    /// The row that is being quantized.
    row: Vec<[u8; PER_WORD]>,
}

impl Rows {
    /// Quantizes rows of `depth` values.
    pub(super) fn fill(&mut self, arch: Arch, from: &[f32], depth: usize) {
        let (count, words) = (from.len() / depth, depth / PER_WORD);
        self.depth = depth;
        self.values.resize(count * words, 0);
        self.row.resize(words, [0; PER_WORD]);
        self.steps.clear();
        self.sums.clear();
        arch.dispatch(
            #[inline(always)]
            || {
                for (first, rows) in blocks(count, ROWS_MAX) {
                    let block = &mut self.values[first * words..][..rows * words];
                    for row in 0..rows {
                        let from = &from[(first + row) * depth..][..depth];
                        let (step, sum) = round_row(from, self.row.as_flattened_mut());
                        for (places, word) in block.chunks_exact_mut(rows).zip(&self.row) {
                            places[row] = i32::from_le_bytes(*word);
                        }
                        self.steps.push(step);
                        self.sums.push(sum);
                    }
                }
            },
        );
    }
}

/// Quantizes a row. Returns its step, and its sum in steps.
#[inline(always)]
fn round_row(row: &[f32], places: &mut [u8]) -> (f32, i32) {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut peaks = [0.0_f32; LANES];
    for chunk in chunks {
        for (peak, value) in peaks.iter_mut().zip(chunk) {
            let size = value.abs();
            *peak = if size > *peak { size } else { *peak };
        }
    }
    let larger = |peak: f32, size: f32| if size > peak { size } else { peak };
    let peak = rest.iter().map(|value| value.abs()).fold(peaks.into_iter().fold(0.0, larger), larger);
    let step = peak.max(f32::MIN_POSITIVE) / STEPS;
    let scale = step.recip();
    // For a row of zeros the scale is infinite.
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let mut sums = [0_i32; LANES];
    let (place_chunks, place_rest) = places.as_chunks_mut::<LANES>();
    for (chunk, places) in chunks.iter().zip(place_chunks) {
        for ((value, place), sum) in chunk.iter().zip(places).zip(&mut sums) {
            let whole = (value * scale + TO_WHOLE).to_bits() as i8;
            *place = whole as u8;
            *sum += i32::from(whole);
        }
    }
    let mut sum: i32 = sums.iter().sum();
    for (value, place) in rest.iter().zip(place_rest) {
        let whole = (value * scale + TO_WHOLE).to_bits() as i8;
        *place = whole as u8;
        sum += i32::from(whole);
    }
    (step, sum)
}

/// Multiplies into `out`, row after row.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "what a processor can do is known only when the program runs")]
pub(super) fn multiply(left: &Rows, right: &Int8Weights, out: &mut [f32]) {
    assert!(is_available(), "this machine does not multiply in eight bits");
    // SAFETY: the features that the function needs were checked just before.
    unsafe { vnni::multiply(left, right, out) }
}

/// Never called, since the feature is not available.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn multiply(_: &Rows, _: &Int8Weights, _: &mut [f32]) {
    unreachable!("this machine does not multiply in eight bits")
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    use std::arch::x86_64::{
        __m512, __m512i, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_mul_ps, _mm512_set1_epi32,
        _mm512_set1_ps, _mm512_setzero_si512, _mm512_sub_epi32,
    };

    use pulp::cast;

    use super::{Int8Weights, LANES, OFFSET, PER_WORD, PackedWeights, ROWS_MAX, Rows, VECTORS, WIDTH, blocks};

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn multiply(left: &Rows, right: &Int8Weights, out: &mut [f32]) {
        let words = right.depth / PER_WORD;
        let (rows, stride) = (left.steps.len(), right.columns);
        for (panel, values) in right.values.chunks_exact(words).enumerate() {
            let start = panel * WIDTH;
            let place = (stride, WIDTH.min(stride - start));
            for (first, count) in blocks(rows, ROWS_MAX) {
                let tile = Tile {
                    inputs: &left.values[first * words..][..count * words],
                    steps: &left.steps[first..][..count],
                    sums: &left.sums[first..][..count],
                    values,
                    scale: &right.scale[panel],
                    bias: &right.bias[panel],
                };
                let out = &mut out[first * stride + start..];
                // The number of rows must be a constant, so that the sums stay in registers.
                match count {
                    1 => tile.multiply::<1>(out, place),
                    2 => tile.multiply::<2>(out, place),
                    3 => tile.multiply::<3>(out, place),
                    4 => tile.multiply::<4>(out, place),
                    5 => tile.multiply::<5>(out, place),
                    6 => tile.multiply::<6>(out, place),
                    7 => tile.multiply::<7>(out, place),
                    8 => tile.multiply::<8>(out, place),
                    9 => tile.multiply::<9>(out, place),
                    10 => tile.multiply::<10>(out, place),
                    11 => tile.multiply::<11>(out, place),
                    _ => tile.multiply::<ROWS_MAX>(out, place),
                }
            }
        }
    }

    /// A block of rows times a panel of columns.
    struct Tile<'a> {
        inputs: &'a [i32],
        steps: &'a [f32],
        sums: &'a [i32],
        values: &'a [[PackedWeights; VECTORS]],
        scale: &'a [f32; WIDTH],
        bias: &'a [f32; WIDTH],
    }

    impl Tile<'_> {
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
        #[inline]
        fn multiply<const ROWS: usize>(&self, out: &mut [f32], (stride, used): (usize, usize)) {
            let mut sums: [[__m512i; VECTORS]; ROWS] = [[_mm512_setzero_si512(); VECTORS]; ROWS];
            for (inputs, weights) in self.inputs.as_chunks::<ROWS>().0.iter().zip(self.values) {
                let weights: [__m512i; VECTORS] = [cast(weights[0]), cast(weights[1])];
                for row in 0..ROWS {
                    let input = _mm512_set1_epi32(inputs[row]);
                    for vector in 0..VECTORS {
                        sums[row][vector] = _mm512_dpbusd_epi32(sums[row][vector], weights[vector], input);
                    }
                }
            }
            let (scales, biases) = (self.scale.as_chunks::<LANES>().0, self.bias.as_chunks::<LANES>().0);
            for row in 0..ROWS {
                let step = _mm512_set1_ps(self.steps[row]);
                let offset = _mm512_set1_epi32(OFFSET * self.sums[row]);
                let out = &mut out[row * stride..][..used];
                for vector in 0..VECTORS {
                    let sum = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums[row][vector], offset));
                    let scale: __m512 = _mm512_mul_ps(cast(scales[vector]), step);
                    let values: [f32; LANES] = cast(_mm512_fmadd_ps(sum, scale, cast(biases[vector])));
                    match out[(vector * LANES).min(used)..].first_chunk_mut::<LANES>() {
                        Some(whole) => *whole = values,
                        None => {
                            for (place, value) in out[(vector * LANES).min(used)..].iter_mut().zip(values) {
                                *place = value;
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        #[test]
        fn products_are_near_those_of_the_definition((rows, depth, columns, left, weights) in
            (1_usize..30, 1_usize..20, 1_usize..70).prop_flat_map(|(rows, words, columns)| {
                let depth = words * PER_WORD;
                let sides = (vec(-1.0_f32..1.0, rows * depth), vec(-1.0_f32..1.0, depth * columns));
                (Just(rows), Just(depth), Just(columns), sides.0, sides.1)
            })
        ) {
            if is_available() {
                let bias: Vec<f32> = weights.iter().copied().cycle().take(columns).collect();
                let right = Int8Weights::new(&weights, &bias);
                let mut rounded = Rows::default();
                rounded.fill(Arch::new(), &left, depth);
                let mut out = vec![7.0; rows * columns];
                multiply(&rounded, &right, &mut out);
                // Each operand is off by at most half a step of 1/127.
                let off = depth as f32 * (1.0 / 127.0) + 1e-4;
                for (row, out) in out.chunks(columns).enumerate() {
                    for (column, out) in out.iter().enumerate() {
                        let terms = (0..depth).map(|at| left[row * depth + at] * weights[column * depth + at]);
                        let wanted = terms.sum::<f32>() + bias[column];
                        prop_assert!((out - wanted).abs() <= off, "{out} {wanted}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_row_of_noughts_stays_one() {
        let mut rounded = Rows::default();
        rounded.fill(Arch::new(), &[0.0; 8], 8);
        assert_eq!((rounded.values, rounded.sums), (vec![0; 2], vec![0]));
    }
}
