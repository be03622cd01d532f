//! The registry of models: finding by name, discovery, and listing.

mod discovery;
mod live;
mod named;
mod nearest;
mod resolve;
mod view;

use std::{iter, path::PathBuf, sync::Arc};

use protocol::ModelSettings;
use tokio::sync::Mutex;

use self::resolve::ResolvedModel;
use crate::{
    Error, Model, Overrides, Provider, count,
    facts::{DiscoveredProvider, DiscoveryCache, ModelFacts, default::default_model, overrides},
    provider::{OFFLINE, known_names},
    remote::{ProviderClient, RemoteModel},
    structured::StructuredAnswers,
    textual_tools::TextualTools,
};

pub use live::{ModelChoice, Models};

/// All configured models. Each provider has one connection pool, which its models share.
#[derive(Clone)]
struct ModelSet {
    connections: Arc<Vec<ProviderHandle>>,
    default: Option<String>,
    fallbacks: Vec<String>,
    /// The configured facts about models.
    overrides: Overrides,
    /// Settings of model calls that apply where nothing narrower sets them.
    settings: ModelSettings,
    kept: Arc<DiscoveryCache>,
    offline: Arc<dyn Model>,
    /// Whether the offline model answers to every name.
    single: bool,
}

/// A configured provider.
struct ProviderHandle {
    connection: Arc<ProviderClient>,
    /// Held during discovery, so that one request runs at a time.
    lock: Mutex<()>,
}

impl ProviderHandle {
    fn provider(&self) -> &Provider {
        self.connection.provider()
    }
}

impl ModelSet {
    /// Prepares the providers; nothing is sent yet. Without a default name the first provider's
    /// default model answers, and without a provider the offline model. Unknown names are refused
    /// here rather than at first use.
    fn new(
        providers: Vec<Provider>,
        default: Option<String>,
        fallbacks: Vec<String>,
        offline: Arc<dyn Model>,
    ) -> Result<Self, Error> {
        let mut connections: Vec<ProviderHandle> = Vec::with_capacity(providers.len());
        for provider in providers {
            let taken = connections.iter().any(|other| other.provider().name == provider.name);
            if taken || provider.name == OFFLINE || provider.name.is_empty() || provider.name.contains('/') {
                let hint = "give it a name of its own, without a slash".to_owned();
                return Err(Error::Unconfigured { provider: provider.name, hint });
            }
            connections
                .push(ProviderHandle { connection: Arc::new(ProviderClient::new(provider)?), lock: Mutex::default() });
        }
        let (connections, overrides, kept) = (Arc::new(connections), Overrides::default(), Arc::default());
        let settings = ModelSettings::default();
        let models = Self { connections, default, fallbacks, overrides, settings, kept, offline, single: false };
        for name in iter::once(models.or_default(None)).chain(models.fallbacks.iter().map(String::as_str)) {
            models.target(name, &models.overrides)?;
        }
        Ok(models)
    }

    /// A registry of a single model that answers to any name.
    fn of(model: Arc<dyn Model>) -> Self {
        Self {
            connections: Arc::default(),
            default: None,
            fallbacks: Vec::new(),
            overrides: Overrides::default(),
            settings: ModelSettings::default(),
            kept: Arc::default(),
            offline: model,
            single: true,
        }
    }

    /// The same with configured settings of models. The error names what is wrong.
    fn with_overrides(mut self, overrides: Overrides) -> Result<Self, String> {
        self.check_overrides(&overrides)?;
        self.overrides = overrides;
        Ok(self)
    }

    /// The same with settings of model calls that apply where nothing narrower sets them.
    fn with_settings(mut self, settings: ModelSettings) -> Result<Self, String> {
        settings.check()?;
        self.settings = settings;
        Ok(self)
    }

    /// The same with a cache file for discovery, whose contents are read at once.
    fn with_cache_file(mut self, path: PathBuf) -> Self {
        let address = |asked: &ProviderHandle| (asked.provider().name.clone(), asked.connection.shown().to_owned());
        self.kept = Arc::new(DiscoveryCache::read(path, &self.connections.iter().map(address).collect()));
        self
    }

    /// Checks the settings of models; the error names the wrong key.
    fn check_overrides(&self, overrides: &Overrides) -> Result<(), String> {
        let own = self.connections.iter().map(|asked| asked.provider().name.as_str());
        let mut providers: Vec<&str> = own.chain(known_names()).collect();
        providers.sort_unstable();
        providers.dedup();
        overrides::check(overrides, &providers)
    }

    /// The models to try, in order: the one asked for, or the default one, and then the fallbacks.
    fn find(&self, asked: Option<&str>) -> Result<Vec<Arc<dyn Model>>, Error> {
        self.find_in(asked, &Overrides::default(), None)
    }

    /// The same for a session, whose own settings of models take precedence over the configuration,
    /// and whose conversation may take this many tokens.
    fn find_in(
        &self,
        asked: Option<&str>,
        session: &Overrides,
        prompt_tokens: Option<u64>,
    ) -> Result<Vec<Arc<dyn Model>>, Error> {
        let first = self.target(self.or_default(asked), session)?;
        let mut chain: Vec<Arc<dyn Model>> = vec![self.model(first, session, prompt_tokens)];
        for name in &self.fallbacks {
            // The offline model cannot fail, so fallbacks after it would never be asked.
            if chain.last().is_some_and(|last| Arc::ptr_eq(last, &self.offline)) {
                break;
            }
            // A fallback that no longer exists is skipped, and does not fail the request.
            let Ok(target) = self.target(name, session) else { continue };
            let model = self.model(target, session, prompt_tokens);
            if chain.iter().all(|earlier| earlier.name() != model.name()) {
                chain.push(model);
            }
        }
        Ok(chain)
    }

    /// The full name of the model that is tried first; the given name if no model has it.
    fn name(&self, asked: Option<&str>) -> String {
        let name = self.or_default(asked);
        self.target(name, &self.overrides).map_or_else(|_| name.to_owned(), |target| self.name_of(&target))
    }

    /// Opens a connection to the default provider and loads the tokenizer, ahead of the first
    /// answer.
    async fn warm(&self) {
        if self.connections.is_empty() {
            return;
        }
        let table = tokio::task::spawn_blocking(|| count(""));
        if let Ok(target) = self.target(self.or_default(None), &self.overrides) {
            self.model(target, &self.overrides, None).warm().await;
        }
        let _ = table.await;
    }

    fn model(&self, target: ResolvedModel<'_>, session: &Overrides, prompt_tokens: Option<u64>) -> Arc<dyn Model> {
        match target {
            ResolvedModel::Offline => self.offline.clone(),
            ResolvedModel::Remote { of, model } => {
                let traits = self.merged(of, &model, session).holding(prompt_tokens).traits();
                let remote = RemoteModel::new(&of.connection, model, traits);
                let with_tools = TextualTools::new(Arc::new(remote), self.kept.clone());
                Arc::new(StructuredAnswers::new(Arc::new(with_tools)))
            }
        }
    }

    fn merged(&self, of: &ProviderHandle, model: &str, session: &Overrides) -> ModelFacts {
        let provider = of.provider();
        let set = overrides::of(session, &provider.name, model);
        let set = set.or(overrides::of(&self.overrides, &provider.name, model));
        let refuses_tools = self.kept.refuses_tools(&format!("{}/{model}", provider.name));
        ModelFacts::new(provider, self.said(of).as_deref(), model, set, refuses_tools)
    }

    /// The last discovery at a provider.
    fn said(&self, of: &ProviderHandle) -> Option<Arc<DiscoveredProvider>> {
        self.kept.of(&of.provider().name).asked
    }

    fn default_of(&self, of: &ProviderHandle) -> String {
        default_model(of.provider(), self.said(of).as_deref()).0
    }

    fn name_of(&self, target: &ResolvedModel<'_>) -> String {
        match target {
            ResolvedModel::Offline => self.offline.name().to_owned(),
            ResolvedModel::Remote { of, model } => format!("{}/{model}", of.provider().name),
        }
    }

    fn or_default<'a>(&'a self, asked: Option<&'a str>) -> &'a str {
        asked.filter(|name| !name.is_empty()).or(self.default.as_deref()).unwrap_or_default()
    }
}
