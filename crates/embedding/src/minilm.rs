//! all-MiniLM-L6-v2: a small sentence embedding model.

use std::{
    io,
    path::Path,
    sync::{Mutex, PoisonError},
};

use super::{
    Embedder, EmbeddingError,
    encoder::{Encoder, ScratchBuffers},
    folder,
    matrix::Machine,
    weights::Weights,
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
    reader: WordPiece,
    encoder: Encoder,
    /// Buffers that are not in use.
    desks: Mutex<Vec<ScratchBuffers>>,
}

impl MiniLm {
    /// Loads the model from a folder with [`folder::WEIGHTS`] and [`folder::VOCABULARY`].
    pub fn load(from: &Path) -> Result<Self, EmbeddingError> {
        let failed = |name: &str, error: &io::Error| match error.kind() {
            io::ErrorKind::NotFound => EmbeddingError::Absent(from.display().to_string()),
            _ => EmbeddingError::Unusable(format!("{} cannot be read: {error}", from.join(name).display())),
        };
        let vocabulary = std::fs::read_to_string(from.join(folder::VOCABULARY));
        let reader = WordPiece::read(&vocabulary.map_err(|error| failed(folder::VOCABULARY, &error))?)?;
        let bytes = std::fs::read(from.join(folder::WEIGHTS)).map_err(|error| failed(folder::WEIGHTS, &error))?;
        let machine = Machine::find();
        let weights = Weights::read(machine, &bytes, HEADS)?;
        if weights.pieces_count() < reader.size() || weights.positions_max < PIECES_MAX {
            let what = "its vocabulary and its weights do not belong together; download it again";
            return Err(EmbeddingError::Unusable(what.to_owned()));
        }
        Ok(Self { reader, encoder: Encoder::new(machine, weights, HEADS), desks: Mutex::default() })
    }

    /// A panic leaves no state in the buffers that matters to the next pass.
    fn desks(&self) -> std::sync::MutexGuard<'_, Vec<ScratchBuffers>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        folder::NAME
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
