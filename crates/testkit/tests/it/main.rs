//! The scripted model server, seen by a client through its socket.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests panic like tests")]

mod binary;
mod client;
mod completions;
mod connections;
mod failures;
mod scripting;
mod streams;
