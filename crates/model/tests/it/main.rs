//! The models, against servers that implement the providers' APIs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what went wrong by panicking")]

mod azure;
mod discovery;
mod exchanges;
mod failures;
mod live;
mod model_names;
mod prompts;
mod replay;
mod server;
mod settings;
mod streaming;
mod tokens;
mod warm_up;
