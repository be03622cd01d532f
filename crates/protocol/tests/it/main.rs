//! Snapshots of the wire formats, and what the plain types accept and refuse. A change here affects
//! every client and every journal.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod agent;
mod describe;
mod desktop;
mod events;
mod ids;
mod memory_filter;
mod messages;
mod model_settings;
mod samples;
mod tag;
mod text;
mod time;
