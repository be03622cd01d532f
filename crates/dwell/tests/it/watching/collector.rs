//! A collector of traces: it takes OTLP as JSON, and checks its form. It also serves one HTTP tool,
//! to see which trace a call belongs to.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Json, Router, extract::State, http::HeaderMap, routing::post};
use serde_json::{Value, json};

/// How long a test waits for spans.
const PATIENCE: Duration = Duration::from_secs(20);

/// A span as it was received.
#[derive(Debug, Clone)]
pub(super) struct ReceivedSpan {
    pub(super) trace_id: String,
    pub(super) span_id: String,
    pub(super) parent_id: String,
    pub(super) name: String,
    pub(super) is_error: bool,
    raw: Value,
}

impl ReceivedSpan {
    fn read(raw: &Value) -> Self {
        let text = |name: &str| raw[name].as_str().unwrap_or_default().to_owned();
        let (trace_id, span_id, parent_id) = (text("traceId"), text("spanId"), text("parentSpanId"));
        let is_id = |id: &str, digits| id.len() == digits && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(is_id(&trace_id, 32) && is_id(&span_id, 16), "{raw}");
        assert!(parent_id.is_empty() || is_id(&parent_id, 16), "{raw}");
        let time = |name: &str| text(name).parse::<u64>().unwrap_or_else(|_| panic!("{name} is text: {raw}"));
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{raw}");
        let is_error = raw["status"]["code"] == 2;
        Self { trace_id, span_id, parent_id, name: text("name"), is_error, raw: raw.clone() }
    }

    /// An attribute; numbers as numbers.
    pub(super) fn attribute(&self, name: &str) -> Value {
        let all = self.raw["attributes"].as_array().unwrap();
        let Some(found) = all.iter().find(|attribute| attribute["key"] == name) else { return Value::Null };
        let value = &found["value"];
        match value["intValue"].as_str() {
            Some(number) => json!(number.parse::<i64>().unwrap()),
            None if value["arrayValue"].is_object() => value["arrayValue"]["values"].clone(),
            None => value["stringValue"].clone(),
        }
    }
}

#[derive(Default)]
struct Shared {
    spans: Vec<ReceivedSpan>,
    bodies: String,
    calls: Vec<String>,
}

#[derive(Clone, Default)]
pub(super) struct Collector {
    url: String,
    shared: Arc<Mutex<Shared>>,
}

impl Collector {
    pub(super) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let collector = Self { url, shared: Arc::default() };
        let routes = Router::new().route("/v1/traces", post(take)).route("/tool", post(call));
        let routes = routes.with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        collector
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The declaration of its tool, `look_at_sky`.
    pub(super) fn tools_toml(&self) -> String {
        format!(
            "[[tool]]\nname = \"look_at_sky\"\ndescription = \"Use it to look at the sky.\"\nurl = \"{}/tool\"\n\
             effect = \"pure\"\nsafety = \"observes\"\norigin = \"trusted\"\n\
             input_schema = {{ type = \"object\", properties = {{ note = {{ type = \"string\" }} }} }}\n",
            self.url
        )
    }

    /// The `traceparent` of every call of the tool.
    pub(super) fn calls(&self) -> Vec<String> {
        self.shared.lock().unwrap().calls.clone()
    }

    /// All that was received, as text.
    pub(super) fn bodies(&self) -> String {
        self.shared.lock().unwrap().bodies.clone()
    }

    /// The spans of a trace, once there are some whose names begin so. The last spans of a turn may
    /// come apart.
    pub(super) async fn trace(&self, trace_id: &str, names: &[&str]) -> Vec<ReceivedSpan> {
        let found = || -> Vec<ReceivedSpan> {
            let shared = self.shared.lock().unwrap();
            shared.spans.iter().filter(|span| span.trace_id == trace_id).cloned().collect()
        };
        let arrived = async {
            let is_there = |name: &str| found().iter().any(|span| span.name.starts_with(name));
            while !names.iter().all(|name| is_there(name)) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, arrived)
            .await
            .unwrap_or_else(|_| panic!("no trace {trace_id}: {}", self.bodies()));
        found()
    }
}

async fn take(State(collector): State<Collector>, headers: HeaderMap, body: String) -> Json<Value> {
    assert_eq!(headers["content-type"], "application/json");
    let request: Value = serde_json::from_str(&body).unwrap();
    let mut shared = collector.shared.lock().unwrap();
    for resource in request["resourceSpans"].as_array().unwrap() {
        let named = json!({ "key": "service.name", "value": { "stringValue": "dwell" } });
        assert_eq!(resource["resource"]["attributes"][0], named);
        for scope in resource["scopeSpans"].as_array().unwrap() {
            shared.spans.extend(scope["spans"].as_array().unwrap().iter().map(ReceivedSpan::read));
        }
    }
    shared.bodies.push_str(&body);
    Json(json!({}))
}

async fn call(State(collector): State<Collector>, headers: HeaderMap) -> Json<Value> {
    let parent = headers.get("traceparent").and_then(|value| value.to_str().ok()).unwrap_or_default();
    collector.shared.lock().unwrap().calls.push(parent.to_owned());
    Json(json!({ "sky": "blue" }))
}
