//! all-MiniLM-L6-v2: a small sentence embedding model.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use safetensors::SafeTensors;

use super::{
    Embedder, EmbeddingError,
    catalog::{INT8, INT8_WEIGHTS, MPNET, read_file, read_vocabulary},
    encoder::{Encoder, ScratchBuffers},
    folder,
    matrix::Machine,
    mpnet::MpNetFile,
    onnx::OnnxFile,
    weights::{Weights, unusable},
    wordpiece::WordPiece,
};

/// Number of attention heads. The file does not contain it.
const HEADS: usize = 12;
/// Maximum number of tokens of a text. The model was not trained on more; the rest is ignored.
const PIECES_MAX: usize = 256;
/// Maximum number of tokens of a pass. More would not use the weights better, and would exceed the
/// CPU's cache.
const PIECES_PER_PASS: usize = 256;

/// The loaded model. Several threads can use it at the same time.
pub struct MiniLm {
    name: &'static str,
    reader: WordPiece,
    encoder: Encoder,
    /// Buffers that are not in use.
    desks: Mutex<Vec<ScratchBuffers>>,
}

impl MiniLm {
    /// Loads the model from a folder with [`folder::WEIGHTS`] and [`folder::VOCABULARY`].
    pub fn load(from: &Path) -> Result<Self, EmbeddingError> {
        let reader = WordPiece::read(&read_vocabulary(from)?)?;
        let machine = Machine::find();
        let weights = Weights::read(machine, &read_file(from, folder::WEIGHTS)?, HEADS)?;
        Self::new(folder::NAME, machine, reader, weights)
    }

    /// Loads the model with weights in 8 bits.
    pub fn load_int8(from: &Path) -> Result<Self, EmbeddingError> {
        let reader = WordPiece::read(&read_vocabulary(from)?)?;
        let machine = Machine::find();
        let bytes = read_file(from, INT8_WEIGHTS)?;
        let weights = Weights::of(machine, &OnnxFile::read(&bytes)?, HEADS)?;
        Self::new(INT8, machine, reader, weights)
    }

    /// Loads all-mpnet-base-v2, a larger model of the same kind.
    pub fn load_mpnet(from: &Path) -> Result<Self, EmbeddingError> {
        let reader = WordPiece::with_marks(&read_vocabulary(from)?, ["<s>", "</s>"])?;
        let machine = Machine::find();
        let bytes = read_file(from, folder::WEIGHTS)?;
        let file =
            SafeTensors::deserialize(&bytes).map_err(|error| unusable(&format!("its file is damaged ({error})")))?;
        Self::new(MPNET, machine, reader, Weights::of(machine, &MpNetFile(file), HEADS)?)
    }

    fn new(name: &'static str, machine: Machine, reader: WordPiece, weights: Weights) -> Result<Self, EmbeddingError> {
        if weights.pieces_count() < reader.size() || weights.positions_max < PIECES_MAX {
            return Err(unusable("its vocabulary and its weights do not belong together"));
        }
        Ok(Self { name, reader, encoder: Encoder::new(machine, weights, HEADS), desks: Mutex::default() })
    }

    /// A panic leaves no state in the buffers that matters to the next pass.
    fn desks(&self) -> std::sync::MutexGuard<'_, Vec<ScratchBuffers>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        self.name
    }

    fn tokens_max(&self) -> usize {
        PIECES_MAX
    }

    fn tokens(&self, text: &str) -> usize {
        self.reader.pieces(text, usize::MAX).len()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let mut scratch = self.desks().pop().unwrap_or_default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut pass: Vec<Vec<u32>> = Vec::new();
        for text in texts {
            let pieces = self.reader.pieces(text, PIECES_MAX);
            if pass.iter().map(Vec::len).sum::<usize>() + pieces.len() > PIECES_PER_PASS {
                vectors.extend(self.encoder.encode(&mut scratch, &pass));
                pass.clear();
            }
            pass.push(pieces);
        }
        vectors.extend(self.encoder.encode(&mut scratch, &pass));
        self.desks().push(scratch);
        Ok(vectors)
    }
}
