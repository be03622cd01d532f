//! The MCP session of a client with an older protocol version. When the server no longer knows it,
//! the bridge starts it again with the client's own `initialize`, so that the client does not
//! notice a restart.

use serde_json::Value;

use super::message::ClientMessage;

/// The state of the session.
#[derive(Debug, Clone, Default)]
pub(super) struct McpSession {
    /// The server's id for it.
    pub(super) id: Option<String>,
    /// The negotiated protocol version.
    pub(super) version: Option<String>,
    /// The client's `initialize` message.
    pub(super) initialize: Option<ClientMessage>,
    /// The client's last `logging/setLevel` message.
    pub(super) log_level: Option<ClientMessage>,
    /// Counts how often it was started, so that only one of several tasks starts it again.
    pub(super) begun: u64,
}

impl McpSession {
    /// Records the server's answer to `initialize`.
    pub(super) fn began(&mut self, id: Option<String>, answer: &Value) {
        let version = answer.pointer("/result/protocolVersion").and_then(Value::as_str);
        self.id = id;
        self.version = version.map(str::to_owned);
        self.begun += 1;
    }
}
