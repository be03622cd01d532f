//! The tools: what they answer, when they may run, how they fail.

#![allow(clippy::unwrap_used, reason = "tests")]

mod artifacts;
mod calculator;
mod calling;
mod changing;
mod dates;
mod house;
mod made;
mod pins;
mod policy;
mod schemas;
