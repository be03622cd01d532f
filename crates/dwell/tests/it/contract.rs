//! `openapi.json` is true: schemathesis makes requests from it, good and bad ones, sends them to
//! the program and compares what comes back with what is described.
//!
//! `./test` installs it and sets `DWELL_SDK` to the folder. Without it this test prints that it was
//! skipped. The seed is fixed. `DWELL_CONTRACT_EXAMPLES` is the number of random requests for each
//! operation; see docs/proofs.md for a long run.

use std::{path::Path, time::Duration};

use tempfile::TempDir;
use tokio::process::Command;

use crate::{mcp::sdk::installed, program};

/// Random requests for each operation, beside those that cover the limits of every field.
const EXAMPLES: &str = "1";
/// How long a run may take.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Operations that are left out: streams that do not end, the protocol that has a suite of its own
/// (`conformance`), what would read folders of the machine that runs the tests, and what asks
/// providers elsewhere, or replaces the one that the test uses (`model_setup`).
/// The paths below `/ollama/{key}` are the same handlers as those without a key.
const LEFT_OUT: &str =
    "^(/ws|/events/.*|/mcp|/api/v1/library/folders|/api/v1/models/(try|default|providers/.*)|/ollama/.*)$";

#[allow(clippy::disallowed_methods, reason = "a long run is set by its environment")]
fn examples() -> String {
    std::env::var("DWELL_CONTRACT_EXAMPLES").unwrap_or_else(|_| EXAMPLES.to_owned())
}

#[allow(clippy::print_stdout, reason = "the counts are worth reading")]
#[tokio::test]
async fn conformance_of_the_api_to_its_description() {
    let Some(folder) = installed("venv/bin/schemathesis") else { return };
    let mut program = program();
    for limit in ["REQUESTS_PER_SECOND", "REQUESTS_BURST", "FAILED_ENTRIES_PEER", "FAILED_ENTRIES_ALL"] {
        program = program.with(&format!("DWELL_LIMITS_{limit}_MAX"), "1000000");
    }
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
    let (server, beside) = (program.start().await, TempDir::new().unwrap());
    let run = Command::new(folder.join("venv/bin/python"))
        .args(["-m", "schemathesis.cli", "--config-file"])
        .arg(scripts.join("contract.toml"))
        .args(["run", &format!("{}/openapi.json", server.url())])
        .args(["--header", "Authorization: Bearer test-token-0123456789"])
        .args(["--phases", "examples,coverage,fuzzing", "--seed", "1", "--max-examples", &examples()])
        .args(["--exclude-path-regex", LEFT_OUT, "--exclude-checks", "positive_data_acceptance"])
        .args(["--generation-database", "none", "--continue-on-failure", "--no-color", "--warnings", "off"])
        .args(["--request-timeout", "60", "--workers", "1"])
        .env("SCHEMATHESIS_HOOKS", "contract_hooks")
        .env("PYTHONPATH", &scripts)
        .env("PYTHONPYCACHEPREFIX", folder.join("pycache"))
        .current_dir(beside.path())
        .kill_on_drop(true)
        .output();
    let ran = tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{printed}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(printed.contains(" generated"), "{printed}");
    println!("{printed}");
}
