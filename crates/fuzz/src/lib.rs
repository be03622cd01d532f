//! Fuzz targets: bytes of strangers against everything that reads bytes of strangers.
//!
//! A [`Target`] is a name, a few well-formed inputs and a function that takes any bytes and panics if Dwell does what it must
//! never do: panic, answer with an internal error, stop answering, or let markup through that acts. The doors are driven over
//! real sockets against a server in this process, so that a coverage-guided fuzzer sees the code it reaches. [`run`] drives a
//! target with its seeds and with mutations of them that one number repeats; `./test` does that for a moment, and the
//! `fuzz/` folder of this crate hands the same targets to `cargo fuzz` for hours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a target says what went wrong by panicking"
)]

mod mutate;
mod panics;
mod served;
mod targets;

use std::time::{Duration, Instant};

pub use targets::TARGETS;

/// Something that reads bytes of strangers.
pub struct Target {
    /// What it is called on the command line and in reports.
    pub name: &'static str,
    /// Inputs that are as they should be, to begin from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Takes any bytes; panics if they lead to what must never happen.
    pub take: fn(&[u8]),
}

/// How long a target is driven: whichever ends first.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Inputs at most.
    pub inputs: u64,
    /// Time at most.
    pub time: Duration,
}

/// The target of that name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Gives a target its seeds, then mutations of them. The same number draws the same inputs. Answers how many it took; a failure
/// panics with the input that led to it.
#[allow(clippy::disallowed_methods, reason = "the clock only decides when to stop")]
pub fn run(target: &Target, number: u64, effort: Effort) -> u64 {
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

/// Gives a target one input; a failure panics with it.
pub fn take(target: &Target, input: &[u8]) {
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

#[allow(clippy::print_stderr, reason = "whoever runs a fuzzer wants the input back")]
fn eprint_input(target: &Target, input: &[u8]) {
    eprintln!("{} failed on {} bytes: {}", target.name, input.len(), input.escape_ascii());
}
