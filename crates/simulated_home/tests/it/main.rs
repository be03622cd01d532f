//! Tests of the simulated home.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod description;
mod events;
mod home;
mod queries;
