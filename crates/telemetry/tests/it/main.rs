//! Tests of the exporters.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod names;
mod sending;
