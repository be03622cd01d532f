//! The receiver of alerts, which verifies them as any receiver would.

use std::collections::BTreeMap;

use secret::{SignedWebhook, WebhookSecret};
use serde_json::Value;
use testkit::WebhookReceiver;

/// The secret that sender and receiver share.
const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// The alerts that have arrived, by the ids of their webhooks. Every signature fits.
pub(super) fn arrived(receiver: &WebhookReceiver) -> BTreeMap<String, Value> {
    let secret: WebhookSecret = SECRET.parse().unwrap();
    let alert = |webhook: testkit::ReceivedWebhook| {
        let testkit::ReceivedWebhook { id, timestamp, signature, body } = webhook;
        let signed = SignedWebhook { id: &id, timestamp: &timestamp, signature: &signature, body: &body };
        secret.verify(&signed, timestamp.parse().unwrap()).unwrap();
        let alert = serde_json::from_slice(&body).unwrap();
        (id, alert)
    };
    receiver.received().into_iter().map(alert).collect()
}

/// A configuration file with this receiver as the only channel.
pub(crate) fn config(url: &str) -> String {
    format!(
        "[[alerts.channels]]\nkind = \"webhook\"\nurl = \"{url}\"\nsecret = \"{SECRET}\"\nwhen = \"always\"\n\
         kinds = [\"reminder\", \"timer\", \"answer\", \"schedule_failed\"]\n"
    )
}
