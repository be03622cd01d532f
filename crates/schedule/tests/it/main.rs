//! Tests of schedules: times against a second implementation, and the state machine.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod lifecycle;
mod table;
