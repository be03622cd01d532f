//! Alerts by a service of the home: a notification in Home Assistant, on a phone with its app, or
//! what else is behind `notify`.

use std::sync::Arc;

use async_trait::async_trait;
use ports::{AlertChannel, DeliveryFailure};
use protocol::{Alert, AlertKind, OwnerId, Timestamp};
use serde_json::{Map, Value, json};

use crate::port::{EntityId, HomeError, HomePort, ServiceCall};

/// The service that every home has: a notification in Home Assistant's own page.
const PERSISTENT: (&str, &str) = ("persistent_notification", "create");
/// Services of Home Assistant's app begin with this.
const APP: &str = "mobile_app_";
/// The service for entities of the domain `notify`.
const SEND_MESSAGE: &str = "send_message";

/// The service that has satellites of Home Assistant speak.
pub(crate) const ANNOUNCE: (&str, &str) = ("assist_satellite", "announce");

/// A service of the home that shows alerts.
pub struct HomeAlerts {
    home_port: Arc<dyn HomePort>,
    domain: String,
    service: String,
    entities: Vec<EntityId>,
}

impl HomeAlerts {
    /// Checks the service, as `notify.mobile_app_phone`, and the entities of
    /// `notify.send_message`. The error is the setting and what is wrong with it. Whether the home
    /// has the service shows when it is called: the home may not be reachable yet.
    pub fn new(
        home_port: Arc<dyn HomePort>,
        service: Option<&str>,
        entities: &[String],
    ) -> Result<Self, (&'static str, String)> {
        let (domain, service) = match service {
            None => PERSISTENT,
            Some(text) => text
                .split_once('.')
                .filter(|(domain, service)| {
                    (*domain == "notify" && is_word(service)) || [PERSISTENT, ANNOUNCE].contains(&(*domain, *service))
                })
                .ok_or_else(|| {
                    let problem = "must be a service of `notify`, as `notify.mobile_app_phone`, \
                                   `assist_satellite.announce` or `persistent_notification.create`";
                    ("service", format!("{problem}, not `{text}`"))
                })?,
        };
        let read = |text: &String| match text.parse::<EntityId>() {
            Ok(entity) if entity.domain() == domain => Ok(entity),
            _ => Err(("entities", format!("must be entities as `{domain}.kitchen`, not `{text}`"))),
        };
        let entities: Vec<EntityId> = entities.iter().map(read).collect::<Result<_, _>>()?;
        if (service == SEND_MESSAGE || (domain, service) == ANNOUNCE) == entities.is_empty() {
            let problem = "belong to `notify.send_message` and `assist_satellite.announce`, and to no other service";
            return Err(("entities", problem.to_owned()));
        }
        Ok(Self { home_port, domain: domain.to_owned(), service: service.to_owned(), entities })
    }

    fn is_app(&self) -> bool {
        self.service.starts_with(APP)
    }

    fn is_persistent(&self) -> bool {
        (self.domain.as_str(), self.service.as_str()) == PERSISTENT
    }

    fn call(&self, alert: &Alert) -> ServiceCall {
        let id = alert.alert_id.to_string();
        let text = if alert.text.trim().is_empty() { &alert.title } else { &alert.text };
        let mut data = Map::from_iter([("message".to_owned(), Value::from(text.as_str()))]);
        if (self.domain.as_str(), self.service.as_str()) != ANNOUNCE {
            data.insert("title".to_owned(), Value::from(alert.title.as_str()));
        }
        if self.is_persistent() {
            data.insert("notification_id".to_owned(), format!("dwell_{}", id.to_lowercase()).into());
        }
        // The app shows one notification per tag. Other services refuse fields that they do not
        // know.
        if self.is_app() {
            data.insert("data".to_owned(), json!({ "tag": format!("dwell_{id}") }));
        }
        ServiceCall {
            domain: self.domain.clone(),
            service: self.service.clone(),
            entities: self.entities.clone(),
            data,
            wants_response: false,
        }
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
}

/// It takes all alerts at all times: what is chosen of them is for the channel around it.
#[async_trait]
impl AlertChannel for HomeAlerts {
    fn name(&self) -> &str {
        "home"
    }

    fn takes(&self, _: &OwnerId, _: AlertKind) -> bool {
        true
    }

    fn is_always(&self) -> bool {
        false
    }

    fn is_idempotent(&self) -> bool {
        self.is_persistent() || self.is_app()
    }

    fn quiet_until(&self, _: &Alert, _: Timestamp) -> Option<Timestamp> {
        None
    }

    async fn deliver(&self, _: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        let Err(error) = self.home_port.call(&self.call(alert)).await else { return Ok(()) };
        let message = format!("{}.{}: {error}", self.domain, self.service);
        Err(match error {
            // While Home Assistant starts, services are missing that come later.
            HomeError::Unreachable(_) | HomeError::Invalid(_) => DeliveryFailure::Later { message, after: None },
            HomeError::Forbidden(_) | HomeError::Unsupported(_) => DeliveryFailure::Refused { message },
            // A service may have reached some of its receivers before it failed.
            HomeError::Lost(_) | HomeError::Failed(_) if self.is_idempotent() => {
                DeliveryFailure::Later { message, after: None }
            }
            HomeError::Lost(_) | HomeError::Failed(_) => DeliveryFailure::Unknown { message },
        })
    }
}
