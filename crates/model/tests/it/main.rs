//! The models, against servers that speak the providers' wires.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what went wrong by panicking")]

mod asking;
mod azure;
mod exchanges;
mod failures;
mod finding;
mod live;
mod offline;
mod offline_any_text;
mod offline_apps;
mod offline_recall;
mod prompts;
mod replay;
mod server;
mod settings;
mod streaming;
mod tokens;
mod warmth;
