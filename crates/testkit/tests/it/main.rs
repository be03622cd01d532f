//! The scripted servers, seen by a client through their sockets.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests panic like tests")]

mod binary;
mod client;
mod completions;
mod connections;
mod failures;
mod providers;
mod scripting;
mod streams;
mod strict;
mod world;
