//! Webhooks: the alert as JSON, signed. The receiver recognises a repetition by `webhook-id`.

use async_trait::async_trait;
use ports::DeliveryFailure;
use protocol::{Alert, OwnerId};
use reqwest::{
    Client, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};
use secret::WebhookSecret;
use serde::Serialize;

use crate::{
    delivery::{ClockFn, Delivery, refused},
    http,
};

/// Headers that only Dwell sets.
const OWN_HEADERS: [&str; 7] = [
    "content-type",
    "content-length",
    "host",
    "transfer-encoding",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
];

/// Sends alerts to an address.
pub(crate) struct WebhookDelivery {
    pub(crate) url: Url,
    pub(crate) secret: WebhookSecret,
    pub(crate) headers: HeaderMap,
    pub(crate) client: Client,
    pub(crate) clock: ClockFn,
}

/// The body.
#[derive(Serialize)]
struct WebhookBody<'a> {
    /// Whose alert it is.
    owner: &'a OwnerId,
    #[serde(flatten)]
    alert: &'a Alert,
}

#[async_trait]
impl Delivery for WebhookDelivery {
    fn is_idempotent(&self) -> bool {
        true
    }

    async fn deliver(&self, owner: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        let body = serde_json::to_vec(&WebhookBody { owner, alert })
            .map_err(|error| refused(format!("the alert cannot be written as JSON: {error}")))?;
        let (id, host) = (alert.alert_id.to_string(), http::host(&self.url));
        // Signed for each attempt: receivers refuse what is older than five minutes.
        let timestamp = (self.clock)().as_millis().div_euclid(1000);
        let signature = self.secret.sign(&id, timestamp, &body);
        let request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .body(body);
        let response = request.send().await.map_err(|error| http::send_failure(&error, host, true))?;
        http::judge(&response, host, true, (self.clock)())
    }
}

/// Checks further headers.
pub(crate) fn headers<'a>(
    declared: impl Iterator<Item = (&'a str, SecretString)>,
) -> Result<HeaderMap, (&'static str, String)> {
    let mut headers = HeaderMap::new();
    for (name, value) in declared {
        let bad = |problem: &str| ("headers", format!("has `{name}`, which {problem}"));
        let header: HeaderName = name.parse().map_err(|_| bad("is not a valid name of a header"))?;
        if OWN_HEADERS.contains(&header.as_str()) {
            return Err(bad("Dwell sets itself"));
        }
        let mut value = HeaderValue::from_str(value.expose_secret().trim())
            .map_err(|_| bad("has a value that is not valid in a header"))?;
        // Hides the value in debug output of the HTTP library.
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}
