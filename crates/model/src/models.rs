//! The models there are, found by name.

use std::{iter, sync::Arc};

use crate::{
    Error, Model, Provider, count,
    provider::{OFFLINE, variable},
    remote::{Connection, Remote},
};

/// The models there are. Each provider has one pool of connections, which all its models share.
pub struct Models {
    connections: Vec<Arc<Connection>>,
    default: Option<String>,
    fallbacks: Vec<String>,
    offline: Arc<dyn Model>,
    /// Whether the offline one answers to every name.
    single: bool,
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
        let mut connections: Vec<Arc<Connection>> = Vec::with_capacity(providers.len());
        for provider in providers {
            let taken = connections.iter().any(|other| other.provider().name == provider.name);
            if taken || provider.name == OFFLINE || provider.name.is_empty() || provider.name.contains('/') {
                let hint = "give it a name of its own, without a slash".to_owned();
                return Err(Error::Unconfigured { provider: provider.name, hint });
            }
            connections.push(Arc::new(Connection::new(provider)?));
        }
        let models = Self { connections, default, fallbacks, offline, single: false };
        models.find(None)?;
        Ok(models)
    }

    /// A single model that answers to any name.
    pub fn of(model: Arc<dyn Model>) -> Self {
        Self { connections: Vec::new(), default: None, fallbacks: Vec::new(), offline: model, single: true }
    }

    /// The models to try, in order: the one asked for, or the default one, and then the fallbacks.
    pub fn find(&self, asked: Option<&str>) -> Result<Vec<Arc<dyn Model>>, Error> {
        let mut chain: Vec<Arc<dyn Model>> = Vec::new();
        for name in iter::once(self.or_default(asked)).chain(self.fallbacks.iter().map(String::as_str)) {
            let model = self.resolve(name)?;
            // What is offline cannot fail: whatever came after it would never be asked.
            let last = Arc::ptr_eq(&model, &self.offline);
            if chain.iter().all(|earlier| earlier.name() != model.name()) {
                chain.push(model);
            }
            if last {
                break;
            }
        }
        Ok(chain)
    }

    /// The whole name of the model that is tried first; what was asked for, if nothing answers to it.
    pub fn name(&self, asked: Option<&str>) -> String {
        let name = self.or_default(asked);
        self.resolve(name).map_or_else(|_| name.to_owned(), |model| model.name().to_owned())
    }

    /// The whole names of the models that are configured: the default one first, then the fallbacks, and each provider's own.
    pub fn names(&self) -> Vec<String> {
        let mut names = vec![self.name(None)];
        let fallbacks = self.fallbacks.iter().map(|name| self.name(Some(name)));
        let own = self.connections.iter().map(|connection| self.name(Some(&connection.provider().name)));
        for name in fallbacks.chain(own) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Opens a connection to the default provider and reads the table of tokens, so that the first answer need not pay
    /// for either.
    pub async fn warm(&self) {
        if self.connections.is_empty() {
            return;
        }
        let table = tokio::task::spawn_blocking(|| count(""));
        if let Ok(model) = self.resolve(self.or_default(None)) {
            model.warm().await;
        }
        let _ = table.await;
    }

    fn or_default<'a>(&'a self, asked: Option<&'a str>) -> &'a str {
        asked.filter(|name| !name.is_empty()).or(self.default.as_deref()).unwrap_or_default()
    }

    /// The model of that name; no name is the first provider's default model.
    fn resolve(&self, name: &str) -> Result<Arc<dyn Model>, Error> {
        let (prefix, rest) = name.split_once('/').map_or((name, None), |(prefix, rest)| (prefix, Some(rest)));
        if self.single || prefix == OFFLINE {
            return Ok(self.offline.clone());
        }
        // Only a provider's name is a prefix: `meta-llama/llama-3` is one model's name.
        if let Some(connection) = self.connection(prefix) {
            return Ok(Remote::shared(connection, rest));
        }
        if let Some(variable) = variable(prefix) {
            let provider = prefix.to_owned();
            return Err(Error::Unconfigured { provider, hint: self.hint(variable, name) });
        }
        match self.default_connection() {
            Some(connection) => Ok(Remote::shared(connection, Some(name).filter(|name| !name.is_empty()))),
            None => Ok(self.offline.clone()),
        }
    }

    fn connection(&self, name: &str) -> Option<&Arc<Connection>> {
        self.connections.iter().find(|connection| connection.provider().name == name)
    }

    /// Whom a name without a provider belongs to: the default model's provider, or the first there is.
    fn default_connection(&self) -> Option<&Arc<Connection>> {
        let named = self.default.as_deref().and_then(|name| self.connection(name.split('/').next().unwrap_or(name)));
        named.or(self.connections.first())
    }

    fn hint(&self, variable: &str, name: &str) -> String {
        match self.connection("openrouter") {
            Some(_) => format!("set {variable}, or ask for openrouter/{name}"),
            None => format!("set {variable}, or ask for another model"),
        }
    }
}
