//! The BERT encoder: it computes the contextual embedding of each token, and the mean of a text's
//! tokens.
//!
//! The texts of a pass are concatenated. Each multiplication takes all of them at once, so that the
//! weights are read once for all. Only attention handles one text at a time.

use super::{
    dense::Inputs,
    matrix::{Blocks, Machine, Panels, multiply},
    mpnet,
    pointwise::{add_and_norm, gelu, softmax},
    weights::{Layer, Weights},
};

/// A loaded model.
pub(super) struct Encoder {
    machine: Machine,
    weights: Weights,
    heads: usize,
    /// The row of the biases of attention for each distance, backwards and forwards.
    buckets: Vec<[usize; 2]>,
}

/// Buffers of a pass. They are reused between passes, because fresh memory is slow on first use.
#[derive(Default)]
pub(super) struct ScratchBuffers {
    /// A row per token: its hidden state.
    tokens: Vec<f32>,
    /// Query, key and value of each token.
    attention: Vec<f32>,
    /// The output of attention for each token.
    attended: Vec<f32>,
    inner: Vec<f32>,
    /// What a layer adds to the hidden states.
    added: Vec<f32>,
    /// The attention weights of one text.
    heed: Vec<f32>,
    inputs: Inputs,
    /// The two operands of a head's multiplications.
    left: Blocks,
    right: Panels,
}

impl Encoder {
    pub(super) fn new(machine: Machine, weights: Weights, heads: usize) -> Self {
        let buckets =
            (0..weights.positions_max).map(|distance| [mpnet::bucket(distance, 0), mpnet::bucket(0, distance)]);
        Self { machine, heads, buckets: buckets.collect(), weights }
    }

    /// The embedding of each text as a unit vector. The tokens of the texts must be in the
    /// vocabulary, and the texts within the maximum length.
    pub(super) fn encode(&self, scratch: &mut ScratchBuffers, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        self.place(scratch, texts);
        let lengths = || texts.iter().map(Vec::len);
        for layer in &self.weights.layers {
            self.attend(scratch, layer, lengths());
            self.think(scratch, layer);
        }
        let mut tokens = scratch.tokens.as_slice();
        let meaning = |length: usize| {
            let (text, rest) = tokens.split_at(length * self.weights.hidden);
            tokens = rest;
            mean(text, self.weights.hidden)
        };
        lengths().map(meaning).collect()
    }

    /// Sets the hidden states to the embeddings of tokens and positions.
    fn place(&self, scratch: &mut ScratchBuffers, texts: &[Vec<u32>]) {
        let Weights { hidden, pieces, positions, norm, .. } = &self.weights;
        let count = texts.iter().map(Vec::len).sum::<usize>();
        scratch.tokens.clear();
        scratch.added.clear();
        for text in texts {
            for piece in text {
                let start = *piece as usize * hidden;
                scratch.tokens.extend_from_slice(&pieces[start..start + hidden]);
            }
            scratch.added.extend_from_slice(&positions[..text.len() * hidden]);
        }
        add_and_norm(self.machine, &mut scratch.tokens, &scratch.added, norm);
        for (part, columns) in [(&mut scratch.attention, 3 * hidden), (&mut scratch.attended, *hidden)] {
            part.clear();
            part.resize(count * columns, 0.0);
        }
    }

    /// The attention block of a layer.
    fn attend(&self, scratch: &mut ScratchBuffers, layer: &Layer, lengths: impl Iterator<Item = usize>) {
        let hidden = self.weights.hidden;
        let count = scratch.tokens.len() / hidden;
        layer.attention.apply(self.machine, &mut scratch.inputs, &scratch.tokens, hidden, &mut scratch.attention);
        let mut start = 0;
        for length in lengths {
            for head in 0..self.heads {
                self.heed(scratch, start, length, head);
            }
            start += length;
        }
        scratch.added.resize(count * hidden, 0.0);
        layer.attended.apply(self.machine, &mut scratch.inputs, &scratch.attended, hidden, &mut scratch.added);
        add_and_norm(self.machine, &mut scratch.tokens, &scratch.added, &layer.attended_norm);
    }

    /// One attention head on one text: each token gets a mean of the values, weighted by query and
    /// key.
    fn heed(&self, scratch: &mut ScratchBuffers, start: usize, length: usize, head: usize) {
        let hidden = self.weights.hidden;
        let size = hidden / self.heads;
        let stride = 3 * hidden;
        let from = start * stride + head * size;
        let (questions, keys) = (&scratch.attention[from..], &scratch.attention[from + hidden..]);
        let values = &scratch.attention[from + 2 * hidden..];

        scratch.left.fill(self.machine, questions, (length, size), stride);
        scratch.right.fill(self.machine, (size, length), |row, column| keys[column * stride + row]);
        scratch.heed.resize(length * length, 0.0);
        let heed = &mut scratch.heed[..length * length];
        multiply(self.machine, &scratch.left, &scratch.right, heed, length);
        if let Some(distances) = &self.weights.distances {
            for (from, row) in heed.chunks_exact_mut(length).enumerate() {
                for (to, value) in row.iter_mut().enumerate() {
                    *value += distances[self.buckets[from.abs_diff(to)][usize::from(to > from)] * self.heads + head];
                }
            }
        }
        softmax(self.machine, heed, length);

        scratch.left.fill(self.machine, heed, (length, length), length);
        scratch.right.fill(self.machine, (length, size), |row, column| values[row * stride + column]);
        let attended = &mut scratch.attended[start * hidden + head * size..];
        multiply(self.machine, &scratch.left, &scratch.right, attended, hidden);
    }

    /// The feed-forward block of a layer.
    fn think(&self, scratch: &mut ScratchBuffers, layer: &Layer) {
        let hidden = self.weights.hidden;
        let count = scratch.tokens.len() / hidden;
        let inner = layer.inner.columns();
        scratch.inner.resize(count * inner, 0.0);
        layer.inner.apply(self.machine, &mut scratch.inputs, &scratch.tokens, hidden, &mut scratch.inner);
        gelu(self.machine, &mut scratch.inner);
        layer.outer.apply(self.machine, &mut scratch.inputs, &scratch.inner, inner, &mut scratch.added);
        add_and_norm(self.machine, &mut scratch.tokens, &scratch.added, &layer.outer_norm);
    }
}

/// The mean of a text's tokens, normalized to length 1.
fn mean(tokens: &[f32], hidden: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; hidden];
    for token in tokens.chunks_exact(hidden) {
        for (sum, value) in sum.iter_mut().zip(token) {
            *sum += value;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    // A zero vector stays as it is.
    let scale = if length > 0.0 { length.recip() } else { 0.0 };
    sum.iter_mut().for_each(|value| *value *= scale);
    sum
}
