//! A receiver of webhooks that verifies them as any receiver would.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use secret::{SignedWebhook, WebhookSecret};
use serde_json::Value;

/// The secret that sender and receiver share.
pub(super) const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// What has arrived, by the id of the webhook.
#[derive(Clone, Default)]
pub(super) struct Receiver(Arc<Mutex<BTreeMap<String, Value>>>);

impl Receiver {
    /// Starts a receiver. Returns its address.
    pub(super) async fn start() -> (Self, String) {
        let receiver = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/alerts", listener.local_addr().unwrap());
        let routes = Router::new().route("/alerts", post(receive)).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        (receiver, url)
    }

    /// What has arrived so far.
    pub(super) fn arrived(&self) -> BTreeMap<String, Value> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until this many have arrived.
    pub(super) async fn until(&self, count: usize) {
        for _ in 0..6_000 {
            if self.arrived().len() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} of {count} alerts have arrived", self.arrived().len());
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name: &str| headers.get(name).map_or("", |value| value.to_str().unwrap());
    let webhook = SignedWebhook {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: &body,
    };
    let secret: WebhookSecret = SECRET.parse().unwrap();
    if secret.verify(&webhook, super::now()).is_err() {
        return StatusCode::UNAUTHORIZED;
    }
    let alert: Value = serde_json::from_slice(&body).unwrap();
    receiver.0.lock().unwrap().insert(webhook.id.to_owned(), alert);
    StatusCode::NO_CONTENT
}

/// A configuration file with this receiver as the only channel.
pub(super) fn config(url: &str) -> String {
    format!(
        "[[alerts.channels]]\nkind = \"webhook\"\nurl = \"{url}\"\nsecret = \"{SECRET}\"\nwhen = \"always\"\n\
         kinds = [\"reminder\", \"timer\", \"answer\", \"schedule_failed\"]\n"
    )
}
