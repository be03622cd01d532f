//! A collector of traces: it takes OTLP as JSON, and checks its form. It also serves one HTTP tool,
//! to see which trace a call belongs to.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use serde_json::{Value, json};

/// How long a test waits for spans.
const PATIENCE: Duration = Duration::from_secs(20);

/// A span as it arrived.
#[derive(Debug, Clone)]
pub struct ReceivedSpan {
    /// Id of its trace.
    pub trace_id: String,
    /// Its own id.
    pub span_id: String,
    /// The span above it; empty if there is none.
    pub parent_id: String,
    /// Its name.
    pub name: String,
    /// Whether it says that its work failed.
    pub is_error: bool,
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
    ///
    /// # Panics
    /// When the span has no list of attributes.
    pub fn attribute(&self, name: &str) -> Value {
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

/// A request of an exporter.
#[derive(Debug, Clone)]
pub struct SpanRequest {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
    /// The spans in it.
    pub spans: Vec<ReceivedSpan>,
}

#[derive(Default)]
struct CollectedSpans {
    busy: usize,
    requests: Vec<SpanRequest>,
    calls: Vec<String>,
}

/// A collector of traces on a free local port.
#[derive(Clone)]
pub struct SpanCollector {
    url: String,
    received: Arc<Mutex<CollectedSpans>>,
}

impl SpanCollector {
    /// Starts a collector that takes everything.
    ///
    /// # Panics
    /// When no local port can be bound.
    pub async fn start() -> Self {
        Self::start_busy(0).await
    }

    /// Starts a collector that refuses so many requests at first.
    ///
    /// # Panics
    /// When no local port can be bound.
    pub async fn start_busy(busy: usize) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let received = CollectedSpans { busy, ..CollectedSpans::default() };
        let collector = Self { url, received: Arc::new(Mutex::new(received)) };
        let routes = Router::new().route("/v1/traces", post(take)).route("/tool", post(call));
        let routes = routes.with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        collector
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The declaration of its tool, `look_at_sky`.
    pub fn tools_toml(&self) -> String {
        format!(
            "[[tool]]\nname = \"look_at_sky\"\ndescription = \"Use it to look at the sky.\"\nurl = \"{}/tool\"\n\
             effect = \"pure\"\nsafety = \"observes\"\norigin = \"trusted\"\n\
             input_schema = {{ type = \"object\", properties = {{ note = {{ type = \"string\" }} }} }}\n",
            self.url
        )
    }

    fn received(&self) -> MutexGuard<'_, CollectedSpans> {
        self.received.lock().expect("no request panicked")
    }

    /// The `traceparent` of every call of the tool.
    pub fn calls(&self) -> Vec<String> {
        self.received().calls.clone()
    }

    /// All requests, with those that were refused.
    pub fn requests(&self) -> Vec<SpanRequest> {
        self.received().requests.clone()
    }

    /// The spans of a trace, once there are some whose names begin so. The last spans of a turn may
    /// come apart.
    ///
    /// # Panics
    /// When that takes too long.
    pub async fn trace(&self, trace_id: &str, names: &[&str]) -> Vec<ReceivedSpan> {
        let found = || -> Vec<ReceivedSpan> {
            let spans = self.requests().into_iter().flat_map(|request| request.spans);
            spans.filter(|span| span.trace_id == trace_id).collect()
        };
        let arrived = async {
            let is_there = |name: &str| found().iter().any(|span| span.name.starts_with(name));
            while !names.iter().all(|name| is_there(name)) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, arrived)
            .await
            .unwrap_or_else(|_| panic!("no trace {trace_id}: {:?}", self.requests()));
        found()
    }
}

async fn take(State(collector): State<SpanCollector>, headers: HeaderMap, Json(body): Json<Value>) -> StatusCode {
    let mut spans = Vec::new();
    for resource in body["resourceSpans"].as_array().expect("resources") {
        assert_eq!(resource["resource"]["attributes"][0]["key"], "service.name", "{body}");
        for scope in resource["scopeSpans"].as_array().expect("scopes") {
            spans.extend(scope["spans"].as_array().expect("spans").iter().map(ReceivedSpan::read));
        }
    }
    let mut received = collector.received();
    received.requests.push(SpanRequest { headers, body, spans });
    if received.requests.len() <= received.busy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
}

async fn call(State(collector): State<SpanCollector>, headers: HeaderMap) -> Json<Value> {
    let parent = headers.get("traceparent").and_then(|value| value.to_str().ok()).unwrap_or_default();
    collector.received().calls.push(parent.to_owned());
    Json(json!({ "sky": "blue" }))
}
