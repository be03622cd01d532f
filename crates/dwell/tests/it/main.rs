//! Dwell as its users meet it: the real program, its real wires, a model server that follows a script.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod access;
mod approvals;
mod artifacts;
mod asking;
mod backups;
mod bodies;
mod budgets;
mod busy;
mod cancel;
mod clarifying;
mod clock;
mod command_line;
mod conformance;
mod context;
mod crowd;
mod damage;
mod desktop;
mod doors;
mod early;
mod effects;
mod entry;
mod external;
mod file_modes;
mod fuzzing;
mod guessing;
mod hints;
mod home;
mod idempotency;
mod interchange;
mod kill;
mod labels;
mod library;
mod limits;
mod mcp;
mod memory;
mod mistakes;
mod model_failures;
mod models;
mod models_asked;
mod models_errors;
mod models_known;
mod models_named;
mod ollama;
mod openai;
mod openai_tools;
mod owners;
mod peers;
mod pictures;
mod policy;
mod providers;
mod queue;
mod readiness;
mod reading;
mod research;
mod restart;
mod resuming;
mod retention;
mod scene;
mod sdk;
mod secrets;
mod secrets_told;
mod sessions;
mod setup;
mod shares;
mod stages;
mod stats;
mod streams;
mod switching;
mod taint;
mod tools;
mod trust;
mod window;
mod wyoming;

use testkit::{ModelServer, Program, Running};

/// The program under test.
fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_dwell"))
}

/// The program as it is installed, with a home.
fn program_with_home() -> Program {
    program().with_home()
}

/// A model server, the program that uses it, and the program running.
async fn started() -> (ModelServer, Program, Running) {
    start(program()).await
}

/// The same with a home.
async fn started_with_home() -> (ModelServer, Program, Running) {
    start(program_with_home()).await
}

async fn start(program: Program) -> (ModelServer, Program, Running) {
    let model = ModelServer::start().await;
    let program = program.with_model(&model);
    let running = program.start().await;
    (model, program, running)
}
