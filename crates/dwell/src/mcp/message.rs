//! A client's message, as far as the bridge has to understand it.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

/// The field in which a stateless request states its protocol version.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Read-only tools, which are safe to call again.
const LOOKING: [&str; 10] = [
    "await_continuation",
    "get_session",
    "list_sessions",
    "list_vaults",
    "list_memories",
    "list_entries",
    "get_entry",
    "get_context",
    "search_memories",
    "await_consistency",
];

/// A message of the client.
#[derive(Debug, Clone)]
pub(super) struct ClientMessage(pub(super) Value);

impl ClientMessage {
    /// The method; an answer has none.
    pub(super) fn method(&self) -> Option<&str> {
        self.0.get("method").and_then(Value::as_str)
    }

    /// The id of a request or answer; a notification has none.
    pub(super) fn id(&self) -> Option<&Value> {
        self.0.get("id").filter(|id| !id.is_null())
    }

    /// Whether it expects an answer.
    pub(super) fn is_request(&self) -> bool {
        self.method().is_some() && self.id().is_some()
    }

    /// The protocol version of a stateless request.
    pub(super) fn version(&self) -> Option<&str> {
        self.param("_meta")?.get(VERSION)?.as_str()
    }

    /// The request that a notification cancels.
    pub(super) fn takes_back(&self) -> Option<&Value> {
        (self.method() == Some("notifications/cancelled")).then(|| self.param("requestId"))?
    }

    /// The name of what it concerns, for proxies that route by header.
    pub(super) fn name(&self) -> Option<String> {
        let field = match self.method()? {
            "tools/call" | "prompts/get" => "name",
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
            "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
            _ => return None,
        };
        self.param(field)?.as_str().map(header_text)
    }

    /// Whether it is safe to send it again.
    pub(super) fn is_repeatable(&self) -> bool {
        match self.method() {
            Some("tools/call") => {
                let name = self.param("name").and_then(Value::as_str).unwrap_or_default();
                let key = self.param("arguments").and_then(|arguments| arguments.get("idempotency_key"));
                LOOKING.contains(&name) || key.is_some_and(Value::is_string)
            }
            Some(method) => self.id().is_some() && !method.starts_with("tasks/update"),
            None => false,
        }
    }

    fn param(&self, name: &str) -> Option<&Value> {
        self.0.get("params")?.get(name)
    }
}

/// A text in a form that a header can carry.
fn header_text(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if is_plain && text.trim() == text && !text.starts_with("=?base64?") {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_asked_for_again_does_nothing_twice() {
        let call = |name: &str, arguments: Value| {
            ClientMessage(
                json!({ "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } }),
            )
        };
        assert!(call("await_continuation", json!({})).is_repeatable());
        assert!(call("send_message", json!({ "idempotency_key": "k" })).is_repeatable());
        assert!(!call("send_message", json!({})).is_repeatable());
        assert!(!call("call_service", json!({})).is_repeatable());
        assert!(ClientMessage(json!({ "id": 1, "method": "tools/list" })).is_repeatable());
        assert!(!ClientMessage(json!({ "method": "notifications/progress" })).is_repeatable());
        assert!(!ClientMessage(json!({ "id": 1, "result": {} })).is_repeatable());
    }

    #[test]
    fn names_travel_as_headers() {
        let read =
            |uri: &str| ClientMessage(json!({ "id": 1, "method": "resources/read", "params": { "uri": uri } })).name();
        assert_eq!(read("session://x").as_deref(), Some("session://x"));
        assert_eq!(read("größe").as_deref(), Some("=?base64?Z3LDtsOfZQ==?="));
        assert_eq!(read(" x").as_deref(), Some("=?base64?IHg=?="));
    }

    #[test]
    fn what_is_taken_back_is_known() {
        let cancelled = ClientMessage(json!({ "method": "notifications/cancelled", "params": { "requestId": 7 } }));
        assert_eq!(cancelled.takes_back(), Some(&json!(7)));
        assert!(!cancelled.is_request());
    }
}
