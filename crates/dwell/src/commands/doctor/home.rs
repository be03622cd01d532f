//! Home Assistant, if it is configured.

use std::{sync::Arc, time::Duration};

use engine::{SystemWorld, World};
use home::{HomeAssistantClient, HomeAssistantSettings, TimeSource};

use super::Diagnosis;
use crate::config::Config;

const AREA: &str = "home";
/// How long Home Assistant may take to list what it has.
const PATIENCE: Duration = Duration::from_secs(8);

pub(super) async fn check(config: &Config) -> Vec<Diagnosis> {
    let settings = &config.home;
    if !settings.enabled {
        return vec![Diagnosis::ok(AREA, "off")];
    }
    let url = settings.url.trim();
    if url.is_empty() {
        return vec![if settings.token.is_set() {
            let advice = "set `home.url` (HOME_ASSISTANT_URL) as well";
            Diagnosis::problem(AREA, "there is a token for Home Assistant, but no address", advice)
        } else {
            Diagnosis::ok(AREA, "the simulated home, since no Home Assistant is configured")
        }];
    }
    let world = Arc::new(SystemWorld::default());
    let time = TimeSource::new(move || world.now());
    let shown = settings.url.shown();
    let advice = "check `home.url` and `home.token` (HOME_ASSISTANT_URL, HOME_ASSISTANT_TOKEN)";
    let connected = HomeAssistantClient::connect(HomeAssistantSettings::new(url, settings.token.secret(), time));
    let client = match connected {
        Ok(client) => client,
        Err(error) => return vec![Diagnosis::problem(AREA, error.to_string(), advice)],
    };
    let ready = client.ready(PATIENCE).await;
    client.close();
    vec![match ready {
        Ok(()) => Diagnosis::ok(AREA, format!("Home Assistant answers at {shown}")),
        Err(error) => Diagnosis::problem(AREA, format!("{shown}: {error}"), advice),
    }]
}
