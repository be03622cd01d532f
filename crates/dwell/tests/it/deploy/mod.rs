//! The files in `deploy/`: reverse proxies are run in front of a real server, where they are
//! installed; what needs a cluster or an engine is read and held against the program and itself.

mod containers;
mod first_start;
mod prometheus;
mod proxies;
mod service;

use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("deploy/{path}: {error}"))
}

/// The documents of a YAML file.
fn documents(path: &str) -> Vec<Value> {
    let text = read(path);
    let documents = serde_yaml_ng::Deserializer::from_str(&text);
    documents.map(|document| Value::deserialize(document).unwrap_or_else(|error| panic!("{path}: {error}"))).collect()
}

/// Says why a test was not run.
#[allow(clippy::print_stderr, reason = "a test that was skipped must not look like one that passed")]
fn skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}

/// A program of the machine, if it is installed.
fn installed(name: &str) -> Option<PathBuf> {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map(Path::new);
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skipped(&format!("{name} is not installed"));
    }
    found
}
