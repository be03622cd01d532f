//! Tests of the tools: their output, their policy, their failures.

#![allow(clippy::unwrap_used, reason = "tests")]

mod artifacts;
mod calculator;
mod calling;
mod dates;
mod harness;
mod pins;
mod policy;
mod registry_changes;
mod reports;
mod schemas;
