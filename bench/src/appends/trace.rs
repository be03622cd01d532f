//! Counts flushes by running this program again under strace.

use std::{fmt, fs, io::ErrorKind, process::Command};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::{
    cli::BenchScale,
    table::{grouped, rounded},
};

/// The system calls that flush a disk.
const CALLS: [&str; 2] = ["fsync", "fdatasync"];

/// The counts of the traced run.
#[derive(Debug, Serialize)]
pub(super) struct TraceCounts {
    appends: usize,
    commits: u64,
    /// Flushes of the whole process, including creating the file, checkpoints and closing it.
    flushes: u64,
    appends_per_flush: f64,
}

/// The counts that the traced run prints itself.
#[derive(Deserialize)]
struct RunCounts {
    appends: usize,
    commits: u64,
}

pub(super) fn run(setting: BenchScale) -> Result<TraceCounts> {
    let folder = TempDir::new()?;
    let counts = folder.path().join("counts");
    let mut command = Command::new("strace");
    // With this filter all other system calls run at full speed.
    command.args(["-f", "--seccomp-bpf", "-c", "-e"]).arg(format!("trace={}", CALLS.join(","))).arg("-o").arg(&counts);
    command.arg(std::env::current_exe()?).args(["appends", "--traced", "--setting", setting.name()]);
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("strace is not installed"),
        output => output.context("failed to start strace")?,
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "strace failed: {}", complaint.trim());
    let RunCounts { appends, commits } =
        serde_json::from_slice(&output.stdout).context("failed to read the traced run")?;
    let flushes = count(&fs::read_to_string(counts)?)?;
    Ok(TraceCounts { appends, commits, flushes, appends_per_flush: super::ratio(appends, flushes) })
}

/// The calls in strace's table, the fourth column of the lines that end in a name.
fn count(table: &str) -> Result<u64> {
    let rows = table.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    let calls = rows.filter(|row| row.last().is_some_and(|name| CALLS.contains(name))).map(|row| {
        row.get(3).and_then(|calls| calls.parse::<u64>().ok()).ok_or_else(|| anyhow!("failed to read strace's table"))
    });
    calls.sum()
}

impl fmt::Display for TraceCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Counted by strace in one more run of Dwell: {} appends, {} commits, {} fsync and fdatasync in the whole \
             process:\n{} appends per flush.",
            grouped(self.appends as u64),
            grouped(self.commits),
            grouped(self.flushes),
            rounded(self.appends_per_flush),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straces_table_is_read() {
        let table = "% time     seconds  usecs/call     calls    errors syscall\n\
                     ------ ----------- ----------- --------- --------- ----------------\n\
                      99.10    0.012345         120       102           fdatasync\n\
                       0.90    0.000100          20         5         1 fsync\n\
                     ------ ----------- ----------- --------- --------- ----------------\n\
                     100.00    0.012445         116       107         1 total\n";
        assert_eq!(count(table).unwrap(), 107);
    }
}
