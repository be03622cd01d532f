//! The heart, tested as tables and as properties.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod acting;
mod behaviour;
mod fork;
mod life;
mod properties;
mod striking;
