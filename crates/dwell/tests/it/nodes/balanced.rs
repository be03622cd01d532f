//! A client that goes to one node after the other, as through a load balancer, and tries again.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};

use super::Nodes;

/// How long a client tries before the test fails.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// How long a request may take: a node that is suspended answers none.
const REQUEST_MAX: Duration = Duration::from_secs(20);

/// A client of all nodes.
pub(super) struct BalancedClient {
    /// Where the nodes are; a node that is down refuses connections.
    urls: Mutex<Vec<String>>,
    client: reqwest::Client,
    turn: AtomicUsize,
}

impl BalancedClient {
    /// A client of these nodes, all of which run.
    pub(super) fn new(nodes: &Nodes) -> Self {
        let urls = (0..nodes.nodes.len()).map(|at| nodes.server(at).url().to_owned()).collect();
        let client = reqwest::Client::builder().timeout(REQUEST_MAX).build().unwrap();
        Self { urls: Mutex::new(urls), client, turn: AtomicUsize::new(0) }
    }

    /// The next node, by turns.
    pub(super) fn url(&self) -> String {
        let urls = self.urls.lock().unwrap();
        urls[self.turn.fetch_add(1, Ordering::Relaxed) % urls.len()].clone()
    }

    /// A node by its place.
    pub(super) fn url_of(&self, at: usize) -> String {
        self.urls.lock().unwrap()[at].clone()
    }

    /// A node was started again.
    pub(super) fn note_start(&self, nodes: &Nodes, at: usize) {
        nodes.server(at).url().clone_into(&mut self.urls.lock().unwrap()[at]);
    }

    /// Sends a request to one node after the other until one answers with a status below 500.
    pub(super) async fn ask(&self, token: &str, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let until = Instant::now() + PATIENCE;
        loop {
            let mut request = self.client.request(method.clone(), format!("{}{path}", self.url())).bearer_auth(token);
            if let Some(body) = &body {
                request = request.json(body);
            }
            let failed = match request.send().await {
                Ok(answer) if answer.status().as_u16() < 500 => {
                    let status = answer.status().as_u16();
                    match answer.bytes().await {
                        Ok(bytes) => return (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null)),
                        Err(error) => error.to_string(),
                    }
                }
                Ok(answer) => format!("{} {}", answer.status(), answer.text().await.unwrap_or_default()),
                Err(error) => error.to_string(),
            };
            assert!(Instant::now() < until, "{method} {path} was not answered: {failed}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until an owner is served through a node; returns how long that took since then.
    pub(super) async fn until_served(&self, token: &str, at: usize, began: Instant) -> Duration {
        let url = self.url_of(at);
        loop {
            let asked = self.client.get(format!("{url}/api/v1/sessions")).bearer_auth(token);
            if asked.send().await.is_ok_and(|answer| answer.status().is_success()) {
                return began.elapsed();
            }
            assert!(began.elapsed() < PATIENCE, "the owner is not served again");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Answers what a turn asks about its calls, as a person would who knows what has happened.
    pub(super) async fn answer_truthfully(&self, token: &str, turn: &Value, has_happened: bool) {
        let resume = format!("/api/v1/turns/{}/resume", turn["turn_id"].as_str().unwrap());
        for call in turn["question"]["calls"].as_array().unwrap() {
            let outcome = if has_happened { "happened" } else { "did_not_happen" };
            let body = json!({ "outcome": outcome, "call_id": call["call_id"] });
            // Another attempt may have been answered already.
            self.ask(token, Method::POST, &resume, Some(body)).await;
        }
    }
}
