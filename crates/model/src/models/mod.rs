//! The models there are: found by name, asked what they take, and shown.

mod asking;
mod named;
mod nearest;
mod resolve;
mod showing;

use std::{iter, path::PathBuf, sync::Arc};

use tokio::sync::Mutex;

use self::resolve::Target;
use crate::{
    Error, Model, Overrides, Provider, count,
    facts::{AskedProvider, Kept, Merged, default::default_model, overrides},
    provider::{OFFLINE, known_names},
    remote::{Connection, Remote},
    textual_tools::TextualTools,
};

/// The models there are. Each provider has one pool of connections, which all its models share.
pub struct Models {
    connections: Vec<Asked>,
    default: Option<String>,
    fallbacks: Vec<String>,
    /// What the configuration knows of models.
    overrides: Overrides,
    kept: Arc<Kept>,
    offline: Arc<dyn Model>,
    /// Whether the offline one answers to every name.
    single: bool,
}

/// A provider that can be asked.
struct Asked {
    connection: Arc<Connection>,
    /// Held while it is asked, so that it is asked once at a time.
    turn: Mutex<()>,
}

impl Asked {
    fn provider(&self) -> &Provider {
        self.connection.provider()
    }
}

impl Models {
    /// Prepares the providers; nothing is sent yet. Without a default name the first provider's default model answers,
    /// and without a provider the offline one. Names that cannot be found are refused here rather than when they are
    /// needed.
    pub fn new(
        providers: Vec<Provider>,
        default: Option<String>,
        fallbacks: Vec<String>,
        offline: Arc<dyn Model>,
    ) -> Result<Self, Error> {
        let mut connections: Vec<Asked> = Vec::with_capacity(providers.len());
        for provider in providers {
            let taken = connections.iter().any(|other| other.provider().name == provider.name);
            if taken || provider.name == OFFLINE || provider.name.is_empty() || provider.name.contains('/') {
                let hint = "give it a name of its own, without a slash".to_owned();
                return Err(Error::Unconfigured { provider: provider.name, hint });
            }
            connections.push(Asked { connection: Arc::new(Connection::new(provider)?), turn: Mutex::default() });
        }
        let (overrides, kept) = (Overrides::default(), Arc::default());
        let models = Self { connections, default, fallbacks, overrides, kept, offline, single: false };
        for name in iter::once(models.or_default(None)).chain(models.fallbacks.iter().map(String::as_str)) {
            models.target(name, &models.overrides)?;
        }
        Ok(models)
    }

    /// A single model that answers to any name.
    pub fn of(model: Arc<dyn Model>) -> Self {
        Self {
            connections: Vec::new(),
            default: None,
            fallbacks: Vec::new(),
            overrides: Overrides::default(),
            kept: Arc::default(),
            offline: model,
            single: true,
        }
    }

    /// The same with what the configuration knows of models. The error names what is wrong.
    pub fn with_overrides(mut self, overrides: Overrides) -> Result<Self, String> {
        self.check_overrides(&overrides)?;
        self.overrides = overrides;
        Ok(self)
    }

    /// The same with a file that keeps what providers say, and what it has from before.
    #[must_use]
    pub fn kept_in(mut self, path: PathBuf) -> Self {
        let address = |asked: &Asked| (asked.provider().name.clone(), asked.connection.shown().to_owned());
        self.kept = Arc::new(Kept::read(path, &self.connections.iter().map(address).collect()));
        self
    }

    /// What is wrong with what is set of models, by its key.
    pub fn check_overrides(&self, overrides: &Overrides) -> Result<(), String> {
        let own = self.connections.iter().map(|asked| asked.provider().name.as_str());
        let mut providers: Vec<&str> = own.chain(known_names()).collect();
        providers.sort_unstable();
        providers.dedup();
        overrides::check(overrides, &providers)
    }

    /// The models to try, in order: the one asked for, or the default one, and then the fallbacks.
    pub fn find(&self, asked: Option<&str>) -> Result<Vec<Arc<dyn Model>>, Error> {
        self.find_in(asked, &Overrides::default(), None)
    }

    /// The same in a session, in which what it sets of models counts more than the configuration, and whose conversation may
    /// take so many tokens.
    pub fn find_in(
        &self,
        asked: Option<&str>,
        session: &Overrides,
        prompt_tokens: Option<u64>,
    ) -> Result<Vec<Arc<dyn Model>>, Error> {
        let first = self.target(self.or_default(asked), session)?;
        let mut chain: Vec<Arc<dyn Model>> = vec![self.model(first, session, prompt_tokens)];
        for name in &self.fallbacks {
            // What is offline cannot fail: whatever came after it would never be asked.
            if chain.last().is_some_and(|last| Arc::ptr_eq(last, &self.offline)) {
                break;
            }
            // One that is gone cannot step in, and is no reason to fail what does not need it.
            let Ok(target) = self.target(name, session) else { continue };
            let model = self.model(target, session, prompt_tokens);
            if chain.iter().all(|earlier| earlier.name() != model.name()) {
                chain.push(model);
            }
        }
        Ok(chain)
    }

    /// The whole name of the model that is tried first; what was asked for, if nothing answers to it.
    pub fn name(&self, asked: Option<&str>) -> String {
        let name = self.or_default(asked);
        self.target(name, &self.overrides).map_or_else(|_| name.to_owned(), |target| self.name_of(&target))
    }

    /// Opens a connection to the default provider and reads the table of tokens, so that the first answer need not pay
    /// for either.
    pub async fn warm(&self) {
        if self.connections.is_empty() {
            return;
        }
        let table = tokio::task::spawn_blocking(|| count(""));
        if let Ok(target) = self.target(self.or_default(None), &self.overrides) {
            self.model(target, &self.overrides, None).warm().await;
        }
        let _ = table.await;
    }

    fn model(&self, target: Target<'_>, session: &Overrides, prompt_tokens: Option<u64>) -> Arc<dyn Model> {
        match target {
            Target::Offline => self.offline.clone(),
            Target::Remote { of, model } => {
                let traits = self.merged(of, &model, session).holding(prompt_tokens).traits();
                let remote = Remote::new(&of.connection, model, traits);
                Arc::new(TextualTools::new(Arc::new(remote), self.kept.clone()))
            }
        }
    }

    fn merged(&self, of: &Asked, model: &str, session: &Overrides) -> Merged {
        let provider = of.provider();
        let set = overrides::of(session, &provider.name, model);
        let set = set.or(overrides::of(&self.overrides, &provider.name, model));
        let refuses_tools = self.kept.refuses_tools(&format!("{}/{model}", provider.name));
        Merged::new(provider, self.said(of).as_deref(), model, set, refuses_tools)
    }

    /// What a provider said when it was last asked.
    fn said(&self, of: &Asked) -> Option<Arc<AskedProvider>> {
        self.kept.of(&of.provider().name).asked
    }

    fn default_of(&self, of: &Asked) -> String {
        default_model(of.provider(), self.said(of).as_deref()).0
    }

    fn name_of(&self, target: &Target<'_>) -> String {
        match target {
            Target::Offline => self.offline.name().to_owned(),
            Target::Remote { of, model } => format!("{}/{model}", of.provider().name),
        }
    }

    fn or_default<'a>(&'a self, asked: Option<&'a str>) -> &'a str {
        asked.filter(|name| !name.is_empty()).or(self.default.as_deref()).unwrap_or_default()
    }
}
