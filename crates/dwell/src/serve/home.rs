//! The home, made from the settings: Home Assistant if an address is set, otherwise the simulated
//! home.

use std::sync::Arc;

use anyhow::Context;
use engine::World;
use home::{
    HomeAssistantClient, HomeAssistantSettings, HomePort, HomeRoute, LiveHomeContext, LiveHomeFeed, Permission,
    ReloadedReflexes, TimeSource,
};
use ports::{HomeContext, HomeFeed, Reflexes};
use simulated_home::{ClockFn, SimulatedHome};
use tokio::sync::watch;
use tools::Registry;

use crate::config::Config;

/// The parts of the home that the rest of the server uses.
#[derive(Default)]
pub(super) struct HomeParts {
    pub(super) home_port: Option<Arc<dyn HomePort>>,
    pub(super) reflexes: Option<Arc<dyn Reflexes>>,
    pub(super) home_context: Option<Arc<dyn HomeContext>>,
    pub(super) home_feed: Option<Arc<dyn HomeFeed>>,
    /// The client, if the home is Home Assistant.
    pub(super) home_assistant: Option<Arc<HomeAssistantClient>>,
}

/// Opens the home and adds its tools. The error says which setting is wrong.
pub(super) fn open(
    config: &Config,
    world: Arc<dyn World>,
    route: Option<watch::Receiver<HomeRoute>>,
    registry: &mut Registry,
) -> anyhow::Result<HomeParts> {
    let settings = &config.home;
    if !settings.enabled {
        return Ok(HomeParts::default());
    }
    let mut home_assistant = None;
    let home_port: Arc<dyn HomePort> = match settings.url.trim() {
        "" => {
            anyhow::ensure!(
                !settings.token.is_set(),
                "there is a token for Home Assistant but no address: set `home.url` (HOME_ASSISTANT_URL) as well"
            );
            let clock: ClockFn = Arc::new(move || world.now());
            SimulatedHome::open(config.data_dir(), clock, &config.time_zone()).context("failed to open the home")?
        }
        url => {
            let now = TimeSource::new(move || world.now());
            let mut client = HomeAssistantSettings::new(url, settings.token.secret(), now);
            client.routes = route;
            let client = HomeAssistantClient::connect(client)
                .context("`home.url` and `home.token` (HOME_ASSISTANT_URL, HOME_ASSISTANT_TOKEN)")?;
            home_assistant.insert(client).clone()
        }
    };
    let read = |name: &str, rules: &[String]| {
        let rules = rules.iter().map(|rule| rule.parse()).collect::<Result<Vec<_>, _>>();
        rules.with_context(|| format!("`home.{name}` is wrong"))
    };
    let permission = Permission {
        allow: read("allow", &settings.allow)?,
        deny: read("deny", &settings.deny)?,
        confirm_locking: settings.confirm_locking,
    };
    let table = home::sensitive_table(&settings.sensitive, &settings.not_sensitive)
        .map_err(|(setting, error)| anyhow::Error::new(error).context(format!("`home.{setting}` is wrong")))?;
    home_port.index().set_sensitive(table);
    home::add_home_queries(registry, home_port.clone()).context("failed to add the tools of the home")?;
    home::add_call_service(registry, home_port.clone(), permission.clone())
        .context("failed to add the tools of the home")?;
    home::add_automations(registry, home_port.clone(), permission).context("failed to add the tools of the home")?;
    let reflexes = settings.reflexes.then(|| {
        let (sentences, custom) = (config.sentences_dir(), config.custom_sentences_dir());
        let reflexes = ReloadedReflexes::new(home_port.clone(), sentences, custom, settings.languages.clone());
        for notice in reflexes.notices() {
            tracing::warn!("{notice}");
        }
        reflexes
    });
    let home_feed = Arc::new(LiveHomeFeed::new(home_port.clone()).with_reflexes(reflexes.clone()));
    Ok(HomeParts {
        reflexes: reflexes.map(|reflexes| reflexes as Arc<dyn Reflexes>),
        home_context: Some(Arc::new(LiveHomeContext::new(home_port.clone()))),
        home_feed: Some(home_feed),
        home_port: Some(home_port),
        home_assistant,
    })
}
