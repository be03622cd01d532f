//! What a text means, as numbers: on the CPU, in this process, with a model file that may be absent.
//!
//! [`MiniLm`] is the model: `wordpiece` cuts a text into pieces, `weights` reads the file, `encoder` does the work with
//! `matrix`, `int8` and `pointwise`, which are all the arithmetic there is; `dense` chooses among them. [`folder`] says which files it needs and which are the
//! right ones. It is a room of its own because its arithmetic is worth optimising also where the rest is not.

mod dense;
mod encoder;
pub mod folder;
mod int8;
mod matrix;
mod minilm;
mod pointwise;
mod weights;
mod wordpiece;

#[cfg(test)]
mod tests;

pub use minilm::MiniLm;

/// Why meaning cannot be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// The model's files are not there.
    #[error("there is no model of meaning in {0}")]
    Absent(String),
    /// They are there and cannot be used.
    #[error("the model of meaning cannot be used: {0}")]
    Unusable(String),
}

/// Something that says what a text means. It works on the calling thread, which should be one that may take its time.
pub trait Embedder: Send + Sync + 'static {
    /// Its name, with all that the numbers depend on, so that those of another are never compared with its own.
    fn name(&self) -> &str;

    /// A unit vector for each text.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}
