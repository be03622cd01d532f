//! Snapshots of the wire formats. A change here affects every client and every journal.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod desktop;
mod events;
mod messages;
mod samples;
