//! Web Push: notifications of browsers, also while no page is open. The alert is encrypted for one
//! browser (RFC 8291) and sent to that browser's push service, signed with the server's key (RFC
//! 8292).

mod encryption;
mod subscriptions;
mod vapid;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::DeliveryFailure;
use protocol::{Alert, OwnerId};
use reqwest::{StatusCode, Url, header::AUTHORIZATION};
use tools::net::{SystemResolver, guarded_client};

use crate::{
    delivery::{ClockFn, Delivery, later, refused},
    http,
    text::{Urgency, shortened},
};
pub use subscriptions::{FileSubscriptions, PushSubscription, PushSubscriptions, SubscriptionError, SubscriptionList};
pub use vapid::{BadVapidKey, VapidKey};

/// How long a push service keeps a message for a browser that is off.
const SECONDS_TO_LIVE: u32 = 24 * 60 * 60;
/// Bytes of the text; push services accept 4096 bytes of the whole message, encrypted.
const TEXT_BYTES_MAX: usize = 2000;
const TITLE_BYTES_MAX: usize = 400;

/// Sends alerts to the browsers of an owner.
pub(crate) struct WebPushDelivery {
    pub(crate) key: VapidKey,
    pub(crate) contact: String,
    pub(crate) subscriptions: Arc<dyn PushSubscriptions>,
    pub(crate) allow_private: bool,
    pub(crate) timeout: Duration,
    pub(crate) clock: ClockFn,
}

#[async_trait]
impl Delivery for WebPushDelivery {
    /// A push service replaces a waiting message of the same topic, and the page shows one
    /// notification per alert.
    fn is_idempotent(&self) -> bool {
        true
    }

    /// One browser is enough: the owner is reached. Subscriptions that are gone are removed.
    async fn deliver(&self, owner: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        let subscriptions = self.subscriptions.list(owner).await.map_err(|error| later(error.to_string(), None))?;
        let text = payload(alert)?;
        let mut failure = refused("no browser of this owner has subscribed");
        let mut is_delivered = false;
        for subscription in subscriptions {
            match self.push(&subscription, alert, &text).await {
                Ok(PushOutcome::Accepted) => is_delivered = true,
                Ok(PushOutcome::Gone) => {
                    if let Err(error) = self.subscriptions.remove(owner, &subscription.endpoint).await {
                        tracing::warn!(%error, "a subscription that is gone cannot be removed");
                    }
                }
                // A failure that may pass counts more than one that will not.
                Err(other @ DeliveryFailure::Later { .. }) => failure = other,
                Err(other) if !matches!(failure, DeliveryFailure::Later { .. }) => failure = other,
                Err(_) => {}
            }
        }
        if is_delivered { Ok(()) } else { Err(failure) }
    }
}

/// What a push service said.
enum PushOutcome {
    Accepted,
    /// The browser no longer has this subscription.
    Gone,
}

impl WebPushDelivery {
    async fn push(
        &self,
        subscription: &PushSubscription,
        alert: &Alert,
        text: &[u8],
    ) -> Result<PushOutcome, DeliveryFailure> {
        let url = Url::parse(&subscription.endpoint).map_err(|_| refused("the address of a push service is wrong"))?;
        let host = http::host(&url).to_owned();
        let is_secure = url.scheme() == "https" || (self.allow_private && url.scheme() == "http");
        if !is_secure {
            return Err(refused(format!("the push service {host} is not reached by https")));
        }
        let now = (self.clock)();
        let failed = || refused(format!("the message for {host} cannot be encrypted"));
        let body = encryption::encrypt(subscription, text).ok_or_else(failed)?;
        let authorization = self.key.authorization(&url, &self.contact, now).ok_or_else(failed)?;
        let client = guarded_client(&url, self.allow_private, Arc::new(SystemResolver), self.timeout)
            .map_err(|error| refused(error.to_string()))?
            .timeout(self.timeout)
            .build()
            .map_err(|error| later(format!("an HTTP client cannot be made: {error}"), None))?;
        let urgency = match Urgency::of(alert.kind) {
            Urgency::High => "high",
            Urgency::Normal => "normal",
            Urgency::Low => "low",
        };
        let request = client
            .post(url)
            .header(AUTHORIZATION, authorization)
            .header("Content-Encoding", "aes128gcm")
            .header("Content-Type", "application/octet-stream")
            .header("TTL", SECONDS_TO_LIVE)
            .header("Urgency", urgency)
            .header("Topic", alert.alert_id.to_string())
            .body(body);
        let response = request.send().await.map_err(|error| http::send_failure(&error, &host, true))?;
        if matches!(response.status(), StatusCode::NOT_FOUND | StatusCode::GONE) {
            return Ok(PushOutcome::Gone);
        }
        http::judge(&response, &host, true, now).map(|()| PushOutcome::Accepted)
    }
}

/// The alert as JSON, short enough for every push service.
fn payload(alert: &Alert) -> Result<Vec<u8>, DeliveryFailure> {
    let short = Alert {
        title: shortened(&alert.title, TITLE_BYTES_MAX),
        text: shortened(&alert.text, TEXT_BYTES_MAX),
        satellite: None,
        language: None,
        ..alert.clone()
    };
    let mut text = serde_json::to_vec(&short);
    // Characters that JSON writes in six bytes can make it too long still.
    if text.as_ref().is_ok_and(|text| text.len() > encryption::PLAIN_BYTES_MAX) {
        text = serde_json::to_vec(&Alert { text: String::new(), title: shortened(&short.title, 100), ..short });
    }
    text.map_err(|error| refused(format!("the alert cannot be written as JSON: {error}")))
}
