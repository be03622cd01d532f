//! A request as the model server received it.

use std::fmt;
use std::sync::Arc;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Uri};
use serde_json::Value;

/// A chat-completions request as it was received; clones are cheap.
#[derive(Clone)]
pub struct Request(Arc<Inner>);

struct Inner {
    raw: Value,
    last_user: String,
    path: String,
    headers: HeaderMap,
}

impl Request {
    /// Fails on what no provider accepts, with the reason for the client.
    pub(super) fn parse(uri: &Uri, headers: HeaderMap, body: &[u8]) -> Result<Self, String> {
        let raw: Value = serde_json::from_slice(body)
            .map_err(|error| format!("We could not parse the JSON body of your request: {error}"))?;
        if !raw["model"].is_string() {
            return Err("you must provide a model parameter".to_owned());
        }
        let Some(messages) = raw["messages"].as_array() else {
            return Err("Missing required parameter: 'messages'.".to_owned());
        };
        let last_user = messages
            .iter()
            .rfind(|message| message["role"] == "user")
            .map(|message| said_in(&message["content"]))
            .unwrap_or_default();
        let path = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
        Ok(Self(Arc::new(Inner { raw, last_user, path, headers })))
    }

    /// The conversation, oldest message first.
    pub fn messages(&self) -> &[Value] {
        self.list("messages")
    }

    /// The tools offered to the model; none when the field is absent.
    pub fn tools(&self) -> &[Value] {
        self.list("tools")
    }

    /// The texts of the conversation, without system messages and without the notes below user
    /// messages.
    pub fn said(&self) -> Vec<String> {
        let said = self.messages().iter().filter(|message| message["role"] != "system");
        said.map(|message| said_in(&message["content"])).collect()
    }

    /// The text of the last message of the user, without notes; empty when there is none.
    pub fn last_user(&self) -> &str {
        &self.0.last_user
    }

    /// The model asked for.
    pub fn model(&self) -> &str {
        self.0.raw["model"].as_str().unwrap_or_default()
    }

    /// The `authorization` header, whole.
    pub fn authorization(&self) -> Option<String> {
        self.header(AUTHORIZATION.as_str()).map(str::to_owned)
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The path, with its query.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The body as it was sent.
    pub fn raw(&self) -> &Value {
        &self.0.raw
    }

    /// Whether the client asked for a stream of events.
    pub fn stream(&self) -> bool {
        self.0.raw["stream"] == true
    }

    /// Whether the client asked for the usage at the end of the stream.
    pub(super) fn include_usage(&self) -> bool {
        self.0.raw["stream_options"]["include_usage"] == true
    }

    fn list(&self, field: &str) -> &[Value] {
        self.0.raw[field].as_array().map_or(&[], Vec::as_slice)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leaves out the headers: a failed assertion prints requests, and a key must not be in a
        // test log.
        write!(f, "Request({})", self.0.raw)
    }
}

/// The text of a message without the notes below it.
pub(super) fn said_in(content: &Value) -> String {
    let text = text_of(content);
    crate::without_notes(&text).to_owned()
}

/// Content is a string, or a list of parts of which the texts count.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
