//! Integration tests of the crate `research`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what went wrong by panicking")]

mod cutting;
mod library;
mod paper;
mod reading;
mod searching;
mod site;
mod web;
