//! The encoder of the multilingual Universal Sentence Encoder: three convolutions over the tokens
//! of a text (of two, three and five tokens), their mean, and a small network on that mean.
//!
//! The texts of a pass are concatenated, so that the weights are read once for all. A window of a
//! convolution that reaches beyond its text sees zeros there.

use super::{
    EmbeddingError,
    dense::{Dense, Inputs},
    matrix::Machine,
    npz::Arrays,
    onnx::transpose,
    pointwise::{EPSILON, Norm, norm, relu},
    weights::unusable,
};

/// Tokens of the windows, and how many of them are before the token itself.
const WINDOWS: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];

/// The weights of the encoder.
pub(super) struct NgramEncoder {
    machine: Machine,
    table: TokenTable,
    /// The inputs of all convolutions, side by side.
    projection: Dense,
    projection_norm: Norm,
    convolutions: Vec<Convolution>,
    norm: Norm,
    mean: Dense,
    /// The hidden layer, and the shortcut past it, side by side: of the first block and the second.
    blocks: [Block; 2],
}

/// The embeddings of tokens: a byte per value, with a scale per part of the table.
struct TokenTable {
    /// Token `id` is row `id / parts.len()` of part `id % parts.len()`.
    parts: Vec<TablePart>,
    width: usize,
    rows: usize,
}

struct TablePart {
    values: Vec<u8>,
    scale: f32,
    least: f32,
}

/// Two layers over the same windows, each added to its input.
struct Convolution {
    window: (usize, usize),
    layers: [Dense; 2],
}

/// Two layers with a shortcut past both.
struct Block {
    inner: Dense,
    shortcut: Dense,
    outer: Dense,
}

/// Buffers of a pass, reused between passes.
#[derive(Default)]
pub(super) struct NgramBuffers {
    inputs: Inputs,
    /// A row per token: its embedding, and the results of the convolutions.
    features: Vec<f32>,
    embedded: Vec<f32>,
    projected: Vec<f32>,
    state: Vec<f32>,
    windows: Vec<f32>,
    out: Vec<f32>,
}

impl NgramEncoder {
    pub(super) fn read(machine: Machine, file: &[u8]) -> Result<Self, EmbeddingError> {
        let arrays = ModelArrays { machine, arrays: Arrays::read(file)? };
        let table = arrays.table()?;
        let orders = WINDOWS.map(|(order, _)| order);
        let projection =
            arrays.beside(&orders.map(|order| (format!("proj{order}"), Some(format!("proj_b{order}")))))?;
        let joined = |name: &str| {
            let parts = orders.map(|order| arrays.vector(&format!("{name}{order}")));
            parts.into_iter().collect::<Result<Vec<_>, _>>().map(|parts| parts.concat())
        };
        let projection_norm = Norm { weight: joined("ln_g")?, bias: joined("ln_b")?, epsilon: EPSILON };
        let width = projection.columns() / WINDOWS.len();
        let convolution = |window: (usize, usize)| {
            let order = window.0;
            let layer =
                |at: u8| arrays.layer(&format!("w{at}_{order}"), Some(&format!("b{at}_{order}")), order * width, width);
            Ok(Convolution { window, layers: [layer(1)?, layer(2)?] })
        };
        let convolutions = WINDOWS.into_iter().map(convolution).collect::<Result<Vec<_>, EmbeddingError>>()?;
        let features = table.width + WINDOWS.len() * width;
        let norm = Norm { weight: arrays.vector("ln_g")?, bias: arrays.vector("ln_b")?, epsilon: EPSILON };
        let lengths = [projection_norm.weight.len(), projection_norm.bias.len(), norm.weight.len(), norm.bias.len()];
        let wanted = [WINDOWS.len() * width, WINDOWS.len() * width, features, features];
        if projection.columns() == 0 || lengths != wanted || arrays.shape("proj2")?.first() != Some(&table.width) {
            return Err(unusable("its parts do not fit together"));
        }
        let mean = arrays.any_layer("cnn_W", Some("cnn_b"), features)?;
        let first = arrays.block(["d0", "p1", "d1"], mean.columns())?;
        let second = arrays.block(["d2", "p3", "d3"], first.outer.columns())?;
        Ok(Self { machine, table, projection, projection_norm, convolutions, norm, mean, blocks: [first, second] })
    }

    /// Number of tokens in the vocabulary.
    pub(super) fn tokens_count(&self) -> usize {
        self.table.rows * self.table.parts.len()
    }

    /// The embedding of each text as a unit vector. The tokens of the texts must be in the
    /// vocabulary.
    pub(super) fn encode(&self, buffers: &mut NgramBuffers, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let count: usize = texts.iter().map(Vec::len).sum();
        if count == 0 {
            return texts.iter().map(|_| vec![0.0; self.blocks[1].outer.columns()]).collect();
        }
        self.place(buffers, texts, count);
        for (at, convolution) in self.convolutions.iter().enumerate() {
            self.convolve(buffers, texts, at, convolution);
        }
        norm(self.machine, &mut buffers.features, &self.norm);
        let vectors = self.mean(buffers, texts);
        let vectors = self.apply_block(buffers, &self.blocks[0], &vectors, self.mean.columns());
        let mut vectors = self.apply_raw(buffers, &self.blocks[1], &vectors, self.blocks[0].outer.columns());
        vectors.iter_mut().for_each(|value| *value = value.tanh());
        vectors.chunks_exact(self.blocks[1].outer.columns()).map(unit).collect()
    }

    /// Sets the embeddings of the tokens, and the inputs of the convolutions.
    fn place(&self, buffers: &mut NgramBuffers, texts: &[Vec<u32>], count: usize) {
        let (width, columns) = (self.table.width, self.norm.weight.len());
        buffers.features.clear();
        buffers.features.resize(count * columns, 0.0);
        buffers.embedded.clear();
        for (row, id) in buffers.features.chunks_exact_mut(columns).zip(texts.iter().flatten()) {
            self.table.copy(*id, &mut row[..width]);
            buffers.embedded.extend_from_slice(&row[..width]);
        }
        buffers.projected.resize(count * self.projection.columns(), 0.0);
        self.projection.apply(self.machine, &mut buffers.inputs, &buffers.embedded, width, &mut buffers.projected);
        norm(self.machine, &mut buffers.projected, &self.projection_norm);
    }

    /// One convolution over all texts, into its columns of the features.
    fn convolve(&self, buffers: &mut NgramBuffers, texts: &[Vec<u32>], at: usize, convolution: &Convolution) {
        let (columns, all) = (self.norm.weight.len(), self.projection.columns());
        let width = all / WINDOWS.len();
        buffers.state.clear();
        for row in buffers.projected.chunks_exact(all) {
            buffers.state.extend_from_slice(&row[at * width..][..width]);
        }
        for layer in &convolution.layers {
            gather(&mut buffers.windows, &buffers.state, texts, convolution.window, width);
            buffers.out.resize(buffers.state.len(), 0.0);
            let depth = convolution.window.0 * width;
            layer.apply(self.machine, &mut buffers.inputs, &buffers.windows, depth, &mut buffers.out);
            relu(self.machine, &mut buffers.out);
            for (value, added) in buffers.state.iter_mut().zip(&buffers.out) {
                *value += added;
            }
        }
        let start = self.table.width + at * width;
        for (row, state) in buffers.features.chunks_exact_mut(columns).zip(buffers.state.chunks_exact(width)) {
            row[start..][..width].copy_from_slice(state);
        }
    }

    /// The mean of each text's tokens, projected, times the root of their number: a row per text.
    fn mean(&self, buffers: &mut NgramBuffers, texts: &[Vec<u32>]) -> Vec<f32> {
        let columns = self.norm.weight.len();
        let mut means = vec![0.0_f32; texts.len() * columns];
        let mut rows = buffers.features.chunks_exact(columns);
        for (mean, text) in means.chunks_exact_mut(columns).zip(texts) {
            for row in rows.by_ref().take(text.len()) {
                mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
            let share = length(text).recip();
            mean.iter_mut().for_each(|sum| *sum *= share);
        }
        let mut out = vec![0.0; texts.len() * self.mean.columns()];
        self.mean.apply(self.machine, &mut buffers.inputs, &means, columns, &mut out);
        for (row, text) in out.chunks_exact_mut(self.mean.columns()).zip(texts) {
            let root = length(text).sqrt();
            row.iter_mut().for_each(|value| *value *= root);
        }
        out
    }

    fn apply_block(&self, buffers: &mut NgramBuffers, block: &Block, rows: &[f32], depth: usize) -> Vec<f32> {
        let mut out = self.apply_raw(buffers, block, rows, depth);
        relu(self.machine, &mut out);
        out
    }

    /// A block without the function at its end.
    fn apply_raw(&self, buffers: &mut NgramBuffers, block: &Block, rows: &[f32], depth: usize) -> Vec<f32> {
        let count = rows.len() / depth;
        let mut apply = |layer: &Dense, rows: &[f32], depth: usize| {
            let mut out = vec![0.0; count * layer.columns()];
            layer.apply(self.machine, &mut buffers.inputs, rows, depth, &mut out);
            out
        };
        let mut inner = apply(&block.inner, rows, depth);
        relu(self.machine, &mut inner);
        let mut out = apply(&block.shortcut, rows, depth);
        let outer = apply(&block.outer, &inner, block.inner.columns());
        out.iter_mut().zip(outer).for_each(|(value, added)| *value += added);
        out
    }
}

/// The windows of all tokens, a row each.
fn gather(windows: &mut Vec<f32>, state: &[f32], texts: &[Vec<u32>], (order, before): (usize, usize), width: usize) {
    windows.clear();
    windows.resize(state.len() * order, 0.0);
    let mut rows = windows.chunks_exact_mut(order * width);
    let mut start = 0;
    for text in texts {
        for (at, row) in (0..text.len()).zip(rows.by_ref()) {
            for (place, part) in row.chunks_exact_mut(width).enumerate() {
                let Some(from) = (at + place).checked_sub(before).filter(|from| *from < text.len()) else { continue };
                part.copy_from_slice(&state[(start + from) * width..][..width]);
            }
        }
        start += text.len();
    }
}

#[allow(clippy::cast_precision_loss, reason = "a text has some hundred tokens")]
fn length(text: &[u32]) -> f32 {
    text.len().max(1) as f32
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    // A zero vector stays as it is.
    let scale = if length > 0.0 { length.recip() } else { 0.0 };
    vector.iter().map(|value| value * scale).collect()
}

impl TokenTable {
    fn copy(&self, id: u32, to: &mut [f32]) {
        let (row, part) = (id as usize / self.parts.len(), id as usize % self.parts.len());
        let TablePart { values, scale, least } = &self.parts[part];
        for (place, value) in to.iter_mut().zip(&values[row * self.width..][..self.width]) {
            *place = f32::from(*value) * scale + least;
        }
    }
}

/// The arrays of the model's file.
struct ModelArrays<'a> {
    machine: Machine,
    arrays: Arrays<'a>,
}

impl ModelArrays<'_> {
    fn vector(&self, name: &str) -> Result<Vec<f32>, EmbeddingError> {
        self.arrays.floats(name).map(|(values, _)| values)
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>, EmbeddingError> {
        self.arrays.floats(name).map(|(_, shape)| shape)
    }

    fn table(&self) -> Result<TokenTable, EmbeddingError> {
        let (scales, leasts) = (self.vector("scale")?, self.vector("lo")?);
        let mut parts = Vec::new();
        let mut size = None;
        for (at, (scale, least)) in scales.iter().zip(&leasts).enumerate() {
            let (values, shape) = self.arrays.bytes(&format!("q{}", at + 1))?;
            if *size.get_or_insert_with(|| shape.clone()) != shape {
                return Err(unusable("its table has parts of different sizes"));
            }
            parts.push(TablePart { values, scale: *scale, least: *least });
        }
        match size.as_deref() {
            Some([rows, width]) if *width > 0 => Ok(TokenTable { parts, width: *width, rows: *rows }),
            _ => Err(unusable("its table is empty")),
        }
    }

    /// The weights of a layer, a row per output, and its bias. The file has a row per input.
    fn read(&self, name: &str, bias: Option<&str>) -> Result<(Vec<f32>, Vec<f32>, usize), EmbeddingError> {
        let (weights, shape) = self.arrays.floats(name)?;
        let [inputs, outputs] = shape[..] else { return Err(unusable(&format!("{name} has the shape {shape:?}"))) };
        let bias = bias.map_or_else(|| Ok(vec![0.0; outputs]), |bias| self.vector(bias))?;
        if bias.len() != outputs || outputs == 0 || inputs == 0 {
            return Err(unusable(&format!("{name} does not fit its bias")));
        }
        Ok((transpose(&weights, outputs), bias, inputs))
    }

    /// A layer with this many inputs.
    fn any_layer(&self, name: &str, bias: Option<&str>, inputs: usize) -> Result<Dense, EmbeddingError> {
        match self.read(name, bias)? {
            (weights, bias, found) if found == inputs => Ok(Dense::new(self.machine, &weights, &bias)),
            (_, _, found) => Err(unusable(&format!("{name} has {found} inputs, not {inputs}"))),
        }
    }

    fn layer(&self, name: &str, bias: Option<&str>, inputs: usize, outputs: usize) -> Result<Dense, EmbeddingError> {
        let layer = self.any_layer(name, bias, inputs)?;
        if layer.columns() == outputs {
            Ok(layer)
        } else {
            Err(unusable(&format!("{name} has {} outputs, not {outputs}", layer.columns())))
        }
    }

    /// Layers with the same inputs and the same number of outputs as one.
    fn beside(&self, layers: &[(String, Option<String>)]) -> Result<Dense, EmbeddingError> {
        let (mut all, mut biases, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for (name, bias) in layers {
            let (weights, bias, inputs) = self.read(name, bias.as_deref())?;
            sizes.push((inputs, bias.len()));
            all.extend(weights);
            biases.extend(bias);
        }
        sizes.dedup();
        match sizes.len() {
            1 => Ok(Dense::new(self.machine, &all, &biases)),
            _ => Err(unusable("its layers do not fit together")),
        }
    }

    fn block(&self, [inner, shortcut, outer]: [&str; 3], inputs: usize) -> Result<Block, EmbeddingError> {
        let inner = self.any_layer(inner, None, inputs)?;
        let shortcut = self.any_layer(shortcut, None, inputs)?;
        let outer = self.layer(outer, None, inner.columns(), shortcut.columns())?;
        Ok(Block { inner, shortcut, outer })
    }
}
