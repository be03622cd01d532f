//! Computes embeddings of passages in the background. A document can be found by its words before.

use std::{sync::Arc, time::Duration};

use memory::{
    embedding::Embedder,
    search::{Document, DocumentIndex},
};
use protocol::{ItemId, Level, Timestamp};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{
    library_thread::LibraryHandle,
    store::{PassageDigest, UnembeddedPassage},
};

/// Passages per batch.
const BATCH: u32 = 16;
/// Pause after a failure of the embedding model or of the file.
const PAUSE: Duration = Duration::from_secs(5);

/// Computes embeddings. Cheap to clone.
#[derive(Clone)]
pub(super) struct EmbeddingService {
    embedder: Result<Arc<dyn Embedder>, Arc<str>>,
    asked: Arc<Notify>,
}

impl EmbeddingService {
    pub(super) fn new(embedder: Result<Arc<dyn Embedder>, String>) -> Self {
        Self { embedder: embedder.map_err(Arc::from), asked: Arc::default() }
    }

    /// Why there is no embedding model.
    pub(super) fn absence(&self) -> Option<&str> {
        self.embedder.as_ref().err().map(AsRef::as_ref)
    }

    /// Signals that there may be new passages.
    pub(super) fn look(&self) {
        self.asked.notify_one();
    }

    /// The embedding of a question; `None` if it cannot be computed. Blocking.
    pub(super) fn of(&self, question: &str) -> Option<Vec<f32>> {
        let embedder = self.embedder.as_ref().ok()?;
        match embedder.embed(&[question]) {
            Ok(vectors) => vectors.into_iter().next(),
            Err(error) => {
                tracing::warn!(%error, "failed to compute the embedding of a question; searching by words only");
                None
            }
        }
    }

    /// Computes missing embeddings until the library is closed, first those that the last run left
    /// over.
    pub(super) async fn run(self, handle: LibraryHandle, stopping: CancellationToken) {
        let Ok(embedder) = self.embedder else { return };
        let looking = async {
            loop {
                let is_done = look_at_some(&embedder, &handle).await;
                match is_done {
                    Ok(true) => self.asked.notified().await,
                    Ok(false) => {}
                    Err(why) => {
                        tracing::warn!(why, "failed to compute embeddings of documents; trying again");
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        };
        stopping.run_until_cancelled(looking).await;
    }
}

/// Computes a batch of embeddings. Returns whether nothing was left to do.
async fn look_at_some(embedder: &Arc<dyn Embedder>, handle: &LibraryHandle) -> Result<bool, String> {
    let waiting =
        handle.ask(|library_thread| library_thread.store.waiting(BATCH)).await.map_err(|error| error.to_string())?;
    if waiting.is_empty() {
        return Ok(true);
    }
    let said = match vectors(embedder, waiting.clone()).await {
        Ok(said) => said,
        // One passage may be the cause: try each alone, and give up those that fail.
        Err(why) => {
            tracing::warn!(why, "failed to compute embeddings of a batch; trying each passage alone");
            let mut said = Vec::new();
            for one in waiting {
                let digest = one.digest;
                said.extend(vectors(embedder, vec![one]).await.unwrap_or_else(|_| vec![(digest, Vec::new())]));
            }
            said
        }
    };
    handle.ask(move |library_thread| library_thread.store_vectors(&said)).await.map_err(|error| error.to_string())?;
    Ok(false)
}

/// The embeddings of passages, encoded as the search index stores them.
async fn vectors(
    embedder: &Arc<dyn Embedder>,
    passages: Vec<UnembeddedPassage>,
) -> Result<Vec<(PassageDigest, Vec<u8>)>, String> {
    let embedder = embedder.clone();
    let task = tokio::task::spawn_blocking(move || {
        // The index defines how texts are split and vectors are encoded.
        let mut index = DocumentIndex::new();
        let mut digests = Vec::new();
        for UnembeddedPassage { digest, title, text } in passages {
            let document = Document::new(ItemId::from_bytes(digest), Level::Context, text, Timestamp::from_millis(0));
            index.insert(Document { key: Some(title), ..document });
            digests.push(digest);
        }
        loop {
            let wanted = index.wanting(BATCH as usize);
            if wanted.is_empty() {
                break;
            }
            let texts: Vec<&str> = wanted.iter().map(|wanted| wanted.text.as_str()).collect();
            let vectors = embedder.embed(&texts).map_err(|error| error.to_string())?;
            if vectors.len() != wanted.len() {
                return Err("the embedding model returned a wrong number of vectors".to_owned());
            }
            for (wanted, vector) in wanted.iter().zip(vectors) {
                index.set_vector(wanted, &vector);
            }
        }
        let said = |digest: PassageDigest| (digest, index.vectors(ItemId::from_bytes(digest)).unwrap_or_default());
        Ok(digests.into_iter().map(said).collect())
    });
    task.await.unwrap_or_else(|_| Err("the embedding model panicked".to_owned()))
}
