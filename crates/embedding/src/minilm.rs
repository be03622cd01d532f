//! all-MiniLM-L6-v2: a small model that was trained to put texts of like meaning near each other.

use std::{
    io,
    path::Path,
    sync::{Mutex, PoisonError},
};

use super::{
    Embedder, EmbeddingError,
    encoder::{Desk, Encoder},
    folder,
    matrix::Machine,
    weights::Weights,
    wordpiece::WordPiece,
};

/// How many heads the model has; its file does not say.
const HEADS: usize = 12;
/// What goes beyond these pieces of a text is not looked at: the model was trained on no more.
const PIECES_MAX: usize = 256;
/// The pieces of a pass. More would not make better use of the weights, but no longer fit the processor's own memory.
const PIECES_PER_PASS: usize = 256;

/// The model, loaded. Any number of threads may ask it at the same time.
pub struct MiniLm {
    reader: WordPiece,
    encoder: Encoder,
    /// Desks that nobody works at.
    desks: Mutex<Vec<Desk>>,
}

impl MiniLm {
    /// Loads it from a folder with [`folder::WEIGHTS`] and [`folder::VOCABULARY`].
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
            let what = "its vocabulary and its weights do not belong together; fetch it anew";
            return Err(EmbeddingError::Unusable(what.to_owned()));
        }
        Ok(Self { reader, encoder: Encoder::new(machine, weights, HEADS), desks: Mutex::default() })
    }

    /// Nothing is left half done on a desk that would matter to the next.
    fn desks(&self) -> std::sync::MutexGuard<'_, Vec<Desk>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        folder::NAME
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let mut desk = self.desks().pop().unwrap_or_default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut pass: Vec<Vec<u32>> = Vec::new();
        for text in texts {
            let pieces = self.reader.pieces(text, PIECES_MAX);
            if pass.iter().map(Vec::len).sum::<usize>() + pieces.len() > PIECES_PER_PASS {
                vectors.extend(self.encoder.encode(&mut desk, &pass));
                pass.clear();
            }
            pass.push(pieces);
        }
        vectors.extend(self.encoder.encode(&mut desk, &pass));
        self.desks().push(desk);
        Ok(vectors)
    }
}
