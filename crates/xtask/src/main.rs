//! The workspace's own tasks, one subcommand each. `tidy` checks the rules of the code base
//! (dependencies between crates, sizes, forbidden paths, words). `generate` writes the files that
//! are derived from the code. `licences` and `advisories` check the dependencies. `dist` makes what
//! is handed to others. Nothing here depends on the crates that it checks.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool's output is its product")]

mod advisories;
mod book;
mod dist;
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

  tidy [docs]                        check the rules of this workspace, or only those of the documentation
  book                               prepare the pages for mdBook, which starts this itself
  generate [--check] [--dwell PATH]  write (or only compare) the files derived from the code;
                                     PATH is a built `dwell`, so that none need be built
  licences                           check licences, duplicate versions and sources of dependencies
  advisories                         look for known vulnerabilities, where the database is reachable
  dist WHAT [--binary PATH] [--arch x86_64|aarch64] [--version V] [--to DIR] [--store] [--certificates FILE]
                                     make artifacts: binary (compiles it), archive, deb, image, wheel, npm,
                                     sbom, licences, notes, sums, several with commas, or all; --store
                                     leaves out the compression";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["tidy"] => tidy::run(),
        ["tidy", "docs"] => tidy::run_documents(),
        ["book"] => book::run().map(|()| Vec::new()),
        // mdBook asks which kinds of output a preprocessor is for.
        ["book", "supports", _] => return ExitCode::SUCCESS,
        ["generate", flags @ ..] => match generate::Options::parse(flags) {
            Some(options) => generate::run(&options),
            None => return usage(),
        },
        ["licences"] => licences::run(),
        ["advisories"] => advisories::run(),
        ["dist", options @ ..] => match dist::DistOptions::parse(options) {
            Some(options) => dist::run(&options).map(|()| Vec::new()),
            None => return usage(),
        },
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
            println!("{task}: {} to fix", violations.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
