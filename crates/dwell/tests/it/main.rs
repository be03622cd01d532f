//! Dwell as its users meet it: the real program, its real wires, a model server that follows a script.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod access;
mod approvals;
mod artifacts;
mod asking;
mod budgets;
mod busy;
mod cancel;
mod clarifying;
mod command_line;
mod conformance;
mod crowd;
mod desktop;
mod doors;
mod early;
mod effects;
mod entry;
mod external;
mod hints;
mod home;
mod idempotency;
mod interchange;
mod kill;
mod library;
mod limits;
mod mcp;
mod memory;
mod mistakes;
mod models;
mod ollama;
mod openai;
mod openai_tools;
mod owners;
mod pictures;
mod policy;
mod providers;
mod queue;
mod reading;
mod research;
mod restart;
mod resuming;
mod scene;
mod sdk;
mod secrets;
mod sessions;
mod setup;
mod stages;
mod stats;
mod streams;
mod switching;
mod taint;
mod tools;
mod window;
mod wyoming;

use testkit::{ModelServer, Program, Running};

/// The program under test.
fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_dwell"))
}

/// A model server, the program that uses it, and the program running.
async fn started() -> (ModelServer, Program, Running) {
    let model = ModelServer::start().await;
    let program = program().with_model(&model);
    let running = program.start().await;
    (model, program, running)
}
