//! A dense layer: a matrix product of inputs and weights, in the arithmetic that is fastest on this
//! CPU.

use super::{
    int8,
    matrix::{Blocks, Machine, Panels, multiply},
};

/// Rounding the inputs of a smaller layer is not worthwhile.
const INT8_MIN: usize = 64 * 1024;

/// The weights of a layer.
#[derive(Debug)]
pub(super) enum Dense {
    Float(Panels),
    Int8(int8::Int8Weights),
}

/// Inputs in the layout of the multiplications. They are reused between layers, because fresh
/// memory is slow on first use.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    blocks: Blocks,
    rows: int8::Rows,
}

impl Dense {
    /// Weights with one row per output.
    pub(super) fn new(machine: Machine, weights: &[f32], bias: &[f32]) -> Self {
        let depth = weights.len() / bias.len().max(1);
        if machine.has_int8 && weights.len() >= INT8_MIN && int8::fits(depth) {
            Self::Int8(int8::Int8Weights::new(weights, bias))
        } else {
            Self::Float(Panels::layer(machine, weights, bias))
        }
    }

    /// Number of outputs.
    pub(super) const fn columns(&self) -> usize {
        match self {
            Self::Float(panels) => panels.columns(),
            Self::Int8(weights) => weights.columns(),
        }
    }

    /// Computes rows of outputs from rows of `depth` inputs.
    pub(super) fn apply(&self, machine: Machine, inputs: &mut Inputs, from: &[f32], depth: usize, out: &mut [f32]) {
        match self {
            Self::Float(panels) => {
                inputs.blocks.fill(machine, from, (from.len() / depth, depth), depth);
                multiply(machine, &inputs.blocks, panels, out, panels.columns());
            }
            Self::Int8(weights) => {
                inputs.rows.fill(machine.arch, from, depth);
                int8::multiply(&inputs.rows, weights, out);
            }
        }
    }
}
