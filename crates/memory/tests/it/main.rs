//! Long-term memory through its public API.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod audit;
mod embedding_model;
mod exchange;
mod harness;
mod life;
mod restart;
mod updates;
