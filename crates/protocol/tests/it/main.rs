//! The wire formats, pinned: a change here is a change that every client and every journal sees.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod desktop;
mod events;
mod messages;
mod samples;
