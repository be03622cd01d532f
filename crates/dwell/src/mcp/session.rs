//! The session of the protocol that a client of the older wire has. It is begun anew, by the client's own words, when the
//! server has forgotten it: the client need not know that there was a restart.

use serde_json::Value;

use super::message::Message;

/// What is known of the session.
#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    /// The server's name for it.
    pub(super) id: Option<String>,
    /// The wire that was agreed on.
    pub(super) version: Option<String>,
    /// How the client has begun it.
    pub(super) initialize: Option<Message>,
    /// Counts how often it was begun, so that only one of those who notice begins it anew.
    pub(super) begun: u64,
}

impl Session {
    /// Takes in how the server answers the client's beginning.
    pub(super) fn began(&mut self, id: Option<String>, answer: &Value) {
        let version = answer.pointer("/result/protocolVersion").and_then(Value::as_str);
        self.id = id;
        self.version = version.map(str::to_owned);
        self.begun += 1;
    }
}
