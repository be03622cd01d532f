//! End-to-end tests: the real program, its real APIs and a scripted model server.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod access;
mod addon;
mod anthropic;
mod api_fields;
mod apis;
mod approvals;
mod artifacts;
mod background;
mod backups;
mod bodies;
mod budgets;
mod busy;
mod cancel;
mod clarifying;
mod clock;
mod command_line;
mod command_output;
mod conformance;
mod context;
mod contract;
mod cross_origin;
mod crowd;
mod damage;
mod deploy;
mod desktop;
mod docs;
mod doctor;
mod early_handle;
mod effects;
mod embedding_choice;
mod embeddings;
mod entry;
mod external;
mod features;
mod file_modes;
mod fuzzing;
mod guessing;
mod harness;
mod hints;
mod home;
mod idempotency;
mod ingress;
mod interchange;
mod kill;
mod labels;
mod library;
mod limits;
mod logs;
mod mcp;
mod memory;
mod mistakes;
mod model_catalog;
mod model_failures;
mod model_names;
mod model_settings;
mod model_setup;
mod models;
mod models_errors;
mod nodes;
mod ollama;
mod openai;
mod openai_tools;
mod owners;
mod peers;
mod pictures;
mod policy;
mod postgres;
mod providers;
mod proxies;
mod queue;
mod readiness;
mod reading;
mod research;
mod responses;
mod restart;
mod resuming;
mod retention;
mod schedules;
mod schedules_cli;
mod scopes;
mod sdk;
mod sdk_checks;
mod secrets;
mod sessions;
mod setup;
mod setup_provider;
mod shares;
mod single_question;
mod spoken_secrets;
mod stages;
mod stats;
mod stores;
mod streams;
mod structured;
mod switching;
mod taint;
mod tls;
mod tool_workers;
mod tools;
mod trust;
mod values;
mod voice;
mod watching;
mod window;
mod wyoming;

use testkit::{ModelServer, Program, RunningServer};

/// The program under test.
fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_dwell"))
}

/// The program as it is installed, with the simulated home.
fn program_with_home() -> Program {
    program().with_home()
}

/// A model server, a program that uses it, and the running server.
async fn started() -> (ModelServer, Program, RunningServer) {
    start(program()).await
}

/// The same with the simulated home.
async fn started_with_home() -> (ModelServer, Program, RunningServer) {
    start(program_with_home()).await
}

async fn start(program: Program) -> (ModelServer, Program, RunningServer) {
    let model = ModelServer::start().await;
    let program = program.with_model(&model);
    let running = program.start().await;
    (model, program, running)
}
