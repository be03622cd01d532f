//! Automations in Home Assistant: checked over the WebSocket, stored over REST, which is the only
//! way to store them.

use std::time::Duration;

use reqwest::{Client, Method, StatusCode};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{HomeAssistantClient, wire::HassCommand};
use crate::{
    automations::{AutomationCheck, AutomationConfig},
    port::{EntityId, HomeError},
};

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The number of characters of an error that are kept.
const ERROR_CHARS_MAX: usize = 500;

/// The verdict on one part of an automation.
#[derive(Deserialize)]
struct PartCheck {
    valid: bool,
    #[serde(default)]
    error: Option<String>,
}

/// Checks an automation. Releases since 2024.10 have other names for its parts.
pub(super) async fn check(
    client: &HomeAssistantClient,
    config: &AutomationConfig,
) -> Result<AutomationCheck, HomeError> {
    let stored = config.stored();
    let parts = |plural: bool| -> Map<String, Value> {
        let name = |part: &str| if plural { format!("{part}s") } else { part.to_owned() };
        let part = |part: &str| Some((name(part), stored.get(part)?.clone()));
        ["trigger", "condition", "action"].into_iter().filter_map(part).collect()
    };
    let asked = client.link.ask_for(HassCommand::ValidateConfig { parts: parts(true) }).await;
    let checked: std::collections::BTreeMap<String, PartCheck> = match asked {
        Err(HomeError::Invalid(_)) => client.link.ask_for(HassCommand::ValidateConfig { parts: parts(false) }).await?,
        asked => asked?,
    };
    let faults: Vec<String> = checked
        .into_iter()
        .filter(|(_, part)| !part.valid)
        .map(|(name, part)| {
            format!("{name}: {}", part.error.as_deref().map_or_else(|| "it is not valid".to_owned(), short))
        })
        .collect();
    Ok(if faults.is_empty() { AutomationCheck::Valid } else { AutomationCheck::Invalid(faults) })
}

/// Stores an automation under an id; Home Assistant loads it at once.
pub(super) async fn save(client: &HomeAssistantClient, id: &str, config: &AutomationConfig) -> Result<(), HomeError> {
    request(client, Method::POST, id, Some(Value::Object(config.stored()))).await
}

/// Deletes an automation by the id under which it is stored.
pub(super) async fn remove(client: &HomeAssistantClient, id: &str) -> Result<(), HomeError> {
    request(client, Method::DELETE, id, None).await
}

/// The configuration of an automation.
pub(super) async fn config(client: &HomeAssistantClient, entity_id: &EntityId) -> Result<Value, HomeError> {
    #[derive(Deserialize)]
    struct Answer {
        config: Value,
    }
    let answer: Answer = client.link.ask_for(HassCommand::AutomationConfig { entity_id: entity_id.clone() }).await?;
    Ok(answer.config)
}

async fn request(client: &HomeAssistantClient, method: Method, id: &str, body: Option<Value>) -> Result<(), HomeError> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    if id.is_empty() || !id.chars().all(is_plain) {
        return Err(HomeError::Invalid(format!("`{id}` is not an id of an automation")));
    }
    let acts_twice = method == Method::DELETE;
    let url = format!("{}/api/config/automation/config/{id}", http_base(&client.shared.address.shown));
    // A redirect would carry the token to an address that is not configured.
    let http = Client::builder().timeout(TIMEOUT).redirect(reqwest::redirect::Policy::none()).build();
    let http = http.map_err(|error| HomeError::Failed(error.to_string()))?;
    let mut request = http.request(method, url).bearer_auth(client.shared.settings.token.expose_secret());
    if let Some(body) = body {
        request = request.json(&body);
    }
    let answer = request.send().await.map_err(|error| {
        let is_unsent = error.is_connect();
        let why = error.without_url().to_string();
        if is_unsent { HomeError::Unreachable(why) } else { HomeError::Lost(why) }
    })?;
    match answer.status() {
        status if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(HomeError::Forbidden(
            "only an administrator's token may change automations; make one and put it in the configuration".to_owned(),
        )),
        StatusCode::NOT_FOUND if !acts_twice => Err(HomeError::Unsupported(
            "its integration `config` is not set up, which stores automations; `default_config:` contains it"
                .to_owned(),
        )),
        StatusCode::NOT_FOUND => Err(HomeError::Invalid("there is no such automation any more".to_owned())),
        status => {
            let text = answer.text().await.unwrap_or_default();
            Err(HomeError::Invalid(format!("{status}: {}", short(&text))))
        }
    }
}

/// The address for requests: the configured one may be that of the WebSocket.
fn http_base(shown: &str) -> String {
    let base = shown.strip_prefix("ws://").map(|rest| format!("http://{rest}"));
    base.or_else(|| shown.strip_prefix("wss://").map(|rest| format!("https://{rest}")))
        .unwrap_or_else(|| shown.to_owned())
}

/// A message of Home Assistant, on one line and truncated.
fn short(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(ERROR_CHARS_MAX).collect()
}
