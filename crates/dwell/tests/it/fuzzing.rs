//! Fuzzing: random bytes at every place that reads input from outside. The result is an answer or
//! an error, never a panic, an internal error or no answer at all.
//!
//! Here each target runs for a moment. `DWELL_FUZZ_SECONDS=3600 DWELL_SEED=7` runs each for an hour
//! with other inputs. `crates/fuzz` describes how to use the same targets with a coverage-guided
//! fuzzer.

use std::time::Duration;

use fuzz::{FuzzBudget, run, target};

use crate::kill::setting;

/// The number of inputs for each target in a short run.
const INPUTS: u64 = 150;

#[allow(clippy::print_stdout, reason = "the long run's result goes into the docs")]
fn takes_any_bytes(name: &str) {
    let target = target(name).unwrap();
    let effort = match setting("DWELL_FUZZ_SECONDS", 0) {
        0 => FuzzBudget { inputs: INPUTS, time: Duration::MAX },
        seconds => FuzzBudget { inputs: u64::MAX, time: Duration::from_secs(seconds) },
    };
    let seed = setting("DWELL_SEED", 20_261_116);
    let taken = run(target, seed, effort);
    println!("{name}: {taken} inputs, seed {seed}");
    assert!(taken > 0, "{name} was tried");
}

#[test]
fn websocket_message_takes_any_bytes() {
    takes_any_bytes("websocket_message");
}

#[test]
fn websocket_bytes_takes_any_bytes() {
    takes_any_bytes("websocket_bytes");
}

#[test]
fn rest_body_takes_any_bytes() {
    takes_any_bytes("rest_body");
}

#[test]
fn import_takes_any_bytes() {
    takes_any_bytes("import");
}

#[test]
fn window_content_takes_any_bytes() {
    takes_any_bytes("window_content");
}

#[test]
fn page_text_takes_any_bytes() {
    takes_any_bytes("page_text");
}

#[test]
fn mcp_takes_any_bytes() {
    takes_any_bytes("mcp");
}

#[test]
fn wyoming_takes_any_bytes() {
    takes_any_bytes("wyoming");
}

#[test]
fn journal_file_takes_any_bytes() {
    takes_any_bytes("journal_file");
}

#[test]
fn every_target_is_run_here() {
    let here = include_str!("fuzzing.rs");
    for target in fuzz::TARGETS {
        assert!(here.contains(&format!("takes_any_bytes(\"{}\")", target.name)), "{} is not run", target.name);
    }
}
