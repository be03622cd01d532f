//! What the tests of Dwell stand on: a model server that speaks the OpenAI
//! chat-completions wire from a script, so that a test says what the model
//! answers, how fast, and how it fails, and can look at what it was asked.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test library reports a broken set-up by panicking")]

mod model_server;

pub use model_server::{ModelServer, Reply, Request, ToolCall};
