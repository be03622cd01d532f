//! Tests of the matcher's public interface.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test says what went wrong by panicking, and why it was skipped"
)]

mod constructs;
mod contexts;
mod disturbed;
mod english;
mod home_assistant;
mod loading;
mod numbers;
mod properties;
mod sampler;
mod small;
