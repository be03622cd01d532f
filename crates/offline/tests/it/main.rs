//! Tests of the offline model: prompts in, streams out.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what went wrong by panicking")]

mod any_text;
mod apps;
mod help;
mod offline;
mod recall;
