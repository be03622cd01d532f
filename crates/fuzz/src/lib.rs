//! Fuzz targets for everything that reads untrusted bytes.
//!
//! A [`Target`] is a name, a few well-formed inputs and a function that takes any bytes and panics
//! if Dwell misbehaves: if it panics, answers with an internal error, stops answering, or lets
//! active markup through. The APIs are tested over real sockets against a server in this process,
//! so that a coverage-guided fuzzer sees the code that it reaches. [`run`] runs a target with its
//! seeds and with mutations of them, which a seed number makes repeatable. `./test` does that for a
//! moment; the `fuzz/` folder of this crate gives the same targets to `cargo fuzz` for long runs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a target reports failures by panicking")]

mod mutate;
mod panics;
mod server;
mod targets;

use std::time::{Duration, Instant};

pub use targets::TARGETS;

/// Something that reads untrusted bytes.
pub struct FuzzTarget {
    /// Its name on the command line and in reports.
    pub name: &'static str,
    /// Well-formed inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Takes any bytes; panics if Dwell misbehaves.
    pub take: fn(&[u8]),
}

/// How long a target runs, by inputs or by time, whichever ends first.
#[derive(Debug, Clone, Copy)]
pub struct FuzzBudget {
    /// The maximum number of inputs.
    pub inputs: u64,
    /// The maximum time.
    pub time: Duration,
}

/// The target of that name.
pub fn target(name: &str) -> Option<&'static FuzzTarget> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs a target on its seeds, then on mutations of them. The same number gives the same inputs.
/// Returns the number of inputs; a failure panics with its input.
#[allow(clippy::disallowed_methods, reason = "the clock only decides when to stop")]
pub fn run(target: &FuzzTarget, number: u64, effort: FuzzBudget) -> u64 {
    let seeds = (target.seeds)();
    let begun = Instant::now();
    let mut mutator = mutate::Mutator::new(number, &seeds);
    let mut taken = 0;
    for input in seeds.iter().cloned().chain(std::iter::from_fn(|| Some(mutator.draw()))) {
        if taken >= effort.inputs || begun.elapsed() >= effort.time {
            break;
        }
        take(target, &input);
        taken += 1;
    }
    taken
}

/// Runs a target on one input; a failure panics with it.
pub fn take(target: &FuzzTarget, input: &[u8]) {
    let before = panics::count();
    let outcome = std::panic::catch_unwind(|| (target.take)(input));
    let panicked = panics::since(before);
    if let Err(cause) = outcome {
        eprint_input(target, input);
        std::panic::resume_unwind(cause);
    }
    if let Some(panicked) = panicked {
        eprint_input(target, input);
        panic!("{}: a thread panicked: {panicked}", target.name);
    }
}

#[allow(clippy::print_stderr, reason = "the user of a fuzzer needs the failing input")]
fn eprint_input(target: &FuzzTarget, input: &[u8]) {
    eprintln!("{} failed on {} bytes: {}", target.name, input.len(), input.escape_ascii());
}
