//! The channels of alerts, made from the settings.

use std::sync::Arc;

use alert::{ClockFn, FileSubscriptions, HomeChannel, LoadParts, LoadedChannels};
use engine::World;
use home::{HomeAlerts, HomePort};
use secrecy::SecretString;
use tools::AlertChannel;

use crate::config::{Config, variable};

/// The file of the browsers that owners have subscribed, in the data folder.
const SUBSCRIPTIONS: &str = "push_subscriptions.json";

/// Makes the channels. The error says which setting is wrong.
pub(super) fn alert_channels(
    config: &Config,
    world: Arc<dyn World>,
    home_port: Option<Arc<dyn HomePort>>,
) -> anyhow::Result<LoadedChannels> {
    let clock: ClockFn = Arc::new(move || world.now());
    let home = |asked: HomeChannel| {
        let home_port = home_port.clone().ok_or_else(|| ("kind", "needs a home: `home.enabled` is off".to_owned()))?;
        let made = HomeAlerts::new(home_port, asked.service.as_deref(), &asked.entities)?;
        Ok(Arc::new(made) as Arc<dyn AlertChannel>)
    };
    let parts = LoadParts {
        clock,
        variable: &|name| variable(name).ok().flatten().map(SecretString::from),
        home: &home,
        subscriptions: Arc::new(FileSubscriptions::new(config.data_dir().join(SUBSCRIPTIONS))),
    };
    let loaded = alert::load(&config.alerts.channels, &parts)?;
    if !loaded.channels.is_empty() {
        let names: Vec<&str> = loaded.channels.iter().map(|channel| channel.name()).collect();
        tracing::info!(channels = names.join(", "), "alerts leave by these channels");
    }
    Ok(loaded)
}
