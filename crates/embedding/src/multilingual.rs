//! The multilingual Universal Sentence Encoder, version 3: sentences of 16 languages that mean the
//! same have similar vectors.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use super::{
    Embedder, EmbeddingError,
    catalog::{MULTILINGUAL, read_file},
    matrix::Machine,
    ngram_encoder::{NgramBuffers, NgramEncoder},
    sentencepiece::SentencePiece,
    weights::unusable,
};

/// Maximum number of tokens of a text. The model has no limit; more would blur the mean.
const PIECES_MAX: usize = 256;
/// Maximum number of tokens of a pass.
const PIECES_PER_PASS: usize = 256;

/// A question and its answer have a similarity of 0.35 on average, and 0.47 with the default model;
/// the share of unrelated pairs beyond a limit differs by the same factor.
const SIMILARITY_SCALE: f32 = 0.75;

/// The file of the weights, and that of the vocabulary.
pub(super) const WEIGHTS: &str = "weights.npz";
pub(super) const VOCABULARY: &str = "sp.model";

/// The loaded model. Several threads can use it at the same time.
pub struct Multilingual {
    reader: SentencePiece,
    encoder: NgramEncoder,
    /// Buffers that are not in use.
    free: Mutex<Vec<NgramBuffers>>,
}

impl Multilingual {
    /// Loads the model from a folder with its files.
    pub fn load(from: &Path) -> Result<Self, EmbeddingError> {
        let reader = SentencePiece::read(&read_file(from, VOCABULARY)?)?;
        let encoder = NgramEncoder::read(Machine::find(), &read_file(from, WEIGHTS)?)?;
        if encoder.tokens_count() < reader.size() {
            return Err(unusable("its vocabulary and its weights do not belong together"));
        }
        Ok(Self { reader, encoder, free: Mutex::default() })
    }

    /// The tokens of a text.
    #[cfg(test)]
    pub(super) fn pieces(&self, text: &str) -> Vec<u32> {
        self.reader.pieces(text, PIECES_MAX)
    }

    /// A panic leaves no state in the buffers that matters to the next pass.
    fn free(&self) -> std::sync::MutexGuard<'_, Vec<NgramBuffers>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Embedder for Multilingual {
    fn name(&self) -> &str {
        MULTILINGUAL
    }

    fn tokens_max(&self) -> usize {
        PIECES_MAX
    }

    fn similarity_scale(&self) -> f32 {
        SIMILARITY_SCALE
    }

    fn tokens(&self, text: &str) -> usize {
        self.reader.pieces(text, usize::MAX).len()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let mut buffers = self.free().pop().unwrap_or_default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut pass: Vec<Vec<u32>> = Vec::new();
        for text in texts {
            let pieces = self.reader.pieces(text, PIECES_MAX);
            if pass.iter().map(Vec::len).sum::<usize>() + pieces.len() > PIECES_PER_PASS {
                vectors.extend(self.encoder.encode(&mut buffers, &pass));
                pass.clear();
            }
            pass.push(pieces);
        }
        vectors.extend(self.encoder.encode(&mut buffers, &pass));
        self.free().push(buffers);
        Ok(vectors)
    }
}
