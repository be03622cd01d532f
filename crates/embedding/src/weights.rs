//! The model's file: its weights, laid out for the multiplications.

use safetensors::{Dtype, SafeTensors};

use super::{
    EmbeddingError,
    dense::Dense,
    matrix::Machine,
    pointwise::{EPSILON, Norm},
};

/// The table of biases of attention by distance.
const DISTANCES: &str = "encoder.relative_attention_bias.weight";
const DISTANCE_ROWS: usize = 32;

/// The weights of the encoder.
pub(super) struct Weights {
    /// Values per token.
    pub(super) hidden: usize,
    /// Maximum number of positions.
    pub(super) positions_max: usize,
    /// A row for each token of the vocabulary.
    pub(super) pieces: Vec<f32>,
    /// A row for each position, including the token type, which is the same for all tokens of a
    /// text.
    pub(super) positions: Vec<f32>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    /// Added to attention, if the model has it: a row for each kind of distance, a column for each
    /// head.
    pub(super) distances: Option<Vec<f32>>,
}

/// A layer of the encoder.
pub(super) struct Layer {
    /// Query, key and value of all heads, side by side. The queries are scaled for attention.
    pub(super) attention: Dense,
    pub(super) attended: Dense,
    pub(super) attended_norm: Norm,
    pub(super) inner: Dense,
    pub(super) outer: Dense,
    pub(super) outer_norm: Norm,
}

impl Weights {
    /// Reads a file of the BERT family. It does not contain the number of heads.
    pub(super) fn read(machine: Machine, bytes: &[u8], heads: usize) -> Result<Self, EmbeddingError> {
        let file =
            SafeTensors::deserialize(bytes).map_err(|error| unusable(&format!("its file is damaged ({error})")))?;
        Self::of(machine, &file, heads)
    }

    /// The weights in a file of any format.
    pub(super) fn of(machine: Machine, file: &dyn TensorFile, heads: usize) -> Result<Self, EmbeddingError> {
        let tensors = Tensors(file);
        let (pieces, [_, hidden]) = tensors.matrix("embeddings.word_embeddings.weight")?;
        if hidden == 0 || heads == 0 || hidden % heads != 0 {
            return Err(unusable(&format!("{hidden} values cannot be shared among {heads} heads")));
        }
        let (mut positions, [positions_max, width]) = tensors.matrix("embeddings.position_embeddings.weight")?;
        let (kinds, [_, kind_width]) = tensors.matrix("embeddings.token_type_embeddings.weight")?;
        if width != hidden || kind_width != hidden || kinds.is_empty() {
            return Err(unusable("its tables do not fit together"));
        }
        for row in positions.chunks_exact_mut(hidden) {
            for (value, kind) in row.iter_mut().zip(&kinds) {
                *value += kind;
            }
        }
        let norm = tensors.norm("embeddings.LayerNorm", hidden)?;
        let count = (0..).take_while(|layer| file.has(&Layer::name(*layer, "output.dense.bias"))).count();
        let layers = (0..count).map(|layer| Layer::read(machine, &tensors, layer, hidden, heads));
        let layers = layers.collect::<Result<Vec<_>, _>>()?;
        if layers.is_empty() {
            return Err(unusable("its file has no layers"));
        }
        let distances = match file.has(DISTANCES) {
            true => match tensors.matrix(DISTANCES)? {
                (values, [DISTANCE_ROWS, columns]) if columns == heads => Some(values),
                (_, shape) => return Err(unusable(&format!("{DISTANCES} has the shape {shape:?}"))),
            },
            false => None,
        };
        Ok(Self { hidden, positions_max, pieces, positions, norm, layers, distances })
    }

    /// Number of tokens in the vocabulary.
    pub(super) fn pieces_count(&self) -> usize {
        self.pieces.len() / self.hidden
    }
}

impl Layer {
    fn name(layer: usize, part: &str) -> String {
        format!("encoder.layer.{layer}.{part}")
    }

    fn read(
        machine: Machine,
        tensors: &Tensors<'_>,
        layer: usize,
        hidden: usize,
        heads: usize,
    ) -> Result<Self, EmbeddingError> {
        let dense = |part: &str, inputs: usize| tensors.dense(&Self::name(layer, part), inputs);
        let norm = |part: &str| tensors.norm(&Self::name(layer, part), hidden);
        let layer_of = |(weight, bias): (Vec<f32>, Vec<f32>)| Dense::new(machine, &weight, &bias);

        let (mut weight, mut bias) = dense("attention.self.query", hidden)?;
        #[allow(clippy::cast_precision_loss, reason = "a head has some dozen values")]
        let scale = ((hidden / heads) as f32).sqrt().recip();
        weight.iter_mut().chain(&mut bias).for_each(|value| *value *= scale);
        for part in ["attention.self.key", "attention.self.value"] {
            let (more_weight, more_bias) = dense(part, hidden)?;
            weight.extend(more_weight);
            bias.extend(more_bias);
        }
        let inner = dense("intermediate.dense", hidden)?;
        let outer = dense("output.dense", inner.1.len())?;
        let attended = dense("attention.output.dense", hidden)?;
        if bias.len() != 3 * hidden || outer.1.len() != hidden || attended.1.len() != hidden {
            return Err(unusable(&format!("layer {layer} does not fit the others")));
        }
        Ok(Self {
            attention: layer_of((weight, bias)),
            attended: layer_of(attended),
            attended_norm: norm("attention.output.LayerNorm")?,
            inner: layer_of(inner),
            outer: layer_of(outer),
            outer_norm: norm("output.LayerNorm")?,
        })
    }
}

/// A file with tensors, whatever its format. Matrices have one row per output.
pub(super) trait TensorFile {
    /// The values and the shape of a tensor.
    fn tensor(&self, name: &str) -> Result<(Vec<f32>, Vec<usize>), EmbeddingError>;

    /// Whether there is a tensor of this name.
    fn has(&self, name: &str) -> bool;

    /// What keeps the variance of a constant row away from zero.
    fn epsilon(&self) -> f32 {
        EPSILON
    }
}

impl TensorFile for SafeTensors<'_> {
    fn tensor(&self, name: &str) -> Result<(Vec<f32>, Vec<usize>), EmbeddingError> {
        let tensor = SafeTensors::tensor(self, name).map_err(|_| unusable(&format!("its file has no {name}")))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(unusable(&format!("{name} has {:?} of shape {:?}", tensor.dtype(), tensor.shape())));
        }
        let (values, _) = tensor.data().as_chunks::<4>();
        Ok((values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(), tensor.shape().to_vec()))
    }

    fn has(&self, name: &str) -> bool {
        SafeTensors::tensor(self, name).is_ok()
    }
}

/// The file's tensors by name.
struct Tensors<'a>(&'a dyn TensorFile);

impl Tensors<'_> {
    fn read<const DIMENSIONS: usize>(&self, name: &str) -> Result<(Vec<f32>, [usize; DIMENSIONS]), EmbeddingError> {
        let (values, shape) = self.0.tensor(name)?;
        match <[usize; DIMENSIONS]>::try_from(shape.as_slice()) {
            Ok(shape) => Ok((values, shape)),
            Err(_) => Err(unusable(&format!("{name} has the shape {shape:?}"))),
        }
    }

    fn matrix(&self, name: &str) -> Result<(Vec<f32>, [usize; 2]), EmbeddingError> {
        self.read(name)
    }

    /// Weights and bias of a layer with this many inputs.
    fn dense(&self, name: &str, inputs: usize) -> Result<(Vec<f32>, Vec<f32>), EmbeddingError> {
        let (weight, [rows, columns]) = self.matrix(&format!("{name}.weight"))?;
        let (bias, [outputs]) = self.read(&format!("{name}.bias"))?;
        if rows != outputs || columns != inputs || outputs == 0 {
            return Err(unusable(&format!("{name} is {rows} by {columns} and not {outputs} by {inputs}")));
        }
        Ok((weight, bias))
    }

    fn norm(&self, name: &str, size: usize) -> Result<Norm, EmbeddingError> {
        let (weight, [weights]) = self.read(&format!("{name}.weight"))?;
        let (bias, [biases]) = self.read(&format!("{name}.bias"))?;
        if weights != size || biases != size {
            return Err(unusable(&format!("{name} has {weights} values, not {size}")));
        }
        Ok(Norm { weight, bias, epsilon: self.0.epsilon() })
    }
}

/// What is wrong with a file, and what to do.
pub(super) fn unusable(what: &str) -> EmbeddingError {
    EmbeddingError::Unusable(format!("{what}; download it again"))
}
