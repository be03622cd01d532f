//! Tests of the scripted servers, through their sockets.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests panic like tests")]

mod binary;
mod client;
mod completions;
mod connections;
mod failures;
#[cfg(unix)]
mod fault_proxy;
mod providers;
mod scripting;
mod streams;
mod strict;
mod tool_server;
