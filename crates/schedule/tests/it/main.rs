//! Tests of schedules: times against a second implementation, the state machine, and sentences.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod conditions;
mod exactly_once;
mod lifecycle;
mod properties;
mod sentences;
mod table;
