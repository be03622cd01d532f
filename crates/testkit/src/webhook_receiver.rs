//! A receiver of webhooks that records what arrives.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};

/// A webhook as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedWebhook {
    /// The header `webhook-id`.
    pub id: String,
    /// The header `webhook-timestamp`.
    pub timestamp: String,
    /// The header `webhook-signature`.
    pub signature: String,
    /// The body.
    pub body: Vec<u8>,
}

/// A receiver of webhooks on a free local port. It accepts everything.
#[derive(Clone, Default)]
pub struct WebhookReceiver {
    url: String,
    received: Arc<Mutex<Vec<ReceivedWebhook>>>,
}

impl WebhookReceiver {
    /// Starts a receiver.
    ///
    /// # Panics
    /// When no local port can be bound.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/alerts", listener.local_addr().expect("its address"));
        let receiver = Self { url, received: Arc::default() };
        let routes = Router::new().route("/alerts", post(receive)).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        receiver
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What has arrived so far, with repetitions.
    ///
    /// # Panics
    /// When a request panicked.
    pub fn received(&self) -> Vec<ReceivedWebhook> {
        self.received.lock().expect("no request panicked").clone()
    }

    /// Waits until webhooks with this many different ids have arrived.
    ///
    /// # Panics
    /// When that takes longer than a minute.
    pub async fn until(&self, count: usize) {
        let ids = || {
            let mut ids: Vec<String> = self.received().into_iter().map(|webhook| webhook.id).collect();
            ids.sort_unstable();
            ids.dedup();
            ids.len()
        };
        for _ in 0..6_000 {
            if ids() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} of {count} webhooks have arrived", ids());
    }
}

async fn receive(State(receiver): State<WebhookReceiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let webhook = ReceivedWebhook {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: body.to_vec(),
    };
    receiver.received.lock().expect("no request panicked").push(webhook);
    StatusCode::NO_CONTENT
}
