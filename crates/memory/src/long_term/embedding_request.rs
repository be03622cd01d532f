//! Embeddings of texts that a client sends, with the model that memory is searched with.

use std::sync::Arc;

use super::{LongTermMemory, embedding_service::BATCH};
use crate::embedding::Embedder;

/// The embedding model as clients see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// Its name.
    pub name: String,
    /// The most tokens of a text that it reads.
    pub tokens_max: usize,
}

/// Texts as vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedTexts {
    /// A unit vector for each text, in order.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens that the model has read.
    pub tokens: u64,
}

/// Why texts were not embedded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingFault {
    /// There is no embedding model.
    #[error("{0}")]
    Absent(String),
    /// A text has more tokens than the model reads.
    #[error("text {index} has {tokens} tokens, but the embedding model reads only {tokens_max}")]
    TooLong {
        /// Which of the texts, counted from 0.
        index: usize,
        /// Its tokens.
        tokens: usize,
        /// The most that the model reads.
        tokens_max: usize,
    },
    /// The model failed.
    #[error("{0}")]
    Failed(String),
}

impl LongTermMemory {
    /// The embedding model, if there is one.
    pub fn embedding_model(&self) -> Option<EmbeddingModel> {
        let embedder = self.inner.embeddings.embedder.as_ref().ok()?;
        Some(EmbeddingModel { name: embedder.name().to_owned(), tokens_max: embedder.tokens_max() })
    }

    /// Embeds texts. A text with more tokens than the model reads is cut if `is_cut`, otherwise
    /// refused. Dropping the future ends the work after the current batch.
    pub async fn embed(&self, texts: Vec<String>, is_cut: bool) -> Result<EmbeddedTexts, EmbeddingFault> {
        let service = &self.inner.embeddings;
        let embedder = service.embedder.clone().map_err(|why| EmbeddingFault::Absent(why.to_string()))?;
        // The semaphore is never closed.
        let _permit = service.requests.acquire().await;
        let texts: Arc<[String]> = texts.into();
        let (counter, counted) = (embedder.clone(), texts.clone());
        let tokens = off_thread(move || count(counter.as_ref(), &counted, is_cut)).await?;
        let mut vectors = Vec::with_capacity(texts.len());
        for from in (0..texts.len()).step_by(BATCH) {
            let (embedder, texts) = (embedder.clone(), texts.clone());
            let batch = off_thread(move || {
                let to = texts.len().min(from + BATCH);
                let batch: Vec<&str> = texts[from..to].iter().map(String::as_str).collect();
                embedder.embed(&batch).map_err(|error| EmbeddingFault::Failed(error.to_string()))
            });
            vectors.extend(batch.await?);
        }
        Ok(EmbeddedTexts { vectors, tokens })
    }
}

/// The tokens of all texts that the model reads. All texts are counted before the first is
/// embedded, so that a refusal costs little.
fn count(embedder: &dyn Embedder, texts: &[String], is_cut: bool) -> Result<u64, EmbeddingFault> {
    let tokens_max = embedder.tokens_max();
    let mut all = 0;
    for (index, text) in texts.iter().enumerate() {
        let tokens = embedder.tokens(text);
        if tokens > tokens_max && !is_cut {
            return Err(EmbeddingFault::TooLong { index, tokens, tokens_max });
        }
        all += tokens.min(tokens_max) as u64;
    }
    Ok(all)
}

/// Runs work on a blocking thread.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EmbeddingFault> + Send + 'static,
) -> Result<T, EmbeddingFault> {
    let panicked = |_| Err(EmbeddingFault::Failed("the embedding model failed on these texts".to_owned()));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(panicked)
}
