//! The memory room as its users drive it.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod audit;
mod exchange;
mod meaning;
mod room;
mod updates;
