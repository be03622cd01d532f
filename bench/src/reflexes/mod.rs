//! `reflexes`: how quickly and how well sentences are understood without thinking.
//!
//! Home Assistant's own test sentences, each in the home it was written for and in that home with 2,000 more entities. In the
//! same minute hassil, Home Assistant's own matcher, reads the same sentences. Both are measured in CPU time of one
//! thread, sentence by sentence, in one pass after loading: the first sentences pay for what is found out only then.

mod cases;
mod hassil;
mod ours;

use std::fmt;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use self::cases::{Language, More};
use crate::{
    cli::Setting,
    percentile::Spread,
    table::{Table, grouped, rounded},
};

/// Every how many-th sentence is read in a quick run.
const QUICK: usize = 10;
/// Entities that are added to each home.
const MORE: usize = 2_000;

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Reflexes {
    rows: Vec<Row>,
    /// What could not be measured, and why.
    notices: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    language: String,
    more: usize,
    ours: Measured,
    hassil: Option<Measured>,
}

/// One matcher on one set of sentences.
#[derive(Debug, Serialize)]
struct Measured {
    sentences: usize,
    right: usize,
    cpu: Spread,
    load_ms: f64,
}

pub(crate) fn run(setting: Setting, languages: &[String], python: Option<&Path>) -> Result<Reflexes> {
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
            let more = More::new(&code, more);
            let ours = ours::measure(&language, &more)?;
            let hassil = python.map(|python| hassil::measure(python, &language, &more)).transpose()?;
            rows.push(Row { language: code.clone(), more: more.len(), ours, hassil });
        }
    }
    Ok(Reflexes { rows, notices })
}

impl fmt::Display for Reflexes {
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
            let ratio = |of: fn(&Spread) -> f64| {
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

fn cells(name: String, measured: &Measured, p50: String, p99: String) -> [String; 9] {
    let time = |time: f64| format!("{time:.4}");
    let right = format!("{:.2} %", 100.0 * measured.right as f64 / measured.sentences.max(1) as f64);
    let Spread { p50: middle, p99: high, max } = measured.cpu;
    let count = grouped(measured.sentences as u64);
    [name, count, right, time(middle), time(high), time(max), rounded(measured.load_ms), p50, p99]
}
