//! Looking at what passages mean, in the background: a document can be found by its words as soon as it is read.

use std::{sync::Arc, time::Duration};

use memory::{
    embedding::Embedder,
    search::{Document, Index},
};
use protocol::{ItemId, Level, Timestamp};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{
    desk::Desk,
    store::{Digest, Waiting},
};

/// Passages looked at in one go.
const BATCH: u32 = 16;
/// How long to leave the model or the file alone after a failure.
const PAUSE: Duration = Duration::from_secs(5);

/// Looks at what texts mean. Cheap to clone.
#[derive(Clone)]
pub(super) struct Meaning {
    embedder: Result<Arc<dyn Embedder>, Arc<str>>,
    asked: Arc<Notify>,
}

impl Meaning {
    pub(super) fn new(embedder: Result<Arc<dyn Embedder>, String>) -> Self {
        Self { embedder: embedder.map_err(Arc::from), asked: Arc::default() }
    }

    /// Why there is none.
    pub(super) fn absence(&self) -> Option<&str> {
        self.embedder.as_ref().err().map(AsRef::as_ref)
    }

    /// There may be new passages.
    pub(super) fn look(&self) {
        self.asked.notify_one();
    }

    /// What a question means; none where that cannot be said. It takes its time.
    pub(super) fn of(&self, question: &str) -> Option<Vec<f32>> {
        let embedder = self.embedder.as_ref().ok()?;
        match embedder.embed(&[question]) {
            Ok(vectors) => vectors.into_iter().next(),
            Err(error) => {
                tracing::warn!(%error, "failed to look at what a question means; its words have to do");
                None
            }
        }
    }

    /// Looks at what waits until the library is closed. What was left over by the last run comes first.
    pub(super) async fn run(self, desk: Desk, stopping: CancellationToken) {
        let Ok(embedder) = self.embedder else { return };
        let looking = async {
            loop {
                let is_done = look_at_some(&embedder, &desk).await;
                match is_done {
                    Ok(true) => self.asked.notified().await,
                    Ok(false) => {}
                    Err(why) => {
                        tracing::warn!(why, "failed to look at what documents mean; trying again");
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        };
        stopping.run_until_cancelled(looking).await;
    }
}

/// Looks at some passages; whether there were none.
async fn look_at_some(embedder: &Arc<dyn Embedder>, desk: &Desk) -> Result<bool, String> {
    let waiting = desk.ask(|clerk| clerk.store.waiting(BATCH)).await.map_err(|error| error.to_string())?;
    if waiting.is_empty() {
        return Ok(true);
    }
    let said = match vectors(embedder, waiting.clone()).await {
        Ok(said) => said,
        // One of them may be to blame: each by itself, and what fails alone is not looked at again.
        Err(why) => {
            tracing::warn!(why, "failed to look at what some passages mean; looking at each of them");
            let mut said = Vec::new();
            for one in waiting {
                let digest = one.digest;
                said.extend(vectors(embedder, vec![one]).await.unwrap_or_else(|_| vec![(digest, Vec::new())]));
            }
            said
        }
    };
    desk.ask(move |clerk| clerk.learn(&said)).await.map_err(|error| error.to_string())?;
    Ok(false)
}

/// What passages mean, as the search keeps it.
async fn vectors(embedder: &Arc<dyn Embedder>, passages: Vec<Waiting>) -> Result<Vec<(Digest, Vec<u8>)>, String> {
    let embedder = embedder.clone();
    let task = tokio::task::spawn_blocking(move || {
        // The search knows how it cuts and keeps them, so it is asked.
        let mut index = Index::new();
        let mut digests = Vec::new();
        for Waiting { digest, title, text } in passages {
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
                return Err("the model of meaning says something else than it was asked".to_owned());
            }
            for (wanted, vector) in wanted.iter().zip(vectors) {
                index.set_vector(wanted, &vector);
            }
        }
        let said = |digest: Digest| (digest, index.vectors(ItemId::from_bytes(digest)).unwrap_or_default());
        Ok(digests.into_iter().map(said).collect())
    });
    task.await.unwrap_or_else(|_| Err("the model of meaning broke down".to_owned()))
}
