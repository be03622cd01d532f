//! Matrix multiplication, which is nearly all the work of a model.
//!
//! Both operands are first laid out in the order in which they are read. For weights this happens
//! once, when they are loaded. A short text is therefore fast: its weights are read once, and there
//! is nothing else to do. The inner loop is generic over the width of registers, which is detected
//! at run time.

use pulp::{Arch, Simd, WithSimd};

use super::int8;

/// Rows that are computed at once on CPUs with many wide registers.
const ROWS_MAX: usize = 12;

/// From this many weights on, they are stored in 8 bits each: for a short text, reading them from
/// memory takes the most time.
const EIGHT_MIN: usize = 64 * 1024;

/// The registers of this CPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    pub(super) arch: Arch,
    /// Columns per panel.
    width: usize,
    /// Rows that are computed at once.
    rows_max: usize,
    /// Whether it has 8-bit multiplication.
    pub(super) has_int8: bool,
}

impl Machine {
    /// Detects the features of this CPU.
    pub(super) fn find() -> Self {
        struct Lanes;
        impl WithSimd for Lanes {
            type Output = (usize, usize);

            fn with_simd<S: Simd>(self, _: S) -> Self::Output {
                (width::<S>(), rows_max::<S>())
            }
        }
        let arch = Arch::new();
        let (width, rows_max) = arch.dispatch(Lanes);
        Self { arch, width, rows_max, has_int8: int8::is_available() }
    }
}

/// Two registers if they are wide, else as many as make 16 columns.
const fn vectors<S: Simd>() -> usize {
    match S::F32_LANES {
        16 => 2,
        lanes => 16_usize.div_ceil(lanes),
    }
}

const fn width<S: Simd>() -> usize {
    vectors::<S>() * S::F32_LANES
}

const fn rows_max<S: Simd>() -> usize {
    match S::F32_LANES {
        16 => ROWS_MAX,
        // As many sums as there are registers for them.
        4.. => 6,
        _ => 2,
    }
}

/// The right operand: panels of columns, each from top to bottom.
#[derive(Debug, Default)]
pub(super) struct Panels {
    depth: usize,
    columns: usize,
    width: usize,
    values: PanelValues,
    /// Factor of each sum, for as many columns as the panels have.
    scale: Vec<f32>,
    /// Added to each sum.
    bias: Vec<f32>,
}

/// Floats, or 8-bit integers with a scale per column.
#[derive(Debug)]
enum PanelValues {
    Full(Vec<f32>),
    Eight(Vec<i8>),
}

impl Default for PanelValues {
    fn default() -> Self {
        Self::Full(Vec::new())
    }
}

impl Panels {
    /// Lays out a matrix of `depth` rows. `value` returns the element at a row and a column.
    pub(super) fn fill(
        &mut self,
        machine: Machine,
        (depth, columns): (usize, usize),
        value: impl Fn(usize, usize) -> f32,
    ) {
        let width = machine.width;
        let panels = columns.div_ceil(width);
        let mut all = match std::mem::take(&mut self.values) {
            PanelValues::Full(values) => values,
            PanelValues::Eight(_) => Vec::new(),
        };
        all.clear();
        all.resize(panels * depth * width, 0.0);
        for (part, start) in [(&mut self.scale, 1.0), (&mut self.bias, 0.0)] {
            part.clear();
            part.resize(panels * width, start);
        }
        (self.depth, self.columns, self.width) = (depth, columns, width);
        for (panel, values) in all.chunks_exact_mut((depth * width).max(1)).enumerate() {
            let start = panel * width;
            let used = width.min(columns - start);
            for (row, values) in values.chunks_exact_mut(width).enumerate() {
                for (column, place) in values[..used].iter_mut().enumerate() {
                    *place = value(row, start + column);
                }
            }
        }
        self.values = PanelValues::Full(all);
    }

    /// A layer of a model. Its weights have one row per output.
    pub(super) fn layer(machine: Machine, weights: &[f32], bias: &[f32]) -> Self {
        let (columns, depth) = (bias.len(), weights.len() / bias.len().max(1));
        let mut panels = Self::default();
        if weights.len() < EIGHT_MIN {
            panels.fill(machine, (depth, columns), |row, column| weights[column * depth + row]);
        } else {
            let peak = |row: &[f32]| row.iter().fold(0.0_f32, |peak, weight| peak.max(weight.abs()));
            let steps: Vec<f32> =
                weights.chunks_exact(depth).map(|row| peak(row).max(f32::MIN_POSITIVE) / 127.0).collect();
            panels
                .fill(machine, (depth, columns), |row, column| (weights[column * depth + row] / steps[column]).round());
            panels.in_eight_bits();
            panels.scale[..columns].copy_from_slice(&steps);
        }
        panels.bias[..columns].copy_from_slice(bias);
        panels
    }

    /// Stores values that are integers from -127 to 127 in 8 bits.
    fn in_eight_bits(&mut self) {
        if let PanelValues::Full(values) = &self.values {
            self.values = PanelValues::Eight(values.iter().map(|value| value.clamp(-127.0, 127.0) as i8).collect());
        }
    }

    /// Number of columns.
    pub(super) const fn columns(&self) -> usize {
        self.columns
    }
}

/// The left operand: blocks of rows, each from left to right.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    depth: usize,
    rows: usize,
    values: Vec<f32>,
}

impl Blocks {
    /// Lays out `rows` rows of `depth` values, each starting `stride` values after the one before.
    pub(super) fn fill(&mut self, machine: Machine, from: &[f32], (rows, depth): (usize, usize), stride: usize) {
        self.values.clear();
        self.values.resize(rows * depth, 0.0);
        (self.depth, self.rows) = (depth, rows);
        for (first, count) in blocks(rows, machine.rows_max) {
            let block = &mut self.values[first * depth..][..count * depth];
            for row in 0..count {
                let from = &from[(first + row) * stride..][..depth];
                for (places, value) in block.chunks_exact_mut(count).zip(from) {
                    places[row] = *value;
                }
            }
        }
    }
}

/// Divides rows into blocks of nearly the same size, so that no work is wasted on missing rows.
/// Yields the first row and the size of each block.
pub(super) fn blocks(rows: usize, max: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = rows.div_ceil(max).max(1);
    let (size, larger) = (rows / count, rows % count);
    let block = move |index: usize| (index * size + index.min(larger), size + usize::from(index < larger));
    (0..count).map(block).filter(|(_, rows)| *rows > 0)
}

/// Multiplies into `out`, row after row, each starting `stride` values after the one before.
pub(super) fn multiply(machine: Machine, left: &Blocks, right: &Panels, out: &mut [f32], stride: usize) {
    debug_assert_eq!(left.depth, right.depth);
    machine.arch.dispatch(Product { left, right, out, stride, rows_max: machine.rows_max });
}

struct Product<'a> {
    left: &'a Blocks,
    right: &'a Panels,
    out: &'a mut [f32],
    stride: usize,
    rows_max: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match vectors::<S>() {
            2 => self.panels::<S, 2>(simd),
            4 => self.panels::<S, 4>(simd),
            8 => self.panels::<S, 8>(simd),
            _ => self.panels::<S, 16>(simd),
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn panels<S: Simd, const VECTORS: usize>(self, simd: S) {
        let Panels { depth, width, columns, .. } = *self.right;
        let mut unpacked = Vec::new();
        let scales = self.right.scale.chunks_exact(width);
        for (panel, (bias, scale)) in self.right.bias.chunks_exact(width).zip(scales).enumerate() {
            let place = panel * depth * width..(panel + 1) * depth * width;
            let values = match &self.right.values {
                PanelValues::Full(values) => &values[place],
                PanelValues::Eight(values) => {
                    unpacked.resize(depth * width, 0.0);
                    for (place, value) in unpacked.iter_mut().zip(&values[place]) {
                        *place = f32::from(*value);
                    }
                    unpacked.as_slice()
                }
            };
            let start = panel * width;
            let used = width.min(columns - start);
            for (first, rows) in blocks(self.left.rows, self.rows_max) {
                let block = &self.left.values[first * depth..][..rows * depth];
                let tile = Tile { block, values, scale, bias };
                let out = &mut self.out[first * self.stride + start..];
                tile.rows::<S, VECTORS>(simd, rows, out, (self.stride, used));
            }
        }
    }
}

/// A block of rows times a panel of columns.
struct Tile<'a> {
    block: &'a [f32],
    values: &'a [f32],
    scale: &'a [f32],
    bias: &'a [f32],
}

impl Tile<'_> {
    /// The number of rows must be a constant, so that the sums stay in registers.
    #[inline(always)]
    fn rows<S: Simd, const VECTORS: usize>(&self, simd: S, rows: usize, out: &mut [f32], place: (usize, usize)) {
        // CPUs with few registers have no large blocks, and need no code for them.
        let is_wide = const { rows_max::<S>() } == ROWS_MAX;
        match rows {
            1 => self.sums::<S, VECTORS, 1>(simd, out, place),
            2 => self.sums::<S, VECTORS, 2>(simd, out, place),
            3 => self.sums::<S, VECTORS, 3>(simd, out, place),
            4 => self.sums::<S, VECTORS, 4>(simd, out, place),
            5 => self.sums::<S, VECTORS, 5>(simd, out, place),
            6 => self.sums::<S, VECTORS, 6>(simd, out, place),
            7 if is_wide => self.sums::<S, VECTORS, 7>(simd, out, place),
            8 if is_wide => self.sums::<S, VECTORS, 8>(simd, out, place),
            9 if is_wide => self.sums::<S, VECTORS, 9>(simd, out, place),
            10 if is_wide => self.sums::<S, VECTORS, 10>(simd, out, place),
            11 if is_wide => self.sums::<S, VECTORS, 11>(simd, out, place),
            12 if is_wide => self.sums::<S, VECTORS, 12>(simd, out, place),
            _ => {}
        }
    }

    #[inline(always)]
    fn sums<S: Simd, const VECTORS: usize, const ROWS: usize>(
        &self,
        simd: S,
        out: &mut [f32],
        (stride, used): (usize, usize),
    ) {
        let (steps, _) = S::as_simd_f32s(self.values).0.as_chunks::<VECTORS>();
        let (block, _) = self.block.as_chunks::<ROWS>();
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
        for (left, right) in block.iter().zip(steps) {
            for (sums, left) in sums.iter_mut().zip(left) {
                let left = simd.splat_f32s(*left);
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum = simd.mul_add_e_f32s(left, *right, *sum);
                }
            }
        }
        let (scale, bias) = (S::as_simd_f32s(self.scale).0, S::as_simd_f32s(self.bias).0);
        for (sums, out) in sums.iter().zip(out.chunks_mut(stride)) {
            let (whole, rest) = S::as_mut_simd_f32s(&mut out[..used]);
            let whole_sum =
                |((sum, scale), bias): ((&S::f32s, &S::f32s), &S::f32s)| simd.mul_add_e_f32s(*sum, *scale, *bias);
            let mut sums = sums.iter().zip(scale).zip(bias).map(whole_sum);
            // In this order: `zip` advances its second iterator only if the first has an element
            // left.
            for (place, sum) in whole.iter_mut().zip(&mut sums) {
                *place = sum;
            }
            if let Some(sum) = sums.next().filter(|_| !rest.is_empty()) {
                simd.partial_store_f32s(rest, sum);
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
        fn products_are_those_of_the_definition((rows, depth, columns, left, weights) in
            (1_usize..40, 1_usize..20, 1_usize..70).prop_flat_map(|(rows, depth, columns)| {
                let sides = (vec(-1.0_f32..1.0, rows * depth), vec(-1.0_f32..1.0, depth * columns));
                (Just(rows), Just(depth), Just(columns), sides.0, sides.1)
            })
        ) {
            let arch = [Machine::find(), Machine { arch: Arch::Scalar, width: 16, rows_max: 2, has_int8: false }];
            let bias: Vec<f32> = weights.iter().copied().cycle().take(columns).collect();
            for machine in arch {
                let right = Panels::layer(machine, &weights, &bias);
                let mut blocks = Blocks::default();
                blocks.fill(machine, &left, (rows, depth), depth);
                let stride = columns + 3;
                let mut out = vec![7.0; rows * stride];
                multiply(machine, &blocks, &right, &mut out, stride);
                for (row, out) in out.chunks(stride).enumerate() {
                    for (column, out) in out[..columns].iter().enumerate() {
                        let terms = (0..depth).map(|at| left[row * depth + at] * weights[column * depth + at]);
                        let wanted = terms.sum::<f32>() + bias[column];
                        prop_assert!((out - wanted).abs() < 1e-4, "{out} {wanted}");
                    }
                    prop_assert!(out[columns..].iter().all(|out| *out == 7.0), "what is beside stays");
                }
            }
        }

        #[test]
        fn many_weights_lose_little_in_eight_bits(left in vec(-1.0_f32..1.0, 3 * 512), seed in 1_u32..1000) {
            let (depth, columns) = (512, 130);
            let weight = |at: usize| ((at as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) as f32 / 8_388_608.0 - 1.0;
            let weights: Vec<f32> = (0..depth * columns).map(weight).collect();
            let bias = vec![0.5; columns];
            let machine = Machine::find();
            let right = Panels::layer(machine, &weights, &bias);
            prop_assert!(matches!(right.values, PanelValues::Eight(_)));
            let mut blocks = Blocks::default();
            blocks.fill(machine, &left, (3, depth), depth);
            let mut out = vec![0.0; 3 * columns];
            multiply(machine, &blocks, &right, &mut out, columns);
            for (row, out) in out.chunks(columns).enumerate() {
                for (column, out) in out.iter().enumerate() {
                    let terms = (0..depth).map(|at| left[row * depth + at] * weights[column * depth + at]);
                    let wanted = terms.sum::<f32>() + 0.5;
                    prop_assert!((out - wanted).abs() < 0.5, "{out} {wanted}");
                }
            }
        }

        #[test]
        fn blocks_cover_all_rows_once(rows in 0_usize..300, max in 1_usize..13) {
            let mut next = 0;
            for (first, count) in blocks(rows, max) {
                prop_assert!(first == next && (1..=max).contains(&count));
                next += count;
            }
            prop_assert_eq!(next, rows);
        }
    }
}
