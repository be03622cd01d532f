//! Tests of schedules: times against a second implementation.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod table;
