//! The parts of the house, made from the settings.

use std::{path::Path, sync::Arc};

use ::research::library::Library;
use anyhow::Context;
use engine::{MemoryParts, Parts, SystemWorld};
use journal::Store;
use memory::embedding::{Embedder, MiniLm};
use model::{Models, Offline};
use secrecy::SecretString;
use tools::{
    Cabinet, Registry, Rules,
    net::{Allow, Fetcher},
    redaction::Redactor,
};

use super::{home, research};
use crate::config::{Config, variable};

/// What a server is put together of.
pub(super) struct Gathered {
    pub(super) parts: Parts,
    /// The external servers that are to be taken up.
    pub(super) strangers: Vec<external::Server>,
    /// The library, which has to be closed in the end.
    pub(super) library: Library,
}

/// Puts the parts together. The error says which setting is wrong.
pub(super) fn gather<S: Store>(config: &Config, store: Arc<S>, made: [&SecretString; 3]) -> anyhow::Result<Gathered> {
    let mut secrets = config.secrets.clone();
    secrets.extend(made.into_iter().cloned());
    let world = Arc::new(SystemWorld::default());
    let mut tools = registry(config, store.clone(), &mut secrets)?;
    let strangers =
        external::load(config.mcp.servers.clone(), &|name| variable(name).ok().flatten().map(SecretString::from))?;
    secrets.extend(strangers.secrets);
    let home = home::open(config, world.clone(), &mut tools)?;
    config.model.settings.check().map_err(|problem| anyhow::anyhow!("`model.settings` is wrong: {problem}"))?;
    let named = Some(config.model.name.clone()).filter(|name| !name.is_empty());
    let models = Models::new(config.providers(), named, config.model.fallbacks.clone(), Arc::new(Offline))
        .context("failed to prepare the models (`model.name`, `model.fallbacks`)")?
        .with_overrides(config.model.overrides.clone())
        .map_err(|wrong| anyhow::anyhow!("`model.overrides` is wrong: {wrong}"))?
        .kept_in(config.data_dir().join("models.json"));
    let fetch_allow = config.tools.fetch_allow.iter().map(|text| text.parse::<Allow>());
    let fetch_allow = fetch_allow.collect::<Result<Vec<_>, _>>().context("`tools.fetch_allow` is wrong")?;
    let (embedder, fetcher) = (embedder(config), Fetcher::new(fetch_allow));
    let shared = research::Shared { world: world.clone(), embedder: embedder.clone(), fetcher: fetcher.clone() };
    let library = research::open(config, shared, &mut tools)?;
    let memory = MemoryParts { embedder, model: memory_model(config, &models)?, options: config.memory_options() };
    let parts = Parts {
        store,
        models,
        tools,
        rules: rules(config)?,
        redactor: Redactor::new(secrets),
        fetcher,
        reflexes: home.reflexes,
        senses: home.senses,
        outlook: home.outlook,
        library: Some(Arc::new(library.clone())),
        world,
        memory,
        options: config.engine_options(),
    };
    Ok(Gathered { parts, strangers: strangers.servers, library })
}

/// What says what texts mean. Without it memory goes by words alone, and says so.
fn embedder(config: &Config) -> Result<Arc<dyn Embedder>, String> {
    let loaded = MiniLm::load(&config.embedding_dir());
    loaded.map(|model| Arc::new(model) as Arc<dyn Embedder>).map_err(|error| {
        tracing::warn!(%error, "memory is searched by words only; `dwell setup` fetches what is missing");
        error.to_string()
    })
}

fn memory_model(config: &Config, models: &Models) -> anyhow::Result<Option<String>> {
    let name = config.memory_model().map(|name| match name {
        // Looked up when it is needed: which one that is may only be known when the provider was asked.
        "default" => String::new(),
        name => name.to_owned(),
    });
    if let Some(name) = &name {
        models.find(Some(name)).map_err(|error| anyhow::anyhow!("`memory.model` is wrong: {error}"))?;
    }
    Ok(name)
}

fn registry<S: Store>(config: &Config, store: Arc<S>, secrets: &mut Vec<SecretString>) -> anyhow::Result<Registry> {
    let mut registry = Registry::default();
    let cabinet = Cabinet::new(store, config.artifacts.owner_bytes_max);
    tools::add_builtins(&mut registry, cabinet.clone(), &config.tools.time_zone)
        .context("failed to add the built-in tools")?;
    desktop::add_desktop(&mut registry)
        .and_then(|()| desktop::add_artifact_show(&mut registry, cabinet))
        .context("failed to add the tools of the desktop")?;
    if config.tools.file.is_empty() {
        return Ok(registry);
    }
    let path = Path::new(&config.tools.file);
    let context = || format!("`tools.file` {}", path.display());
    let text = std::fs::read_to_string(path).with_context(context)?;
    let own = tools::http::load(&text, |name| variable(name).ok().flatten().map(SecretString::from));
    let own = own.with_context(context)?;
    for tool in own.tools {
        registry.add_any(tool).with_context(context)?;
    }
    secrets.extend(own.secrets);
    Ok(registry)
}

fn rules(config: &Config) -> anyhow::Result<Rules> {
    let read = |name: &str, patterns: &[String]| {
        let patterns = patterns.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
        patterns.with_context(|| format!("`tools.{name}` is wrong"))
    };
    let settings = &config.tools;
    let allow = read("allow", &settings.allow)?;
    Ok(Rules {
        actuation: settings.actuation,
        allow: (!allow.is_empty()).then_some(allow),
        deny: read("deny", &settings.deny)?,
        confirm: read("confirm", &settings.confirm)?,
    })
}
