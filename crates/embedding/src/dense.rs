//! A layer that multiplies all of its inputs with all of its weights, by the arithmetic that this machine is best at.

use super::{
    int8,
    matrix::{Blocks, Machine, Panels, multiply},
};

/// Smaller layers are not worth rounding their inputs.
const INT8_MIN: usize = 64 * 1024;

/// The weights of a layer.
#[derive(Debug)]
pub(super) enum Dense {
    Float(Panels),
    Int8(int8::Weights),
}

/// Inputs as the multiplications want them; kept between layers, for fresh memory is slow at first.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    blocks: Blocks,
    rows: int8::Rows,
}

impl Dense {
    /// Weights that have a row for each output.
    pub(super) fn new(machine: Machine, weights: &[f32], bias: &[f32]) -> Self {
        let depth = weights.len() / bias.len().max(1);
        if machine.has_int8 && weights.len() >= INT8_MIN && int8::fits(depth) {
            Self::Int8(int8::Weights::new(weights, bias))
        } else {
            Self::Float(Panels::layer(machine, weights, bias))
        }
    }

    /// How many outputs there are.
    pub(super) const fn columns(&self) -> usize {
        match self {
            Self::Float(panels) => panels.columns(),
            Self::Int8(weights) => weights.columns(),
        }
    }

    /// Takes rows of `depth` inputs to rows of outputs.
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
