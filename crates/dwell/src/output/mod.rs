//! How commands print: as text or as JSON, with or without remarks, coloured or plain.
//!
//! Results go to standard output. Remarks and progress go to standard error, and `--quiet` silences
//! them together with the confirmations of what was done.

mod colour;
mod progress;

use serde::Serialize;

pub(crate) use colour::{Colour, is_coloured};
pub(crate) use progress::Progress;

use crate::{command_error::CommandError, print_json};

/// What the flags `--json` and `--quiet` ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OutputOptions {
    /// Whether results are printed as JSON.
    pub(crate) json: bool,
    /// Whether only results and errors are printed.
    pub(crate) quiet: bool,
}

impl OutputOptions {
    /// Confirms what was done: the value as JSON if that is asked for, else the words.
    pub(crate) fn done<T: Serialize>(self, value: &T, words: &str) -> Result<(), CommandError> {
        if self.json {
            return print_json(value);
        }
        if !self.quiet {
            println!("{words}");
        }
        Ok(())
    }

    /// A step of longer work, in words; nothing where only JSON is wanted.
    pub(crate) fn say(self, words: &str) {
        if !self.quiet && !self.json {
            println!("{words}");
        }
    }

    /// A remark beside the result.
    pub(crate) fn remark(self, words: &str) {
        if !self.quiet {
            eprintln!("{words}");
        }
    }

    /// A bar that turns until it is dropped, for work of unknown length.
    pub(crate) fn busy(self, doing: impl Into<String>) -> Progress {
        Progress::spinner(self, doing.into())
    }
}
