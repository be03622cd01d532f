//! The journal: one contract for every store, and tests of the SQLite store.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod contract;
mod copies;
mod damage;
mod files;
mod forgetting;
mod heads;
mod sample;
mod sqlite;
