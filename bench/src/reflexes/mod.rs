//! `reflexes`: the speed and accuracy of understanding sentences without a language model.
//!
//! Home Assistant's own test sentences, each in the home it was written for and in that home with
//! 2,000 more entities. hassil, Home Assistant's own matcher, reads the same sentences in the same
//! run. Both are measured in CPU time of one thread, sentence by sentence, in one pass after
//! loading, so the first sentences include lazy initialization.

mod cases;
mod dwell;
mod hassil;

use std::fmt;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use self::cases::{ExtraEntities, Language};
use crate::{
    cli::BenchScale,
    percentile::LatencySummary,
    table::{Table, grouped, rounded},
};

/// A quick run reads every this many-th sentence.
const QUICK: usize = 10;
/// Entities that are added to each home.
const MORE: usize = 2_000;

/// The results.
#[derive(Debug, Serialize)]
pub(crate) struct ReflexResult {
    rows: Vec<Row>,
    /// What could not be measured, and why.
    notices: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    language: String,
    more: usize,
    ours: MatcherResult,
    hassil: Option<MatcherResult>,
}

/// One matcher on one set of sentences.
#[derive(Debug, Serialize)]
struct MatcherResult {
    sentences: usize,
    right: usize,
    cpu: LatencySummary,
    load_ms: f64,
}

pub(crate) fn run(setting: BenchScale, languages: &[String], python: Option<&Path>) -> Result<ReflexResult> {
    let languages = match languages {
        [] => vec!["en".to_owned(), "de".to_owned()],
        some => some.to_vec(),
    };
    let mut notices = Vec::new();
    if python.is_none() {
        notices.push(hassil::HOW.to_owned());
    }
    let mut rows = Vec::new();
    for code in languages {
        let language = Language::read(&code, setting.pick(QUICK, 1))?;
        for more in [0, MORE] {
            let more = ExtraEntities::new(&code, more);
            let ours = dwell::measure(&language, &more)?;
            let hassil = python.map(|python| hassil::measure(python, &language, &more)).transpose()?;
            rows.push(Row { language: code.clone(), more: more.len(), ours, hassil });
        }
    }
    Ok(ReflexResult { rows, notices })
}

impl fmt::Display for ReflexResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new([
            "",
            "sentences",
            "right",
            "CPU p50 ms",
            "p99 ms",
            "max ms",
            "load ms",
            "p50 ratio",
            "p99 ratio",
        ]);
        for row in &self.rows {
            let home = match row.more {
                0 => format!("{}, its own home", row.language),
                more => format!("{}, {} more entities", row.language, grouped(more as u64)),
            };
            let ratio = |of: fn(&LatencySummary) -> f64| {
                let ratio = row.hassil.as_ref().map(|hassil| of(&hassil.cpu) / of(&row.ours.cpu));
                ratio.map(rounded).unwrap_or_default()
            };
            table = table.row(cells(format!("{home}: Dwell"), &row.ours, ratio(|cpu| cpu.p50), ratio(|cpu| cpu.p99)));
            if let Some(hassil) = &row.hassil {
                table = table.row(cells(format!("{home}: hassil"), hassil, String::new(), String::new()));
            }
        }
        writeln!(f, "{table}")?;
        self.notices.iter().try_for_each(|notice| writeln!(f, "{notice}"))
    }
}

fn cells(name: String, measured: &MatcherResult, p50: String, p99: String) -> [String; 9] {
    let time = |time: f64| format!("{time:.4}");
    let right = format!("{:.2} %", 100.0 * measured.right as f64 / measured.sentences.max(1) as f64);
    let LatencySummary { p50: middle, p99: high, max } = measured.cpu;
    let count = grouped(measured.sentences as u64);
    [name, count, right, time(middle), time(high), time(max), rounded(measured.load_ms), p50, p99]
}
