//! The channels of alerts, made from the settings.

use std::sync::Arc;

use alert::{ClockFn, HomeChannel, LoadParts, LoadedChannels, PushSubscriptions};
use engine::World;
use home::{HomeAlerts, HomePort, HomeSpeakers};
use ports::AlertChannel;
use protocol::OwnerId;
use secrecy::SecretString;
use server::SatelliteSpeakers;

use super::satellites::{self, SatelliteChannel};
use crate::config::{Config, variable};

/// What the channel to voice satellites is made of.
pub(super) struct SatelliteParts {
    pub(super) owner: OwnerId,
    pub(super) speakers: SatelliteSpeakers,
}

/// Makes the channels. The error says which setting is wrong.
pub(super) fn alert_channels(
    config: &Config,
    world: Arc<dyn World>,
    home_port: Option<Arc<dyn HomePort>>,
    satellites: SatelliteParts,
    subscriptions: Arc<dyn PushSubscriptions>,
) -> anyhow::Result<LoadedChannels> {
    let speakers = home_port.clone().map(HomeSpeakers::new);
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
        subscriptions,
    };
    let mut loaded = alert::load(&config.alerts.channels, &parts)?;
    if !loaded.channels.is_empty() {
        let names: Vec<&str> = loaded.channels.iter().map(|channel| channel.name()).collect();
        anyhow::ensure!(
            !names.contains(&satellites::NAME),
            "`alerts.channels`: `{}` is the name of the channel to voice satellites; choose another `name`",
            satellites::NAME
        );
        tracing::info!(channels = names.join(", "), "alerts leave by these channels");
    }
    let language = Some(config.voice.language.trim().to_owned()).filter(|language| !language.is_empty());
    let SatelliteParts { owner, speakers: own } = satellites;
    let satellites = SatelliteChannel { owner, speakers: own, language, home: speakers };
    loaded.channels.insert(0, Arc::new(satellites));
    Ok(loaded)
}
