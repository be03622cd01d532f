//! The home, made from the settings: Home Assistant where there is an address, else the simulated one.

use std::sync::Arc;

use anyhow::Context;
use engine::World;
use home::{Assistant, HomeOutlook, HomeReflexes, HomeSenses, House, Now, Permission, Settings, Simulated};
use tools::{Outlook, Reflexes, Registry, Senses};

use crate::config::Config;

/// What the rest of the house knows of the home.
#[derive(Default)]
pub(super) struct HomeParts {
    pub(super) reflexes: Option<Arc<dyn Reflexes>>,
    pub(super) senses: Option<Arc<dyn Senses>>,
    pub(super) outlook: Option<Arc<dyn Outlook>>,
}

/// Opens the home and adds its tools. The error says which setting is wrong.
pub(super) fn open(config: &Config, world: Arc<dyn World>, registry: &mut Registry) -> anyhow::Result<HomeParts> {
    let settings = &config.home;
    if !settings.enabled {
        return Ok(HomeParts::default());
    }
    let house: Arc<dyn House> = match settings.url.trim() {
        "" => {
            anyhow::ensure!(
                !settings.token.is_set(),
                "there is a token for Home Assistant but no address: set `home.url` (HOME_ASSISTANT_URL) as well"
            );
            let clock: home::Clock = Arc::new(move || world.now());
            Simulated::open(config.data_dir(), clock, &config.tools.time_zone).context("failed to open the home")?
        }
        url => Assistant::connect(Settings::new(url, settings.token.secret(), Now::new(move || world.now())))
            .context("`home.url` and `home.token` (HOME_ASSISTANT_URL, HOME_ASSISTANT_TOKEN)")?,
    };
    let read = |name: &str, rules: &[String]| {
        let rules = rules.iter().map(|rule| rule.parse()).collect::<Result<Vec<_>, _>>();
        rules.with_context(|| format!("`home.{name}` is wrong"))
    };
    let permission = Permission { allow: read("allow", &settings.allow)?, deny: read("deny", &settings.deny)? };
    home::add_observing(registry, house.clone()).context("failed to add the tools of the home")?;
    home::add_acting(registry, house.clone(), permission).context("failed to add the tools of the home")?;
    let reflexes = settings.reflexes.then(|| {
        let (grammars, notes) = home::grammars(&config.sentences_dir(), &settings.languages);
        for note in notes {
            tracing::warn!("{note}");
        }
        Arc::new(HomeReflexes::new(house.clone(), grammars)) as Arc<dyn Reflexes>
    });
    let outlook = Arc::new(HomeOutlook::new(house.clone()));
    Ok(HomeParts { reflexes, senses: Some(Arc::new(HomeSenses::new(house))), outlook: Some(outlook) })
}
