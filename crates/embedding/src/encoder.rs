//! The encoder of BERT: what each piece of a text means beside the others, and from that the meaning of the whole.
//!
//! Texts of a pass stand behind each other without gaps. Each multiplication takes all of them at once, so that the weights
//! are read once for many; only attention looks at one text at a time.

use super::{
    dense::Inputs,
    matrix::{Blocks, Machine, Panels, multiply},
    pointwise::{add_and_norm, gelu, softmax},
    weights::{Layer, Weights},
};

/// A model at work.
pub(super) struct Encoder {
    machine: Machine,
    weights: Weights,
    heads: usize,
}

/// What a pass works on; kept between passes, for fresh memory is slow at first.
#[derive(Default)]
pub(super) struct Desk {
    /// A row for each token: what it means so far.
    tokens: Vec<f32>,
    /// Question, key and value of each token.
    attention: Vec<f32>,
    /// What each token has heard from the others.
    attended: Vec<f32>,
    inner: Vec<f32>,
    /// What a layer adds.
    added: Vec<f32>,
    /// How much each token of a text heeds each other.
    heed: Vec<f32>,
    inputs: Inputs,
    /// The two sides of a head's multiplications.
    left: Blocks,
    right: Panels,
}

impl Encoder {
    pub(super) fn new(machine: Machine, weights: Weights, heads: usize) -> Self {
        Self { machine, weights, heads }
    }

    /// The meaning of each text as a unit vector. Texts are of pieces that the weights know, and not longer than they allow.
    pub(super) fn encode(&self, desk: &mut Desk, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        self.place(desk, texts);
        let lengths = || texts.iter().map(Vec::len);
        for layer in &self.weights.layers {
            self.attend(desk, layer, lengths());
            self.think(desk, layer);
        }
        let mut tokens = desk.tokens.as_slice();
        let meaning = |length: usize| {
            let (text, rest) = tokens.split_at(length * self.weights.hidden);
            tokens = rest;
            mean(text, self.weights.hidden)
        };
        lengths().map(meaning).collect()
    }

    /// Every piece, and where in its text it stands.
    fn place(&self, desk: &mut Desk, texts: &[Vec<u32>]) {
        let Weights { hidden, pieces, positions, norm, .. } = &self.weights;
        let count = texts.iter().map(Vec::len).sum::<usize>();
        desk.tokens.clear();
        desk.added.clear();
        for text in texts {
            for piece in text {
                let start = *piece as usize * hidden;
                desk.tokens.extend_from_slice(&pieces[start..start + hidden]);
            }
            desk.added.extend_from_slice(&positions[..text.len() * hidden]);
        }
        add_and_norm(self.machine, &mut desk.tokens, &desk.added, norm);
        for (part, columns) in [(&mut desk.attention, 3 * hidden), (&mut desk.attended, *hidden)] {
            part.clear();
            part.resize(count * columns, 0.0);
        }
    }

    /// Tokens look at each other.
    fn attend(&self, desk: &mut Desk, layer: &Layer, lengths: impl Iterator<Item = usize>) {
        let hidden = self.weights.hidden;
        let count = desk.tokens.len() / hidden;
        layer.attention.apply(self.machine, &mut desk.inputs, &desk.tokens, hidden, &mut desk.attention);
        let mut start = 0;
        for length in lengths {
            for head in 0..self.heads {
                self.heed(desk, start, length, head);
            }
            start += length;
        }
        desk.added.resize(count * hidden, 0.0);
        layer.attended.apply(self.machine, &mut desk.inputs, &desk.attended, hidden, &mut desk.added);
        add_and_norm(self.machine, &mut desk.tokens, &desk.added, &layer.attended_norm);
    }

    /// One head looks at one text: each token takes from the values of those whose keys answer its question.
    fn heed(&self, desk: &mut Desk, start: usize, length: usize, head: usize) {
        let hidden = self.weights.hidden;
        let size = hidden / self.heads;
        let stride = 3 * hidden;
        let from = start * stride + head * size;
        let (questions, keys) = (&desk.attention[from..], &desk.attention[from + hidden..]);
        let values = &desk.attention[from + 2 * hidden..];

        desk.left.fill(self.machine, questions, (length, size), stride);
        desk.right.fill(self.machine, (size, length), |row, column| keys[column * stride + row]);
        desk.heed.resize(length * length, 0.0);
        let heed = &mut desk.heed[..length * length];
        multiply(self.machine, &desk.left, &desk.right, heed, length);
        softmax(self.machine, heed, length);

        desk.left.fill(self.machine, heed, (length, length), length);
        desk.right.fill(self.machine, (length, size), |row, column| values[row * stride + column]);
        let attended = &mut desk.attended[start * hidden + head * size..];
        multiply(self.machine, &desk.left, &desk.right, attended, hidden);
    }

    /// Each token by itself.
    fn think(&self, desk: &mut Desk, layer: &Layer) {
        let hidden = self.weights.hidden;
        let count = desk.tokens.len() / hidden;
        let inner = layer.inner.columns();
        desk.inner.resize(count * inner, 0.0);
        layer.inner.apply(self.machine, &mut desk.inputs, &desk.tokens, hidden, &mut desk.inner);
        gelu(self.machine, &mut desk.inner);
        layer.outer.apply(self.machine, &mut desk.inputs, &desk.inner, inner, &mut desk.added);
        add_and_norm(self.machine, &mut desk.tokens, &desk.added, &layer.outer_norm);
    }
}

/// The mean of a text's tokens, brought to length 1.
fn mean(tokens: &[f32], hidden: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; hidden];
    for token in tokens.chunks_exact(hidden) {
        for (sum, value) in sum.iter_mut().zip(token) {
            *sum += value;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    // A vector without a direction stays as it is.
    let scale = if length > 0.0 { length.recip() } else { 0.0 };
    sum.iter_mut().for_each(|value| *value *= scale);
    sum
}
