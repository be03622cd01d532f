//! Reflexes that are made anew when a file of sentences changes.

use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock, Weak},
    time::Duration,
};

use reflex::Grammar;
use tools::{Reflex, ReflexCallResult, ReflexInput, Reflexes};

use super::{CustomSentences, Signature, signature};
use crate::{HomeReflexes, port::HomePort};

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
        let (grammars, notices) = load(&sentences, &custom, &languages);
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
        let (grammars, notices) = load(&self.sentences, &self.custom, &self.languages);
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

/// The grammars of the languages, and what is wrong with their files.
fn load(sentences: &std::path::Path, custom: &std::path::Path, languages: &[String]) -> (Vec<Grammar>, Vec<String>) {
    let mut own = CustomSentences::read(custom);
    let (mut grammars, mut notices) = (Vec::new(), Vec::new());
    for language in languages {
        let path = sentences.join(format!("{language}.json"));
        let base = match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            // English has built-in sentences.
            Err(error) if language == "en" && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        let missing = |error: String| {
            format!(
                "sentences in `{language}` are not understood without a model: {}: {error}; `dwell setup --sentences` \
                 downloads them",
                path.display()
            )
        };
        let base = base.unwrap_or_else(|error| {
            notices.push(missing(error));
            None
        });
        match own.grammar(language, base.as_deref()) {
            Ok(grammar) => grammars.push(grammar),
            // That there are none is said above.
            Err(reflex::GrammarError::Empty) if base.is_none() => {}
            Err(error) => notices.push(missing(error.to_string())),
        }
    }
    notices.extend(own.into_faults().iter().map(ToString::to_string));
    (grammars, notices)
}

impl Reflexes for ReloadedReflexes {
    fn read(&self, said: &ReflexInput<'_>) -> Option<Reflex> {
        self.reflexes().read(said)
    }

    fn answer(&self, said: &ReflexInput<'_>, reflex: Option<&Reflex>, settled: &[ReflexCallResult]) -> String {
        self.reflexes().answer(said, reflex, settled)
    }
}
