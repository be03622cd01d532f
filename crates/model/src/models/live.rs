//! The models that are in use: a set that is replaced as a whole when the operator chooses others.

use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use protocol::{ModelPage, ModelSettings, Timestamp};

use super::{ModelSet, ProviderHandle};
use crate::{Error, Model, Overrides, Provider};

/// All configured models. What was found before the set was replaced is used to its end.
pub struct Models {
    set: RwLock<Arc<ModelSet>>,
}

/// Which providers there are, and which of their models answer.
pub struct ModelChoice {
    /// The providers; the first answers where no default model is named.
    pub providers: Vec<Provider>,
    /// The full name of the default model.
    pub default: Option<String>,
    /// The models that are tried after it.
    pub fallbacks: Vec<String>,
    /// The configured facts about models.
    pub overrides: Overrides,
    /// Settings of model calls that apply where nothing narrower sets them.
    pub settings: ModelSettings,
}

impl Models {
    /// Prepares the providers; nothing is sent yet. Without a default name the first provider's
    /// default model answers, and without a provider the offline model. Unknown names are refused
    /// here rather than at first use.
    pub fn new(
        providers: Vec<Provider>,
        default: Option<String>,
        fallbacks: Vec<String>,
        offline: Arc<dyn Model>,
    ) -> Result<Self, Error> {
        Ok(Self::from_set(ModelSet::new(providers, default, fallbacks, offline)?))
    }

    /// A registry of a single model that answers to any name.
    pub fn of(model: Arc<dyn Model>) -> Self {
        Self::from_set(ModelSet::of(model))
    }

    /// The same with configured settings of models. The error names what is wrong.
    pub fn with_overrides(self, overrides: Overrides) -> Result<Self, String> {
        Ok(Self::from_set(ModelSet::clone(&self.set()).with_overrides(overrides)?))
    }

    /// The same with settings of model calls that apply where nothing narrower sets them. A model
    /// ignores those that it does not support. The error names what is wrong.
    pub fn with_settings(self, settings: ModelSettings) -> Result<Self, String> {
        Ok(Self::from_set(ModelSet::clone(&self.set()).with_settings(settings)?))
    }

    /// The same with a cache file for discovery, whose contents are read at once.
    #[must_use]
    pub fn with_cache_file(self, path: PathBuf) -> Self {
        Self::from_set(ModelSet::clone(&self.set()).with_cache_file(path))
    }

    /// Replaces providers, the default model and fallbacks. What is known of a provider stays where
    /// neither its address nor its key changed.
    pub fn replace(&self, choice: ModelChoice) -> Result<(), Error> {
        let ModelChoice { providers, default, fallbacks, overrides, settings } = choice;
        let before = self.set();
        if before.single {
            return Ok(());
        }
        let mut set = ModelSet::new(providers, default, fallbacks, before.offline.clone())?;
        let wrong = |wrong| Error::UnknownModel { model: wrong, hint: String::new() };
        set = set.with_overrides(overrides).map_err(wrong)?.with_settings(settings).map_err(wrong)?;
        set.kept = before.kept.clone();
        for new in set.connections.iter() {
            let is_same = before.connections.iter().any(|old| is_same_account(old, new));
            if !is_same {
                set.kept.forget(&new.provider().name);
            }
        }
        *self.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
        Ok(())
    }

    /// The settings of model calls that apply where nothing narrower sets them.
    pub fn settings(&self) -> ModelSettings {
        self.set().settings.clone()
    }

    /// Whether there is a provider that can be asked.
    pub fn has_providers(&self) -> bool {
        self.set().has_providers()
    }

    /// Asks the providers whose answers are missing or old, all at once.
    pub async fn ask_due(&self, now: Timestamp) {
        self.set().ask_due(now).await;
    }

    /// Asks every provider, now.
    pub async fn refresh(&self, now: Timestamp) {
        self.set().refresh(now).await;
    }

    /// Makes sure that the provider of a model was asked, within a moment: waits once for a
    /// provider that was never asked, and asks one again whose list lacks the name.
    pub async fn ready(&self, name: Option<&str>, now: Timestamp) {
        self.set().ready(name, now).await;
    }

    /// The same for all providers.
    pub async fn ready_all(&self, now: Timestamp) {
        self.set().ready_all(now).await;
    }

    /// Checks the settings of models; the error names the wrong key.
    pub fn check_overrides(&self, overrides: &Overrides) -> Result<(), String> {
        self.set().check_overrides(overrides)
    }

    /// The models to try, in order: the one asked for, or the default one, and then the fallbacks.
    pub fn find(&self, asked: Option<&str>) -> Result<Vec<Arc<dyn Model>>, Error> {
        self.set().find(asked)
    }

    /// The same for a session, whose own settings of models take precedence over the configuration,
    /// and whose conversation may take this many tokens.
    pub fn find_in(
        &self,
        asked: Option<&str>,
        session: &Overrides,
        prompt_tokens: Option<u64>,
    ) -> Result<Vec<Arc<dyn Model>>, Error> {
        self.set().find_in(asked, session, prompt_tokens)
    }

    /// The full name of the model that is tried first; the given name if no model has it.
    pub fn name(&self, asked: Option<&str>) -> String {
        self.set().name(asked)
    }

    /// Opens a connection to the default provider and loads the tokenizer, ahead of the first
    /// answer.
    pub async fn warm(&self) {
        self.set().warm().await;
    }

    /// The full names of all models: the default one first, then the fallbacks, each provider's own
    /// default, and all that the providers list.
    pub fn names(&self) -> Vec<String> {
        self.set().names()
    }

    /// The same with the facts of each model and provider.
    pub fn page(&self) -> ModelPage {
        self.set().page()
    }

    fn from_set(set: ModelSet) -> Self {
        Self { set: RwLock::new(Arc::new(set)) }
    }

    fn set(&self) -> Arc<ModelSet> {
        self.set.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether two providers are the same account at the same address, so that they have the same
/// models.
fn is_same_account(old: &ProviderHandle, new: &ProviderHandle) -> bool {
    old.provider().name == new.provider().name
        && old.connection.shown() == new.connection.shown()
        && old.connection.key() == new.connection.key()
}
