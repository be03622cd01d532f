//! The journal: one contract for every store, and tests of each.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod contract;
mod copies;
mod damage;
mod files;
mod forgetting;
mod heads;
mod postgres;
mod sample;
mod sqlite;
