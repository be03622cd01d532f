//! External servers: processes and HTTP servers, well-behaved and not.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod address;
mod calls;
mod harness;
mod list_changes;
mod process;
mod reconnect;
mod tool_filter;
