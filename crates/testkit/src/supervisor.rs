//! The Supervisor of Home Assistant, as an add-on sees it.

use axum::{Json, Router, extract::State, http::HeaderMap, routing::post};
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle};

/// A discovery that an add-on has reported: its token, and what it found.
type Discovery = (String, Value);

/// A Supervisor that takes discoveries.
pub struct Supervisor {
    url: String,
    told: mpsc::Receiver<Discovery>,
    serving: JoinHandle<()>,
}

impl Supervisor {
    /// Starts it.
    pub async fn start() -> Self {
        let (send, told) = mpsc::channel(8);
        let discovery =
            async |State(send): State<mpsc::Sender<Discovery>>, headers: HeaderMap, Json(body): Json<Value>| {
                let token = headers["authorization"].to_str().expect("a token").to_owned();
                send.send((token, body)).await.expect("the test runs");
            };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new().route("/discovery", post(discovery)).with_state(send);
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { url, told, serving }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The next discovery: the add-on's token, and what it found.
    pub async fn discovery(&mut self) -> (String, Value) {
        self.told.recv().await.expect("the Supervisor runs")
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
