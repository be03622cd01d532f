//! The parts of the server, made from the settings.

use std::{path::Path, sync::Arc};

use ::home::{HomeAssistantClient, HomeRoute};
use ::research::library::Library;
use alert::PushSubscriptions;
use anyhow::Context;
use engine::{HubParts, MemoryParts, SystemWorld};
use journal::Store;
use memory::embedding::Embedder;
use model::{ModelChoice, Models};
use offline::OfflineModel;
use protocol::OwnerId;
use secrecy::SecretString;
use server::SatelliteSpeakers;
use tokio::sync::watch;
use tools::{
    ArtifactStore, Registry, Rules,
    net::{AllowRule, Fetcher},
    redaction::Redactor,
};

use super::{alerts, home, push::SubscribedBrowsers, research};
use crate::config::{Config, variable};

/// The parts that a server consists of.
pub(super) struct ServerParts {
    pub(super) parts: HubParts,
    /// The external servers to connect to.
    pub(super) external_servers: Vec<external::ExternalServer>,
    /// The library, which has to be closed at shutdown.
    pub(super) library: Library,
    /// The loudspeakers of voice satellites.
    pub(super) speakers: SatelliteSpeakers,
    /// The browsers that owners have subscribed, if there is a key for that.
    pub(super) push: Option<SubscribedBrowsers>,
    /// The client of Home Assistant, if that is the home.
    pub(super) home_assistant: Option<Arc<HomeAssistantClient>>,
}

/// Creates the parts. The error says which setting is wrong.
pub(super) fn gather(
    config: &Config,
    store: Arc<dyn Store>,
    made: [SecretString; 3],
    owner: OwnerId,
    subscriptions: Arc<dyn PushSubscriptions>,
    home_route: Option<watch::Receiver<HomeRoute>>,
) -> anyhow::Result<ServerParts> {
    let mut secrets = config.secrets.clone();
    secrets.extend(made);
    let world = Arc::new(SystemWorld::default());
    let mut tools = registry(config, store.clone(), &mut secrets)?;
    let external_servers =
        external::load(config.mcp.servers.clone(), &|name| variable(name).ok().flatten().map(SecretString::from))?;
    secrets.extend(external_servers.secrets);
    let home = home::open(config, world.clone(), home_route, &mut tools)?;
    let speakers = SatelliteSpeakers::new(config.voice.satellites.keys().cloned());
    let satellites = alerts::SatelliteParts { owner, speakers: speakers.clone() };
    let alerts = alerts::alert_channels(config, world.clone(), home.home_port.clone(), satellites, subscriptions)?;
    secrets.extend(alerts.secrets);
    let clock = world.clone();
    let push = alerts
        .web_push
        .map(|access| SubscribedBrowsers { access, clock: Arc::new(move || engine::World::now(&*clock)) });
    let ModelChoice { providers, default, fallbacks, overrides, settings } = config.model_choice();
    let models = Models::new(providers, default, fallbacks, Arc::new(OfflineModel))
        .context("failed to prepare the models (`model.name`, `model.fallbacks`)")?
        .with_overrides(overrides)
        .map_err(|wrong| anyhow::anyhow!("`model.overrides` is wrong: {wrong}"))?
        .with_settings(settings)
        .map_err(|problem| anyhow::anyhow!("`model.settings` is wrong: {problem}"))?
        .with_cache_file(config.data_dir().join("models.json"));
    let fetch_allow = config.tools.fetch_allow.iter().map(|text| text.parse::<AllowRule>());
    let fetch_allow = fetch_allow.collect::<Result<Vec<_>, _>>().context("`tools.fetch_allow` is wrong")?;
    let (embedder, fetcher) = (embedder(config)?, Fetcher::new(fetch_allow));
    let shared = research::ResearchParts { world: world.clone(), embedder: embedder.clone(), fetcher: fetcher.clone() };
    let library = research::open(config, shared, &mut tools)?;
    let memory_model = memory_model(config, &models)?;
    let extraction = config.extraction_options(memory_model.as_deref());
    let memory = MemoryParts { embedder, model: memory_model, extraction, options: config.memory_options() };
    let parts = HubParts {
        store,
        models,
        tools,
        rules: rules(config)?,
        redactor: Redactor::new(secrets),
        fetcher,
        reflexes: home.reflexes,
        home_context: home.home_context,
        home_feed: home.home_feed,
        library: Some(Arc::new(library.clone())),
        world,
        memory,
        alert_channels: alerts.channels,
        options: config.engine_options(),
    };
    let (external_servers, home_assistant) = (external_servers.servers, home.home_assistant);
    Ok(ServerParts { parts, external_servers, library, speakers, push, home_assistant })
}

/// The embedding model. Without it memory is searched by words only, and says so.
fn embedder(config: &Config) -> anyhow::Result<Result<Arc<dyn Embedder>, String>> {
    let card = config.embedding_model()?;
    Ok(card.load(&config.embedding_dir(card)).map_err(|error| {
        let model = card.name;
        tracing::warn!(%error, model, "memory is searched by words only; run `dwell setup` to download the embedding model");
        error.to_string()
    }))
}

fn memory_model(config: &Config, models: &Models) -> anyhow::Result<Option<String>> {
    let name = config.memory_model().map(|name| match name {
        // Resolved when it is needed: the default may only be known once the provider has answered.
        "default" => String::new(),
        name => name.to_owned(),
    });
    if let Some(name) = &name {
        models.find(Some(name)).map_err(|error| anyhow::anyhow!("`memory.model` is wrong: {error}"))?;
    }
    Ok(name)
}

fn registry(config: &Config, store: Arc<dyn Store>, secrets: &mut Vec<SecretString>) -> anyhow::Result<Registry> {
    let mut registry = Registry::default();
    let artifact_store = ArtifactStore::new(store, config.artifacts.owner_bytes_max);
    tools::add_builtins(&mut registry, artifact_store.clone(), &config.time_zone())
        .context("failed to add the built-in tools")?;
    desktop::add_desktop(&mut registry)
        .and_then(|()| desktop::add_artifact_show(&mut registry, artifact_store))
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
