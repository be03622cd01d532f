//! Reflexes that are made anew when a file of sentences changes.

use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock, Weak},
    time::Duration,
};

use ports::{AwaitedChange, Reflex, ReflexCallResult, ReflexInput, Reflexes};

use super::{Signature, signature};
use crate::{HomeReflexes, port::HomePort, sentences::grammars};

/// How often the folder is looked at.
const INTERVAL: Duration = Duration::from_secs(2);

/// Reflexes with the sentences of Home Assistant and the user's own.
pub struct ReloadedReflexes {
    home: Arc<dyn HomePort>,
    /// The folder of Home Assistant's sentences.
    sentences: PathBuf,
    /// The folder of the user's own sentences.
    custom: PathBuf,
    languages: Vec<String>,
    current: RwLock<Current>,
}

struct Current {
    reflexes: Arc<HomeReflexes>,
    notices: Vec<String>,
    seen: Signature,
}

impl ReloadedReflexes {
    /// Reads both folders. Within a runtime, changes of the user's folder are followed.
    pub fn new(home: Arc<dyn HomePort>, sentences: PathBuf, custom: PathBuf, languages: Vec<String>) -> Arc<Self> {
        let seen = signature(&custom);
        let (grammars, notices) = grammars(&sentences, &custom, &languages);
        let reflexes = Arc::new(HomeReflexes::new(home.clone(), grammars));
        let current = RwLock::new(Current { reflexes, notices, seen });
        let made = Arc::new(Self { home, sentences, custom, languages, current });
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(follow(Arc::downgrade(&made)));
        }
        made
    }

    /// What is wrong with the sentences, with file and line.
    pub fn notices(&self) -> Vec<String> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).notices.clone()
    }

    fn reflexes(&self) -> Arc<HomeReflexes> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).reflexes.clone()
    }

    /// Loads the sentences again if a file has changed.
    fn look(&self) {
        let seen = signature(&self.custom);
        if self.current.read().unwrap_or_else(PoisonError::into_inner).seen == seen {
            return;
        }
        let (grammars, notices) = grammars(&self.sentences, &self.custom, &self.languages);
        for notice in &notices {
            tracing::warn!("{notice}");
        }
        tracing::info!(folder = %self.custom.display(), "the sentences were read again");
        let reflexes = Arc::new(HomeReflexes::new(self.home.clone(), grammars));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Current { reflexes, notices, seen };
    }
}

async fn follow(reflexes: Weak<ReloadedReflexes>) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        let Some(reflexes) = reflexes.upgrade() else { return };
        // Reading and compiling sentences takes longer than a task may block.
        let looked = tokio::task::spawn_blocking(move || reflexes.look()).await;
        if looked.is_err() {
            return;
        }
    }
}

impl Reflexes for ReloadedReflexes {
    fn read(&self, said: &ReflexInput<'_>) -> Option<Reflex> {
        self.reflexes().read(said)
    }

    fn change(&self, clause: &ReflexInput<'_>) -> Option<AwaitedChange> {
        self.reflexes().change(clause)
    }

    fn answer(&self, said: &ReflexInput<'_>, reflex: Option<&Reflex>, settled: &[ReflexCallResult]) -> String {
        self.reflexes().answer(said, reflex, settled)
    }
}
