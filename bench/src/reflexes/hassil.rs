//! hassil, run in its own Python.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::MatcherResult;
use super::cases::{Case, CaseHome, ExtraEntities, Language};
use crate::percentile::LatencySummary;

/// How to measure hassil too.
pub(super) const HOW: &str = "hassil was not measured: make a Python for it (python3 -m venv target/hassil, then \
    target/hassil/bin/pip install hassil==3.12.1) and give it with --python target/hassil/bin/python";

const SCRIPT: &str = include_str!("hassil.py");

#[derive(Serialize)]
struct HassilTask<'a> {
    language: &'a str,
    grammar: &'a Path,
    cases: &'a [Case],
    homes: &'a std::collections::BTreeMap<String, CaseHome>,
    more: &'a ExtraEntities,
}

#[derive(Deserialize)]
struct HassilResult {
    version: String,
    right: usize,
    seconds: Vec<f64>,
    load_seconds: f64,
}

pub(super) fn measure(python: &Path, language: &Language, more: &ExtraEntities) -> Result<MatcherResult> {
    let task = HassilTask {
        language: &language.code,
        grammar: &language.grammar,
        cases: &language.cases,
        homes: &language.homes,
        more,
    };
    let mut child = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("failed to start {}: {HOW}", python.display()))?;
    child.stdin.take().context("failed to write to hassil")?.write_all(&serde_json::to_vec(&task)?)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "hassil failed: {HOW}");
    let done: HassilResult = serde_json::from_slice(&output.stdout).context("hassil's answer is not as expected")?;
    ensure!(done.version == "3.12.1", "this is hassil {}: {HOW}", done.version);
    let times: Vec<Duration> = done.seconds.iter().map(|&seconds| Duration::from_secs_f64(seconds)).collect();
    let load_ms = done.load_seconds * 1000.0;
    Ok(MatcherResult { sentences: times.len(), right: done.right, cpu: LatencySummary::of(&times), load_ms })
}
