//! `appends`: how many durable appends one disk flush serves, compared with bare SQLite.
//!
//! Sixty-four sessions append concurrently, each its next event as soon as the last one is durable.
//! For comparison, a plain loop writes the same bytes in the same run: in transactions of the size
//! of Dwell's commits, which no journal on SQLite can beat, and one by one, as a store without
//! group commit does. Flushes are counted with strace in a separate run, because tracing slows
//! everything down.

mod bare;
mod load;
mod trace;

use std::fmt;

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::BenchScale,
    table::{Table, grouped, rounded},
};
use load::Load;
use trace::TraceCounts;

/// Every variant is measured this often, in alternation; the median counts.
const ROUNDS: usize = 3;
/// Single appends are slow, and their rate does not depend on the number.
const SINGLES_MAX: usize = 4_000;

/// The comparison of the variants.
#[derive(Debug, Serialize)]
pub(crate) struct Appends {
    setting: BenchScale,
    sessions: usize,
    dwell: AppendRate,
    appends_per_commit: f64,
    bare_batched: AppendRate,
    bare_single: AppendRate,
    /// Dwell's rate relative to bare SQLite in batches.
    to_bare_batched: f64,
    /// Dwell's rate relative to bare SQLite one by one.
    to_bare_single: f64,
    flushes: Flushes,
}

/// The rate of one variant.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct AppendRate {
    pub(crate) appends: usize,
    pub(crate) commits: u64,
    pub(crate) seconds: f64,
    pub(crate) appends_per_second: f64,
}

/// The number of disk flushes.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Flushes {
    Counted(TraceCounts),
    Uncounted { not_counted: String },
}

pub(crate) async fn run(setting: BenchScale) -> Result<Appends> {
    let load = load(setting);
    let (mut dwell, mut batched, mut single) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let rate = load.run().await?;
        dwell.push(rate);
        let batch = rate.appends_per_commit().round().max(1.0);
        batched.push(bare::run(&load, load.appends, batch as usize)?);
        single.push(bare::run(&load, load.appends.min(SINGLES_MAX), 1)?);
    }
    let (dwell, batched, single) = (median(dwell), median(batched), median(single));
    let flushes = match trace::run(setting) {
        Ok(traced) => Flushes::Counted(traced),
        Err(error) => Flushes::Uncounted { not_counted: format!("{error:#}") },
    };
    Ok(Appends {
        setting,
        sessions: load.sessions,
        dwell,
        appends_per_commit: dwell.appends_per_commit(),
        bare_batched: batched,
        bare_single: single,
        to_bare_batched: dwell.appends_per_second / batched.appends_per_second,
        to_bare_single: dwell.appends_per_second / single.appends_per_second,
        flushes,
    })
}

/// The run that strace traces.
pub(crate) async fn run_traced(setting: BenchScale) -> Result<AppendRate> {
    load(setting).run().await
}

fn load(setting: BenchScale) -> Load {
    Load { sessions: 64, appends: setting.pick(1_000, 64_000) }
}

fn median(mut rates: Vec<AppendRate>) -> AppendRate {
    rates.sort_by(|a, b| a.appends_per_second.total_cmp(&b.appends_per_second));
    rates[rates.len() / 2]
}

impl AppendRate {
    fn new(appends: usize, commits: u64, seconds: f64) -> Self {
        Self { appends, commits, seconds, appends_per_second: ratio(appends, 1) / seconds }
    }

    fn appends_per_commit(&self) -> f64 {
        ratio(self.appends, self.commits)
    }
}

fn ratio(appends: usize, to: u64) -> f64 {
    appends as f64 / to as f64
}

impl fmt::Display for Appends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sessions = self.sessions;
        writeln!(f, "{sessions} sessions append at once; the median of {ROUNDS} rounds, in alternation.\n")?;
        let row = |name: &str, rate: &AppendRate, to: f64| {
            let per_commit = rounded(rate.appends_per_commit());
            let [appends, commits] = [rate.appends as u64, rate.commits].map(grouped);
            [name.to_owned(), appends, commits, per_commit, rounded(rate.appends_per_second), rounded(to)]
        };
        let heading = ["", "appends", "commits", "appends/commit", "appends/s", "Dwell / this"];
        let table = Table::new(heading)
            .row(row("Dwell", &self.dwell, 1.0))
            .row(row("bare SQLite, same batches", &self.bare_batched, self.to_bare_batched))
            .row(row("bare SQLite, one by one", &self.bare_single, self.to_bare_single));
        writeln!(f, "{table}")?;
        write!(f, "{}", self.flushes)
    }
}

impl fmt::Display for AppendRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} appends/s", rounded(self.appends_per_second))
    }
}

impl fmt::Display for Flushes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counted(traced) => write!(f, "{traced}"),
            Self::Uncounted { not_counted } => write!(f, "Flushes were not counted: {not_counted}."),
        }
    }
}
