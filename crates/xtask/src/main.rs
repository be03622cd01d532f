//! The workspace's own chores, one subcommand each. `tidy` keeps the architecture true (who may use whom, how long things
//! may get, what is deliberately absent), `generate` writes the files that are derived from the code, `licences` and
//! `advisories` look at what others wrote and we link. Nothing here depends on the crates it checks.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool's output is its product")]

mod advisories;
mod generate;
mod licences;
mod metadata;
mod tidy;
mod tree;
mod violation;

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::violation::Violation;

const USAGE: &str = "usage: cargo xtask <task>

  tidy                               check the rules of this workspace
  generate [--check] [--dwell PATH]  write (or only compare) the files derived from the code;
                                     PATH is a built `dwell`, so that none need be built
  licences                           check licences, duplicate versions and sources of dependencies
  advisories                         look for known vulnerabilities, where the database is reachable";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["tidy"] => tidy::run(),
        ["generate", flags @ ..] => match generate::Options::parse(flags) {
            Some(options) => generate::run(&options),
            None => return usage(),
        },
        ["licences"] => licences::run(),
        ["advisories"] => advisories::run(),
        _ => return usage(),
    };
    report(args[0], outcome)
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn report(task: &str, outcome: Result<Vec<Violation>>) -> ExitCode {
    match outcome.with_context(|| format!("cargo xtask {task}")) {
        Ok(violations) if violations.is_empty() => ExitCode::SUCCESS,
        Ok(violations) => {
            for violation in &violations {
                println!("{violation}");
            }
            println!("{task}: {} to mend", violations.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
