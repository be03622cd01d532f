//! Tests of the session core, as tables and as properties.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod acting;
mod agents;
mod behaviour;
mod client_tools;
mod desktop;
mod expiring;
mod fork;
mod interchange;
mod properties;
mod redaction;
mod served_tools;
mod test_session;
