//! Text embeddings on the CPU, in this process, with a model whose files may be absent.
//!
//! [`CATALOG`] lists the models that can be chosen. [`MiniLm`] is the default: `wordpiece` splits a
//! text into tokens, `weights` reads the file (`onnx` the smaller one), `encoder` runs the model
//! with the arithmetic in `matrix`, `int8` and `pointwise`, and `dense` chooses among them.
//! [`Multilingual`] is for other languages: `sentencepiece` with `charsmap` splits a text, `npz`
//! reads the file and `ngram_encoder` runs the model. [`folder`] checks the files of a model. It is
//! a separate crate so that its arithmetic is optimised even in builds where the rest is not.

mod catalog;
mod charsmap;
mod dense;
mod encoder;
pub mod folder;
mod int8;
mod matrix;
mod minilm;
mod mpnet;
mod multilingual;
mod ngram_encoder;
mod npz;
mod onnx;
mod pointwise;
mod protobuf;
mod sentencepiece;
mod weights;
mod wordpiece;

#[cfg(test)]
mod tests;

pub use catalog::{CATALOG, EmbeddingModelCard};
pub use minilm::MiniLm;
pub use multilingual::Multilingual;

/// Why embeddings are not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// The model's files do not exist.
    #[error("there is no embedding model in {0}")]
    Absent(String),
    /// The model's files cannot be used.
    #[error("the embedding model cannot be used: {0}")]
    Unusable(String),
}

/// An embedding model. It runs on the calling thread, so async callers use a blocking thread.
pub trait Embedder: Send + Sync + 'static {
    /// Name of the model and everything that the vectors depend on, so that vectors of different
    /// models are never compared.
    fn name(&self) -> &str;

    /// The most tokens of a text that the model reads; the rest is ignored.
    fn tokens_max(&self) -> usize;

    /// How similar texts that belong together are, relative to those of the default model: limits
    /// that were chosen with the default model are multiplied by it.
    fn similarity_scale(&self) -> f32 {
        1.0
    }

    /// Tokens of a text, also those that the model would ignore.
    fn tokens(&self, text: &str) -> usize;

    /// A unit vector for each text.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}
